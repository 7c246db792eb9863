# SPDX-License-Identifier: Apache-2.0
# Files that declare more than they hold.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

compile -Wall -o "$tmp/sparse" "$top_srcdir/t/tool/sparse.c" >"$tmp/build.out" 2>&1 ||
	bail_out "cannot build t/tool/sparse.c"

# small NAME STATUS ARGUMENT...: a run of the tool that ends so and takes less than 200 MiB.
small() {
	small_name=$1
	small_status=$2
	shift 2
	timeout 300 "$tmp/sparse" run "$cuaudit" "$@" >"$tmp/out" 2>"$tmp/err"
	# shellcheck disable=SC2046 # two words
	set -- $(tail -n 1 "$tmp/err")
	is "$1" "$small_status" "$small_name: ends with status $small_status"
	ok "$small_name: ... and does not take what was declared" test "${2:-9999999}" -lt 200000
}

# 60 chunks of 64 MiB, then four TiB of nothing.
if "$tmp/sparse" trace "$tmp/sparse.cutrace" 67108864 60 &&
	test "$(du -k "$tmp/sparse.cutrace" | cut -f1)" -lt 10000; then
	small "a sparse trace, report" 2 report "$tmp/sparse.cutrace"
	small "a sparse trace, convert" 2 convert --to text "$tmp/sparse.cutrace"
	small "a sparse trace, the page" 2 report --html "$tmp/page" "$tmp/sparse.cutrace"
else
	skip 6 "no sparse files here"
fi
if "$tmp/sparse" stat "$tmp/sparse.part" 4294967296 &&
	test "$(du -k "$tmp/sparse.part" | cut -f1)" -lt 10000; then
	small "sparse statistics" 0 report "$tmp/sparse.part"
else
	skip 2 "no sparse files here"
fi
done_testing
