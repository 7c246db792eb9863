# SPDX-License-Identifier: Apache-2.0
# No descriptors, no memory, no leave to open files: the program goes on, and hears it once.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

hostile limits
LD_LIBRARY_PATH=$tmp
export LD_LIBRARY_PATH

# short NAME LINES COMMAND...: it succeeds; LINES: a regex of how many lines are said
short() {
	short_name=$1
	short_lines=$2
	shift 2
	rm -f "$tmp/report" "$tmp/report.part"
	short_status=0
	audited CUAUDIT_HOOKS='stat(format=json)' "$@" >"$tmp/out" 2>"$tmp/err" || short_status=$?
	is "$short_status" 0 "$short_name: the program's status"
	test "$short_status" = 0 || diag "$(cat "$tmp/err")"
	sed -n '/^cuaudit: /p' "$tmp/err" >"$tmp/said"
	like "$(wc -l <"$tmp/said")" "^ *$short_lines\$" "$short_name: lines that are reported"
}

for what in files open; do
	ok "$what: natively" $run_env "$tmp/limits" $what first
	short "$what, first" 1 "$tmp/limits" $what first
	like "$(cat "$tmp/said")" 'cannot load .*; nothing is audited' "$what: that it is not audited"
	short "$what, later, to a file" 2 CUAUDIT_OUTPUT="$tmp/report" "$tmp/limits" $what later
	like "$(cat "$tmp/said")" "cannot write $tmp/report: " "$what: that there is no report"
	"$top_builddir/bin/cuaudit" report --format json "$tmp/report.part" >"$tmp/saved"
	is "$(calls cuInit "$tmp/saved")" 30 "$what: what was saved is left"
done
short "files, later" 1 "$tmp/limits" files later
like "$(cat "$tmp/said")" 'cannot write to stderr: ' "files, later: that there is no report"
short "open, later" 0 "$tmp/limits" open later
is "$(calls cuInit "$tmp/err")" 30 "open, later: the report is on stderr"

# the address space: whatever fits is done, what does not is not
for more in 0 16 64 128 192 256 384 512 768 1024 2048 4096 8192 16384; do
	for when in first later; do
		short "memory, $when, $more KiB" '[0-3]' "$tmp/limits" memory $when $more
		ok "memory, $when, $more KiB: a report or why there is none" test -s "$tmp/err"
	done
done
is "$(calls cuInit "$tmp/err")" 30 "with enough of it all are counted"

done_testing
