# SPDX-License-Identifier: Apache-2.0
# When the limit hook opens NVML, and which of the processes that NVML tells of it takes for its own.
. "$(dirname "$0")/limit/lib.sh"

helper limit/card
helper limit/libnvidia-ml.so.1

# card OPTIONS CASE: status, output and messages
card() {
	card_status=0
	rm -f "$tmp/report.limit"
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_DRIVER=sim CUAUDIT_SIM_MEMORY=8G CUAUDIT_OUTPUT="$tmp/report" \
		CUAUDIT_HOOKS="limit($1)" timeout 300 "$tmp/card" "$2" >"$tmp/out" 2>"$tmp/err" || card_status=$?
	echo "$card_status $(cat "$tmp/out" "$tmp/err")"
}

never="0 cuInit: not loaded, begun 0 times
calls without a context: not loaded, begun 0 times
a context: not loaded, begun 0 times
a context"
for quota in memory=1G device=1G device0=1G "user=1G;file=$tmp/user"; do
	is "$(card "$quota" when)" "0 cuInit: not loaded, begun 0 times
calls without a context: not loaded, begun 0 times
a context: loaded, begun 1 times
a context: 724 of 1024 left" "${quota%;*}: opened as a context is made"
	is "$(card "$quota;count=allocations" when)" "$never: 1024 of 1024 left" "... never where allocations are counted alone"
done
is "$(card 'memory=1G;count=all' when)" "0 cuInit: loaded, begun 0 times
calls without a context: loaded, begun 0 times
a context: loaded, begun 1 times
a context: 724 of 1024 left" "count=all: it is there from the start, and opened no sooner"
for options in share=50 time=50% deny=cuMemAllocManaged visible=0 'share=50;visible=0' 'share=50;dry-run' \
	'deny=cuMemAllocManaged;dry-run'; do
	is "$(card "$options" when | sed 's/: [0-9]* of [0-9]* left$//')" "$never" "$options: no quota of memory, no NVML"
done
is "$(card 'dry-run' when | sed '$d; 1,2d')" "a context: loaded, begun 1 times" "a dry run counts as a quota would"

is "$(card memory=1G signals)" "0 SIGALRM is blocked
SIGALRM is taken" "threads of NVML's would take no signals of the program's"
is "$(card memory=1G small)" "0 a context: 724 of 1024 left" "NVML needs more stack than the thread has"
is "$(card memory=1G threads)" "0 it waits
both: 724 of 1024 left" "a second thread's context waits until NVML was asked"
is "$(card memory=1G loader)" "0 it waits
both: 724 of 1024 left" "... but not for one that waits for it by way of the loader"
is "$(card memory=1G ended)" "0 two contexts: 624 of 1024 left
ended: loaded, begun 2 times
three contexts: 524 of 1024 left
ended and begun by the program: loaded, begun 2 times" "a program that ended NVML"
is "$(card memory=1G forks)" "0 the parent: loaded, begun 1 times
the child: loaded, begun 1 times" "a child of fork, which has no driver, does not begin it again"

is "$(card 'memory=1G;format=json),stat(format=json' nested)" "0 asked 4 times" "NVML calls the driver"
is "$(reported "r['unhooked_calls'], r['unwound_calls']")" "(0, 0)" "... which is none of the program's calls"
echo 'optional never cuMemAllocHost_v2' >"$tmp/rules"
card_status=0
LD_LIBRARY_PATH="$tmp" timeout 300 "$top_builddir/bin/cuaudit" check -d sim --rules "$tmp/rules" -k 'limit(memory=1G)' \
	-- "$tmp/card" nested >"$tmp/out" 2>"$tmp/err" || card_status=$?
is "$card_status $(grep '^check: ' "$tmp/err")" "0 check: the rule holds" "... nor one that a check has lost"

# In a container, where NVML tells PIDs of outside.
is "$(card memory=1G neighbor)" "0 a context: 724 of 1024 left
one that NVML does not know yet: 724 of 1024 left
and one beside the neighbor's: 624 of 1024 left
cuaudit: limit: memory of contexts and code is not counted: NVML: NVML does not know of this process; count=allocations leaves it out without this line" "a process that began on another device is not taken for this one"
is "$(card memory=1G runtime)" "0 retained: 924 of 1024 left" "... nor is one before, on a device that comes first"
is "$(card memory=1G retained)" "0 a context: 724 of 1024 left
one on the second device: 524 of 1024 left
released: 724 of 1024 left" "a device that a call names beside the thread's"

rm "$tmp/libnvidia-ml.so.1"
line='cuaudit: limit: memory of contexts and code is not counted: NVML: libnvidia-ml.so.1 cannot be used; count=allocations leaves it out without this line'
is "$(card memory=1G when)" "$never: 1024 of 1024 left
$line" "no NVML: said as a context is made, and no error of the loader's is left"
is "$(card memory=1G forks)" "0 the parent: not loaded, begun 0 times
the child: not loaded, begun 0 times
$line" "... a child does not say it again"
is "$(card share=50 when | sed 's/: [0-9]* of [0-9]* left$//')" "$never" "... nor who has no quota"
# The loader would wait for whoever writes there.
mkfifo "$tmp/libnvidia-ml.so.1"
is "$(card memory=1G when)" "$never: 1024 of 1024 left
$line" "a FIFO is no NVML"
done_testing
