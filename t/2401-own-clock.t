# SPDX-License-Identifier: Apache-2.0
# A program whose clock is its own, as with libfaketime, and stands still.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

hostile mixed_callers
helper hostile/clock.so
echo 'at-most 1000 cuInit' >"$tmp/rules"

# Long ago, and so far ahead that a wait until then would have no end.
for at in 0 4000000000; do
	for hooks in stat "stat(save=no;interval=60)" "trace(file=$tmp/%t-%p.cutrace)" leak \
		"limit(share=50;share-dir=$tmp;on-error=run)" \
		"limit(user=1G;file=$tmp/shared;on-error=run)" "rules(file=$tmp/rules)" \
		'fault(inject=cuInit:delay_enter=1ms:delay_exit=1ms)'; do
		ok "at $at, $hooks" audited LD_LIBRARY_PATH="$tmp" LD_PRELOAD="$tmp/clock.so" CLOCK_AT=$at \
			CUAUDIT_HOOKS="$hooks" timeout -s KILL 300 "$tmp/mixed_callers" 10 2>"$tmp/err"
		unlike "$(cat "$tmp/err")" 'the core reads' "the core has libc's"
	done
done
audited LD_LIBRARY_PATH="$tmp" LD_PRELOAD="$tmp/clock.so" CUAUDIT_HOOKS='stat(format=json)' \
	CUAUDIT_OUTPUT="$tmp/out" timeout -s KILL 300 "$tmp/mixed_callers" 10
unlike "$(cat "$tmp/out")" '"elapsed_ns":0[,}]' "time goes on in the report"
like "$(cat "$tmp/out")" '"elapsed_ns":[1-9]' "which has it"
unlike "$(ls "$tmp")" '^(0|4000000000)-' "files have the time of day"
done_testing
