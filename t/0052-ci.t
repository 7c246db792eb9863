# SPDX-License-Identifier: Apache-2.0
# The commands of docs/ci.md, each as it is there, with a program that does well and one that does not.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

cd "$tmp" || exit 99
mkdir bin
ln -s "$cuaudit" bin/cuaudit
PATH=$tmp/bin:$PATH
CUAUDIT_DRIVER=sim
export CUAUDIT_DRIVER
page=$top_srcdir/docs/ci.md
awk '/^```/ { fenced = !fenced } !fenced && sub(/^    /, "")' "$page" >commands
ok "there are commands" test "$(wc -l <commands)" -ge 13

# fenced N: the page's n-th block within ```.
fenced() {
	awk -v wanted="$1" '/^```/ { if (!inside++) n++; else inside = 0; next } inside && n == wanted' "$page"
}
fenced 1 >cuaudit.rules
like "$(head -n 1 cuaudit.rules)" cuaudit.rules "the rules file"

# job_of NAME: the lines of a job of the page
job_of() {
	awk -v name="$1" '/^```yaml/ { inside = 1 } /^```$/ { inside = on = 0 } inside && index($0, name) { on = 1 } on' "$page"
}

# steps NAME: what it runs once the program is there, as CI does: to the first that fails.
steps() {
	job_of "$1" |
		sed -n 's/^ *\(- run: \|- \|entry: \)\(\(mkdir\|cuaudit\) .*\)/\2/p'
}

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
is "$(statuses)" "0 cuaudit check -d sim
0 cuaudit check -d sim --write-baseline app.lock
0 cuaudit check -d sim --baseline app.lock
0 cuaudit check -d sim --update app.lock
0 cuaudit doctor ./app
0 cuaudit run -k 'leak(fail=any)'
0 cuaudit run -k 'stat(fail=errors)'
1 cuaudit run -k 'limit(memory
0 cuaudit run -k 'limit(dry-run;count=allocations;format=json)'
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
is "$(statuses | sed -n 6p)" "87 cuaudit run -k 'leak(fail=any)'" "one that leaves something"
like "$(cat out/app-*.leak)" 'cuMemAlloc_v2' "... and what"

# The gate: red, then green.
# job NAME: its status, files in out
job() {
	rm -rf out
	steps "$1" >job.sh
	job_status=0
	sh -e job.sh >said 2>err </dev/null || job_status=$?
}
for name in pull_request image: repo:; do
	ok "$name: there are steps" test "$(steps $name | grep -c cuaudit)" -ge 1
done
cuaudit check -d sim -- ./app >said 2>err
is "$? $(head -n 2 err | tail -n 1)" "88 cuaudit.rules:3: no-leak" "the gate is red"
job pull_request
is "$job_status" 88 "GitHub: red"
like "$(cat said)" '^::error .*no-leak' "... with an annotation"
ok "... and files" test -s out/cuda.xml -a -s out/cuda.sarif
job image:
is "$job_status" 88 "GitLab: red"
like "$(cat out/cuda.xml)" 'failure' "... with a test case that fails"
cp cuaudit.rules kept
fenced 3 | sed 's/libcublas/app/' >>cuaudit.rules
cuaudit check -d sim -- ./app >said 2>err
is $? 0 "an allow line" || diag "$(cat err)"
mv kept cuaudit.rules
program 0
job pull_request
is "$job_status $(cat said | grep -c ::error)" "0 0" "GitHub: green" || diag "$(cat err)"
job image:
is $job_status 0 "GitLab: green" || diag "$(cat err)"

# The program of examples/, as the page has it: red at its line, then green.
cp "$top_srcdir/examples/steps.c" .
compile -g -o app steps.c "$simdir/libcuda.so.1" -Wl,-rpath,"$simdir" >build.out 2>&1 || bail_out "no program"
cuaudit check -- ./app >said 2>err
is "$? $(sed -n 's/^    at \(.*\)/\1/p' err | sed 's/.*steps\.c/steps.c/' | sort -u)" \
	"88 steps.c:$(grep -n 'return cuMemAlloc' steps.c | sed 's/:.*//') in step" "examples/steps.c: red"
is "$(sed 's/0x[0-9a-f]*/0x/; s,at /.*/,at ,; 5q' err)" "$(fenced 2 | sed 's/0x[0-9a-f]*/0x/')" "... as the page has it"
echo 'allow app:step # not exported' >>cuaudit.rules
cuaudit check -- ./app >said 2>err
is "$? $(grep -c 'warning: in no call stack.*LIBRARY:\*' err)" "88 1" "an allow line with a name that is not exported"
sed -i '$d' cuaudit.rules
sed 's/cuMemAlloc(&more, SIZE) || cuMemsetD8(more, 1, SIZE) || //' steps.c >mended.c
compile -g -o app mended.c "$simdir/libcuda.so.1" -Wl,-rpath,"$simdir" >build.out 2>&1 || bail_out "no program"
cuaudit check -- ./app >said 2>err
is $? 0 "... and green" || diag "$(cat err)"

# The page's own way to build it, by make's rules alone, with what pkg-config has once cuaudit is installed.
mkdir sim
ln -s "$simdir/libcuda.so.1" sim/libcuda.so
printf '#!/bin/sh\ntest "$*" = "--variable=simdir cuaudit" && echo "%s"\n' "$tmp/sim" >bin/pkg-config
chmod +x bin/pkg-config
for name in pull_request image:; do
	rm -rf app made
	mkdir made
	cp steps.c made/app.c
	job_of "$name" | sed -n 's/^ *\(- run: \|- \)\(make app .*\)/\2/p' >make.sh
	(cd made && CPATH="$top_srcdir/include" LIBRARY_PATH= MAKEFLAGS= sh -e ../make.sh) >build.out 2>&1 || diag "$(cat build.out)"
	cuaudit check -- ./made/app >said 2>err
	is "$? $(grep -c 'steps.c\|app.c:[0-9]* in step' err)" "88 1" "$name: built as the page has it"
done

# Without lines of its source the place is the rule, and no line of what called main().
for how in -g0 '-g -s'; do
	compile $how -o app steps.c "$simdir/libcuda.so.1" -Wl,-rpath,"$simdir" >build.out 2>&1 ||
		bail_out "no program"
	cuaudit check --github -- ./app >said 2>err
	is "$? $(sed -n 's/^\(::error [^:]*\).*/\1/p' said | sort -u)" \
		"88 ::error file=cuaudit.rules,line=5,title=never cuMemAlloc after warm-up" "$how: an annotation"
	like "$(cat err)" '^    at no line that is known; build the program with -g$' "$how: what to do"
done

# The lock file is that of the first run.
program 0
rm -f app.lock
cuaudit check -d sim --write-baseline app.lock -- ./app >said 2>err
job repo:
is $job_status 0 "pre-commit: as it was" || diag "$(cat err)"
program 1
job repo:
is $job_status 88 "... and one call less"
done_testing
