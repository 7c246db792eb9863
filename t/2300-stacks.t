# SPDX-License-Identifier: Apache-2.0
# Driver calls in signal handlers, on small stacks and at the end of one.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
build edge.o -c "$routes/edge.S"
program stacks stacks.c "$tmp/edge.o" -L"$tmp" -l:libcuda.so.1
for how in signals signal-stack small-thread first-on-small-thread many-threads edge own-stack; do
	both "$how" timeout 60 "$tmp/stacks" $how
done
routed "many-threads, with statistics" CUAUDIT_HOOKS=stat timeout 60 "$tmp/stacks" \
	many-threads
for how in edge own-stack small-thread; do
	routed "$how, with statistics alone" CUAUDIT_HOOKS=stat timeout 60 "$tmp/stacks" $how alone
done
routed "signals, with statistics" CUAUDIT_HOOKS=stat timeout 60 "$tmp/stacks" signals
routed "signal-stack, with statistics" CUAUDIT_HOOKS=stat timeout 60 "$tmp/stacks" signal-stack

done_testing
