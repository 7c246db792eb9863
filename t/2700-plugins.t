# SPDX-License-Identifier: Apache-2.0
# Plug-ins: where they are found, and those that cannot be used: one line, and the program runs on.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

plugins=$top_srcdir/t/plugins
core=$top_builddir/lib/cuaudit
fake_driver
helper plugins/app

# plugin NAME SOURCE [FLAG...]
plugin() {
	plugin_name=$1
	plugin_source=$2
	shift 2
	build "$plugin_name" -w -shared -fPIC "$plugin_source" "$@" -L"$core" -l:cuaudit-core.so
}

# run VARIABLE=VALUE...: out, err, status of the program
run() {
	run_status=0
	audited LD_LIBRARY_PATH="$tmp" "$@" "$tmp/app" 3 >"$tmp/out" 2>"$tmp/err" || run_status=$?
	run_out=$(cat "$tmp/out")
	run_err=$(cat "$tmp/err")
}

# works NAME OUTPUT VARIABLE=VALUE...
works() {
	works_name=$1
	works_want=$2
	shift 2
	run "$@"
	is "$run_status $run_out" "0 arrived 3 kept 6${works_want:+
$works_want}" "$works_name: the program and the plug-in"
	is "$run_err" "" "$works_name: nothing is printed"
}

# refused NAME MESSAGE VARIABLE=VALUE...: it is not there, one line says why
refused() {
	refused_name=$1
	refused_want=$2
	shift 2
	run "$@"
	is "$run_status $run_out" "0 arrived 3 kept 6" "$refused_name: the program runs on"
	like "$run_err" "^cuaudit: $refused_want" "$refused_name: what is printed"
	is "$(wc -l <"$tmp/err")" 1 "$refused_name: in one line"
}

plugin good.so "$plugins/good.c"

# One that detaches itself, and says when its data is its own again: at the end at last.
plugin once.so -x c - <<'C'
#include <cuaudit/hook.h>
#include <stdio.h>

static int handle;

static int enter(struct cuaudit_call *call, void *data)
{
	return cuaudit_hook_detach(handle) ? CUAUDIT_SKIP : CUAUDIT_CONTINUE;
}

static void released(void *data)
{
	puts("once: released");
}

static int init(const struct cuaudit_options *options)
{
	static const struct cuaudit_hook hook = {
		.size = sizeof(hook), .functions = "*", .enter = enter, .released = released,
	};

	handle = cuaudit_hook_attach(&hook);
	return handle < 0 ? handle : 0;
}

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "once", .summary = "",
	.init = init,
};
C
works "detached by itself" "once: released" CUAUDIT_HOOKS="$tmp/once.so"

# where they are found
mkdir -p "$tmp/tree/cuaudit/hooks" "$tmp/a b" "$tmp/c"
cp "$LIBCUAUDIT" "$tmp/tree"
cp "$core/cuaudit-core.so" "$tmp/tree/cuaudit"
works "by path" "good: nothing saw 3" CUAUDIT_HOOKS="$tmp/good.so"
works "with options" "good: hello saw 3" CUAUDIT_HOOKS="$tmp/good.so(word=hello)"
cd "$tmp" || exit 99
works "by a relative path" "good: nothing saw 3" CUAUDIT_HOOKS=./good.so
mkfifo "$tmp/fifo.so"
refused "a FIFO" ".*fifo.so is left out: it is a FIFO" CUAUDIT_HOOKS=./fifo.so
refused "not there" "there is no hook module 'good'" CUAUDIT_HOOKS=good
refused "not there either" "there is no hook module 'good'" CUAUDIT_HOOKS=good CUAUDIT_PATH="$tmp/c"
cp "$tmp/good.so" "$tmp/a b"
works "in a directory of CUAUDIT_PATH" "good: nothing saw 3" CUAUDIT_HOOKS=good \
	CUAUDIT_PATH=":$tmp/none::$tmp/c:$tmp/a b"
