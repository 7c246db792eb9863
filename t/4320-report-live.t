# SPDX-License-Identifier: Apache-2.0
# cuaudit report of what a program's trace says: its launches, its memory.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"

cuaudit=$top_builddir/bin/cuaudit
command -v jq >"$tmp/which" || skip_all "no jq"
compile -o "$tmp/memory" "$top_srcdir/t/trace/memory.c" "$sim" || bail_out "no test program"

# traced OPTIONS: t/trace/memory.c with a trace, $tmp/traces
traced() {
	rm -rf "$tmp/traces"
	mkdir "$tmp/traces"
	audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/traces/%p" CUAUDIT_HOOKS="trace($1)" \
		"$tmp/memory" >"$tmp/truth" 2>"$tmp/err" || bail_out "$(cat "$tmp/err")"
}

traced ""
"$cuaudit" report --format json "$tmp/traces" >"$tmp/json"
is "$(jq -r '[.kernels[].calls] | add' "$tmp/json")" 30 "launches of kernels"
is "$(jq -r '.processes[0].memory.kinds | to_entries[] | "\(.key) \(.value.held_bytes)"' \
	"$tmp/json" | sort)" "$(sort "$tmp/truth")" "memory of each kind"
is "$(jq -r '.processes[0].memory.held_bytes' "$tmp/json")" \
	"$(awk '$1 != "host" { sum += $2 } END { print sum }' "$tmp/truth")" "all of the device's"
is "$(jq -r '.processes[0].memory.kinds | [.[].unsized] | add' "$tmp/json")" 0 \
	"every size is known"
is "$(jq -r '.libraries[0].path' "$tmp/json")" "$(realpath "$tmp/memory")" "the library that called"
is "$(jq -r '.processes[0] | "\(.program) \(.finished)"' "$tmp/json")" \
	"$(realpath "$tmp/memory") false" "the process, and that it left by _exit"
like "$("$cuaudit" report "$tmp/traces")" '^ +[0-9.]+KiB .* pool$' "kinds, as text"

traced "args=no"
is "$("$cuaudit" report --format json "$tmp/traces" | jq -c '[.kernels, .processes[0].memory]')" \
	"[[],null]" "args=no: neither is known"
like "$("$cuaudit" report --by kernel "$tmp/traces")" '^Kernels: not known' "... which is said"

done_testing
