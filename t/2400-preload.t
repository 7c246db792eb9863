# SPDX-License-Identifier: Apache-2.0
# Next to preloads: one that overrides dlsym and wraps the driver, another malloc.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

hostile mixed_callers
helper hostile/wrapper.so
LD_LIBRARY_PATH=$tmp
WRAPPED=$tmp/wrapped
export LD_LIBRARY_PATH WRAPPED

ok "natively" $run_env LD_PRELOAD="$tmp/wrapper.so" timeout 300 "$tmp/mixed_callers" 10
is "$(cat "$WRAPPED")" 30 "it wraps all three ways"
rm "$WRAPPED"
counted "audited" LD_PRELOAD="$tmp/wrapper.so" timeout 300 "$tmp/mixed_callers" 10
is "$(cat "$WRAPPED")" 30 "it wraps them still"
is "$(calls cuMemAlloc_v2)" 30 "what it wraps is counted once"
is "$(calls_of cuMemAlloc_v2 wrapper.so)" 30 "as calls it makes"
is "$(calls cuInit)" 30 "what it does not wrap too"
is "$(calls_of cuInit mixed_callers)" 30 "as the program's"
like "$(cat "$tmp"/json/*)" '"escapes":\[\]' "nothing escaped"
counted "in 16 threads" LD_PRELOAD="$tmp/wrapper.so" timeout 300 "$tmp/mixed_callers" 10 16
is "$(cat "$WRAPPED")" 510 "it wraps them still"
is "$(calls cuMemAlloc_v2) $(calls cuInit)" "510 510" "all are counted"
counted "excluded" LD_PRELOAD="$tmp/wrapper.so" CUAUDIT_EXCLUDE=wrapper.so \
	timeout 300 "$tmp/mixed_callers" 10
is "$(cat "$WRAPPED")" 30 "it wraps them still"
is "$(calls cuMemAlloc_v2)" 0 "what it calls is not counted"
ok "switched off" audited LD_PRELOAD="$tmp/wrapper.so" CUAUDIT_DISABLE=1 \
	timeout 300 "$tmp/mixed_callers" 10
is "$(cat "$WRAPPED")" 30 "it wraps them still"

# An allocator of its own that needs more static TLS than an auditor leaves to a library
# there from the start, whichever auditor it is: the loader can be told to keep more.
jemalloc=
for file in /usr/lib/*/libjemalloc.so.2 /usr/lib/libjemalloc.so.2 /usr/lib64/libjemalloc.so.2; do
	test ! -f "$file" || jemalloc=$file
done
if test -z "$jemalloc"; then
	skip 5 "no jemalloc"
elif ! with_room env LD_PRELOAD="$jemalloc" "$tmp/mixed_callers" >"$tmp/out" 2>&1; then
	skip 5 "does not run with any auditor"
else
	counted "jemalloc" $room LD_PRELOAD="$jemalloc" "$tmp/mixed_callers" 10 16
	is "$(calls cuMemAlloc_v2) $(calls cuInit)" "510 510" "all are counted"
	counted "jemalloc and the other" $room LD_PRELOAD="$jemalloc $tmp/wrapper.so" \
		"$tmp/mixed_callers" 10 16
	is "$(calls cuMemAlloc_v2) $(calls cuInit)" "510 510" "all are counted"
	is "$(cat "$WRAPPED")" 510 "the other's too"
fi

# a user's mistake
ok "preloaded instead of an auditor" $run_env LD_PRELOAD="$LIBCUAUDIT" timeout 300 "$tmp/mixed_callers" 10
ok "preloaded and an auditor" audited LD_PRELOAD="$LIBCUAUDIT" CUAUDIT_HOOKS= \
	timeout 300 "$tmp/mixed_callers" 10

done_testing