works "by its file's name" "good: nothing saw 3" CUAUDIT_HOOKS=good.so CUAUDIT_PATH="$tmp/a b"
plugin tree/cuaudit/hooks/good.so "$plugins/good.c" -DNONE
LIBCUAUDIT=$tmp/tree/libcuaudit.so
refused "beside the core, first" ".*tree/cuaudit/hooks/good.so is left out: it has no cuaudit_module" \
	CUAUDIT_HOOKS=good CUAUDIT_PATH="$tmp/a b"
cp "$tmp/good.so" "$tmp/tree/cuaudit/hooks"
works "beside the core" "good: nothing saw 3" CUAUDIT_HOOKS=good
LIBCUAUDIT=$top_builddir/lib/libcuaudit.so

# Its init runs with signals blocked, and may call the driver: such calls are not hooked, and
# hooks come after them all the same.
build calls.so -w -shared -fPIC -x c - -L"$core" -l:cuaudit-core.so -ldl <<'END'
#include <cuaudit/hook.h>
#include <dlfcn.h>
#include <signal.h>

static int init(const struct cuaudit_options *options)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	int (*query)(void *) = driver ? (int (*)(void *))dlsym(driver, "cuStreamQuery") : NULL;
	int (*start)(unsigned int) = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : NULL;

	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	if (!sigismember(&mask, SIGUSR1) || !sigismember(&mask, SIGALRM) || sigismember(&mask, SIGSEGV))
		return 4;
	return !query || !start || query(0) || query(0) ? 5 : 0;
}

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "calls", .init = init,
};
END
run CUAUDIT_HOOKS="$tmp/calls.so,stat(format=json)" CUAUDIT_OUTPUT="$tmp/calls"
is "$run_status $run_out$run_err" "0 arrived 3 kept 6" "calls in init: the program, and nothing printed"
like "$(cat "$tmp/calls")" '"name":"cuInit","calls":3,' "the program's calls are hooked"
like "$(cat "$tmp/calls")" '"unhooked_calls":2,' "those of init are not, and counted"

# one among others, and twice
works "after another" "good: nothing saw 3" CUAUDIT_HOOKS="coverage,$tmp/good.so" \
	CUAUDIT_OUTPUT="$tmp/coverage"
run CUAUDIT_HOOKS="$tmp/good.so,$tmp/./good.so(word=x)"
is "$run_out" "arrived 3 kept 6
good: nothing saw 3" "twice: started once"
like "$run_err" "is given twice; give all of its options at once" "and that is reported"
run CUAUDIT_HOOKS="$tmp/calls.so(word=x)"
is "$run_status $run_out" "0 arrived 3 kept 6" "options where there are none: the program runs on"
like "$run_err" "calls has no option 'word'; it is left out" "... and they are judged"
run CUAUDIT_HOOKS="$tmp/good.so(wrod=x)"
like "$run_err" "good has no option 'wrod'; did you mean word\\?" "options are judged"

# of other versions
plugin older.so "$plugins/good.c" -DSIZE='offsetof(struct cuaudit_module, finish)'
works "an older structure without finish" "" CUAUDIT_HOOKS="$tmp/older.so"
plugin same.so "$plugins/good.c" -DSIZE='sizeof(struct any_module)'
works "a newer structure that wants nothing new" "good: nothing saw 3" CUAUDIT_HOOKS="$tmp/same.so"
plugin newer.so "$plugins/good.c" -DSIZE='sizeof(struct any_module)' -DMORE=1
refused "a newer structure" ".*newer.so is left out: it wants what only a newer cuaudit has" \
	CUAUDIT_HOOKS="$tmp/newer.so"
plugin future.so "$plugins/good.c" -DABI=2 -DSIZE=1000000
refused "from the future" ".*future.so is left out: it is for a newer cuaudit \\(ABI 2, here 1\\)" \
	CUAUDIT_HOOKS="$tmp/future.so"
plugin past.so "$plugins/good.c" -DABI=0
refused "from the past" ".*past.so is left out: it is for an older cuaudit \\(ABI 0, here from 1 on\\)" \
	CUAUDIT_HOOKS="$tmp/past.so"
