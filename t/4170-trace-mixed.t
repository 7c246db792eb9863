# SPDX-License-Identifier: Apache-2.0
# Each call is written as its own place's and its own function's, however many share a memory; long ones, too.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

helpers trace/libcuda.so.1 trace/mixed

# mixed OPTIONS: the calls are in $tmp/calls, CALLER FUNCTION DURATION CONTEXT; the first four in $tmp/long
mixed() {
	rm -f "$tmp/a.cutrace"
	audited CUAUDIT_HOOKS="trace($1;file=$tmp/a.cutrace)" "$tmp/mixed" 2>"$tmp/err"
	is "$? $(cat "$tmp/err")" "0 " "$1: it ends well"
	"$top_builddir/bin/cuaudit" convert --to csv "$tmp/a.cutrace" -o "$tmp/csv"
	sed 1d "$tmp/csv" | awk -F , '{
		context = sub(/.*ctx = /, "", $NF) ? $NF : "-"
		print $13, $11, $8, context
	}' >"$tmp/all"
	head -n 4 "$tmp/all" >"$tmp/long"
	tail -n +5 "$tmp/all" >"$tmp/calls"
}

for options in "args=yes" "args=no"; do
	mixed "$options"
	is "$(awk '{ print $2, ($3 >= 2400000000) }' "$tmp/long")" \
		"cuInit 0
cuModuleUnload 0
cuInit 0
cuModuleUnload 1" "$options: a call of 2.4 seconds"
	is "$(awk 'NR <= 1500 { print $1 }' "$tmp/calls" | sort | uniq -c | awk '{ print $1 }' | uniq -c |
		awk '{ print $1, $2 }')" "300 5" "$options: each of 300 places calls five times"
	is "$(awk 'NR > 1500 { print (NR - 1501) % 6, $2 }' "$tmp/calls" | sort | uniq -c |
		awk '{ print $1, $2, $3 }')" "600 0 cuInit
600 1 cuDriverGetVersion
600 2 cuMemAlloc_v2
600 3 cuMemGetInfo_v2
600 4 cuModuleUnload
600 5 cuCtxGetDevice_v2" "$options: as does each function of 120 places, in turn"
	is "$(awk 'NR > 1500 { print int((NR - 1501) / 6) % 120, $1 }' "$tmp/calls" | sort -u |
		awk '{ print $2 }' | sort -u | wc -l)" 120 "$options: from nowhere else"
	is "$(awk 'NR > 1500 { print int((NR - 1501) / 6) % 120, $1 }' "$tmp/calls" | sort -u |
		wc -l)" 120 "$options: nor another's"
	test "$options" = args=no && continue
	is "$(awk 'NR <= 1500 { print $1, $NF }' "$tmp/calls" | sort -u | wc -l)" 300 \
		"a place's argument is its own"
done
done_testing
