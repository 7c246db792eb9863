# SPDX-License-Identifier: Apache-2.0
# The suite with the newest and the oldest libc and compiler, each in a chroot of its own; t/matrix
# alone takes those between them as well.
# t/lib.sh takes such variables away.
set -- ${CUAUDIT_MATRIX_DIR+"CUAUDIT_MATRIX_DIR=$CUAUDIT_MATRIX_DIR"} \
	${CUAUDIT_MATRIX_MIRROR+"CUAUDIT_MATRIX_MIRROR=$CUAUDIT_MATRIX_MIRROR"}
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
long_test

matrix_status=0
env -u CC -u CXX "$@" "$top_srcdir/t/matrix" sid bullseye >"$tmp/page" 2>"$tmp/said" || matrix_status=$?
test "$matrix_status" != 77 || skip_all "$(sed -n '$ s/^matrix: //p' "$tmp/said")"
is "$matrix_status" 0 "every test passed everywhere"
sed 's/^/# /' "$tmp/said" "$tmp/page"
row='\| [0-9.]+ \| [^|]*gcc[^|]* \| (old|new) \| [0-9]+ \| 0 \| [0-9]+ \|'
like "$(cat "$tmp/page")" "^\| sid $row \(its own\) \|" "on sid"
like "$(cat "$tmp/page")" "^\| bullseye $row yes \|" "on bullseye, and what sid built loads"
done_testing