plugin small.so "$plugins/good.c" -DSIZE=8
refused "too small" ".*small.so is left out: the size of its cuaudit_module is wrong \\(8\\)" \
	CUAUDIT_HOOKS="$tmp/small.so"
plugin large.so "$plugins/good.c" -DSIZE=4096
refused "larger than it is" ".*large.so is left out: the size of its cuaudit_module is wrong \\(4096\\)" \
	CUAUDIT_HOOKS="$tmp/large.so"

# no plug-ins
plugin none.so "$plugins/good.c" -DNONE
refused "without the entry" ".*none.so is left out: it has no cuaudit_module" \
	CUAUDIT_HOOKS="$tmp/none.so"
plugin function.so "$plugins/good.c" -DFUNCTION
refused "an entry of another kind" ".*function.so is left out: its cuaudit_module is no struct" \
	CUAUDIT_HOOKS="$tmp/function.so"
plugin undefined.so "$plugins/good.c" -DUNDEFINED
refused "an undefined symbol" ".*undefined.so is left out: .*undefined symbol: cuaudit_no_such_function" \
	CUAUDIT_HOOKS="$tmp/undefined.so"
echo "no object" >"$tmp/text.so"
refused "no object at all" ".*text.so is left out: .*file too short" CUAUDIT_HOOKS="$tmp/text.so"
refused "no file at all" ".*nothing.so is left out: .*No such file" CUAUDIT_HOOKS="$tmp/nothing.so"

# that do not start: nothing of them is left, and the signals are the program's again
refused "an error in init" ".*good.so does not start: it answered error 16 .Device or resource busy" \
	CUAUDIT_HOOKS="$tmp/good.so" CRASH=error
refused "a plug-in that says why itself" "\\(null\\)" CUAUDIT_HOOKS="$tmp/good.so" CRASH=told
refused "a fault in init" ".*good.so does not start: it crashed in init: Segmentation fault" \
	CUAUDIT_HOOKS="$tmp/good.so" CRASH=fault
refused "an endless recursion in init" \
	".*good.so does not start: it crashed in init: Segmentation fault" \
	CUAUDIT_HOOKS="$tmp/good.so" CRASH=stack
refused "abort in init" ".*good.so does not start: it crashed in init: Aborted" \
	CUAUDIT_HOOKS="$tmp/good.so" CRASH=abort
refused "a trap in init" ".*good.so does not start: it crashed in init: (Illegal|Trace)" \
	CUAUDIT_HOOKS="$tmp/good.so" CRASH=trap
run CUAUDIT_HOOKS="$tmp/good.so,$tmp/same.so" CRASH=error
is "$(grep -c 'does not start' "$tmp/err")" 2 "two that do not start"
run CUAUDIT_HOOKS="$tmp/good.so,$tmp/same.so" CRASH=fault
is "$run_status $(grep -c 'does not start: it crashed' "$tmp/err")" "0 2" "two that crash: each is caught"

# What one that does not start has of a thread, by another's hook, is not told of its end.
build left.so -shared -fPIC -x c - -L"$core" -l:cuaudit-core.so <<'END'
#include <cuaudit/hook.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct cuaudit_module cuaudit_module;

static int init(const struct cuaudit_options *options)
{
	char key[16];

	snprintf(key, sizeof(key), "%d", cuaudit_thread_key(sizeof(int), &cuaudit_module));
	setenv("LEFT_KEY", key, 1);
	return !options || !getenv("LEFT_STARTS") ? -16 : 0;
}

static void thread_exit(void *block)
{
	printf("left: %d\n", *(int *)block);
}

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "left", .init = init,
	.thread_exit = thread_exit,
};
END
build takes.so -shared -fPIC -x c - -L"$core" -l:cuaudit-core.so <<'END'
#include <cuaudit/hook.h>
#include <stdlib.h>

static int enter(struct cuaudit_call *call, void *data)
{
	int *block = cuaudit_thread_block((uint32_t)atoi(getenv("LEFT_KEY")));

	if (block)
		*block = 7;
	return call && !data ? CUAUDIT_CONTINUE : CUAUDIT_SKIP;
}

