# SPDX-License-Identifier: Apache-2.0
# cuaudit stat where its directory goes; cuaudit inside of another cuaudit stat or trace.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

helper stat/workers
TMPDIR=$tmp/temporary
export TMPDIR
mkdir "$TMPDIR"

# shellcheck disable=SC2016
tool stat -d sim -- sh -c '"$0" _exit=2; rm -r "$TMPDIR"/cuaudit-stat-*' "$tmp/workers"
like "$(cat "$tmp/err")" "cannot read the statistics in .*; the report is incomplete" \
	"a directory that goes"
is "$(grep -c 'was counted in any' "$tmp/err")" 0 "... nothing false is said of calls"

tool stat -d sim -- "$cuaudit" stat -- "$tmp/workers" exit=3
like "$(cat "$tmp/err")" '^cuaudit: workers: 1 process, 3 calls' \
	"one inside of another prints its report"
is "$(grep -c 'cannot remove' "$tmp/err") $(ls "$TMPDIR")" "0 " "... nothing is left"
tool stat -d sim -o "$tmp/outer" -- "$cuaudit" stat -o "$tmp/inner" -- "$tmp/workers" exit=3
is "$status $(grep -c '3 calls' "$tmp/inner")" "0 1" "... in the file it is given"

cp "$tmp/workers" "$tmp/own"
refused 2 "$tmp/own is the program, and is no output" "an output over the program" \
	stat -d sim -o "$tmp/own" -- "$tmp/own" _exit=2
refused 2 "$tmp/own is the program, and is no output" "... by a template" \
	stat -d sim -o "$tmp/%e" -- "$tmp/own" _exit=2

# An option's own value that was forgotten: what is behind it is a program, too.
printf '#!/bin/sh\n' >"$tmp/script"
echo no-errors >"$tmp/rules"
for program in own script; do
	for command in 'run -o' 'run -k leak,stat(fail=errors) -o' 'stat -o' 'manifest -o' "check --rules $tmp/rules --junit" "check --rules $tmp/rules --json" \
		"check --rules $tmp/rules --sarif" 'check --write-baseline'; do
		cp "$tmp/$program" "$tmp/before"
		# shellcheck disable=SC2086
		refused 2 "$tmp/$program is a program, and is no output" "${command##* } of ${command%% *} over another $program" \
			$command "$tmp/$program" -- "$tmp/workers" exit=3
		ok "... it is as it was" cmp "$tmp/$program" "$tmp/before"
	done
done

# Hooks of another cuaudit inside of it report as if it was alone.
for inner in 'run -k coverage' 'run -k stat' 'stat' 'trace --text'; do
	for outer in 'stat' "stat -K $tmp/keep" "trace -A -o $tmp/traces"; do
		# shellcheck disable=SC2086
		tool $outer -d sim -- "$cuaudit" $inner -- "$tmp/workers" exit=3
		is "$status $(grep -c '^cuaudit: coverage\|^cuaudit: workers.* 3 calls\|(\[driverVersion\|cuDriverGetVersion(' "$tmp/err" |
			sed 's/[1-9][0-9]*/some/') $(ls "$TMPDIR" "$tmp/keep" "$tmp/traces" 2>&1 | grep '^[^/]*[0-9]$\|coverage$\|trace$')" \
			"0 some " "$inner inside of $outer: on stderr, no file"
		rm -rf "$tmp/keep" "$tmp/traces"
	done
done
tool trace -A -o "$tmp/traces" -d sim -- "$cuaudit" run -k coverage -o "$tmp/given" -- "$tmp/workers" exit=3
is "$status $(ls "$tmp/given.coverage")" "0 $tmp/given.coverage" "... in the file it is given"
CUAUDIT_OUTPUT=$tmp/given2 tool run -k coverage -d sim -- "$tmp/workers" exit=3
is "$status $(ls "$tmp/given2.coverage")" "0 $tmp/given2.coverage" "... in that of the variable, outside"
tool stat -d sim -- env CUAUDIT_HOOKS=coverage "$tmp/workers" exit=3
like "$(cat "$tmp/err")" "^cuaudit: $TMPDIR/cuaudit-stat-.* is kept: hooks that the program chose" \
	"hooks that a program chooses itself: where their report is"
is "$(ls "$TMPDIR"/cuaudit-stat-* | sed 's/.*\.//')" coverage "... and there it is"
rm -rf "$TMPDIR"/cuaudit-stat-*

# The disk is full when the report is written.
# shellcheck disable=SC2016
limit='import os, resource, sys
resource.prlimit(os.getppid(), resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
os.execv(sys.argv[1], sys.argv[1:])'
tool stat -d sim -o "$tmp/full" -- "$PYTHON3" -c "$limit" "$tmp/workers" _exit=1
like "$(cat "$tmp/err")" "^cuaudit: cannot write the report to $tmp/full: File too large" "a full disk"
is "$status $(ls "$tmp/full" 2>&1 | grep -c 'No such file')" "0 1" "... no part of the report is left"
for format in text prometheus; do
	echo earlier >"$tmp/full"
	# The limit is not that of a pipe.
	{
		"$cuaudit" stat -d sim -m "$format" -o "$tmp/full" -- "$PYTHON3" -c "$limit" \
			/bin/sh -c '"$0" _exit=1; exit 7' "$tmp/workers"
		echo "status $?"
	} 2>&1 | cat >"$tmp/err"
	is "$(tail -n 1 "$tmp/err") $(head -n 1 "$tmp/err")" \
		"status 7 cuaudit: cannot write the report to $tmp/full: File too large" \
		"... $format over a file: the status is the program's"
	like "$(cat "$tmp/err")" '1 process, 1 call |^cuaudit_calls_total.* [0-9]+$' "... and the report on standard error"
	is "$(grep -c earlier "$tmp/full")" "$(test "$format" = text; echo $?)" "... which metrics alone keep"
done

cd "$tmp" || bail_out "no directory"
CUAUDIT_OUTPUT=alone tool stat -d sim -- "$tmp/workers" here:exit=3
is "$status $(grep -c '3 calls' "$tmp/alone")" "0 1" "CUAUDIT_OUTPUT without a directory"
CUAUDIT_OUTPUT=%p-alone tool stat -d sim -- "$tmp/workers" here:exit=3
is "$status $(cat "$tmp"/[0-9]*-alone | grep -c '3 calls')" "0 1" "... with a field"
: >"$tmp/file"
refused 2 "$tmp/file: Not a directory; give another directory by --keep" "--keep of a file" \
	stat --keep "$tmp/file" -- true
refused 2 "$tmp/file: Not a directory; give another directory by --output" \
	"trace --output of a file" trace --output "$tmp/file" -- true
done_testing
