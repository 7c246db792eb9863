# SPDX-License-Identifier: Apache-2.0
# Exceptions, longjmp and unwinding through the trampolines.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
know_loader
build observe.o -c -fPIE "$routes/observe.c"
ok "C++" $CXX -std=c++17 -D_GNU_SOURCE -I"$top_srcdir" -I"$top_srcdir/include" $routes_flags \
	-rdynamic -o "$tmp/callbacks" "$routes/callbacks.cc" "$tmp/observe.o" \
	-L"$tmp" -l:libcuda.so.1 -pthread -ldl
both "callbacks" "$tmp/callbacks"
routed "callbacks, statistics alone" CUAUDIT_HOOKS=stat "$tmp/callbacks" alone
for hook in "trace(file=$tmp/%p.cutrace)" "trace(args=no;file=$tmp/%p.cutrace)"; do
	routed "callbacks, $hook alone" CUAUDIT_HOOKS="$hook" "$tmp/callbacks" alone direct
done

program samples samples.c -L"$tmp" -l:libcuda.so.1 -fexceptions
for how in none enter+exit enter; do
	both "10,000 samples, hooks: $how" timeout 300 "$tmp/samples" $how
done
for hook in stat "trace(file=$tmp/%p.cutrace)"; do
	routed "10,000 samples, $hook alone" CUAUDIT_HOOKS="$hook" timeout 300 "$tmp/samples" none
done

done_testing
