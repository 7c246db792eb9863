# SPDX-License-Identifier: Apache-2.0
# limit(share=, time=): processes share a simulated device by weight, whatever becomes of one of them.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

helper limit/share

# one NUMBER PROCESSES MICROSECONDS TOTAL EVERY OPTIONS [ACTION]: one of several processes, in the background
one() {
	one_number=$1
	one_of=$2
	one_time=$3
	one_total=$4
	one_every=$5
	one_options=$6
	shift 6
	$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_SIM_CLOCK="$tmp/clock" \
		CUAUDIT_SIM_LAUNCH_TIME="$one_time" CUAUDIT_OUTPUT="$tmp/report.$one_number" \
		CUAUDIT_HOOKS="limit($one_options;share-dir=$tmp;format=json)" \
		timeout 300 "$tmp/share" "$tmp/all" "$one_number" "$one_of" "$one_total" "$one_every" "$@" \
		>"$tmp/out.$one_number" 2>"$tmp/err.$one_number" &
}

# had NUMBER FIELD: of its report
had() {
	"$PYTHON3" -c 'import json, sys; print(json.load(open(sys.argv[1]))["shares"][0][sys.argv[2]])' "$tmp/report.$1.limit" "$2"
}

begin() {
	rm -f "$tmp/all" "$tmp/clock" "$tmp"/cuaudit-share-* "$tmp"/out.[0-9] "$tmp"/err.* "$tmp"/report.*
}

# messages: what all have said
messages() {
	cat "$tmp"/err.*
}

count() {
	cat "$tmp/out.$1"
}

# A device of one's own.
begin
one 0 1 10 1000 10 share=10
wait
is "$(count 0) $(messages)" "1000 " "alone, a process has the device to itself"
is "$("$PYTHON3" -c 'import json, sys; print([(s["device"], s["weight"], s["waited_ns"] < 10**9, s["worked_ns"], s["had_percent"] == 0)
	for s in json.load(open(sys.argv[1]))["shares"]])' "$tmp/report.0.limit")" "[(0, 10, True, 0, True)]" \
	"of which nothing is measured"
ok "the user's file" test -f "$tmp/cuaudit-share-$(id -u)"

# What users of limiters that sample write of, each with a result here: "SM limit not respected", "synchronised launches
# are not limited", "graphs escape" (and in time: t/3483; two by weight: t/3490), "idle is not lent",
# "only GPU 0".

# "SM limit not respected". What each had is counted by launches, of a device that does one at a time; how far it is from the
# weights is a matter of how long threads wait for a processor, t/gpu/share.sh measures it.
begin
one 0 2 1000 3000 4 share=90
one 1 2 1000 3000 4 share=10
wait
is "$(messages)" "" "two processes by weight"
ok "the one with nine times the weight has at least twice as much: $(count 0) of 3000, $(count 1)" \
	test "$(count 0)" -ge "$((2 * $(count 1)))"
ok "the other one has its part" test "$(count 1)" -ge 100
for number in 0 1; do
	ok "what process $number waited: $(had $number waited_ns) ns" test "$(had $number waited_ns)" -gt 1000000
	ok "what was done for it meanwhile: $(had $number worked_ns) ns" test "$(had $number worked_ns)" -gt 1000000
done
is "$("$PYTHON3" -c 'import json, sys
for path in sys.argv[1:]:
	share = json.load(open(path))["shares"][0]
	print(abs(100 * share["worked_ns"] / (share["worked_ns"] + share["waited_ns"]) - share["had_percent"]) < 0.11)' \
	"$tmp/report.0.limit" "$tmp/report.1.limit" | sort -u)" True "what they had is that part of both"
ok "... more of the one with more, $(had 0 had_percent) and $(had 1 had_percent) percent" \
	awk "BEGIN { exit !($(had 0 had_percent) > $(had 1 had_percent)) }"
ok "the one with less waited the longest" test "$(had 1 waited_ns)" -gt "$(had 0 waited_ns)"

