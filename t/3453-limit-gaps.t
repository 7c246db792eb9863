# SPDX-License-Identifier: Apache-2.0
# What the limit hook cannot count is told, and on-error decides.
. "${top_srcdir:-$(dirname "$0")/..}/t/limit/lib.sh"

helper limit/libcuda.so.1
helper limit/gaps
helper limit/user

# gap WHAT KEY TEXT [VARIABLE=VALUE]
gap() {
	gap_status=0
	rm -f "$tmp/report.limit"
	audited CUAUDIT_OUTPUT="$tmp/report" CUAUDIT_HOOKS="limit(device0=64M)" ${4-} \
		"$tmp/gaps" "$1" >"$tmp/out" 2>"$tmp/err" || gap_status=$?
	is "$gap_status $(paste -s -d ' ' "$tmp/out")" "85 begins" "$1: the process ends"
	like "$(cat "$tmp/err")" "^cuaudit: limit: $3; the process ends, on-error=run would let it go on\$" \
		"$1: one line says why"
	limited "$1, on-error=run" "device0=64M;on-error=run;format=json" ${4-} "$tmp/gaps" "$1"
	is "$(paste -s -d ' ' "$tmp/out")" "begins ends" "$1: goes on"
	is "$(cat "$tmp/err")" "cuaudit: limit: $3" "$1: it is said once"
	ok "$1: it is reported" test "$(reported "r['uncounted']['$2']")" -gt 0
	limited "$1, no limit" "visible=0,1;format=json" ${4-} "$tmp/gaps" "$1"
	is "$(paste -s -d ' ' "$tmp/out")" "begins ends" "$1, no limit: goes on"
	limited "$1, a dry run" "device0=64M;dry-run" ${4-} "$tmp/gaps" "$1"
	is "$(paste -s -d ' ' "$tmp/out")" "begins ends" "$1, a dry run: goes on"
	like "$(cat "$tmp/report.limit")" "^ +[0-9,]+  times $3\$" "$1: in the text, too"
}

gap pools pools "what pools keep is not counted: more than 255 pools"
untold="allocations are not counted: the driver does not tell of them, or their device is not among the first 64"
gap device driver "$untold" NO_DEVICE=1
gap device driver "$untold" DEVICE=64
limited "the last device that is counted" "device=64M;format=json" DEVICE=63 "$tmp/gaps" device
is "$(reported 'r["uncounted"]["driver"]')" 0 "... is"
gap import memory "allocations are not counted: no memory to remember them by"

# Copies of the driver that there is no room for.
copies=
for copy in $(seq 70); do
	cp "$tmp/libcuda.so.1" "$tmp/copy$copy.so"
	copies="$copies $tmp/copy$copy.so"
done
cat >"$tmp/copies.py" <<'END'
import ctypes, sys
print("begins", flush=True)
for path in sys.argv[1:]:
    assert ctypes.CDLL(path).cuInit(0) == 0
print("ends")
END
for options in "memory=64M" "device=1G;format=json" "share=10;share-dir=$tmp"; do
	status=0
	# shellcheck disable=SC2086 # a list
	audited CUAUDIT_HOOKS="limit($options)" "$PYTHON3" "$tmp/copies.py" $copies >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status $(cat "$tmp/out")" "85 begins" "$options, copies that are not intercepted: the process ends"
	like "$(cat "$tmp/err")" "^cuaudit: limit: not all calls are held to it: $tmp/copy[0-9]*.so is not intercepted; \
the process ends, on-error=run would let it go on\$" "... and says why"
done
for options in "memory=64M;on-error=run" "visible=0" "memory=64M;dry-run"; do
	# shellcheck disable=SC2086
	limited "$options: the process goes on" "$options" "$PYTHON3" "$tmp/copies.py" $copies
	like "$(cat "$tmp/out" "$tmp/err")" "^cuaudit: not intercepted: $tmp/copy" "... which is told"
done

# A share of a device beyond those that there is room for.
beyond="the share of the device's time was not held: a device: it is not among the first 16 that the program sees"
status=0
audited CUAUDIT_HOOKS="limit(share=1;share-dir=$tmp)" DEVICE=16 "$tmp/gaps" submission >"$tmp/out" 2>"$tmp/err" || status=$?
is "$status $(paste -s -d ' ' "$tmp/out")" "85 begins" "submissions to a 17th device: the process ends"
is "$(cat "$tmp/err")" "cuaudit: limit: $beyond; the process ends, on-error=run would let it go on" "one line says why"
limited "... on-error=run" "share=1;share-dir=$tmp;on-error=run;format=json" DEVICE=16 "$tmp/gaps" submission
is "$(paste -s -d ' ' "$tmp/out") $(cat "$tmp/err")" "begins ends cuaudit: limit: $beyond" "goes on, and says so"
is "$(reported 'r["uncounted"]["share"]')" 1 "it is reported"

# What is charged for ever is no gap: the limit holds, and it is told.
limited "no memory to remember what is charged" "device0=4M;format=json" "$tmp/gaps" memory
ok "they are lost" test "$(reported 'r["lost"]')" -gt 0
is "$(reported 'r["devices"][0]["used"], r["uncounted"]')" \
	"(4194304, {'file': 0, 'memory': 0, 'pools': 0, 'driver': 0, 'own': 0, 'share': 0})" "and stay charged"
like "$(cat "$tmp/err")" 'allocations are counted for ever: no memory' "which is said"

# What cannot be had from the start, in a process and its child of fork.
for case in "file user=1M;file=$tmp/none/file" "share share=10;share-dir=$tmp/none"; do
	key=${case%% *}
	rm -rf "$tmp/reports"
	mkdir "$tmp/reports"
	printf 'fork 1000\ntake 1000\n' | audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/reports/%p" \
		CUAUDIT_HOOKS="limit(${case#* };on-error=run;format=json)" "$tmp/user" >"$tmp/out" 2>"$tmp/err"
	is "$(paste -s -d ' ' "$tmp/out")" "0 0" "$key: a process without what it is to share goes on"
	is "$(grep -c 'cannot share .* its directory does not exist' "$tmp/err")" 1 "... and says so"
	is "$(for one in "$tmp"/reports/*; do
		cp "$one" "$tmp/report.limit" && reported "r['uncounted']['$key']"
	done | paste -s -d ' ' -)" "1 1" "... as do its report and its child's"
done
done_testing
