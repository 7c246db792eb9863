# SPDX-License-Identifier: Apache-2.0
# Calls a driver function from Python code of all kinds, and says each time what the stack is. Of no
# version's syntax: 3.9 and later. usage: frames.py [PART...]; without one all that are here.
import asyncio
import ctypes
import gc
import os
import signal
import sys
import threading

sys.setrecursionlimit(3000)
driver = ctypes.CDLL("libcuda.so.1")
driver.cuModuleGetFunction.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p]
locked = ctypes.PyDLL("libcuda.so.1")	# does not release the GIL
locked.cuModuleGetFunction.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p]


def stack():
    frame = sys._getframe(1)
    text = []
    while frame and len(text) < 200:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        text.append("%s\t%s\t%d\n" % (name, code.co_filename, frame.f_lineno or 0))
        frame = frame.f_back
    return os.fsencode("".join(text).replace("\0", "\ufffd"))


parts = {}


def part(function):
    parts[function.__name__] = function
    return function


@part
def plain():
    for i in range(10):
        driver.cuModuleGetFunction(None, None, stack())
        locked.cuModuleGetFunction(None, None, stack())


@part
def closures():
    cell = 1

    class Inner:
        def method(self):
            def local():
                driver.cuModuleGetFunction(None, None, stack()); return cell
            return local()

        @property
        def value(self):
            return driver.cuModuleGetFunction(None, None, stack())

        def __del__(self):
            driver.cuModuleGetFunction(None, None, stack())

        def __lt__(self, other):
            driver.cuModuleGetFunction(None, None, stack())
            return False

    inner = Inner()
    inner.method(), inner.value
    sorted([inner, Inner(), Inner()])
    (lambda: driver.cuModuleGetFunction(None, None, stack()))()
    list(map(lambda x: driver.cuModuleGetFunction(None, None, stack()), range(3)))
    [driver.cuModuleGetFunction(None, None, stack()) for _ in range(3)]
    {driver.cuModuleGetFunction(None, None, stack()): 1 for _ in range(3)}
    del inner


@part
def generators():
    def one():
        for i in range(5):
            driver.cuModuleGetFunction(None, None, stack())
            yield i

    def two():
        yield from one()
        driver.cuModuleGetFunction(None, None, stack())

    list(two())
    sum(driver.cuModuleGetFunction(None, None, stack()) for _ in range(3))
    generator = one()
    next(generator)
    generator.close()
    try:
        raise ValueError
    except ValueError:
        driver.cuModuleGetFunction(None, None, stack())
    finally:
        driver.cuModuleGetFunction(None, None, stack())
    with open(os.devnull) as null:
        driver.cuModuleGetFunction(None, None, stack())


@part
def coroutines():
    async def leaf(i):
        await asyncio.sleep(0)
        driver.cuModuleGetFunction(None, None, stack())
        return i

    async def middle(i):
        async for x in numbers():
            driver.cuModuleGetFunction(None, None, stack())
        return await leaf(i)

    async def numbers():
        for i in range(3):
            await asyncio.sleep(0)
            driver.cuModuleGetFunction(None, None, stack())
            yield i

    async def main():
        await asyncio.gather(*(middle(i) for i in range(20)))
        await asyncio.get_running_loop().run_in_executor(None, plain)

    asyncio.run(main())


@part
def threads():
    def work():
        for i in range(200):
            driver.cuModuleGetFunction(None, None, stack())
            deeper(i % 7)

    def deeper(n):
        if n:
            return deeper(n - 1)
        locked.cuModuleGetFunction(None, None, stack())

    for _ in range(3):
        started = [threading.Thread(target=work) for _ in range(8)]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()


