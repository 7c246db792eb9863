# SPDX-License-Identifier: Apache-2.0
# Processes that share a limit while one is stopped, killed or cloned, and others spoil the file.
import json, os, resource, signal, struct, subprocess, sys, time

from tap import check, done

program, stress, directory, library = sys.argv[1:]
MIB = 1 << 20
SIZE = 1024 * 64
STATUS = 85
made = 0


def environment(file, options=""):
    return dict(os.environ, LD_AUDIT=library, CUAUDIT_OUTPUT=file + ".%p",
                CUAUDIT_HOOKS="limit(user=10M;count=allocations;format=json;file=%s%s)" % (file, options))


class User:
    def __init__(self, file, options=""):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True,
                                        env=environment(file, options))
        self.ask("take", 1)
        self.ask("free")

    def ask(self, *words):
        try:
            self.process.stdin.write(" ".join(map(str, words)) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return ""
        return self.process.stdout.readline().strip()

    def end(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.said = self.process.stderr.read()
        return self.process.wait()


def new():
    global made
    made += 1
    return "%s/shared-%d" % (directory, made)


def holds(file, byte):
    """A process that has this byte of the file, as one that was stopped inside."""
    child = subprocess.Popen([sys.executable, "-c", """
import fcntl, os, struct, sys
fd = os.open(sys.argv[1], os.O_RDWR)
fcntl.fcntl(fd, 37, struct.pack("hhqqi", fcntl.F_WRLCK, 0, int(sys.argv[2]), 1, 0))
print("locked", flush=True)
sys.stdin.read()
""", file, str(byte)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    child.stdout.readline()
    return child


# One who is stopped with the gate: others wait once, for less than a second, and count right.
file = new()
a, b = User(file), User(file)
check("one takes a part", a.ask("take", 6 * MIB), "0")
holder = holds(file, 0)
holder.send_signal(signal.SIGSTOP)
began = time.monotonic()
check("with the gate stopped, too much is refused", b.ask("take", 5 * MIB), "2")
first = time.monotonic() - began
began = time.monotonic()
for i in range(20):
    b.ask("take", 5 * MIB)
check("and the rest is given", b.ask("take", 4 * MIB), "0")
later = time.monotonic() - began
check("it is waited for", first > 0.15, True)
check("but once: 21 calls take less than 20 waits", later < 20 * 0.15, True)
check("and nothing more is given", a.ask("take", 1), "2")
c = User(file)
check("nor to one who comes", c.ask("take", 1), "2")
holder.send_signal(signal.SIGCONT)
holder.kill()
holder.wait()
check("as it ends, all is as before", (a.ask("free"), c.ask("take", 6 * MIB)), ("0", "0"))
check("all end", (a.end(), b.end(), c.end()), (0, 0, 0))

# Stopped at any moment: a herd of takers, each stopped and continued at random.
file = new()
herd = [subprocess.Popen([stress, "2", "100000", str(10 * MIB), file + ".sum"],
                         env=dict(environment(file), CUAUDIT_EXCLUDE="libwatch.so"),
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for i in range(3)]
stopped = 0
for i in range(12):
    victim = herd[i % 3]
    if victim.poll() is None:
        victim.send_signal(signal.SIGSTOP)
        stopped += 1
    other = User(file)
    other.ask("take", MIB)
    other.end()
    victim.send_signal(signal.SIGCONT)
outputs = [process.communicate()[0] for process in herd]
check("some were stopped", stopped > 0, True)
check("the herd was never over its limit",
      [line for output in outputs for line in output.splitlines() if "not ok" in line
       and "some is taken" not in line and "come by" not in line], [])
check("and ends with nothing", [p.returncode & ~1 for p in herd], [0, 0, 0])
with open(file, "rb") as data:
    rows = [row for row in struct.iter_unpack("<Q56x", data.read()[64:])]
check("nothing is left in the file", sum(row[0] for row in rows), 0)
check("it has its size", len(rows), 1023)

# Killed at any moment: nothing of theirs is left.
for i in range(8):
    victim = subprocess.Popen([stress, "2", "1000000", str(10 * MIB)], stdout=subprocess.PIPE,
                              env=dict(environment(file), CUAUDIT_EXCLUDE="libwatch.so"),
                              stderr=subprocess.DEVNULL)
    other = User(file)
    other.ask("take", 1)
    victim.kill()
    victim.communicate()
    # Whoever looks at a dead process's descriptors in /proc keeps its lock for that long.
    for _ in range(40):
        taken = other.ask("take", 9 * MIB)
        if taken == "0":
            break
        time.sleep(0.05)
    check("killed %d: all of it is free" % i, taken, "0")
    other.end()

# A parent killed whose child by fork lives on.
file = new()
a, b = User(file), User(file)
a.ask("take", 10 * MIB)
a.ask("orphan")
a.process.kill()
a.process.wait()
check("a parent killed, its child alive: its part is free", b.ask("take", 10 * MIB), "0")
b.end()

# The file spoiled: nobody crashes; on-error says what is done.
def truncate(file, size):
    os.truncate(file, size)


def holes(file):
    os.truncate(file, 0)
    os.truncate(file, 65536)


def scribble(file):
    with open(file, "r+b") as data:
        data.seek(64)
        data.write(os.urandom(64 * 6))


def header(file):
    with open(file, "r+b") as data:
        data.write(b"something else altogether")


for what, spoil in (("truncated to nothing", lambda f: truncate(f, 0)),
                    ("truncated in a row", lambda f: truncate(f, 100)),
                    ("all holes", holes), ("another header", header)):
    for options in ("", ";on-error=run"):
        file = new()
        a, b = User(file, options), User(file, options)
        a.ask("take", 6 * MIB)
        b.ask("take", MIB)
        spoil(file)
        answer = a.ask("take", 2 * MIB)
        status = a.end()
        if options:
            check(what + ", on-error=run: goes on", (answer, status), ("0", 0))
            check(what + ", and says so once", a.said.count("not held: the shared file"), 1)
            report = json.load(open("%s.%d.limit" % (file, a.process.pid)))
            check(what + ", and reports it", report["uncounted"]["file"] > 0, True)
        else:
            check(what + ": the process ends", (answer, status), ("", STATUS))
            check(what + ", and says why", "on-error=run" in a.said, True)
        answer = b.ask("left")
        check(what + ": the other, too", b.end() if options else (answer, b.end()),
              0 if options else ("", STATUS))

file = new()
a, b = User(file), User(file)
a.ask("take", 6 * MIB)
scribble(file)
answers = a.ask("take", 1), b.ask("take", 5 * MIB)
check("rows overwritten: never over the limit", answers != ("0", "0"), True)
check("nobody crashes", {a.end(), b.end()} <= {0, STATUS}, True)

# One row of the living overwritten by a right one: it is known better.
file = new()
a = User(file)
a.ask("take", 6 * MIB)
with open(file, "r+b") as data:
    data.seek(128)
    free = data.read(64)
    data.seek(64)
    data.write(free)
check("a row made free: is not", a.ask("take", 5 * MIB), "2")
a.end()
check("it is said", "another program wrote into" in a.said, True)

# Removed and replaced: all meet again in what is there now.
file = new()
a, b = User(file), User(file)
a.ask("take", 6 * MIB)
os.unlink(file)
check("removed: one begins anew", b.ask("take", 1 * MIB), "0")
check("another brings what it holds", a.ask("take", 1 * MIB), "0")
check("no more than the limit", b.ask("take", 3 * MIB), "2")
check("they end", (a.end(), b.end()), (0, 0))

# What cannot be shared at the start.
def starts(file, options=""):
    process = subprocess.run([program], input="take 1\n", capture_output=True, text=True,
                             env=environment(file, options))
    return process.returncode, process.stdout.strip(), process.stderr


for what, make in (("a directory", os.mkdir),
                   ("a FIFO", os.mkfifo),
                   ("a symbolic link", lambda f: os.symlink("/dev/null", f)),
                   ("a dangling link", lambda f: os.symlink("/nonexistent", f)),
                   ("another file", lambda f: open(f, "w").write("not it"))):
    file = new()
    make(file)
    status, output, said = starts(file)
    check("%s: the program does not start" % what, (status, output), (STATUS, ""))
    check("%s: one line says why" % what, (said.count("\n"), "cannot share" in said), (1, True))
    status, output, said = starts(file, ";on-error=run")
    check("%s: or without that limit" % what, (status, output), (0, "0"))
check("no directory", starts(directory + "/none/file")[0], STATUS)
file = new()
open(file, "w").close()
check("an empty file is filled", starts(file)[:2], (0, "0"))

# Whatever the umask of who makes it, the user's next one may open it.
def no_modes():
    os.umask(0o777)


file = new()
process = subprocess.run([program], input="take 1\n", capture_output=True, text=True, env=environment(file),
                         preexec_fn=no_modes)
check("a umask of 0777: it starts", (process.returncode, process.stdout.strip()), (0, "0"))
check("a umask of 0777: the mode", oct(os.stat(file).st_mode & 0o777), oct(0o600))

# A limit of file sizes: no SIGXFSZ, but a reason.
def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))


file = new()
process = subprocess.run([program], input="take 1\n", capture_output=True, text=True,
                         env=dict(environment(file), CUAUDIT_OUTPUT=""), preexec_fn=small_files)
check("ulimit -f: the process does not start", (process.returncode, process.stdout), (STATUS, ""))
check("ulimit -f: says why", "a limit of file sizes" in process.stderr, True)

# It is whole from its first moment, where the file system has files without a name.
def first_size():
    file = new()
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment(file))
    process.stdin.write(b"take 1\n")
    process.stdin.flush()
    while not os.path.exists(file):
        pass
    size = os.stat(file).st_size
    process.communicate()
    return size


try:
    os.close(os.open(directory, os.O_TMPFILE | os.O_RDWR))
    check("the file is whole as soon as it is there", {first_size() for i in range(20)}, {SIZE})
except OSError:
    pass

# Many at once, on a file that is not there yet.
file = new()
many = [subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                         stderr=subprocess.PIPE, env=environment(file)) for i in range(24)]
for process in many:
    process.stdin.write("take %d\n" % MIB)
    process.stdin.flush()
answers = [process.stdout.readline().strip() for process in many]
check("24 processes at once: ten have their MiB", sorted(answers), ["0"] * 10 + ["2"] * 14)
for process in many:
    process.communicate()

# One who is stopped while it fills the file: with the byte behind it locked.
file = new()
User(file).end()
holder = holds(file, SIZE)
user = User(file)
check("a file that is being filled, and whole by now", (user.ask("take", MIB), user.end()), ("0", 0))
holder.communicate()
file = new()
open(file, "w").close()
holder = holds(file, SIZE)
status, output, said = starts(file)
check("an empty file that another fills", (status, output, "another process is filling it" in said),
      (STATUS, "", True))
before = time.monotonic()
idle = subprocess.run([program], input="", capture_output=True, text=True, env=environment(file))
check("... is not waited for where the module begins, under the loader's lock",
      (idle.returncode, idle.stderr, time.monotonic() - before < 4), (0, "", True))
late = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(file))
late.stdin.write("take %d\n" % MIB)
late.stdin.flush()
time.sleep(0.3)
holder.communicate()
check("... and by a call, until that one has ended", (late.communicate()[0].strip(), late.returncode), ("0", 0))
check("as that one has ended", starts(file)[:2], (0, "0"))
file = new()
open(file, "w").close()
holder = holds(file, SIZE)
late = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                        env=environment(file, ";on-error=run"))


def asks(words):
    before = time.monotonic()
    late.stdin.write(words + "\n")
    late.stdin.flush()
    return late.stdout.readline().strip().split(" ")[0], time.monotonic() - before


first = asks("take 1")
rest = [asks(words) for words in ["left", "free", "take 1"] + ["left"] * 10]
check("on-error=run, and it never ends: one call waits", (first[0], 4.5 < first[1] < 9), ("0", True))
check("... and none behind it", sum(time for _, time in rest) < 3, True)
holder.communicate()
check("... which find it once it is filled", (asks("take %d" % (9 * MIB)), asks("take %d" % (2 * MIB)))[1][0], "2")
late.communicate()
done()
