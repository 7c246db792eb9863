# SPDX-License-Identifier: Apache-2.0
# Memory of contexts and code, as an NVML of the test tells it, is the process's as well, whether that is asked for or not.
. "$(dirname "$0")/limit/lib.sh"

helper limit/own
helper limit/libnvidia-ml.so.1

# own OPTIONS CASE: status, output and messages
own() {
	own_status=0
	rm -f "$tmp/report.limit"
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_DRIVER=sim CUAUDIT_SIM_MEMORY=8G CUAUDIT_OUTPUT="$tmp/report" \
		CUAUDIT_HOOKS="limit(memory=1G;format=json$1)" "$tmp/own" "$2" >"$tmp/out" 2>"$tmp/err" || own_status=$?
	echo "$own_status $(cat "$tmp/out" "$tmp/err")"
}

all='0 context 724 of 1024
memory 124 of 1024
module 74 of 1024
not 100
unloaded 24 of 1024
freed 724 of 1024
lazy 714 of 1024'
none='0 context 1024 of 1024
memory 424 of 1024
module 424 of 1024
unloaded 224 of 1024
freed 1024 of 1024
lazy 1024 of 1024'
is "$(own ';count=allocations' '')" "$none" "allocations alone"
is "$(reported "r['count'], 'own' in r['devices'][0]")" "('allocations', False)" "of which the report has no more"
for count in '' ';count=auto' ';count=all'; do
	is "$(own "$count" '' | sed 's/ by .* is refused/ is refused/')" "$all
cuaudit: limit: cuMemAlloc_v2 is refused 104857600 bytes on device 0: the process has 77594624 of\
 1073741824 left" "contexts and modules as well: ${count#;}"
	is "$(reported "r['count'], r['devices'][0]['own'], r['devices'][0]['own_peak'] >> 20, r['process']['used'], r['process']['peak'] >> 20, r['uncounted']['own']")" \
		"('all', 0, 350, 0, 1000, 0)" "and all is given back"
done
# text COUNT: the report for people
text() {
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_DRIVER=sim CUAUDIT_SIM_MEMORY=8G CUAUDIT_OUTPUT="$tmp/report" \
		CUAUDIT_HOOKS="limit(memory=1G$1)" "$tmp/own" >"$tmp/out" 2>"$tmp/err"
	cat "$tmp/report.limit"
}
like "$(text '')" "^ +350[.0-9]* ?MiB +0[^a-z]* contexts, code and the driver's own\$" "... which has a line of the text"
like "$(text '')" " Refused  Device memory of\$" "... whose title has no reservation"
text ';count=allocations' >"$tmp/text"
like "$(cat "$tmp/text")" " Refused  Device memory, without contexts and code, of\$" "allocations alone: the title says so"
unlike "$(cat "$tmp/text")" "the driver's own" "... and nothing else is listed"
LD_LIBRARY_PATH=$tmp audited CUAUDIT_DRIVER=sim CUAUDIT_SIM_MEMORY=8G CUAUDIT_OUTPUT="$tmp/report" \
	CUAUDIT_HOOKS='limit(memory=1G)' "$tmp/own" two >"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/report.limit")" "^ +- +- +contexts, code and the driver's own\$" "not known of a device"
like "$(cat "$tmp/report.limit")" '^ +[0-9]+  times memory of contexts and code is not counted$' "... and why there is nothing"
# Of whichever quota it is.
for quota in device=1G device0=1G "user=1G;file=$tmp/user"; do
	status=0
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_DRIVER=sim CUAUDIT_SIM_MEMORY=8G CUAUDIT_HOOKS="limit($quota)" \
		"$tmp/own" >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status $(cat "$tmp/out")" "$all" "${quota%;*}: of that as well"
done
is "$(own '' outside | head -n 7)" "$all" "in another PID namespace"
is "$(own '' asks | grep asked)" "asked 0 times
asked 1 times" "NVML is asked once while nothing happens, and again after an allocation"
is "$(own '' large | sed 's/ by .* is refused/ is refused/')" "0 context 724 of 1024
limits 0 of 1024
not 1
cuaudit: limit: contexts and code of the process take 2147483648 bytes of device 0, which leaves nothing for\
 allocations