static int init(const struct cuaudit_options *options)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "takes", .functions = "cuInit", .enter = enter,
	};

	return options ? cuaudit_hook_add(&hook) : -1;
}

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "takes", .init = init,
};
END
helper plugins/thread
for starts in 1 ""; do
	is "$(audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="$tmp/left.so,$tmp/takes.so" \
		${starts:+LEFT_STARTS=1} "$tmp/thread" 2>"$tmp/err")" "${starts:+left: 7
}called" "a thread ends, LEFT_STARTS=$starts"
	is "$(grep -c 'left.so does not start: ' "$tmp/err")" "$((1 - ${starts:-0}))" \
		"... whether it starts"
done
build libgone.so -shared -fPIC -x c -Wl,-soname,libgone.so /dev/null
plugin dependent.so "$plugins/good.c" -Wl,--no-as-needed -L"$tmp" -lgone
rm "$tmp/libgone.so"
refused "a dependency that is not there" ".*dependent.so is left out: libgone.so: cannot open" \
	CUAUDIT_HOOKS="$tmp/dependent.so"
plugin constructor.so "$plugins/good.c" -DCONSTRUCTOR
run CUAUDIT_HOOKS="$tmp/constructor.so"
is "$run_status $run_out" "111 " "a fault in a constructor is the program's"
like "$run_err" "^cuaudit: .*constructor.so crashed while it was loaded" "but it is reported whose"

# C++, with a thread; what it depends on comes with it
$CXX -std=c++17 -D_GNU_SOURCE -I"$top_srcdir" -I"$top_srcdir/include" -O1 -g -Wall -Wextra \
	-shared -fPIC -o "$tmp/threads.so" "$plugins/threads.cc" -L"$core" -l:cuaudit-core.so \
	-L"$tmp" -l:libcuda.so.1 -pthread >"$tmp/build.out" 2>&1 || bail_out "$(cat "$tmp/build.out")"
works "C++" "threads: saw 4, 1 of them its own, caught 4, destroyed" CUAUDIT_HOOKS="$tmp/threads.so"
run CUAUDIT_HOOKS="$tmp/threads.so" CRASH=throw
is "$run_status $run_out" "0 arrived 3 kept 6" "an exception out of init: the program runs on"
like "$run_err" "^cuaudit: .*threads.so does not start: it crashed in init: Aborted" "what is printed"

if compile -shared -fPIC -o "$tmp/database.so" "$plugins/database.c" -L"$core" \
	-l:cuaudit-core.so -l:libsqlite3.so.0 >"$tmp/build.out" 2>&1; then
	works "SQLite" "database: cuInit 3
database: cuMemAlloc_v2 1
database: cuaudit_fake_calls 1" CUAUDIT_HOOKS="$tmp/database.so(path=$tmp/calls.db)"
	ok "its file" test -s "$tmp/calls.db"
else
	skip 3 "no SQLite"
fi

# A signal from outside is none of the plug-in's, and goes where it would have gone.
helper plugins/signalled
for where in init constructor; do
	build $where.so -w -shared -fPIC -x c - -L"$core" -l:cuaudit-core.so <<END
#include <cuaudit/hook.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void signalled(void)
{
	pid_t child = fork();

	if (!child)
		_exit(kill(getppid(), atoi(getenv("SIGNALLED"))) != 0);
	while (waitpid(child, NULL, 0) < 0)
		;
}
$(test $where = init || echo 'static void __attribute__((constructor)) construct(void) { signalled(); }')