@part
def texts():
    """Code objects that are freed, and whose addresses are used again."""
    for i in range(3000):
        source = "\n" * (i % 5) + "driver.cuModuleGetFunction(None, None, stack())\n"
        exec(compile(source, "<made %d>" % (i % 11), "exec"), globals())
    eval("driver.cuModuleGetFunction(None, None, stack())")
    for i in range(500):
        scope = dict(driver=driver, stack=stack)
        exec("def f%d():\n%s driver.cuModuleGetFunction(None, None, stack())\n" % (i % 3, " \n" * (i % 4)), scope)
        scope["f%d" % (i % 3)]()
    for name in ("\u00e4\u00f6", "\u65e5\u672c\u8a9e", "\U0001f600", "\udcff\udc80", "a" * 20000,
                 "\u65e5" * 9000, "dir/" * 1000 + "x.py", "", "new\nline", "quote\"'\\", "semi;colon"):
        exec(compile("driver.cuModuleGetFunction(None, None, stack())\n", name, "exec"), globals())
    code = plain.__code__
    for name in ("\u00e4\u00f6", "\u65e5\u672c\u8a9e", "n" * 5000):
        new = dict(co_name=name)
        if hasattr(code, "co_qualname"):
            new["co_qualname"] = name
        type(plain)(code.replace(**new), globals())()
    lines = "x = 1\n" * 20000 + "driver.cuModuleGetFunction(None, None, stack())\n"
    exec(compile(lines, "long.py", "exec"), globals())
    exec(compile("x = [\n" + "1,\n" * 300 + "driver.cuModuleGetFunction(None, None, stack()),\n" + "1,\n" * 300 + "]\n", "list.py", "exec"), globals())


@part
def recursion():
    def down(n):
        if n:
            return down(n - 1)
        driver.cuModuleGetFunction(None, None, stack())

    def by_c(n):
        if n:
            return list(map(by_c, [n - 1]))
        driver.cuModuleGetFunction(None, None, stack())

    for n in (0, 1, 30, 90, 150, 2000):
        down(n)
    for n in (1, 10, 40, 200):
        by_c(n)


@part
def signals():
    def handler(number, frame):
        driver.cuModuleGetFunction(None, None, stack())
        # Not before it is done: on a slow machine each would come inside of the one before, to the recursion limit.
        if not ended:
            signal.setitimer(signal.ITIMER_REAL, 0.001)

    ended = []
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    for i in range(3000):
        driver.cuModuleGetFunction(None, None, stack())
    ended.append(True)
    signal.setitimer(signal.ITIMER_REAL, 0)


@part
def callbacks():
    """Python, C, Python, C: ctypes makes a state of each thread that has none."""
    made = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)

    @made
    def compare(a, b):
        driver.cuModuleGetFunction(None, None, stack())
        return 0

    libc = ctypes.CDLL(None)
    array = (ctypes.c_int * 5)(5, 4, 3, 2, 1)
    libc.qsort(array, 5, 4, compare)

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
    def run(argument):
        driver.cuModuleGetFunction(None, None, stack())
        return None

    for _ in range(20):
        thread = ctypes.c_ulong()
        libc.pthread_create(ctypes.byref(thread), None, run, None)
        libc.pthread_join(thread, None)


@part
def forks():
    for _ in range(3):
        child = os.fork()
        if not child:
            plain()
            sys.stdout.flush()
            sys.exit(0)
        plain()
        os.waitpid(child, 0)


@part
def raw_forks():
    """By the system call, of which no handler of fork(3) hears; the parent's memory is another's then."""
    libc = ctypes.PyDLL(None)
    sys_clone = {"x86_64": 56, "aarch64": 220}[os.uname().machine]

    def deeper(n):
        if n:
            return deeper(n - 1)
        for _ in range(20):
            driver.cuModuleGetFunction(None, None, stack())

    deeper(3)
    child = libc.syscall(sys_clone, signal.SIGCHLD, 0, 0, 0, 0)
    if not child:
        deeper(9)
        sys.exit(0)
    os.waitpid(child, 0)
    deeper(5)


