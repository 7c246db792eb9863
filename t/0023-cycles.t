# SPDX-License-Identifier: Apache-2.0
# Which files call, and which headers include, each other in a circle: none but those that are known.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

cycles=$top_srcdir/t/cycles
test -f "$top_builddir/hooks/lib_cuaudit_cuaudit_core_so-core.o" || skip_all "no objects"
"$PYTHON3" "$cycles/cycles.py" "$NM" "$top_builddir" "$top_srcdir" >"$tmp/found" 2>"$tmp/err" || {
	sed 's/^/# /' "$tmp/err"
	bail_out "the objects cannot be read"
}
grep -v '^#' "$cycles/known" >"$tmp/known"

# beyond FILE LIST: the groups of FILE that have a file, or an edge, which no group of LIST has
beyond() {
	awk '
	NR == FNR { for (i = 2; i <= NF; i++) group[$1, $i] = FNR; next }
	{
		first = group[$1, $2]
		for (i = 2; i <= NF; i++)
			if (!group[$1, $i] || group[$1, $i] != first) {
				print
				next
			}
	}' "$2" "$1"
}
is "$(beyond "$tmp/found" "$tmp/known")" "" "no circle but the known ones"
# What other processors lack is not there to be seen.
case $(arch) in
x86_64*)
	is "$(while read -r what first rest; do
		grep -q "^$what .*$first\( \|\$\)" "$tmp/found" || echo "$what $first $rest"
	done <"$tmp/known")" "" "each known one is there still, else it goes from the list"
	;;
esac
is "$(grep -c '^#' "$cycles/known")" "$(($(wc -l <"$tmp/known") + 1))" "each has its reason"

echo 'core hooks/clock util/io util/sandbox hooks/core' >"$tmp/more"
is "$(beyond "$tmp/more" "$tmp/known")" "$(cat "$tmp/more")" "one that has grown is found"
done_testing
