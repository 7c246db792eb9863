# SPDX-License-Identifier: Apache-2.0
# Where CPython has what is read of it, tables/cpython.def: as the headers say that are here. Of python3, and of those
# that CUAUDIT_TEST_PYTHONS names, paths with spaces between.
set -- ${CUAUDIT_TEST_PYTHONS-}
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

table=$top_srcdir/tables/cpython.def
compared=
for python in "$PYTHON3" "$@"; do
	include=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])' 2>"$tmp/none") || continue
	minor=${include##*/python3.}
	test -r "$include/internal/pycore_runtime.h" || continue
	case $minor in
	"" | *[!0-9]*) continue ;;
	esac
	grep -q "^PYTHON_LAYOUT($minor,\$" "$table" || continue
	# layout FILE: the facts of that version
	layout() {
		sed -n "/^PYTHON_LAYOUT($minor,\$/,/^)/p" "$1"
	}
	status=0
	CC="$CC" sh "$top_srcdir/maint/python-layout" "$include" >"$tmp/made" 2>"$tmp/err" || status=$?
	is "$status $(cat "$tmp/err")" "0 " "3.$minor: the headers are read"
	is "$(layout "$tmp/made")" "$(layout "$table")" "3.$minor: the table has what they say"
	ok "3.$minor: which are many facts" test "$(layout "$table" | wc -l)" -gt 25
	compared=yes
done
test -n "$compared" || skip_all "no headers of Python"
done_testing
