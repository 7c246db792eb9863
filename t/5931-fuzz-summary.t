# SPDX-License-Identifier: Apache-2.0
# Damaged traces: added up without a step out of bounds, by any number of threads alike.
# A case alone: CUAUDIT_TEST_SEED is the seed; see t/fuzz/summary.c for the arguments.
. "${top_srcdir:-$(dirname "$0")/..}/t/fuzz/lib.sh"
. "$top_srcdir/t/trace/lib.sh"

long_test
sanitizers
cases=100000
helper trace/synth
synth -a -k -o -c 16384 -n 100 -t 2 "$tmp/arguments.cutrace"
synth -k -c 16384 -e 20 -n 700 -t 1 "$tmp/bare.cutrace"
synth -a -c 16384 -n 20 "$tmp/few.cutrace"
synth -D -k -c 16384 -n 100 -t 2 "$tmp/ranges.cutrace"

hosted -o "$tmp/summary" "$fuzz/summary.c" "$fuzz/fuzz.c" $(sources analysis analysis_sources) \
	$(sources analysis analysis_stat_sources) "$top_srcdir"/tracefile/*.c "$top_srcdir"/print/*.c "$top_srcdir"/tables/*.c \
	"$top_srcdir"/util/*.c -lm -pthread
fuzzed "damaged traces, added up" "$tmp/summary" "$tmp/arguments.cutrace" "$tmp/bare.cutrace" \
	"$tmp/few.cutrace" "$tmp/ranges.cutrace"
share cases 100
share refused 5
share read 50
done_testing
