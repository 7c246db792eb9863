# SPDX-License-Identifier: Apache-2.0
# cuaudit-rules(5): its examples are rules, its gates do what they say, and it has each word of the parser.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

page=$top_srcdir/man/cuaudit-rules.5
table=$top_srcdir/hooks/modules/rules/rules.def
helpers baseline/steps
cd "$tmp" || exit 99
steps=$tmp/steps

# literals: each literal block of the page but its grammar, as $tmp/example-N.
literals() {
	awk '
	/^\.Sh / { grammar = $2 == "GRAMMAR" }
	/^\.Bd -literal/ && !grammar { n++; inside = 1; next }
	/^\.Ed/ { inside = 0 }
	inside { gsub(/\\\(dq/, "\""); gsub(/\\e/, "\\"); gsub(/\\-/, "-"); print >("example-" n) }' "$1"
	ls | grep -c '^example-[0-9]*$'
}
count=$(literals "$page")
ok "there are examples" test "$count" -ge 25

# accepted FILE: whether its rules are understood; then they are not checked, since true calls no driver.
accepted() {
	tool check -d sim --rules "$1" -- true
	case $status in
	89) grep -q 'no process called the CUDA driver' "$tmp/err" ;;
	0) grep -q 'no process called the CUDA driver, which the rules allow' "$tmp/err" ;;
	*) false ;;
	esac
}
for number in $(seq "$count"); do
	ok "example $number: $(grep -v '^#' "example-$number" | head -n 1)" accepted "example-$number" ||
		diag "$(cat "$tmp/err")"
done
sed '1s/^[a-z-]*/&x/' example-1 >wrong
nok() {
	! "$@"
}
ok "a word that is none is found" nok accepted wrong
is "$status" 2 "... before anything is started"

# words SECTION FILE: the keywords of the items of a section of the page.
words() {
	awk -v section="$1" '
	/^\.Sh / { inside = substr($0, 5) == section }
	inside && /^\.It / {
		on = 0
		for (i = 2; i <= NF; i++)
			if ($i == "Cm" || $i == "Ar")
				on = $i == "Cm"
			else if (on && $i ~ /^[a-z-]+$/)
				print $i
	}' "$2" | sort -u
}

# known MACRO: those of the parser.
known() {
	sed -n "s/^$1(\"\\([a-z-]*\\)\".*/\\1/p" "$table"
}

# The words that follow the first one of a condition are not in the parser's table.
inner='device|legacy|library|main|range|stream'
quantities='copied|distinct-kernels|growth|host-time|kernels|memory'
is "$(words RULES "$page" | grep -v -x -E "$quantities")" "$(known STATEMENT | sort)" \
	"the rules of the page are those of the parser"
is "$(words CONDITIONS "$page" | grep -v -x -E "$inner")" "$(known CONDITION | sort)" \
	"the conditions of the page are those of the parser"
is "$(words RULES "$page" | grep -x -E "$quantities")" "$(sed -n '/^static bool take_quantity/,/^}/s/line_takes(line, /\n&/gp' \
	"$top_srcdir/hooks/modules/rules/rules_file.c" | sed -n 's/^line_takes(line, "\([a-z-]*\)").*/\1/p' | sort)" \
	"the quantities of the page are those of the parser"
sed '/^\.It Cm same-thread/d' "$page" >less.5
is "$({ words RULES less.5; echo "$quantities" | tr '|' '\n'; known STATEMENT; } | sort | uniq -u)" same-thread \
	"one that the page lacks is found"
sed -n '/^line  *=/,/^\.Ed/p' "$page" | grep -o '"[a-z-]*"' | tr -d '"' | sort -u >terminals
{
	known STATEMENT
	known CONDITION
} | sort -u >keywords
is "$(comm -13 terminals keywords)" "" "the grammar of the page has all of them"

# directions, in the page by their text.
for direction in HtoD DtoH DtoD HtoH PtoP any; do
	echo "at-most 0 copied $direction" >direction
	ok "direction $direction" accepted direction
done

# gives STATUS RULES NAME WORD...: what becomes of t/baseline/steps.c with these words.
gives() {
	gives_status=$1
	printf '%b\n' "$2" >rules
	gives_name=$3
	shift 3
	tool check -d sim --rules rules -- "$steps" "$@"
	is "$status" "$gives_status" "$gives_name" || diag "$(head -n 8 "$tmp/err")"
}
mark='mark m = 2nd cuDriverGetVersion\nnever cuDriverGetVersion after m'
gives 0 "$mark" "a call that reaches a mark is before it" calls 2
gives 88 "$mark" "the next one is after it" calls 3
gives 88 "$mark" "a mark that is not reached" calls 1
gives 0 "optional never cuInit in range x" "an optional rule that is not reached" calls 1
gives 88 'mark m = range step\nnever cuDriverGetVersion after m' "calls in the range of a mark are after it" \
	push step calls 1 pop
