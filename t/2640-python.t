# SPDX-License-Identifier: Apache-2.0
# A call's Python frames, and stacks merged of them and native ones: what the program says itself, for
# each call. CUAUDIT_TEST_PYTHON: another interpreter than the first python3.
set -- ${CUAUDIT_TEST_PYTHON+"$CUAUDIT_TEST_PYTHON"}
. "${top_srcdir:-$(dirname "$0")/..}/t/python/lib.sh"

python=${1-$(command -v python3)} || skip_all "no python3"
$python -c 'import ctypes, sys; sys.exit(sys.version_info < (3, 9))' || skip_all "no python3"
helper python/expect.so

frames_preload=
# frames HOOKS PART: output in $tmp/out
frames() {
	frames_status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="$1" timeout 300 \
		env LD_PRELOAD="$frames_preload" $python \
		"$top_srcdir/t/python/frames.py" "$2" >"$tmp/out" 2>&1 || frames_status=$?
	is "$frames_status" 0 "$2: the program ends well"
}

echo "$python_parts" >"$tmp/parts"
while read -r part calls; do
	frames "$tmp/expect.so(merged=yes)" "$part"
	judge "$tmp/out" "$calls" "$part"
done <"$tmp/parts"

# What is native between two Python functions is between them.
export EXPECT_SHOW=1
frames "$tmp/expect.so(merged=yes)" callbacks
unset EXPECT_SHOW
like "$(sed -n '/callbacks.<locals>.compare\|^  compare/{n;p;q}' "$tmp/out")" '_ctypes|ffi|libc' \
	"a stack of Python, C and Python"
is "$(sed '/^--/q' "$tmp/out" | awk '/^  .* 0x[0-9a-f]+$/ { print "C" } /^  .*\t/ { print "Python" }' | uniq | tr '\n' ' ')" \
	"C Python C Python C " "... the C functions that Python calls before it"

frames "$tmp/expect.so(merged=yes)" interpreters
judge "$tmp/out" 5 "interpreters"

# A stack that is as before is read by one system call; before 3.12 its texts by another one.
helper python/reads.so
most=$($python -c 'import sys; print(1000 * (1 + (sys.version_info < (3, 12))) + 500)')
frames_preload=$tmp/reads.so
export CUAUDIT_OUTPUT="$tmp/trace"
CALLS=1000 frames "trace(args=no;python=*)" steady
unset CUAUDIT_OUTPUT
reads=$(sed -n 's/^reads //p' "$tmp/out" | tail -n 1)
ok "a stack that stays is read by $reads calls, $most at most" test "$reads" -le "$most" -a "$reads" -ge 1000

# No memory is allocated and no lock is taken for it, the GIL neither, whether or not the thread has it.
for part in threads coroutines texts garbage many; do
	CALLS=300 frames "$tmp/expect.so" "$part"
	is "$(sed -n 's/^forbidden //p' "$tmp/out" | tail -n 1) $(grep -c '^right [1-9]' "$tmp/out")" "0 1" \
		"$part: neither memory nor a lock is taken"
done

# Where it is forbidden pages are asked for.
READS_REFUSED=1 frames "$tmp/expect.so(merged=yes)" threads
judge "$tmp/out" 9600 "process_vm_readv refused"
ok "... and not tried for long" test "$(sed -n 's/^reads //p' "$tmp/out" | tail -n 1)" -le 100
READS_REFUSED=1 frames "$tmp/expect.so(merged=yes)" vanishes
like "$(cat "$tmp/out")" '^below True$' "... and there was a page below the frames that goes when it is looked at"
frames_preload=

frames "$tmp/expect.so(merged=yes)" damage
like "$(cat "$tmp/out")" 'right [0-9]+ of 3000$' "damaged code objects harm nobody"


# No Python: nothing is said.
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="$tmp/expect.so(merged=yes)" "$top_builddir/demo/cudemo" dlopen \
	>"$tmp/out" 2>&1
unlike "$(cat "$tmp/out")" Python "a program without Python"
done_testing
