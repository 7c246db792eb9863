# SPDX-License-Identifier: Apache-2.0
# Damaged traces: read without a step out of bounds, and with bounded memory.
# A case alone: CUAUDIT_TEST_SEED is the seed; see t/fuzz/trace.c for the arguments.
. "${top_srcdir:-$(dirname "$0")/..}/t/fuzz/lib.sh"
. "$top_srcdir/t/trace/lib.sh"

sanitizers
cases=20000
test -z "${LONG_TESTS-}" || cases=1000000
helper trace/synth
synth -a -c 16384 -n 100 -t 2 "$tmp/arguments.cutrace"
synth -a -k -c 16384 -n 60 -t 3 "$tmp/killed.cutrace"
synth -c 16384 -e 20 -n 700 -t 1 "$tmp/bare.cutrace"
synth -a -g -c 16384 -n 150 -t 2 "$tmp/again.cutrace"
synth -A -c 16384 -n 100 -t 1 "$tmp/parameters.cutrace"
synth -a -E -c 32768 -n 150 -t 1 "$tmp/errors.cutrace"
synth -D -k -c 16384 -e 90 -n 200 -t 2 "$tmp/ranges.cutrace"

set --
for file in "$top_srcdir"/tracefile/*.c; do
	object=$tmp/$(basename "$file" .c).o
	hosted -c -o "$object" -Dmalloc=count_malloc -Dcalloc=count_calloc \
		-Dreallocarray=count_reallocarray -Dfree=count_free "$file"
	set -- "$@" "$object"
done
hosted -o "$tmp/trace" "$fuzz/trace.c" "$fuzz/fuzz.c" "$top_srcdir"/print/*.c "$top_srcdir"/util/buffer.c \
	"$top_srcdir"/util/globs.c "$top_srcdir"/util/hash_table.c "$top_srcdir"/util/sort.c "$@"
fuzzed "damaged traces" "$tmp/trace" "$tmp/arguments.cutrace" "$tmp/killed.cutrace" \
	"$tmp/bare.cutrace" "$tmp/again.cutrace" "$tmp/parameters.cutrace" "$tmp/errors.cutrace" "$tmp/ranges.cutrace"
share cases 100
share refused 5
share part 20
share full 10
done_testing