# "Synchronised launches are not limited": each is waited for.
begin
one 0 2 1000 1500 1 share=90
one 1 2 1000 1500 1 share=10
wait
is "$(messages)" "" "launches that are waited for"
ok "are no way around: $(count 0) of 1500, $(count 1)" test "$(count 0)" -ge "$((2 * $(count 1)))"

# "Only GPU 0": each device has a lease of its own.
begin
one 0 3 1000 1500 4 share=90 device1
one 1 3 1000 1500 4 share=10 device1
one 2 3 1000 1500 4 share=1
wait
is "$(messages)" "" "another device than the first"
ok "is shared as well: $(count 0) and $(count 1) of 1500" test "$(count 0)" -ge "$((2 * $(count 1)))"
ok "and who is alone on his has it: $(count 2)" test "$(count 2)" -ge 500

# Groups.
begin
one 0 2 500 1000 4 'share=90;group=a'
one 1 2 500 1000 4 'share=10;group=b'
wait
is "$(messages)" "" "two groups"
ok "do not wait for each other: $(count 0) of 1000, $(count 1)" test "$(count 1)" -ge 250
ok "a file for each" test -f "$tmp/cuaudit-share-$(id -u)-a" -a -f "$tmp/cuaudit-share-$(id -u)-b"

begin
one 0 2 1000 2000 4 'share=90;group=a'
one 1 2 1000 2000 4 'share=10;group=a'
wait
is "$(messages)" "" "one group"
ok "shares by weight: $(count 0) of 2000, $(count 1)" test "$(count 0)" -ge "$((2 * $(count 1)))"
ok "by its file" test -f "$tmp/cuaudit-share-$(id -u)-a" -a ! -f "$tmp/cuaudit-share-$(id -u)"

# "Graphs escape": the simulated driver has none, and may say so when it is this process's turn.
begin
one 0 1 10 20 4 share=10 graphs
wait
is "$(count 0) $(messages)$("$PYTHON3" -c 'import json, sys
print([s["slices"] for s in json.load(open(sys.argv[1]))["shares"]])' "$tmp/report.0.limit")" "20 [1]" "graphs alone are launched by who has the lease"

# The end of what a program waits for by no driver call: the event that it records tells it.
begin
one 0 1 1200 200 1 time=100% marks
wait
is "$(count 0) $(messages)" "200 " "a program that does not ask whether its kernels are done"
had=$("$PYTHON3" -c 'import json, sys; print(json.load(open(sys.argv[1]))["shares"][0]["worked_ns"])' "$tmp/report.0.limit")
ok "is charged for all of them: $had ns of 240000000" test "$had" -ge 216000000

# sums PROCESS: its sum, and the launches between its copies and sets, in their order
sums() {
	sed -n 2p "$tmp/$1"
	grep 'block=2,' "$tmp/$1.launches" | sed 's/ block.* stream=\([0-9]*\) .*/ \1/'
}

# What is computed is the same as alone, and in the same order: copies and sets of two that share.
for action in copies streams; do
	begin
	CUAUDIT_SIM_LAUNCHES=$tmp/alone.launches
	export CUAUDIT_SIM_LAUNCHES
	: >"$tmp/alone.launches"
	: >"$tmp/out.0.launches"
	: >"$tmp/out.1.launches"
	$run_env LD_LIBRARY_PATH="$simdir" timeout 300 "$tmp/share" "$tmp/all" 0 1 200 4 "$action" >"$tmp/alone" 2>"$tmp/err.9"
	sums alone >"$tmp/sums"
	begin
	CUAUDIT_SIM_LAUNCHES=$tmp/out.0.launches
	one 0 2 200 400 4 share=70 "$action"
	CUAUDIT_SIM_LAUNCHES=$tmp/out.1.launches
	one 1 2 200 400 4 share=30 "$action"
	wait
	unset CUAUDIT_SIM_LAUNCHES
	like "$(sed -n 1p "$tmp/sums")" '^[0-9a-f]+$' "$action: those of a process without limit have a sum"
	is "$(wc -l <"$tmp/sums")" "$(test "$action" = streams && echo 151 || echo 1)" "and launches between them"
	is "$(messages)$(sums out.0)" "$(cat "$tmp/sums")" "which one of two that share has too"
	is "$(sums out.1)" "$(cat "$tmp/sums")" "and the other one"
