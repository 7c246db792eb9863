# SPDX-License-Identifier: Apache-2.0
# kills.py PROGRAM DIRECTORY SHARED KILLS STOPS SEED: three processes of t/limit/share.c have a device by turns, of
# which one is killed, or stopped, at random moments. Time is what the others have launched on it.
import atexit, fcntl, mmap, os, random, signal, struct, subprocess, sys, time

from tap import check, done

program, directory, shared, *numbers = sys.argv[1:]
kills, stops, seed = map(int, numbers)
random.seed(seed)
TOTAL, EVERY = 1 << 40, 4
# By which the others must come to have launched this, a slice is over several times: 50 launches of 0.2 ms are one.
SOME = 200
STATES = "idle", "wants", "holds"

fd = os.open(directory + "/all", os.O_RDWR | os.O_CREAT, 0o600)
os.ftruncate(fd, 4096)
everything = mmap.mmap(fd, 4096)


# They end when all together have launched so much.
def end_all():
    struct.pack_into("q", everything, 8 + 8 * 7, TOTAL)


atexit.register(end_all)


def count(number):
    return struct.unpack_from("q", everything, 8 + 8 * number)[0]


class Process:
    def __init__(self, number):
        self.number = number
        self.process = subprocess.Popen([program, directory + "/all", str(number), "1", str(TOTAL), str(EVERY)],
                                        stdout=subprocess.DEVNULL)

    # Until it has launched so many more; False: it is no more, and why is on stderr.
    def goes_on(self, launches):
        until = count(self.number) + launches
        while count(self.number) < until:
            if self.process.poll() is not None:
                return False
            time.sleep(0.0002)
        return True

    def state(self):
        with open(shared, "rb") as file:
            for row in range(1, 4):
                file.seek(1024 * row)
                data = file.read(1024)
                if struct.unpack_from("I", data, 8)[0] == self.process.pid:
                    return STATES[struct.unpack_from("I", data, 64)[0]]
        return "unknown"


def locked():
    with open(shared, "r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        return False


def listed():
    text = subprocess.run([program + ".cuaudit", "limit", "status", shared], stdout=subprocess.PIPE, text=True).stdout
    return sorted(int(line.split()[0]) for line in text.splitlines() if line.strip()[:1].isdigit())


# When the device will have done all work, in seconds.
def clock():
    with open(directory + "/clock", "rb") as file:
        return struct.unpack("Q", file.read(8))[0] / 1e9


# The survivors both go on, whatever the victim was at. For how long the device had nothing to do until then.
def both_go_on():
    began, before = clock(), count(0) + count(1)
    if not all(process.goes_on(SOME) for process in survivors):
        return None
    return clock() - began - 0.0002 * (count(0) + count(1) - before)


# What the victim was at, and what the others made of that.
def some(number, event):
    events = [event() for _ in range(number)]
    for state in STATES:
        print("# while it %s: %d" % (state, [its for its, _ in events].count(state)))
    return events


# Within its own slices, or those of another.
def some_time(victim):
    victim.goes_on(1 + random.randrange(100))
    if random.randrange(2):
        survivors[0].goes_on(random.randrange(50))


def kill_one():
    victim = Process(2)
    some_time(victim)
    victim.process.send_signal(signal.SIGKILL)
    victim.process.wait()
    event = victim.state(), both_go_on()
    missed.append(listed() != sorted(process.process.pid for process in survivors))
    return event


def stop_one():
    some_time(stopped)
    stopped.process.send_signal(signal.SIGSTOP)
    event = stopped.state(), both_go_on()
    stopped.process.send_signal(signal.SIGCONT)
    missed.append(not stopped.goes_on(SOME))
    return event


def judge(what, number, event, then):
    missed.clear()
    events = some(number, event)
    idle = [float("inf") if idle is None else idle for _, idle in events]
    # The middle one: on a busy machine some threads wait for a processor.
    check("%d %s, seed %d: the others go on" % (number, what, seed), max(idle) < float("inf"), True)
    check("... within half a second of the device's time", sorted(idle)[number // 2] < 0.5, True)
    print("# which has nothing to do for %.3f s at most" % max(idle))
    check(then, any(missed), False)


missed = []
survivors = [Process(0), Process(1)]
for survivor in survivors:
    survivor.goes_on(SOME)
before = [count(0), count(1)]
judge("kills", kills, kill_one, "... and are all that is listed")
stopped = Process(2)
judge("stops", stops, stop_one, "... and it does afterwards")
stopped.process.kill()
stopped.process.wait()
had = [count(number) - before[number] for number in (0, 1)]
check("of %d and %d launches the survivors have about the same" % tuple(had), max(had) < 2 * min(had), True)
end_all()
check("the survivors end well", [process.process.wait() for process in survivors], [0, 0])
check("nothing is locked", locked(), False)
check("nor listed", listed(), [])
done()
