# SPDX-License-Identifier: Apache-2.0
# Calls driver functions, and writes what the stack of each call was: usage: traced.py FILE. A line
# for each call, in the order of the calls of a thread: its tid and frames as a trace has them, as JSON.
import ctypes
import json
import os
import sys
import threading

driver = ctypes.CDLL("libcuda.so.1")
driver.cuDriverGetVersion.argtypes = [ctypes.c_void_p]
version = ctypes.c_int()
known = []


def stack():
    frame = sys._getframe(1)
    text = []
    while frame:
        code = frame.f_code
        text.append("%s (%s:%d)" % (getattr(code, "co_qualname", code.co_name), code.co_filename,
                                    frame.f_lineno))
        frame = frame.f_back
    known.append((threading.get_native_id(), text))
    return ctypes.addressof(version)


class Model:
    def forward(self, x):
        return [driver.cuDriverGetVersion(stack()) for _ in range(x)]

    def step(self, n):
        if n:
            return self.step(n - 1)
        driver.cuDriverGetVersion(stack())
        self.forward(2)


def work():
    for i in range(30):
        Model().step(i % 12)


driver.cuInit(0)
work()
others = [threading.Thread(target=work) for _ in range(3)]
for other in others:
    other.start()
for other in others:
    other.join()
for i in range(50):
    exec(compile("driver.cuDriverGetVersion(stack())\n", "made \u00e4;%d.py" % i, "exec"))
child = os.fork()
work()
if child:
    os.waitpid(child, 0)
with open(sys.argv[1] + (".child" if not child else ""), "w") as file:
    for line in known:
        print(json.dumps(line), file=file)