cuaudit: limit: cuMemAlloc_v2 is refused 1048576 bytes on device 0: the process has 0 of 1073741824 left" \
	"more than the limit: nothing is left"

gap='cuaudit: limit: memory of contexts and code is not counted: NVML:'
for case in "two NVML tells PIDs of another namespace, and two processes began at once" \
	"missing NVML does not know of this process" \
	"unknown NVML does not tell how much memory a process has here" \
	"fails NVML does not tell its processes" "crowd NVML does not tell its processes"; do
	is "$(own ';count=all' "${case%% *}")" "85 $gap ${case#* }; the process ends, on-error=run would let it go on" \
		"${case%% *}: the process ends"
	is "$(own ';count=all;on-error=run' "${case%% *}" | head -n 7)" "$none
$gap ${case#* }" "${case%% *}: it goes on"
	ok "${case%% *}: reported" test "$(reported "r['uncounted']['own']")" -gt 0
	is "$(own '' "${case%% *}" | head -n 7)" "$none
$gap ${case#* }; count=allocations leaves it out without this line" "${case%% *}: not asked for, it goes on"
	is "$(reported "r['uncounted']['own'] > 0, r['count'], r['devices'][0]['own']")" "(True, 'all', None)" \
		"${case%% *}: ... and the report tells"
done
# Of the second device NVML knows nobody, whoever asks about the first one at the time.
is "$(own ';count=all' second)" "85 $gap NVML does not know of this process; the process ends, on-error=run would let it go on" \
	"a context on another device while NVML is asked"
rm "$tmp/libnvidia-ml.so.1"
echo none >"$tmp/libnvidia-ml.so.1"
is "$(own ';count=all' '')" "85 cuaudit: limit: count=all asks NVML, and libnvidia-ml.so.1 cannot be used; give\
 count=allocations, or let the program run without it by on-error=run" "no NVML"
is "$(own ';count=all;on-error=run' '')" "$none
cuaudit: limit: count=all asks NVML, and libnvidia-ml.so.1 cannot be used; memory of contexts and code is not counted" \
	"no NVML, and on-error=run"
is "$(reported "r['uncounted']['own']")" 1 "... is reported"
for count in '' ';on-error=run'; do
	is "$(own "$count;count=allocations" '')" "$none" "no NVML, which nobody wants$count"
	own "$count" '' >"$tmp/all"
	is "$(grep -v ' not ' "$tmp/all")" "$(echo "$none" | grep -v ' not ')" "no NVML, and nobody asked for it$count"
	is "$(grep '^cuaudit' "$tmp/all")" "$gap libnvidia-ml.so.1 cannot be used; count=allocations leaves it out without this line" \
		"... a line says so"
	is "$(reported "r['count'], r['uncounted']['own'], 'own' in r['devices'][0]")" "('allocations', 1, False)" "... and the report"
done
is "$(own ';count=al' '')" "85 cuaudit: limit: count takes auto|all|allocations, not 'al'" "a word that is none"

# What users write for the memory of a card.
for size in 4GB 4G 4Gi 4GiB 4096M; do
	audited CUAUDIT_DRIVER=sim CUAUDIT_SIM_MEMORY=8G CUAUDIT_OUTPUT="$tmp/report" \
		CUAUDIT_HOOKS="limit(memory=$size;format=json;count=allocations)" "$tmp/own" >"$tmp/out" 2>"$tmp/err"
	case $size in
	*GB) bytes=4000000000 ;;
	*) bytes=4294967296 ;;
	esac
	is "$(cat "$tmp/err")$(head -n 1 "$tmp/out") $(reported "r['process']['limit']")" \
		"context $((bytes >> 20)) of $((bytes >> 20)) $bytes" "memory=$size"
done
done_testing