@part
def leader():
    """The process goes on when its first thread has ended, and has no memory by that one's number."""
    libc = ctypes.CDLL(None)

    def work():
        main.join(0.5)
        for _ in range(200):
            driver.cuModuleGetFunction(None, None, stack())
        libc.exit(0)

    main = threading.current_thread()
    threading.Thread(target=work).start()
    driver.cuModuleGetFunction(None, None, stack())
    libc.pthread_exit(None)


@part
def steady():
    """The same stack again and again, with some of C in it."""
    def inner():
        for i in range(int(os.environ.get("CALLS", "1000"))):
            driver.cuModuleGetFunction(None, None, text if i else (text := stack()))

    def outer():
        list(map(lambda _: inner(), [0]))

    outer()


@part
def shrinks():
    """Stacks whose memory is given back, and code in place of other code meanwhile."""
    def down(n):
        if n:
            return down(n - 1)
        driver.cuModuleGetFunction(None, None, stack())

    for i in range(400):
        source = "\n" * (i % 7) + ("driver.cuModuleGetFunction(None, None, stack())\n" if i % 2 else "down(900)\n")
        exec(compile(source, "<shrinks>", "exec"), dict(globals(), down=down))


@part
def vanishes():
    """The page below a thread's frames is another's, who unmaps it when it was asked for (reads.c)."""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    vanish = ctypes.c_ulong.in_dll(libc, "reads_vanish")
    fixed_noreplace, private_anonymous = 0x100000, 0x22
    ended = threading.Event()

    def work():
        frame = ctypes.c_uint64.from_address(id(sys._getframe()) + 24).value
        below = (frame & ~4095) - 4096
        if sys.version_info >= (3, 11) and frame % 4096 < 2048 and not vanish.value and \
                libc.mmap(below, 4096, 3, private_anonymous | fixed_noreplace, -1, 0) == below:
            vanish.value = below
            driver.cuModuleGetFunction(None, None, stack())
        begun.set()
        ended.wait()

    for _ in range(20):
        begun = threading.Event()
        threading.Thread(target=work).start()
        begun.wait()
    ended.set()
    print("below", bool(vanish.value) or sys.version_info < (3, 11))


@part
def reuse():
    """States of threads where those of others were, which run while it is asked for them."""
    stop = []

    def once():
        driver.cuModuleGetFunction(None, None, stack())

    def spin():
        while not stop:
            sum([1, 2, 3])

    def later():
        for _ in range(3):
            driver.cuModuleGetFunction(None, None, stack())

    sys.setswitchinterval(1e-5)
    for _ in range(150):
        first = threading.Thread(target=once)
        first.start()
        first.join()
        others = [threading.Thread(target=spin), threading.Thread(target=later)]
        for thread in others:
            thread.start()
        others[1].join()
        stop.append(1)
        others[0].join()
        stop.clear()
    sys.setswitchinterval(0.005)


@part
def many():
    """More lines than are remembered, again and again, and stacks of all kinds in turn."""
    functions = [lambda: driver.cuModuleGetFunction(None, None, stack())]
    for i in range(90):
        scope = dict(inner=functions[-1])
        exec("def f%d():\n%s return inner()" % (i, "\n" * (i % 40)), scope)
        functions.append(scope["f%d" % i])
    for i in range(30):
        for function in functions[i::7]:
            function()
            list(map(lambda _: function(), [0]))
    for i in range(3):
        source = "".join("driver.cuModuleGetFunction(None, None, stack())\n" for _ in range(2000))
        exec(compile(source, "<many>", "exec"), globals())


@part
def garbage():
    gc.set_threshold(10)
    stop = []

    def churn():
        while not stop:
            a = []
            a.append(a)
            exec(compile("x = [lambda: 0 for _ in range(9)]", "churn", "exec"), {})

    others = [threading.Thread(target=churn) for _ in range(3)]
    for thread in others:
        thread.start()
    for i in range(3000):
        driver.cuModuleGetFunction(None, None, stack())
    for i in range(int(os.environ.get("CALLS", "3000"))):
        locked.cuModuleGetFunction(None, None, text if i else (text := stack()))
    stop.append(1)
    for thread in others:
        thread.join()
    gc.set_threshold(700)