done

# "Idle is not lent": one that has the device and does nothing with it, or is no more.
# Whose helper had no processor for 30 ms was taken for stopped, which is none that lends: three times?
for try in 1 2 3; do
	begin
	one 0 2 500 2000 4 share=10
	one 1 2 500 2000 4 share=90 idle
	wait
	test "$(had 1 lent)" -eq 0 || break
done
is "$(messages)" "" "a process that wants nothing any more"
ok "the other one has all of it: $(count 0) of 2000" test "$(count 0)" -ge 1500
ok "which was lent: $(had 1 lent) times" test "$(had 1 lent)" -ge 1
for action in kill exec fork clone; do
	begin
	one 0 2 500 2000 4 share=10
	one 1 2 500 2000 4 share=90 "$action"
	wait
	ok "one that has the device, then $action: $(count 0) of 2000" test "$(count 0)" -ge 1500
done
begin
one 0 2 500 2000 4 share=10
one 1 2 500 2000 4 share=90 stop
survivor=0
while test ! -s "$tmp/out.0" && kill -0 "$!" 2>"$tmp/none"; do
	survivor=$((survivor + 1))
done
ok "one that is stopped: $(count 0) of 2000" test "$(count 0)" -ge 1500
tool=$top_builddir/bin/cuaudit
file=$tmp/cuaudit-share-$(id -u)
"$tool" limit status "$file" >"$tmp/status.text" 2>&1
is "$? $(sed -n 's/^ *[0-9]* *\(90\) .*/\1/p' "$tmp/status.text")" "0 90" "cuaudit limit status has it"
"$tool" limit status --format json "$file" >"$tmp/status" 2>&1
is "$("$PYTHON3" -c 'import json, sys; r = json.load(open(sys.argv[1])); print(r["version"], r["file"] == sys.argv[2],
	[[p["weight"] for p in d["processes"]] for d in r["devices"]])' "$tmp/status" "$file")" "1 True [[90]]" \
	"as JSON, too"
cp "$tmp/status" "$tmp/status.json"
# Which process that is: its start and its PID namespace, also in metrics.
stopped=$(sed -n 's/^ *\([0-9]*\) *90 .*/\1/p' "$tmp/status.text")
ticks=$(sed 's/.*) //' "/proc/$stopped/stat" | cut -d ' ' -f 20)
space=$(stat -Lc %i "/proc/$stopped/ns/pid")
is "$("$PYTHON3" -c 'import json, sys
for d in json.load(open(sys.argv[1]))["devices"]:
	print(*[(p["pid"], p["start_ticks"], p["pid_namespace"]) for p in d["processes"]])' \
	"$tmp/status")" "($stopped, $ticks, $space)" "its start, and its PID namespace"
