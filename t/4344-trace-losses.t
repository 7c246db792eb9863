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
done_testing
