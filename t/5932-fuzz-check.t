# SPDX-License-Identifier: Apache-2.0
# Damaged files of the rules hook: judged and printed without a step out of bounds, or refused.
# A case alone: CUAUDIT_TEST_SEED is the seed; see t/fuzz/check.c for the arguments.
. "${top_srcdir:-$(dirname "$0")/..}/t/fuzz/lib.sh"

sanitizers
# Each file has two megabytes.
cases=$((cases / 100))
helper rules/broken
cat >"$tmp/rules" <<'END'
mark warm-up = 1st cuInit
never cuMemGetInfo after warm-up
optional at-most 2 kernels per range step*
optional no-errors
optional never cuInit in libx*
at-most 3 cuMemAlloc
no-leak
allow broken:nothing # known
allow libnone.so:* # never
END
for way in launches leak errors "child fixed 1"; do
	"$top_builddir/bin/cuaudit" check -d sim --rules "$tmp/rules" --keep "$tmp/${way%% *}" -- \
		"$tmp/broken" $way >"$tmp/check.out" 2>&1 || :
done
set -- "$tmp"/*/*.check
is $# 4 "there are samples"

hosted -o "$tmp/check" "$fuzz/check.c" "$fuzz/fuzz.c" $(sources analysis analysis_sources) \
	$(sources analysis analysis_stat_sources) "$top_srcdir"/tracefile/*.c "$top_srcdir"/print/*.c "$top_srcdir"/tables/*.c \
	"$top_srcdir"/util/*.c -lm -pthread
fuzzed "damaged files of the rules hook" "$tmp/check" "$@"
share cases 100
share taken 30
share refused 20
share broken 20
share holds 5
share problems 5
done_testing
