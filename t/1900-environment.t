# SPDX-License-Identifier: Apache-2.0
# Variables that do not exist and values that do not parse: said once, and the program runs on.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
helper routes/simple
LD_LIBRARY_PATH=$tmp
export LD_LIBRARY_PATH

# says REGEX NAME VARIABLE=VALUE...: one line of ours that matches; the calls are made
says() {
	says_regex=$1
	says_name=$2
	shift 2
	says_status=0
	audited CUAUDIT_HOOKS= "$@" "$tmp/simple" 2 >"$tmp/out" 2>"$tmp/err" 3>"$tmp/3" ||
		says_status=$?
	is "$says_status $(sed 's/.* //' "$tmp/3")" "0 calls=2" "$says_name: the program runs on"
	is "$(grep -c '^cuaudit' "$tmp/err")" "$(test -z "$says_regex" && echo 0 || echo 1)" \
		"$says_name: lines on stderr"
	test -z "$says_regex" || like "$(cat "$tmp/err")" "$says_regex" "$says_name: what they say"
}

says "" "nothing wrong"
says 'CUAUDIT_EXLUDE .*CUAUDIT_EXCLUDE' "a misspelt variable" CUAUDIT_EXLUDE=x
says 'CUAUDIT_HOOK .*CUAUDIT_HOOKS' "a letter less" CUAUDIT_HOOK=x
says 'CUAUDIT_OUTPUTS .*CUAUDIT_OUTPUT\?' "a letter more" CUAUDIT_OUTPUTS=x
says 'CUAUDIT_OUTPTU .*CUAUDIT_OUTPUT' "letters exchanged" CUAUDIT_OUTPTU=x
says 'CUAUDIT_QWERTYUIOP' "like no other" CUAUDIT_QWERTYUIOP=1
says 'CUAUDIT_DISABLE .*0' "DISABLE" CUAUDIT_DISABLE=yes
says 'CUAUDIT_DISABLE .*0' "DISABLE, empty" CUAUDIT_DISABLE=
says 'CUAUDIT_FOLLOW .*1' "FOLLOW" CUAUDIT_FOLLOW=2
says 'CUAUDIT_LOG .*warn' "LOG" CUAUDIT_LOG=loud
says 'CUAUDIT_FUNCTIONS.*%memory' "a class that does not exist" CUAUDIT_FUNCTIONS=%memroy
says 'CUAUDIT_FUNCTIONS' "an unfinished set" CUAUDIT_FUNCTIONS='cuMem[A'
says "CUAUDIT_OUTPUT takes .*, not 'x%z'; it is empty now\$" "a field that does not exist" \
	CUAUDIT_OUTPUT='x%z'
says "there is no hook module 'stats?t'.*stat" "a hook that does not exist" CUAUDIT_HOOKS=statt
says '^cuaudit' "an unfinished option" CUAUDIT_HOOKS='stat(format=json'
says "" "only errors are said" CUAUDIT_LOG=error CUAUDIT_EXLUDE=x
says "" "what the simulated driver takes is its to judge" CUAUDIT_SIM_MEMORY=lots \
	CUAUDIT_SIM_LAUNCH_TIME=soon
says "" "good values" CUAUDIT_DISABLE=0 CUAUDIT_FOLLOW=1 CUAUDIT_LOG=info \
	CUAUDIT_FUNCTIONS='cuMem*,!cuMemAlloc,%stream' CUAUDIT_EXCLUDE='lib*' CUAUDIT_OUTPUT=

# more than one
audited CUAUDIT_HOOKS= CUAUDIT_A=1 CUAUDIT_LOG=loud CUAUDIT_B=2 "$tmp/simple" 2 \
	2>"$tmp/err" 3>"$tmp/3"
is "$(grep -c '^cuaudit' "$tmp/err")" 3 "one line each"
set --
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
	set -- "$@" "CUAUDIT_UNKNOWN_$n=1"
done
audited CUAUDIT_HOOKS= "$@" "$tmp/simple" 2 2>"$tmp/err" 3>"$tmp/3"
is "$(grep -c '^cuaudit' "$tmp/err")" 9 "many: the first eight, and a line for the rest"
like "$(cat "$tmp/err")" '4 more' "and how many they are"
shift 4
audited CUAUDIT_HOOKS= "$@" "$tmp/simple" 2 2>"$tmp/err" 3>"$tmp/3"
is "$(grep -c '^cuaudit: CUAUDIT_UNKNOWN_' "$tmp/err") $(grep -c '^cuaudit' "$tmp/err")" "8 8" \
	"eight: a line each and no more"

# never in a process that does not call the driver
audited CUAUDIT_EXLUDE=x CUAUDIT_LOG=loud "$tmp/simple" 0 >"$tmp/out" 2>"$tmp/err" 3>"$tmp/3"
audited CUAUDIT_EXLUDE=x CUAUDIT_LOG=loud true >>"$tmp/out" 2>>"$tmp/true.err"
is "$(cat "$tmp/out" "$tmp/true.err")" "" "a process without a driver says nothing"

# a value longer than anything
long=$(awk 'BEGIN { for (i = 0; i < 9000; i++) printf "libx%d.so:", i }')
says "CUAUDIT_EXCLUDE: 'libx0.so' and 8999 more matched no library" "an endless list" CUAUDIT_EXCLUDE="$long"
says "'libx0.so' names no function" "an endless selector" CUAUDIT_FUNCTIONS="$(printf '%s' "$long" | tr : ,)cuInit"

done_testing
