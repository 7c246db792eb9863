# SPDX-License-Identifier: Apache-2.0
# A call's Python frames, and stacks merged of them and native ones: what the program says itself, for
# each call. CUAUDIT_TEST_PYTHON: another interpreter than the first python3.
set -- ${CUAUDIT_TEST_PYTHON+"$CUAUDIT_TEST_PYTHON"}
. "${top_srcdir:-$(dirname "$0")/..}/t/python/lib.sh"

python=${1-$(command -v python3)} || skip_all "no python3"
$python -c 'import ctypes, sys; sys.exit(sys.version_info < (3, 9))' || skip_all "no python3"
helper python/expect.so

# frames HOOKS PART: output in $tmp/out
frames() {
	frames_status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="$1" timeout 300 $python \
		"$top_srcdir/t/python/frames.py" "$2" >"$tmp/out" 2>&1 || frames_status=$?
	is "$frames_status" 0 "$2: the program ends well"
}

echo "$python_parts" >"$tmp/parts"
while read -r part calls; do
	frames "$tmp/expect.so(merged=yes)" "$part"
	judge "$tmp/out" "$calls" "$part"
done <"$tmp/parts"

frames "$tmp/expect.so(merged=yes)" interpreters
judge "$tmp/out" 5 "interpreters"

frames "$tmp/expect.so(merged=yes)" damage
like "$(cat "$tmp/out")" 'right [0-9]+ of 3000$' "damaged code objects harm nobody"


# No Python: nothing is said.
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="$tmp/expect.so(merged=yes)" "$top_builddir/demo/cudemo" dlopen \
	>"$tmp/out" 2>&1
unlike "$(cat "$tmp/out")" Python "a program without Python"
done_testing