per='at-most 2 cuDriverGetVersion per range step*'
gives 0 "$per" "per range: each by itself" push step1 calls 2 pop push step2 calls 2 pop calls 9
gives 0 "$per" "per range: the innermost" push step1 calls 2 push step2 calls 2 pop pop
gives 88 "$per" "per range: with those of others in it" push step1 calls 2 push load calls 1 pop pop
gives 88 'at-least 2 cuDriverGetVersion per range step*' "per range: too little" push step1 calls 1 pop
gives 0 'at-least 2 cuDriverGetVersion per range step*' "per range: never popped" push step2 calls 2 pop push step1 calls 1
gives 88 'at-least 2 cuDriverGetVersion per range step*' "per range: none is popped" push step1 calls 2
gives 88 'at-most 4 cuDriverGetVersion' "a bound is of all processes" calls 3 child calls 2
gives 88 'at-most 4 cuDriverGetVersion\nallow steps:* # all' "no allow line takes from a sum" calls 5
gives 2 'at-most 4 cuDriverGetVersion from nowhere:*' "nor does a frame, which is refused" calls 5
gives 0 'never cuDriverGetVersion\nallow steps:* # all' "allow" calls 5
gives 0 'never cuDriverGetVersion from nowhere.py:step' "from" calls 5
gives 88 'never cuDriverGetVersion from */steps:*' "from: the whole path" calls 5
gives 88 'no-errors except cuMemFree:OUT_OF_MEMORY' "another result than that of an exception" fail
gives 0 'no-errors except cuMemFree:INVALID_VALUE' "an exception" fail
gives 0 'no-errors except cuMemFree:1' "... by its number" fail
gives 88 no-unchecked-error "no-unchecked-error" fail calls 1
gives 0 no-unchecked-error "no-unchecked-error: the same call site again" fail fail
gives 88 no-use-after-fork "no-use-after-fork" child calls 1
gives 0 no-use-after-fork "no-use-after-fork: no child" calls 1
gives 88 no-leak "no-leak" copy 4
gives 89 no-leak "no-leak: a process that was killed" kill
gives 88 'never %blocking,!cuMemAlloc in (main)' "%blocking: pageable memory" copy 4
gives 0 'never %blocking,!%module,!%context' "%blocking: no launch waits" launch a
gives 88 'never %blocking on legacy stream' "... but one makes streams wait" launch a
gives 88 'at-most 1MiB memory\nat-most 0 growth per range step' "growth" push step copy 4 pop
gives 0 'at-most 1MiB memory\nat-most 7 copied HtoD\nexactly 2 kernels by [ab]\nat-most 2 distinct-kernels' \
	"memory, copied, kernels" copy 3 copy 4 launch a launch b
gives 88 'at-most 6 copied any' "copied, one byte more" copy 3 copy 4
gives 88 'at-most 1 distinct-kernels' "distinct-kernels" launch a launch b

# The gates at the end of the page.
gate() {
	tool check -d sim --rules "example-$gate" -- "$@"
}
grep -q 'range "step 10"' "example-$((count - 1))" || bail_out "the gates are not the last examples"

# trains BEFORE IN: ten steps, what is done before them and in the eleventh, words of t/baseline/steps.c.
trains() {
	trains_before=$1
	trains_in=$2
	set --
	for step in 1 2 3 4 5 6 7 8 9; do
		set -- "$@" push "step $step" launch a pop
	done
	gate "$steps" $trains_before "$@" push "step 10" calls 1 pop push "step 11" $trains_in pop
}
gate=$((count - 1))
trains "copy 4" "copy 4"
is "$status" 0 "the gate of PyTorch: a program that keeps it" || diag "$(head -n 8 "$tmp/err")"
trains "" "copy 4"
is "$status" 88 "... and one that allocates in a late step"
like "$(cat "$tmp/err")" "example-$gate:[0-9]*: never cuMemAlloc in range" "... which rule"

cat >foo.c <<'END'
#include "sim/api.h"

int foo(CUstream stream)
{
	static const char image[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
				    ".visible .entry work()\n{\n ret;\n}\n";
	CUfunction function;
	CUmodule module;
	CUresult result = cuModuleLoadData(&module, image);

	result |= cuModuleGetFunction(&function, module, "work");
	result |= cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, 0, 0);
	return (int)(result | cuModuleUnload(module));
}
END
cat >user.c <<'END'
#include "sim/api.h"

int foo(CUstream stream);

int main(int argc, char **argv)
{
	CUcontext context;
	CUstream stream;
	CUresult result = cuInit(0) | cuCtxCreate_v2(&context, 0, 0) | cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);

	(void)argv;
	result |= (CUresult)foo(argc > 1 ? 0 : stream);
	return (int)(result | cuStreamDestroy_v2(stream) | cuCtxDestroy_v2(context));
}
END
compile -shared -fPIC -o libfoo.so foo.c "$simdir/libcuda.so.1" -Wl,-rpath,"$simdir" >build.out 2>&1 &&
	compile -o user user.c ./libfoo.so "$simdir/libcuda.so.1" -Wl,-rpath,"$simdir:$tmp" >build.out 2>&1 ||
	bail_out "cannot build the library: $(cat build.out)"
gate=$count
gate "$tmp/user"
is "$status" 0 "the gate of a library: one that keeps it" || diag "$(head -n 8 "$tmp/err")"
gate "$tmp/user" legacy
is "$status" 88 "... and one that uses the legacy stream"
like "$(cat "$tmp/err")" "example-$gate:[0-9]*: never %blocking in libfoo" "... which rule"
done_testing
