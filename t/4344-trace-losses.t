# SPDX-License-Identifier: Apache-2.0
# Calls that are not in a trace are counted in it, and said when it ends and by who reads it.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"
cuaudit=$top_builddir/bin/cuaudit

# A callback of the driver's that leaves the call it was made in; further calls are from above it.
compile -O0 -o "$tmp/left" -x c - -ldl <<'END' || bail_out "cannot build"
#include <dlfcn.h>
#include <setjmp.h>
#include <string.h>

static jmp_buf back;
static int (*launch)(void *stream, void (*function)(void *), void *data);

static void jump(void *data)
{
	(void)data;
	longjmp(back, 1);
}

static int below(void)
{
	volatile char room[8192];

	memset((char *)room, 0, sizeof(room));
	return launch(NULL, jump, NULL) + room[1];
}

int main(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context;
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(driver, "cuInit");
	int (*create)(void **, unsigned int, int) =
		(int (*)(void **, unsigned int, int))dlsym(driver, "cuCtxCreate_v2");

	launch = (int (*)(void *, void (*)(void *), void *))dlsym(driver, "cuLaunchHostFunc");
	if (init(0) || create(&context, 0, 0))
		return 77;
	if (!setjmp(back))
		return below();
	return init(0);
}
END
traced "" env CUAUDIT_LOG=info "$tmp/left"
is "$status" 0 "a call that is left: the program ends well"
like "$(cat "$tmp/err")" '^cuaudit: trace: 1 calls are not in .*\.cutrace: left by longjmp, ' "it is told"
is "$(checked "$tmp"/traces/*.cutrace | number '^call .* cuLaunchHostFunc ')" 0 "and not in the file"

# A hook that was left is a loss, which the file has.
compile -o "$tmp/patch" -x c - <<'END' || bail_out "cannot build"
#include <cuaudit/trace.h>
#include <stddef.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	FILE *file = argc > 1 ? fopen(argv[1], "r+") : NULL;
	uint64_t calls = 3;

	return !file || fseek(file, offsetof(struct cuaudit_trace_header,
					     lost[CUAUDIT_TRACE_LOST_UNWOUND]), SEEK_SET) ||
	       fwrite(&calls, sizeof(calls), 1, file) != 1 || fclose(file);
}
END
"$tmp/patch" "$tmp"/traces/*.cutrace || echo "not patched"
status=0
"$cuaudit" report "$tmp"/traces/*.cutrace >"$tmp/out" 2>"$tmp/err" || status=$?
like "$(cat "$tmp/out")" '^  missing  .* 3 calls: a signal handler left the hook by siglongjmp$' "report has it"
like "$status $(cat "$tmp/err")" '^2 .*: calls are missing: 3 of which a signal handler left the hook$' \
	"report says so"
"$cuaudit" convert --to text -o /dev/null "$tmp"/traces/*.cutrace 2>"$tmp/err"
like "$(cat "$tmp/err")" 'calls are missing: 3 of which a signal handler left the hook$' "convert, too"

# Hooks left at any moment: what was made is recorded or lost, and the times of others stay right.
test "$(uname -m)" = x86_64 && test "$run_env" = env || {
	skip 4 "no counter to compare times with"
	done_testing
	exit
}
compile -fPIC -shared -Wl,-soname,libcuda.so.1 -o "$tmp/libcuda.so.1" "$top_srcdir/t/trace/driver.c" \
	-Wl,--no-as-needed -ldl &&
	compile -O1 -o "$tmp/jumps" -x c - -L"$tmp" -l:libcuda.so.1 -Wl,-rpath,"$tmp" <<'END' &&
/* Calls that are given the counter, and a handler that leaves them; prints how many were begun. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

int cuMemsetD8_v2(unsigned long long address, unsigned char value, unsigned long long count);
int cuMemsetD16_v2(unsigned long long address, unsigned short value, unsigned long long count);

static sigjmp_buf back;
static volatile sig_atomic_t armed;
static volatile unsigned long long calls;
static volatile long jumps;

static void jump(int number)
{
	(void)number;
	if (armed)
		siglongjmp(back, 1);
}

int main(void)
{
	struct itimerval often = { { 0, 100 }, { 0, 100 } };

	signal(SIGALRM, jump);
	cuMemsetD8_v2(__builtin_ia32_rdtsc(), 1, 0);
	setitimer(ITIMER_REAL, &often, NULL);
	for (jumps = 0; jumps < 3000; jumps++) {
		if (sigsetjmp(back, 1))
			continue;
		armed = 1;
		for (;;) {
			calls++;
			cuMemsetD8_v2(__builtin_ia32_rdtsc(), 1, calls);
			calls++;
			cuMemsetD16_v2(__builtin_ia32_rdtsc(), 1, calls);
		}
	}
	armed = 0;
	often = (struct itimerval){ { 0, 0 }, { 0, 0 } };
	setitimer(ITIMER_REAL, &often, NULL);
	cuMemsetD8_v2(__builtin_ia32_rdtsc(), 1, 0);
	printf("%llu\n", calls + 2);
	return 0;
}
END
	compile -O1 -o "$tmp/times" -x c - "$top_srcdir"/tracefile/*.c "$top_srcdir"/print/*.c "$top_srcdir"/util/buffer.c <<'END' ||
/* How many calls; how many that began before they were made, or ended after the next was. */
#include <stdio.h>

#include "tracefile/arguments.h"

int main(int argc, char **argv)
{
	unsigned long long calls = 0, wrong = 0, lost = 0, ended = 0;
	const struct trace_call *call;
	struct trace_merge *merge;
	struct trace trace;

	if (argc < 2 || trace_open(&trace, argv[1]) || !(merge = trace_merge_open(&trace)))
		return 1;
	while ((call = trace_merge_next(merge))) {
		static struct trace_arguments arguments;

		if (!trace_arguments_read(&arguments, &trace, call))
			return 1;
		calls++;
		wrong += call->start < arguments.words[0] || arguments.words[0] < ended;
		ended = call->end;
	}
	for (int i = 0; i < CUAUDIT_TRACE_LOSSES; i++)
		lost += trace.header.lost[i];
	printf("%llu %llu %llu\n", calls, lost, wrong + trace_merge_damaged(merge));
	return 0;
}
END
	bail_out "cannot build"
for options in "" "start=cuMemsetD8_v2"; do
	rm -rf "$tmp/traces"
	mkdir "$tmp/traces"
	audited CUAUDIT_LOG=info CUAUDIT_OUTPUT="$tmp/traces/%p" CUAUDIT_HOOKS="trace($options)" timeout 300 \
		"$tmp/jumps" >"$tmp/out" 2>"$tmp/err"
	is "$?" 0 "hooks are left: $options"
	"$tmp/times" "$tmp"/traces/*.cutrace >"$tmp/counted" || diag "not read"
	is "$(checked "$tmp"/traces/*.cutrace | number '^bad|check failed')" 0 "the file is whole"
	read -r calls lost wrong <"$tmp/counted"
	is "$wrong" 0 "no call began before it was made, or ended after the next was"
	# Calls that were left while the driver ran are told apart.
	left=$(sed -n 's/.* \([0-9]*\) calls are not in .*: left by longjmp.*/\1/p' "$tmp/err")
	diag "$(cat "$tmp/out") made, $calls recorded, $lost lost, ${left:-0} left"
	ok "all are recorded or lost" test $((calls + lost + ${left:-0} - $(cat "$tmp/out"))) -le 3
done
done_testing
