# SPDX-License-Identifier: Apache-2.0
# What tests of Python frames share.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

# What is expected of each part of t/python/frames.py: so many calls at least.
python_parts='plain 20
closures 17
generators 13
coroutines 160
threads 9600
texts 3574
recursion 10
signals 3001
callbacks 25
forks 60
raw_forks 40
leader 201
steady 1000
shrinks 400
reuse 600
many 6680
garbage 6000
renewed 200'

# judge OUTPUT CALLS WHAT: all calls' frames are right, and so are their merged stacks.
judge() {
	judge_right=$(sed -n 's/^right \([0-9]*\) of \([0-9]*\)$/\1 \2/p' "$1" | tail -n 1)
	judge_merged=$(sed -n 's/^merged \([0-9]*\) of \([0-9]*\)$/\1 \2/p' "$1" | tail -n 1)
	is "${judge_right% *}" "${judge_right#* }" "$3: each call's Python frames are right"
	ok "of $2 or more" test "0${judge_right#* }" -ge "$2"
	is "$judge_merged" "$judge_right" "and its merged stack"
	unlike "$(cut -c 1-300 "$1")" '^wrong ' "in all processes"
	test -n "$judge_right" -a "${judge_right% *}" = "${judge_right#* }" || sed 's/^/# /' "$1" | cut -c 1-300 | head -n 40
}
