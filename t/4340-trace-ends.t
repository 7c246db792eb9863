# SPDX-License-Identifier: Apache-2.0
# However a program ends under the trace, its threads at work, it ends as without it.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

compile -O1 -fno-optimize-sibling-calls -o "$tmp/ends" "$top_srcdir/t/trace/ends.c" -pthread -ldl ||
	bail_out "cannot build"

# ends NAME OPTIONS HOW THREADS CALLS...: one run for each; what is left has to be readable
ends() {
	ends_name=$1 ends_options=$2 ends_how=$3 ends_threads=$4
	shift 4
	for ends_calls; do
		traced "$ends_options" timeout 60 "$tmp/ends" "$ends_how" "$ends_threads" "$ends_calls"
		test "$status $(cat "$tmp/err")" = "0 " ||
			echo "$ends_calls calls: status $status: $(cat "$tmp/err")"
		checked "$tmp"/traces/*.cutrace | grep -E '^(bad|check failed)'
	done >"$tmp/wrong"
	is "$(cat "$tmp/wrong")" "" "$ends_name"
}

ends "main returns while a thread calls from new call sites" "" return 1 \
	0 1 2 3 5 8 13 21 34 55 89 144 233 377 610 987 1597 2584 4181 6765 10946 17711
ends "three threads" "" return 3 0 10 100 1000 10000 20000
ends "without arguments" "args=no" return 1 0 100 1000 10000
ends "into a ring" "when-full=ring;size=8M" return 2 0 100 1000 9000 17000
ends "with backtraces" "backtrace=cuDriverGetVersion" return 1 0 10 100 1000
ends "exit" "" exit 1 0 100 1000 10000
ends "exit within a driver call" "" callback 1 0 100 1000 10000
ends "quick_exit" "" quick_exit 1 0 1000 10000
ends "_exit" "" _exit 1 0 1000 10000
ends "a child of fork" "" child 1 0 100 1000 10000

# A thread of the hook's own keeps no process alive.
ends "pthread_exit" "" thread 2 0 100 1000 10000
like "$(checked "$tmp"/traces/*.cutrace)" '^process .* finished' "and the file is ended"
ends "pthread_exit of a main thread that never called" "" idle 0 0
like "$(checked "$tmp"/traces/*.cutrace)" '^total 3 ' "and all calls are there"
for how in "thread 2 100" "idle"; do
	status=0
	# shellcheck disable=SC2086 # several arguments
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(interval=100)" timeout 60 "$tmp/ends" $how \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status" 0 "$how: statistics at an interval do not, either"
	like "$(cat "$tmp/err")" ' cuDriverGetVersion' "$how: and are printed at the end"
done
done_testing