static int init(const struct cuaudit_options *options)
{
	$(test $where = constructor || echo 'signalled();')
	puts("the plug-in starts");
	fflush(stdout);
	return 0;
}

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "$where", .summary = "",
	.init = init,
};
END
	for signal in 6 11; do
		# What is done with the signal, then status and output of the program.
		for case in 'handled=0 handled 1, from another process 1' \
			'once=0 once handled 1, from another process 0' \
			'ignored=0 handled 0, from another process 0' "=$((128 + signal)) "; do
			status=0
			audited SIGNALLED=$signal CUAUDIT_HOOKS="$tmp/$where.so" \
				LD_LIBRARY_PATH="$tmp" sh -c 'ulimit -c 0; "$@"; exit $?' sh \
				"$tmp/signalled" $signal ${case%%=*} >"$tmp/out" 2>"$tmp/err" || status=$?
			is "$status $(sed '/^the plug-in starts$/d' "$tmp/out")" "${case#*=}" \
				"signal $signal from outside in a plug-in's $where, ${case%%=*}"
			unlike "$(cat "$tmp/err")" cuaudit "signal $signal in $where, ${case%%=*}: nobody is blamed"
			test -z "${case%%=*}" || is "$(sed -n 1p "$tmp/out")" "the plug-in starts" \
				"signal $signal in $where, ${case%%=*}: the plug-in starts"
		done
	done
done

# A handler of any kind that a plug-in sets, wherever it does, is there when its function has ended.
build handles.so -w -shared -fPIC -x c - -L"$core" -l:cuaudit-core.so <<'END'
#include <cuaudit/hook.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static void plain(int number)
{
	printf("the plug-in's, for %d\n", number);
}

static void with_information(int number, siginfo_t *info, void *context)
{
	plain(number + 100 * (info->si_signo == number));
}

static void set(int first, int second)
{
	struct sigaction action = { .sa_sigaction = with_information, .sa_flags = SA_SIGINFO };

	signal(first, plain);
	sigaction(second, &action, NULL);
}

static void __attribute__((constructor)) construct(void)
{
	set(SIGBUS, SIGFPE);
}

static int init(const struct cuaudit_options *options)
{
	set(SIGILL, SIGSEGV);
	return 0;
}

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "handles", .summary = "", .init = init,
};
END
helper plugins/raises
is "$(audited CUAUDIT_HOOKS="$tmp/handles.so" LD_LIBRARY_PATH="$tmp" "$tmp/raises" 2>&1)" \
	"the plug-in's, for 7
the plug-in's, for 108
the plug-in's, for 4
the plug-in's, for 111" "handlers of the plug-in's own stay"

# Of one whose init fails nothing more is called, in children neither.
cat >"$tmp/fails.c" <<'END'
#include <cuaudit/hook.h>
#include <unistd.h>

static void finish(void)
{
	write(1, "finish\n", 7);
}

static void forked(void)
{
	write(1, "forked\n", 7);
}

static int init(const struct cuaudit_options *options)
{
	return FAILS;
}

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "fails", .init = init,
	.finish = finish, .forked = forked,
};
END
helper routes/forks
for fails in 0 -12; do
	sed "s/FAILS/$fails/" "$tmp/fails.c" >"$tmp/fails$fails.c"
	build fails$fails.so -w -shared -fPIC "$tmp/fails$fails.c" -L"$core" -l:cuaudit-core.so
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="$tmp/fails$fails.so" "$tmp/forks" 2>"$tmp/err" |
		tr '\n' ' ' >"$tmp/out$fails"
done
is "$(cat "$tmp/out0")" "forked finish finish " "one that runs is told of a child, and ends in both"
is "$(cat "$tmp/out-12")" "" "one whose init failed is not"
sed 's/"fails"/"second"/' "$tmp/fails0.c" >"$tmp/second.c"
build second.so -w -shared -fPIC "$tmp/second.c" -L"$core" -l:cuaudit-core.so
is "$(audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="$tmp/fails-12.so,$tmp/fails0.so,$tmp/second.so" "$tmp/forks" \
	2>"$tmp/err" | tr '\n' ' ')" "forked forked finish finish finish finish " "of several, each that runs is told"

# Another process writes to the output between a hook's opening and its writing, and more.
plugin first.so -x c - <<'C'
#include <cuaudit/hook.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void finish(void)
{
	int output = cuaudit_output("");

	if (!getenv("INNER")) {
		setenv("INNER", "a longer line", 1);
		if (!system(getenv("APP")))
			unsetenv("INNER");
	}
	dprintf(output, "%s\n", getenv("INNER") ? getenv("INNER") : "short");
	close(output);
}

