# SPDX-License-Identifier: Apache-2.0
# The places that calls come from are looked up once, however many there are.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

helpers trace/places trace/sites trace/swap

ok "a memory of places" $run_env "$tmp/places"

# Where two share a place that is remembered, each would be looked up again at every call.
traced "args=no" "$tmp/sites"
is "$status $(cat "$tmp/err")" "0 " "it ends well"
ok "50,000 calls from 100 places take few looks: $(cat "$tmp/out")" test "$(cat "$tmp/out")" -lt 4000
ok "and some: the count is right" test "$(cat "$tmp/out")" -ge 100
checked "$tmp/traces/"* >"$tmp/records"
is "$(number '^call .* cuDriverGetVersion ' <"$tmp/records")" 50000 "all calls are there"

# A library that lies where another one was.
helper trace/swapped.so liba.so
helper trace/swapped.so libb.so
traced "args=no" "$tmp/swap" "$tmp/liba.so" "$tmp/libb.so" "$tmp/liba.so"
is "$status $(cat "$tmp/err")" "0 " "libraries come and go"
is "$(sort -u "$tmp/out" | wc -l)" 1 "each where the one before it was"
"$top_builddir/bin/cuaudit" convert --to csv "$tmp/traces/"* -o - | grep cuDriverGetVersion |
	sed 's/.*\(lib[ab]\.so\).*/\1/' >"$tmp/libraries"
is "$(uniq -c "$tmp/libraries" | awk '{ printf "%s %s ", $1, $2 }')" "5 liba.so 5 libb.so 5 liba.so " \
	"and each has its own calls"
done_testing
