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
traced "" "$tmp/left"
is "$status" 0 "a call that is left: the program ends well"
like "$(cat "$tmp/err")" \
	'^cuaudit: trace: 1 calls are not in .*\.cutrace: left by longjmp or an exception$' "it is said"
like "$(checked "$tmp"/traces/*.cutrace)" '^lost 0 0 0 0 0 1' "and counted in the file"
like "$("$cuaudit" report "$tmp"/traces/*.cutrace 2>"$tmp/err")" \
	'^  missing  .* 1 call: left by longjmp or an exception$' "report has it"
"$cuaudit" convert --to text -o /dev/null "$tmp"/traces/*.cutrace 2>"$tmp/err"
like "$(cat "$tmp/err")" 'calls are missing: 1 left by longjmp or an exception$' "convert, too"
done_testing
