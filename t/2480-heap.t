# SPDX-License-Identifier: Apache-2.0
# The program's malloc takes memory from brk under us as without us, which UCX and others watch.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

fake_driver
build heap -x c - -x none -ldl <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int from_break(const char *start, const void *block)
{
	return (const char *)block >= start && (const char *)block < (char *)sbrk(0);
}

int main(void)
{
	char *start = sbrk(0), *first = malloc(1000), *zero = calloc(100, 100), *big;
	void *(*found)(size_t, size_t) = (void *(*)(size_t, size_t))dlsym(RTLD_DEFAULT, "calloc");
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int) = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : NULL;

	for (int i = 0; i < 10000; i++)
		if (zero[i])
			return 2;
	if (!init || init(0) || dlclose(driver))
		return 3;
	free(first);
	free(zero);
	big = realloc(malloc(50000), 100000);
	printf("%d %d %d %d\n", from_break(start, first), from_break(start, zero),
	       from_break(start, big), found == calloc);
	return 0;
}
END
LD_LIBRARY_PATH=$tmp
export LD_LIBRARY_PATH

# heap AUDITORS [VARIABLE=VALUE...]: where blocks come from; whether calloc is what it is.
heap() {
	heap_audit=$1
	shift
	$run_env LD_AUDIT="$heap_audit" LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS= "$@" "$tmp/heap" 2>&1
}

other_auditor
# With an old loader it takes none under any auditor, one that is told of nothing too.
want="1 1 1 1"
test "$(loader_family)" = new || want=$(heap "$tmp/told.so")
is "$(heap "")" "1 1 1 1" "without us"
is "$(heap "$LIBCUAUDIT")" "$want" "with us"
is "$(heap "$LIBCUAUDIT" LD_BIND_NOW=1)" "$want" "with us, LD_BIND_NOW=1"
is "$(heap "$LIBCUAUDIT" CUAUDIT_DISABLE=1)" "$want" "CUAUDIT_DISABLE=1"
is "$(heap "$LIBCUAUDIT:$tmp/told.so")" "$want" "another auditor behind us"
is "$(heap "$tmp/told.so:$LIBCUAUDIT")" "$want" "and before us"
done_testing
