# SPDX-License-Identifier: Apache-2.0
"""Opens a page in headless Chromium and does what a script on standard input says.

browser.py CHROMIUM FILE: lines of the script are `eval EXPRESSION`, whose value is printed
as JSON; `click SELECTOR`; `key KEY`; `wheel X Y DELTA`; `drag X Y X Y`; `size WIDTH HEIGHT`;
`dark`; `print`; `shot FILE`. In the end what went wrong is printed, a line each: "error:
...", "console: ..." and "request: ..." for anything loaded beside the page itself.
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse


class Browser:
    """Chromium at the other end of two pipes, as --remote-debugging-pipe has it."""

    def __init__(self, chromium):
        self.directory = tempfile.mkdtemp()
        there_read, self.write_end = os.pipe()
        self.read_end, there_write = os.pipe()

        def place():
            """Its descriptors are 3 and 4."""
            first, second = os.dup(there_read), os.dup(there_write)
            os.dup2(first, 3)
            os.dup2(second, 4)

        environment = dict(os.environ, HOME=self.directory)
        self.process = subprocess.Popen(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--user-data-dir=" + self.directory + "/profile",
             "--remote-debugging-pipe", "about:blank"],
            preexec_fn=place, close_fds=False, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(there_read)
        os.close(there_write)
        self.pending = b""
        self.number = 0
        self.session = None
        self.events = []

    def message(self):
        while b"\0" not in self.pending:
            more = os.read(self.read_end, 1 << 16)
            if not more:
                raise SystemExit("browser.py: Chromium ended")
            self.pending += more
        text, self.pending = self.pending.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.write_end, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") != self.number:
                self.events.append(message)
            elif "error" in message:
                raise SystemExit("browser.py: %s: %s" % (method, message["error"]["message"]))
            else:
                return message["result"]

    def wait(self, method):
        while True:
            for event in self.events:
                if event.get("method") == method:
                    return
            self.events.append(self.message())

    def open(self, url):
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Network", "Page"):
            self.call(domain + ".enable")
        self.size(1280, 900)
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait("Page.loadEventFired")

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            return "threw " + result["exceptionDetails"]["exception"].get("description", "")
        return result["result"].get("value")

    def settle(self):
        """Waits until the page has drawn what it was told of."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => "
                      "requestAnimationFrame(() => done(1))))")

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, SystemExit):
            pass
        self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)


def place_of(browser, selector):
    place = browser.evaluate(
        "(() => { const e = document.querySelector(%s); e.scrollIntoView({ block: 'center' });"
        " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        % json.dumps(selector))
    if not isinstance(place, list):
        raise SystemExit("browser.py: nothing is %s" % selector)
    return place


def follow(browser, line):
    word, _, rest = line.partition(" ")
    numbers = [float(n) for n in rest.split()] if word in ("size", "wheel", "drag", "move") else []
    if word == "eval":
        print(json.dumps(browser.evaluate(rest)))
    elif word == "click":
        browser.click(*place_of(browser, rest))
    elif word == "at":
        x, y = numbers
        browser.click(x, y)
    elif word == "move":
        browser.mouse("mouseMoved", *numbers)
    elif word == "key":
        key = {"key": rest, "code": rest}
        if len(rest) == 1 or rest == "Enter":
            key["text"] = "\r" if rest == "Enter" else rest
        browser.call("Input.dispatchKeyEvent", type="keyDown", **key)
        browser.call("Input.dispatchKeyEvent", type="keyUp", key=rest)
    elif word == "wheel":
        x, y, delta = numbers
        browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=delta)
    elif word == "drag":
        x, y, to_x, to_y = numbers
        browser.mouse("mouseMoved", x, y)
        browser.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        browser.mouse("mouseMoved", to_x, to_y, button="left", buttons=1)
        browser.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)
    elif word == "size":
        browser.size(*[int(n) for n in numbers])
    elif word == "dark":
        browser.call("Emulation.setEmulatedMedia",
                     features=[{"name": "prefers-color-scheme", "value": "dark"}])
    elif word == "print":
        data = browser.call("Page.printToPDF")["data"]
        pathlib.Path(rest).write_bytes(base64.b64decode(data))
    elif word == "shot":
        data = browser.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(rest).write_bytes(base64.b64decode(data))
    else:
        raise SystemExit("browser.py: no such step: " + line)
    browser.settle()


def complaints(events, url):
    for event in events:
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            yield "error: " + details.get("exception", {}).get("description", details["text"])
        elif event.get("method") == "Runtime.consoleAPICalled":
            yield "console: " + json.dumps(parameters["args"])
        elif event.get("method") == "Log.entryAdded":
            yield "error: " + parameters["entry"]["text"]
        elif event.get("method") == "Network.requestWillBeSent":
            if parameters["request"]["url"] != url:
                yield "request: " + parameters["request"]["url"]


def main():
    chromium, path = sys.argv[1:]
    url = "file://" + urllib.parse.quote(os.path.abspath(path))
    browser = Browser(chromium)
    try:
        browser.open(url)
        browser.settle()
        for line in sys.stdin:
            if line.strip():
                follow(browser, line.rstrip("\n"))
        for complaint in complaints(browser.events, url):
            print(complaint)
    finally:
        browser.close()


if __name__ == "__main__":
    main()
