# SPDX-License-Identifier: Apache-2.0
# The commands of docs/ci.md, each as it is there, with a program that does well and one that does not.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

cd "$tmp" || exit 99
mkdir bin
ln -s "$cuaudit" bin/cuaudit
PATH=$tmp/bin:$PATH
CUAUDIT_DRIVER=sim
export CUAUDIT_DRIVER
sed -n 's/^    //p' "$top_srcdir/docs/ci.md" >commands
ok "there are commands" test "$(wc -l <commands)" -ge 10

# program LEFT: ./app, which allocates four times and frees all but so many
program() {
	cat >app.c <<'END'
#include "sim/api.h"

int main(void)
{
	CUcontext context;
	CUdeviceptr memory[4];
	CUresult worst = cuInit(0);

	worst |= cuCtxCreate_v2(&context, 0, 0);
	for (int i = 0; i < 4; i++)
		worst |= cuMemAlloc_v2(&memory[i], 200 << 20);
	for (int i = LEFT; i < 4; i++)
		worst |= cuMemFree_v2(memory[i]);
	if (!LEFT)
		worst |= cuCtxDestroy_v2(context);
	return worst ? 1 : 0;
}
END
	compile -o app -DLEFT="$1" app.c "$simdir/libcuda.so.1" -Wl,-rpath,"$simdir" >build.out 2>&1 ||
		bail_out "no program"
}

# statuses: of each command, with what it runs
statuses() {
	rm -rf out
	mkdir out
	while read -r line; do
		status=0
		sh -c "$line" >said 2>err </dev/null || status=$?
		test $status -le 1 -o $status -ge 80 || diag "$line: $(cat err)"
		echo "$status $line" | sed 's/ -o [^ ]*//g; s/ -- .*//; s/ out\/.*//; s/memory=.*/memory/; s/:error.*//'
	done <commands
}
program 0
is "$(statuses)" "0 cuaudit doctor ./app
0 cuaudit run -k 'leak(fail=any)'
0 cuaudit run -k 'stat(fail=errors)'
1 cuaudit run -k 'limit(memory
0 cuaudit run -k 'limit(dry-run;format=json)'
1 cuaudit run -k 'fault(inject=cuMemAlloc
0 cuaudit trace
0 cuaudit report --html
0 cuaudit trace
0 cuaudit report --diff --exit-code
0 cuaudit report --format json
0 cuaudit run -k 'coverage(fail=escapes)'" "a program that frees all"
for file in memory.limit trace.html; do
	ok "out/$file is there" test -s "out/$file"
done
like "$(cat out/memory.limit)" '"peak":838860800' "the peak"
program 1
is "$(statuses | sed -n 2p)" "87 cuaudit run -k 'leak(fail=any)'" "one that leaves something"
like "$(cat out/app-*.leak)" 'cuMemAlloc_v2' "... and what"
done_testing
