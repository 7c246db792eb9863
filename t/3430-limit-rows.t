# SPDX-License-Identifier: Apache-2.0
# Every function that has to do with device memory is the limit hook's business, or listed as none.
. "${top_srcdir:-$(dirname "$0")/..}/t/limit/lib.sh"

table=$top_srcdir/include/cuaudit/driver_api.def
limits=$top_srcdir/tables/limit.def
irrelevant=$top_srcdir/t/limit/irrelevant

# rows TABLE LIMITS IRRELEVANT
rows() {
	"$PYTHON3" "$top_srcdir/t/limit/rows.py" "$@"
}

is "$(rows "$table" "$limits" "$irrelevant")" True "all functions"

# The comparison finds what is new, and what is wrong in the lists.
cp "$table" "$tmp/table"
cat >>"$tmp/table" <<'END'
CUAPI(900, cuMemBorrow, cuMemBorrow, 14000, 1, NONE, 14000, MISC, 1, P(OUT, CUdeviceptr *, dptr))
CUAPI(901, cuMemReleaseAll, cuMemReleaseAll, 14000, 1, NONE, 14000, MEMORY, 1, P(VAL, int, how))
CUAPI(902, cuMemAlloc_v3, cuMemAlloc, 14000, 3, NONE, 14000, MEMORY, 1, P(VAL, int, how))
END
is "$(rows "$tmp/table" "$limits" "$irrelevant" | sort)" "True
a version is left out: cuMemAlloc_v3
neither handled nor listed: cuMemAlloc_v3
neither handled nor listed: cuMemBorrow
neither handled nor listed: cuMemReleaseAll" "new ones are found"
grep -v 'cuMemUnmap' "$limits" >"$tmp/limits"
{ cat "$irrelevant" && echo "cuMemNothing no memory" && echo "cuInit no memory" &&
	echo "cuMemAlloc no memory"; } >"$tmp/irrelevant"
is "$(rows "$table" "$tmp/limits" "$tmp/irrelevant" | sort -u)" "True
handled and listed: cuMemAlloc
handled and listed: cuMemAlloc_v2
listed for nothing: cuInit
neither handled nor listed: cuMemUnmap
no function: cuMemNothing" "and what is wrong in the lists"
done_testing