def interpreters_module():
    """How to make an interpreter beside this one, to run a text in it, and to end it."""
    if sys.version_info >= (3, 13):
        import _interpreters as sub
        return lambda: sub.create("legacy"), lambda i, text: sub.exec(i, text), sub.destroy
    import _xxsubinterpreters as sub
    return lambda: sub.create(isolated=False), sub.run_string, sub.destroy


inner_stack = """
import ctypes, sys, os
driver = ctypes.%s("libcuda.so.1")
driver.cuModuleGetFunction.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p]
def stack():
    frame = sys._getframe(1)
    text = []
    while frame:
        code = frame.f_code
        text.append("%%s\\t%%s\\t%%d\\n" %% (getattr(code, "co_qualname", code.co_name), code.co_filename, frame.f_lineno))
        frame = frame.f_back
    return os.fsencode("".join(text))
"""


@part
def interpreters():
    new, run, end = interpreters_module()
    text = inner_stack + """
def function():
    driver.cuModuleGetFunction(None, None, stack())
function()
"""
    inner = new()
    for kind in ("CDLL", "PyDLL"):
        run(inner, text % kind)
        driver.cuModuleGetFunction(None, None, stack())
    end(inner)
    driver.cuModuleGetFunction(None, None, stack())


@part
def renewed():
    """Interpreters one after the other: their code has the same addresses, names and versions, and other lines."""
    new, run, end = interpreters_module()
    for i in range(200):
        inner = new()
        error = run(inner, inner_stack % "PyDLL" + """
def f():
%s    driver.cuModuleGetFunction(None, None, stack())
f()
""" % ("\n" * (i % 7)))
        if error:
            raise RuntimeError(error)
        end(inner)


@part
def damage():
    """What is read of code objects, but not executed, is overwritten: any answer will do, and it ends."""
    import random
    random.seed(int(os.environ.get("SEED", "1")))
    call = locked.cuModuleGetFunction

    def victim():
        at = id(victim.__code__)
        read = [code.co_filename, code.co_name, getattr(code, "co_qualname", ""),
                getattr(code, "co_linetable" if hasattr(code, "co_linetable") else "co_lnotab")]
        places = [at + i for i in range(16, type(code).__basicsize__, 8)
                  if ctypes.c_uint64.from_address(at + i).value in map(id, read)]
        # Sizes, kinds and bytes of those texts and of the table; its own type.
        places += [id(text) + i for text in read for i in (8, 16, 32, 40)] + [at + 8]
        saved = [(place, ctypes.string_at(place, 8)) for place in places]
        for i in range(3000):
            place, was = saved[random.randrange(len(saved))]
            value = random.choice((0, 1, 8, 0xfff, at, id(read), 2 ** 64 - 8, 2 ** 63, 2 ** 31 - 1,
                                   random.getrandbits(64), random.getrandbits(47), random.getrandbits(20),
                                   id(read[random.randrange(4)])))
            ctypes.c_uint64.from_address(place).value = value
            call(None, None, b"anything\n")
            ctypes.memmove(place, was, 8)

    code = victim.__code__
    # Texts of its own, which nothing else is called by.
    code = code.replace(co_filename="".join(["a", " file"]), co_name="".join(["a", " name"]),
                        **({"co_qualname": "".join(["its", " name"])} if hasattr(code, "co_qualname") else {}))
    victim.__code__ = code
    victim()


@part
def greenlets():
    try:
        import greenlet
    except ImportError:
        return

    def work(n):
        for i in range(10):
            driver.cuModuleGetFunction(None, None, stack())
            others[(n + 1) % 5].switch()

    others = [greenlet.greenlet(lambda n=i: work(n)) for i in range(5)]
    for i in range(5):
        others[i].switch()
        driver.cuModuleGetFunction(None, None, stack())


for name in sys.argv[1:] or parts:
    if name in ("interpreters", "renewed", "leader") and not sys.argv[1:]:
        continue
    parts[name]()
