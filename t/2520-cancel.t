# SPDX-License-Identifier: Apache-2.0
# A thread whose cancellation is pending calls the driver: no cancellation point of ours acts.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"

helper hostile/cancelled
for when in first later exit; do
	ok "$when, not audited: the program's own" timeout -s KILL 120 $run_env "$tmp/cancelled" \
		$when
done

# Cancelled at any moment of its first call, a thread leaves no lock of the core taken.
fake=$tmp/fake
mkdir "$fake"
helper fake/libcuda.so.1 fake/libcuda.so.1
helper hostile/async
ok "threads cancelled in their first call" audited LD_LIBRARY_PATH="$fake" CUAUDIT_HOOKS= \
	timeout -s KILL 300 "$tmp/async"

# Copies of the C library allow for it, in practice; only where the loader tells their bindings.
helper hostile/async_libc
for hooks in stat "trace(file=$tmp/async.cutrace)" 'dbgmem(libraries=(main);action=report),stat'; do
	case $hooks in dbgmem*) test "$(loader_family)" = new || continue ;; esac
	failed=0
	for turn in 1 2 3 4 5 6 7 8 9 10 11 12; do
		timeout -s KILL 300 $run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_HOOKS="$hooks" CUAUDIT_DOMAINS=driver,libc \
			CUAUDIT_LIBC='(main)' CUAUDIT_OUTPUT="$tmp/async.out" "$tmp/async_libc" >"$tmp/out" 2>&1 ||
			failed=$((failed + 1))
	done
	is $failed 0 "threads cancelled in memcpy: $hooks, by turn $turn"
done

# cancelled NAME WHEN [VARIABLE=VALUE...]: it ends as it would without us, its output in $tmp/o*.
cancelled() {
	cancelled_name=$1
	cancelled_when=$2
	shift 2
	rm -f "$tmp"/o "$tmp"/o.*
	# A wrong variable is a message of the first call's, under the loader's lock.
	ok "$cancelled_name, $cancelled_when" timeout -s KILL 120 $run_env LD_AUDIT="$LIBCUAUDIT" \
		CUAUDIT_LOG=debug CUAUDIT_WRONG=1 "$@" "$tmp/cancelled" "$cancelled_when"
	cat "$tmp/tap.out" "$tmp"/o "$tmp"/o.* >"$tmp/all" 2>/dev/null
}

# A plug-in may use libc's input and output where the core starts and ends.
helper hostile/prints.so
for when in first later exit; do
	cancelled "a plug-in" $when CUAUDIT_HOOKS="$tmp/prints.so"
	like "$(cat "$tmp/all")" 'a plug-in ends' "a plug-in, $when: to its end"
	cancelled "no module" $when
	like "$(cat "$tmp/all")" 'CUAUDIT_WRONG' "no module, $when: the message is whole"
	for output in "" "$tmp/o"; do
		where=${output:+, to a file}
		for hooks in stat 'stat(format=prometheus)' 'stat(interval=0.01)' coverage leak \
			'limit(memory=100M)' "limit(user=100M;file=$tmp/shared)" \
			"stat,coverage,leak,limit(memory=100M)"; do
			cancelled "$hooks$where" $when CUAUDIT_HOOKS="$hooks" \
				CUAUDIT_OUTPUT="$output"
			like "$(cat "$tmp/all")" 'cuMemAlloc_v2|device memory|9 bound' \
				"$hooks$where, $when: there is a report"
		done
		cancelled "text$where" $when CUAUDIT_HOOKS='trace(text)' CUAUDIT_OUTPUT="$output"
		like "$(cat "$tmp/all")" 'cuProfilerStop\(\) = ' "text$where, $when: the last call"
		cancelled "trace$where" $when CUAUDIT_OUTPUT="$output" \
			CUAUDIT_HOOKS="trace(file=$tmp/o.cutrace)"
		cancelled "fault$where" $when CUAUDIT_HOOKS='fault(inject=%memory:delay_exit=1us)' \
			CUAUDIT_OUTPUT="$output"
		like "$(cat "$tmp/all")" 'fault: rule 1: of [0-9]+ calls ' \
			"fault$where, $when: there is a summary"
	done
done
done_testing