static int init(const struct cuaudit_options *options)
{
	return 0;
}

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "first", .summary = "",
	.init = init, .finish = finish,
};
C
run CUAUDIT_HOOKS="$tmp/first.so" CUAUDIT_OUTPUT="$tmp/output" APP="$tmp/app 3"
is "$(cat "$tmp/output")" "a longer line
short" "what two processes write to one output is behind each other"
run CUAUDIT_HOOKS="$tmp/first.so" CUAUDIT_OUTPUT="$tmp/output" INNER=alone
is "$(cat "$tmp/output")" "alone" "... and in place of what was there before"

# Threads that call exit() while another one reports: alone they would end the process at once.
build exiting -Wl,--export-dynamic -pthread -x c - <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

int ends[2];

static void *leave(void *unused)
{
	char byte;

	if (read(ends[0], &byte, 1) == 1)
		exit(3);
	return NULL;
}

int main(void)
{
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuInit");
	pthread_t thread;

	if (pipe(ends))
		return 1;
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, leave, NULL);
	return init(0);
}
C
plugin lasts.so -x c - <<'C'
#include <cuaudit/hook.h>
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* In a program with `ends` threads exit meanwhile; in another one a signal comes. */
static void finish(void)
{
	int *ends = dlsym(RTLD_DEFAULT, "ends");

	if (!ends)
		kill(getpid(), SIGUSR1);
	else if (write(ends[1], "abc", 3) != 3 || poll(NULL, 0, 500))
		return;
	dprintf(STDOUT_FILENO, "finish\n");
	if (getenv("STATUS"))
		cuaudit_set_exit_status(atoi(getenv("STATUS")));
}

static int init(const struct cuaudit_options *options)
{
	return 0;
}

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "lasts", .summary = "",
	.init = init, .finish = finish,
};
C
for wants in 5 ''; do
	status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="$tmp/lasts.so,stat" ${wants:+STATUS=$wants} timeout 20 \
		"$tmp/exiting" >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$(cat "$tmp/out") $(grep -c '1 call of 1 driver' "$tmp/err") $(test $status = 3 || test $status = 0 || echo $status)" \
		"finish 1 $wants" "threads that exit during a report wait for it${wants:+, and for its status}"
done

# A handler of a signal that calls exit() then would wait for the lock of what it interrupted.
build asking -Wl,--export-dynamic -x c - <<'C'
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t armed, inside;

int __cxa_atexit(void (*function)(void *), void *data, void *library)
{
	int (*next)(void (*)(void *), void *, void *) =
		(int (*)(void (*)(void *), void *, void *))dlsym(RTLD_NEXT, "__cxa_atexit");
	int error;

	inside = 1;
	if (armed)
		raise(SIGUSR1);
	error = next(function, data, library);
	inside = 0;
	return error;
}

static void handler(int number)
{
	write(STDOUT_FILENO, inside ? "inside\n" : "behind\n", number ? 7 : 0);
}

int main(void)
{
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuInit");

	signal(SIGUSR1, handler);
	armed = init(0) == 0;
	return 0;
}
C
is "$(audited CUAUDIT_DRIVER=sim "$tmp/asking" 2>"$tmp/err" | sort -u)" behind \
	"what waits at the end is asked for with signals blocked"

# A handler of a signal that is sent to the thread that reports, and ends the process, is behind the report.
build handles -x c - <<'C'
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

static void leave(int number)
{
	_exit(number ? 4 : 5);
}

int main(void)
{
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuInit");

	signal(SIGUSR1, leave);
	return init(0);
}
C
for wants in 5 ''; do
	status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="$tmp/lasts.so,stat" ${wants:+STATUS=$wants} \
		"$tmp/handles" >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$(cat "$tmp/out") $(grep -c '1 call of 1 driver' "$tmp/err") $status" "finish 1 ${wants:-4}" \
		"a handler that ends the process runs behind the report${wants:+, whose status holds}"
done
done_testing
