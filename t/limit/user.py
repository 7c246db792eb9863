# SPDX-License-Identifier: Apache-2.0
# Processes that share a limit, driven in turns.
import os, signal, subprocess, sys

from tap import check, done

program, file, library = sys.argv[1:]
environment = dict(os.environ, LD_AUDIT=library, CUAUDIT_LOG="error",
                   CUAUDIT_OUTPUT=file + ".%p",
                   CUAUDIT_HOOKS="limit(user=10M;file=%s)" % file)
MIB = 1 << 20


class User:
    def __init__(self):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, env=environment,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self, how=None):
        if how:
            self.process.send_signal(how)
        self.process.stdin.close()
        return self.process.wait()


a, b, c = User(), User(), User()
check("one process takes a part", a.ask("take", 6 * MIB), "0")
check("another not as much", b.ask("take", 5 * MIB), "2")
check("but the rest", b.ask("take", 4 * MIB), "0")
check("a third nothing", c.ask("take", 1), "2")
check("what is free", a.ask("left"), "0 of %d" % (10 * MIB))
check("what one gives back", a.ask("free"), "0")
check("another takes", c.ask("take", 6 * MIB), "0")
check("a killed one", b.end(signal.SIGKILL), -signal.SIGKILL)
check("leaves its part to others", a.ask("take", 4 * MIB), "0")
check("and no more", a.ask("take", 1), "2")
check("a stopped one", c.process.send_signal(signal.SIGSTOP), None)
check("keeps it", a.ask("take", 1), "2")
c.process.send_signal(signal.SIGCONT)
check("one ends as it should", a.end(), 0)
check("and others have its part", c.ask("take", 4 * MIB), "0")
check("files closed by the program", c.ask("close"), "0")
check("do not free its part", c.ask("take", 1), "2")
d = User()
check("nor for others", d.ask("take", 1), "2")
check("all ends", c.end(), 0)
e = User()
check("a child of fork", e.ask("fork", 10 * MIB), "0")
check("leaves all of it", d.ask("take", 10 * MIB), "0")
check("once more", e.ask("fork", 1), "2")
check("ends", (d.end(), e.end()), (0, 0))
f = User()
check("and it all begins anew", f.ask("take", 10 * MIB), "0")
f.end()
done()
