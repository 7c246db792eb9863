# SPDX-License-Identifier: Apache-2.0
# Many threads, many plug-ins, many children of a process that is busy.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

hostile many
helper routes/library.so plugin.so

# Where even the program alone may not have so many threads it says so.
for count in 4096 1024 256; do
	LD_LIBRARY_PATH=$tmp "$tmp/many" threads $count >"$tmp/out"
	grep -q SKIP "$tmp/out" || break
done
counted "$count threads at once" timeout 300 "$tmp/many" threads $count
unlike "$(cat "$tmp/tap.out")" SKIP "they were there"
is "$(calls cuInit)" $((2 * count)) "all calls are counted"
is "$(grep -o '"lost_calls":[0-9]*' "$tmp"/json/*)" '"lost_calls":0' "none was lost"

counted "a plug-in loaded 1000 times" timeout 300 "$tmp/many" rounds 1000 "$tmp/plugin.so" 256
is "$(calls cuInit) $(calls cuCtxGetCurrent)" "1000 1000" "all calls are counted"
is "$(calls_of cuInit plugin.so)" 1000 "as the plug-in's"

# children: each its own report, but what executes another program has none of its own
counted "100 children of fork among 16 threads" timeout 300 "$tmp/many" fork 100
own=$(sed -n 's/^# own //p' "$tmp/tap.out")
is "$(calls cuInit)" $((own + 700)) "all calls are counted, the children's too"
for how in vfork spawn; do
	counted "20 children of $how among 16 threads" timeout 300 "$tmp/many" $how 20
	own=$(sed -n 's/^# own //p' "$tmp/tap.out")
	is "$(calls cuInit)" $((own + 80)) "$how: all calls are counted, the children's too"
done

hostile forked
counted "a child of a process with calls that no hook saw" timeout 300 "$tmp/forked"
is "$(grep -c '"name":"cuCtxGetCurrent","calls":1' "$tmp"/json/* | sed 's/.*://' | sort | tr '\n' ' ')" \
	"0 1 " "two reports"
child=$(grep -l '"name":"cuCtxGetCurrent","calls":1' "$tmp"/json/*)
like "$(cat "$child")" '"unhooked_calls":0,' "the child's has none of the parent's"
unlike "$(cat "$child")" '"name":"cuInit"' "nor of its counts"
is "$(grep -h -o '"unhooked_calls":[0-9]*' "$tmp"/json/* | sort | tr '\n' ' ')" \
	'"unhooked_calls":0 "unhooked_calls":2 ' "the parent's has them"

test -n "${LONG_TESTS-}" || {
	skip 4 "long; make check-all runs it"
	done_testing
}
# glibc keeps what it knew of an object's PLT for any auditor that is told of bindings.
other_auditor
ok "another auditor" env LD_LIBRARY_PATH="$tmp" LD_AUDIT="$tmp/told.so" "$tmp/many" rounds \
	10000 "$tmp/plugin.so" 4096
its=$(awk '/^# VmRSS/ { print $5 - $3 }' "$tmp/tap.out")
like "$its" '^[0-9]+$' "takes its KiB"
counted "a plug-in loaded 10000 times" timeout 300 "$tmp/many" rounds 10000 "$tmp/plugin.so" \
	$((its + 256))
is "$(calls cuInit) $(calls cuCtxGetCurrent)" "10000 10000" "all calls are counted"

done_testing
