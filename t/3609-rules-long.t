# SPDX-License-Identifier: Apache-2.0
# No false alarm: the repaired twins of t/rules/broken.c, a thousand times each, in many processes.
. "${top_srcdir:-$(dirname "$0")/..}/t/rules/lib.sh"

long_test
helper rules/broken
broken=$tmp/broken
processes=40
times=25

while IFS='|' read -r way text _ check_options; do
	printf '%s\n' "$text" | tr ';' '\n' >rules
	good=0
	run=0
	while test $run -lt $processes; do
		run=$((run + 1))
		check "$broken" "$way" fixed $times </dev/null
		test "$status $(grep '^check' err)" != "0 check: the rule holds" || good=$((good + 1))
	done
	is $good $processes "$way: $processes processes, $times times each" || diag "$(head -c 2000 "$tmp/err")"
done <<END
$(ways)
END
done_testing