start=$("$PYTHON3" -c 'import json, sys, time
print(json.load(open(sys.argv[1]))["devices"][0]["processes"][0]["start_time_ns"] // 10**9)' "$tmp/status")
apart=$((start - $(sed -n 's/^btime //p' /proc/stat) - ticks / $(getconf CLK_TCK)))
ok "as people have it: $apart seconds from what the kernel says" test "$apart" -ge -2 -a "$apart" -le 2
like "$(cat "$tmp/status.text")" "  $(date -d "@$start" '+%Y-%m-%d %H:%M'):[0-9][0-9]\$" "which is printed"
unlike "$(cat "$tmp/status.text")" "namespace" "with nothing more for one of this namespace"
"$tool" limit status --format prometheus "$file" >"$tmp/status" 2>&1
ok "metrics are well formed" awk -v format=prometheus -f "$top_srcdir/t/stat/metrics.awk" "$tmp/status"
is "$(sed -n 's/^cuaudit_share_weight{host="[^"]*",group="\([^"]*\)",device="63756175-[^"]*",/\1 /p' \
	"$tmp/status" | sed 's/pid="\([0-9]*\)",\(.*\)} /\1 \2 /')" "$file $stopped pid_namespace=\"$space\",start=\"$start\" 90" "of that process"
is "$("$PYTHON3" -c 'import json, re, sys
part = json.load(open(sys.argv[1]))["devices"][0]["processes"][0]
had = dict(re.findall(r"^cuaudit_share_(\w+)\{.*\} (\S+)$", open(sys.argv[2]).read(), re.M))
for name, unit in ("worked", "seconds"), ("waited", "seconds"):
	print(name, part[name + "_ns"] > 0, abs(float(had[f"{name}_{unit}_total"]) - part[name + "_ns"] / 1e9) < 1e-6)
for name in "slices", "lent":
	print(name, int(had[name + "_total"]) == part[name])' "$tmp/status.json" "$tmp/status")" "worked True True
waited True True
slices True
lent True" "which have what JSON has"
is "$(sed -n 's/^ *[0-9]* *90  *[a-z]* *[0-9]* *[0-9]* *\([0-9.]*\) .*/\1/p' "$tmp/status.text")" \
	"$("$PYTHON3" -c 'import json, sys; print(json.load(open(sys.argv[1]))["devices"][0]["processes"][0]["had_percent"])' \
	"$tmp/status.json")" "what it had, as text has it"
is "$(grep -c '^cuaudit_share_' "$tmp/status") $(grep -c '^# TYPE .*_total counter$' "$tmp/status")" "5 4" "all of them"
# A file named again, by whatever path, is one.
(cd "$tmp" && ln -s "$file" again && "$tool" limit status --format prometheus "$file" "${file##*/}" again "$file") \
	>"$tmp/status" 2>&1
is "$? $(grep -c '^cuaudit_share_' "$tmp/status") $(sort "$tmp/status" | uniq -d)" "0 5 " \
	"a file named again is taken once"
"$tool" limit status "$file" "$tmp/again" >"$tmp/status" 2>&1
is "$(grep -c ' 90 ' "$tmp/status")" 1 "as text, too"
# timeout, and its child, which is nobody's to wait for.
kill -KILL "$!" "$stopped"
wait
while kill -0 "$stopped" 2>"$tmp/none"; do
	:
done
"$tool" limit status "$file" >"$tmp/status" 2>&1
is "$? $(cat "$tmp/status")" "0 $file" "and not any more once it is killed"
echo none of ours >"$tmp/other"
mkfifo "$tmp/fifo"
for kind in "fifo=it is a FIFO" ".=it is a directory" "other=it is no file of limit(share=)"; do
	got=0
	timeout 300 "$tool" limit status "$tmp/${kind%%=*}" >"$tmp/status" 2>&1 || got=$?
	is "$got $(cat "$tmp/status")" "2 cuaudit: $tmp/${kind%%=*}: ${kind#*=}; give cuaudit-share-UID of share-dir=, or nothing for\
 those in /dev/shm" "status of what is none: ${kind#*=}"
done
"$tool" limit status "$tmp/other" "$tmp/absent" >"$tmp/status" 2>&1
is "$? $(cat "$tmp/status")" "2 cuaudit: $tmp/other: it is no file of limit(share=); give cuaudit-share-UID of\
 share-dir=, or nothing for those in /dev/shm
cuaudit: $tmp/absent: No such file or directory" "files of something else, and none"
"$tool" limit >"$tmp/status" 2>&1
is "$? $(cat "$tmp/status")" "2 cuaudit: limit takes the word status; see cuaudit limit --help" "no word"

# One whose launch does not return, as it does not while the driver loads code: that is no work of the device. Here
# nobody reads what the simulated driver writes of each launch.
begin
mkfifo "$tmp/fifo"
exec 9<>"$tmp/fifo"
one 0 2 100 6000 4 share=10
CUAUDIT_SIM_LAUNCHES=$tmp/fifo
export CUAUDIT_SIM_LAUNCHES
one 1 2 100 6000 4 share=90
unset CUAUDIT_SIM_LAUNCHES
while test ! -s "$tmp/out.0" && kill -0 "$!" 2>"$tmp/none"; do
	:
done
ok "one whose launch does not return: $(count 0) of 6000" test "$(count 0)" -ge 4000
"$tool" limit status --format json "$file" >"$tmp/status" 2>&1
worked=$("$PYTHON3" -c 'import json, sys
print(*[p["worked_ns"] // 1000000 for d in json.load(open(sys.argv[1]))["devices"] for p in d["processes"]])' "$tmp/status")
ok "is not charged for that: $worked ms" test "$worked" -lt 450
kill "$!"
wait
exec 9<&-

# A cap holds also for one who is alone.
begin
from=$(date +%s%3N)
one 0 1 1000 200 4 time=25%
wait
until=$(date +%s%3N)
is "$(count 0) $(messages)" "200 " "a cap"
ok "200 kernels of 1 ms take $((until - from)) ms by a quarter of the time" test "$((until - from))" -ge 600
ok "the device worked for what was launched" test "$("$PYTHON3" -c 'import json, sys
print(json.load(open(sys.argv[1]))["shares"][0]["slices"])' "$tmp/report.0.limit")" -ge 5

# Stopped with work on its way: the device has not worked for it until it went on, and it need not wait for that again.
begin
one 0 1 1000 200 4 time=50% pause
stopped=
until test "$stopped" && grep -q '^State:.T' "/proc/$stopped/status"; do
	stopped=$("$tool" limit status "$file" 2>"$tmp/none" | sed -n 's/^ *\([0-9]*\) *100 .*/\1/p')
done
sleep 4
kill -CONT "$stopped"
wait
worked=$(had 0 worked_ns)
ok "200 kernels of 1 ms, and 4 s in which it was stopped, are $((worked / 1000000)) ms of work" test "$worked" -lt 1500000000
is "$(count 0) $(messages)" "200 " "... of all of them"

rm -f "$tmp/clock" "$tmp"/cuaudit-share-*
audited CUAUDIT_DRIVER=sim CUAUDIT_SIM_CLOCK="$tmp/clock" CUAUDIT_SIM_LAUNCH_TIME=1000 CUAUDIT_OUTPUT="$tmp/report.0" \
	CUAUDIT_HOOKS="limit(time=50%;share-dir=$tmp)" timeout 300 "$tmp/share" "$tmp/all" 0 1 250 4 >"$tmp/out" 2>"$tmp/err"
is "$? $(cat "$tmp/err")" "0 " "a report as text"
is "$(awk '/ Weight / { print $1, $2, $4, $6 } $1 == 100 { print ($2 > 0), ($3 >= 0), ($4 > 0), ($5 > 0), $6, $8 }' "$tmp/report.0.limit")" \
	"Weight Worked Waited Had
1 1 1 1 0 0" "has weight, time and turns in a table"

# wrong OPTIONS WHY
wrong() {
	wrong_status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="limit($1)" "$tmp/share" >"$tmp/out" 2>"$tmp/err" ||
		wrong_status=$?
	is "$wrong_status $(cat "$tmp/err")" "2 " "limit($1): a program without driver calls"
	wrong_status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="limit($1)" "$tmp/share" "$tmp/all" 0 1 1 1 >"$tmp/out" 2>"$tmp/err" ||
		wrong_status=$?
	is "$wrong_status $(cat "$tmp/err")" "85 cuaudit: limit: $2" "limit($1) is refused"
}
for value in 0 -1 10001 70% x "" 1e3; do
	wrong "share=$value" "share takes a weight from 1 to 10000, such as 70, not '$value'"
done
for value in 0% 101% 30 x ""; do
	wrong "time=$value" "time takes a part of the device's time such as 30%, not '$value'"
done
for value in "" a/b .. "a b"; do
	test "$value" = .. || wrong "share=1;group=$value" \
		"group takes up to 64 letters, digits, '.', '_' and '-', not '$value'"
done

wrong "memory=1G;group=a" "group says how share or time is shared, which is not given"
wrong "memory=1G;share-dir=$tmp" "share-dir says how share or time is shared, which is not given"
wrong "share=1;file=$tmp/none" "file says how user is shared, which is not given"

# Files that are none of ours, before the program's first call returns.
echo something else, and that for long enough >"$tmp/cuaudit-share-$(id -u)-other"
wrong "share=1;share-dir=$tmp;group=other" "cannot share $tmp/cuaudit-share-$(id -u)-other: it is not a file of\
 limit(share=), or was truncated; name another directory by share-dir=, or let the program run without its share by\
 on-error=run"
wrong "share=1;share-dir=$tmp/none" "cannot share $tmp/none/cuaudit-share-$(id -u): its directory does not exist; name\
 another directory by share-dir=, or let the program run without its share by on-error=run"
wrong "share=1;share-dir=/proc" "cannot share /proc/cuaudit-share-$(id -u): its directory takes no files; name another\
 directory by share-dir=, or let the program run without its share by on-error=run"
ln -s "$tmp/clock" "$tmp/cuaudit-share-$(id -u)-link"
wrong "share=1;share-dir=$tmp;group=link" "cannot share $tmp/cuaudit-share-$(id -u)-link: it is a symbolic link; name\
 another directory by share-dir=, or let the program run without its share by on-error=run"

# One of ours whose header names a row that cannot be, with the sum that its writer would give it.
cat >"$tmp/names.c" <<'END'
#include <stdio.h>
#include "analysis/share_record.h"

int main(int argc, char **argv)
{
	FILE *file = fopen(argv[1], "r+");
	struct lease_header header;

	if (argc != 2 || !file || fread(&header, sizeof(header), 1, file) != 1)
		return 1;
	for (int i = 0; i < LEASE_DEVICES; i++)
		header.devices[i].guest = LEASE_ROWS + 1;
	header.check = lease_check_header(&header);
	rewind(file);
	return fwrite(&header, sizeof(header), 1, file) != 1 || fclose(file);
}
END
compile -o "$tmp/names" "$tmp/names.c"
rows_of() {
	rows_status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="limit(share=1;share-dir=$tmp;group=rows)" "$tmp/share" "$tmp/all" 0 1 4 1 \
		>"$tmp/out" 2>"$tmp/err" || rows_status=$?
	echo "$rows_status $(sed 's/.*: its/its/; s/;.*//' "$tmp/err")"
}
is "$(rows_of)" "0 " "a file of ours"
ok "its header names row 256" "$tmp/names" "$tmp/cuaudit-share-$(id -u)-rows"
is "$(rows_of)" "85 its header is damaged" "it is refused"

# A device that lets one process in: at the first submission.
exclusive() {
	exclusive_status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_SIM_COMPUTE_MODE="$1" CUAUDIT_HOOKS="limit(share=1;share-dir=$tmp$2)" \
		CUAUDIT_OUTPUT="$tmp/report.9" "$tmp/share" "$tmp/all" 0 1 4 1 >"$tmp/out" 2>"$tmp/err" || exclusive_status=$?
	echo "$exclusive_status $(cat "$tmp/out" "$tmp/err")"
}
begin
mode="cuaudit: limit: the share of the device's time was not held: the device: its compute mode lets one process at a\
 time in, so that there is nothing to share: nvidia-smi -c DEFAULT changes that"
is "$(exclusive 3 '')" "85 $mode; the process ends, on-error=run would let it go on" "a device in exclusive-process mode"
begin
is "$(exclusive 3 ';on-error=run')" "0 4
$mode" "and with on-error=run"
begin
is "$(exclusive 0 '')" "0 4" "the default mode"
# Without its share, where that is wanted: nobody waits for a turn that cannot come.
begin
$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="limit(share=1;share-dir=$tmp/none;on-error=run)" \
	timeout 60 "$tmp/share" "$tmp/all" 0 1 10 1 >"$tmp/out.0" 2>"$tmp/err.0"
is "$? $(count 0)" "0 10" "on-error=run: a file that cannot be had from the start"
like "$(messages)" "cannot share $tmp/none/cuaudit-share-$(id -u): its directory does not exist; the share of the device's\
 time is not held" "is reported"

# MPS.
mkdir "$tmp/mps"
mkfifo "$tmp/mps/control"
CUDA_MPS_PIPE_DIRECTORY=$tmp/mps
export CUDA_MPS_PIPE_DIRECTORY
mps="share and time are not for MPS, whose daemon's $tmp/mps/control is here: give\
 CUDA_MPS_ACTIVE_THREAD_PERCENTAGE instead, or from r620 on timeslice_pct to a server of MPS v3, or end the daemon by\
 'quit' to nvidia-cuda-mps-control"
wrong share=1 "$mps"
wrong 'time=30%;on-error=run' "$mps"
run_status=0
"$tool" run --hooks 'limit(time=30%)' -- "$tmp/share" >"$tmp/status" 2>&1 || run_status=$?
is "$run_status $(cat "$tmp/status")" "2 cuaudit: limit: $mps" "cuaudit run does not start the program"
rm "$tmp/mps/control"
"$PYTHON3" -c 'import os, socket, sys
os.chdir(sys.argv[1])
socket.socket(socket.AF_UNIX).bind("control")' "$tmp/mps"
wrong share=1 "$mps"
# Quotas of memory are, and so is what only counts; and a daemon that has ended is none.
for options in "memory=1G;count=allocations" "share=1;dry-run" "share=1;share-dir=$tmp;group=mps"; do
	begin
	test "$options" = "${options%mps}" || rm "$tmp/mps/control"
	mps_status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="limit($options)" CUAUDIT_OUTPUT="$tmp/report.9" "$tmp/share" "$tmp/all" \
		0 1 4 1 >"$tmp/out" 2>"$tmp/err" || mps_status=$?
	is "$mps_status $(cat "$tmp/out" "$tmp/err")" "0 4" "limit(${options%%;share-dir*}) with a directory of MPS"
done
unset CUDA_MPS_PIPE_DIRECTORY

# One that is cut off while it is used ends nobody by a signal.
begin
one 0 2 500 4000 4 'share=50;on-error=run'
one 1 2 500 4000 4 'share=50;on-error=run'
while test ! -f "$tmp/cuaudit-share-$(id -u)"; do
	:
done
: >"$tmp/cuaudit-share-$(id -u)"
wait
is "$(($(count 0) + $(count 1) >= 4000))" 1 "a file that is truncated meanwhile"

# One of another user, in a directory where all may make files.
if test "$(id -u)" != 0 || ! command -v setpriv >"$tmp/none"; then
	skip 1 "only root can be somebody else"
	done_testing
fi
begin
mkdir "$tmp/shared"
chmod 1777 "$tmp/shared"
chmod 755 "$tmp"
theirs=$tmp/shared/cuaudit-share-$(id -u)
setpriv --reuid=65534 --regid=65534 --clear-groups sh -c "umask 0; : >'$theirs'"
wrong "share=1;share-dir=$tmp/shared" "cannot share $theirs: it belongs to another user; name another directory by\
 share-dir=, or let the program run without its share by on-error=run"
is "$(stat -c '%s %u' "$theirs")" "0 65534" "a file of another user's is as it was"
done_testing
