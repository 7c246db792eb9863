# SPDX-License-Identifier: Apache-2.0
# A trace cut by SIGKILL at any moment has all that was committed.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

times=20
test -z "${LONG_TESTS-}" || times=200

# judge ARGUMENTS: what three threads had completed, by what the file has of them, in any order.
judge() {
	awk -v arguments="$1" 'NR == FNR { for (i = 1; i <= 3; i++) made[i] = $i; next }
	/^bad/ { print; wrong++ }
	# One that is not whole is of another function, or lacks what was read back.
	$1 == "call" && $4 == "cuInit" { inits++ }
	$1 == "call" && $4 != "cuInit" && arguments && $NF != "0:0x000032c8" { print; wrong++ }
	/^calls of/ { has[++n] = $5 }
	function sort(list,    i, j, x) {
		for (i = 1; i <= 3; i++)
			for (j = i + 1; j <= 3; j++)
				if (list[j] < list[i]) {
					x = list[i]; list[i] = list[j]; list[j] = x
				}
	}
	END {
		sort(made)
		sort(has)
		for (i = 1; i <= 3; i++) {
			# One may be on its way: in the file and not counted. cuInit is one more.
			if (has[i] < made[i] || has[i] > made[i] + 2)
				wrong++
			sum += has[i] - made[i]
		}
		if (wrong || inits != 1 || n != 3 || sum < 1 || sum > 4)
			print "made", made[1], made[2], made[3], "has", has[1], has[2], has[3]
	}' "$tmp/out" "$tmp/text"
}

# killed NAME OPTIONS [ARGUMENTS]
killed() {
	for i in $(seq "$times"); do
		traced "$2" "$tmp/app" killed $((i * 7919 % 20000))
		checked "$tmp"/traces/*.cutrace >"$tmp/text"
		judge "${3-}"
	done >"$tmp/wrong"
	is "$(cat "$tmp/wrong")" "" "$1: $times times killed, nothing lost"
	unlike "$(tail -n 2 "$tmp/text")" ' finished' "$1: and it was killed"
}

killed "two words a call" "args=no"
killed "with arguments" "" yes

# What the file has of calls that were written over, and of the newest, adds up.
for i in $(seq "$times"); do
	traced "size=2M;when-full=ring" "$tmp/app" killed $((i * 7919 % 40000))
	checked "$tmp"/traces/*.cutrace >"$tmp/text"
	awk 'NR == FNR { made = $1 + $2 + $3 + 1; next }
	/^bad/
	/^lost/ { lost = $6 }
	/^total/ { has = $2 }
	END { if (has + lost < made || has + lost > made + 3) print "made", made, "has", has, lost }' \
		"$tmp/out" "$tmp/text"
done >"$tmp/wrong"
is "$(cat "$tmp/wrong")" "" "a ring: $times times killed, nothing lost that is not counted"
done_testing
