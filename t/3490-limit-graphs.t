# SPDX-License-Identifier: Apache-2.0
# limit(share=, time=): captures are left alone, and what they captured is shared when it is launched.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

helper limit/device/libcuda.so.1 libcuda.so.1
helper limit/graphs

# worked RESULT WHAT [MODE]: what the program prints, and the milliseconds that it is charged; time=100% measures one alone
worked() {
	rm -f "$tmp/clock" "$tmp"/cuaudit-share-*
	worked_result=$1
	worked_status=0
	shift
	audited DEVICE_CLOCK="$tmp/clock" KERNEL_US=50 CAPTURE_US=50 CUAUDIT_OUTPUT="$tmp/report" \
		CUAUDIT_HOOKS="limit(time=100%;share-dir=$tmp;format=json)" timeout 300 "$tmp/graphs" "$@" \
		>"$tmp/out" 2>"$tmp/err" || worked_status=$?
	ms=$("$PYTHON3" -c 'import json, sys
print(json.load(open(sys.argv[1]))["shares"][0]["worked_ns"] // 1000000)' "$tmp/report.limit")
	is "$worked_status $(cat "$tmp/out" "$tmp/err")" "0 $worked_result" "$*: nothing of ours amid it"
}
nothing="0 recorded, 0 asked, 0 ended, 0 gone"

# Captured launches take 50 ms and more of the host, and none of the device: it did one kernel of 50 us.
for mode in 0 1 2; do
	worked "$nothing" capture "$mode"
	ok "... mode $mode: a thousand captured launches are no work of the device: $ms ms" test "$ms" -lt 20
	worked "$nothing" beside "$mode"
	worked "$nothing" thread "$mode"
	ok "... mode $mode: what another thread launches is: $ms ms" test "$ms" -ge 15 -a "$ms" -lt 100
	# Where the thread that captures gives other streams work, that is asked for, and ends no capture.
	worked "0 recorded, 0 ended, 0 gone" amid "$mode"
	ok "... mode $mode: and what the thread launches besides: $ms ms" test "$ms" -ge 10 -a "$ms" -lt 100
done

# Streams and contexts that are destroyed with work on its way.
worked "$nothing" gone

# The graph is: 50 ms.
for what in launch child inside; do
	worked "$nothing" "$what"
	ok "... is charged when it is launched, and not when it is captured: $ms ms" test "$ms" -ge 45 -a "$ms" -lt 100
done

# two WHAT OPTIONS OPTIONS [WHAT [VARIABLE=VALUE]]: two processes, which share; what the second one does instead
two() {
	two_what=$1
	two_then=${4:-$1}
	two_variable=NONE=
	two_variable_then=${5:-NONE=}
	shift
	rm -f "$tmp/clock" "$tmp/all" "$tmp"/cuaudit-share-*
	for two_number in 0 1; do
		$run_env LD_AUDIT="$LIBCUAUDIT" DEVICE_CLOCK="$tmp/clock" KERNEL_US="${kernel:-50}" EVENT_US=200 "$two_variable" \
			CUAUDIT_OUTPUT="$tmp/report.$two_number" CUAUDIT_HOOKS="limit($1;share-dir=$tmp;format=json)" \
			timeout 300 "$tmp/graphs" "$two_what" "$tmp/all" >"$tmp/out.$two_number" 2>&1 &
		two_what=$two_then
		two_variable=$two_variable_then
		shift
	done
	wait
}

# Here an event takes long enough to be seen.
two query share=50 share=50
is "$(cat "$tmp/out.0" "$tmp/out.1")" "0 0 0 0 0
0 0 0 0 0" "a stream that was seen done stays so for cuStreamQuery"

# Whoever never waits may submit a few batches of about a millisecond ahead, and the device goes on with these when its
# turn is over. Kernels of 1 ms: of both together, 2000 ms.
kernel=1000
two ahead share=50 share=50
for number in 0 1; do
	ok "work is on its way for $(cat "$tmp/out.$number") ms at most, not for all that is launched" \
		test "$(cat "$tmp/out.$number")" -lt 100
done
unset kernel

# "Graphs escape". A graph of 1 ms, of which each process waits for four.
two share share=90 share=10
ok "the one with nine times the weight launches at least three times as many graphs: $(cat "$tmp/out.0") of 1000, $(cat "$tmp/out.1")" \
	test "$(cat "$tmp/out.0")" -ge "$((3 * $(cat "$tmp/out.1")))"
is "$("$PYTHON3" -c 'import json, sys
for s in json.load(open(sys.argv[1]))["shares"]:
	print(s["slices"] > 1, s["waited_ns"] > s["worked_ns"], s["worked_ns"] > 0)' "$tmp/report.1.limit")" \
	"True True True" "the other one waits for its turns"

# A launch to several devices at once waits for the current one.
kernel=1000
two devices share=90 share=10
ok "launches to two devices, by the share of the current one: $(cat "$tmp/out.0") of 1000, $(cat "$tmp/out.1")" \
	test "$(cat "$tmp/out.0")" -ge "$((3 * $(cat "$tmp/out.1")))"
is "$("$PYTHON3" -c 'import json, sys
print([(s["device"], s["waited_ns"] > s["worked_ns"]) for s in json.load(open(sys.argv[1]))["shares"]])' \
	"$tmp/report.1.limit")" "[(0, True)]" "and of no other one"
unset kernel

# ratio WHETHER NAME: whether the first one had three times as much as the second one, or less than twice
ratio() {
	first=$(cat "$tmp/out.0")
	second=$(cat "$tmp/out.1")
	case $1 in
	shared) ok "$2: $first of 1000, $second" test "$first" -ge "$((3 * second))" ;;
	*) ok "$2: $first of 1000, $second" test "$first" -lt "$((2 * second))" ;;
	esac
}

# By UUID, whichever number a device has.
two share share=90 share=10 second
ratio apart "two devices are not shared"
two share share=90 share=10 second DEVICE_ORDER=10
ratio shared "one that is the second for another process is"
two share share=90 share=10 share DEVICE_ORDER=10
ratio apart "and the first of each is not"
two share share=90 share=10 share DEVICE_OLD=1
ratio shared "a driver without cuDeviceGetUuid_v2 tells the same of a whole device"

# Instances of one device: they differ by cuDeviceGetUuid_v2 alone.
DEVICE_MIG=1
export DEVICE_MIG
two share share=90 share=10 second
ratio apart "two MIG instances are not shared"
DEVICE_OLD=1
export DEVICE_OLD
two share share=90 share=10 second
ratio shared "but by a driver that has no cuDeviceGetUuid_v2"
done_testing
