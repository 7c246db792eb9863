# SPDX-License-Identifier: Apache-2.0
# At each instruction of a call the trace's file is whole, should the process be killed there.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

test "$(arch)" = x86_64 || skip_all "no single steps here"
helper trace/stepped.so libcuda.so.1
helper trace/stepped

# stepped HOOKS same|other WORDS: some of one word or none
stepped() {
	rm -f "$tmp/a.cutrace"
	audited CUAUDIT_OUTPUT="$tmp/report" \
		CUAUDIT_HOOKS="$(printf '%s' "$1" | sed "s|%|file=$tmp/a.cutrace|")" \
		"$tmp/stepped" "$tmp/a.cutrace" "$2" >"$tmp/out" 2>"$tmp/err"
	is "$? $(cat "$tmp/err" "$tmp/out")" \
		"0 many steps, 40 records, 0 times damaged, 0 less, 0 more than one, $3 of one word" \
		"$1, $2 arguments: whole after each"
}

# The ways of the trace's own, which say again what they can, and the trampolines.
again=some
test "$(loader_family)" = new || again=none
stepped "trace(%)" same $again
stepped "trace(%)" other none
stepped "trace(%;args=no)" same $again
stepped "trace(%;when-full=ring;size=1M)" same $again
stepped "trace(%),stat" same none
stepped "trace(%),stat" other none
done_testing
