# SPDX-License-Identifier: Apache-2.0
# The limit hook under many threads: never over, and nothing left at the end.
. "${top_srcdir:-$(dirname "$0")/..}/t/limit/lib.sh"

helper limit/libwatch.so
helper limit/stress

calls=1000000
calls_of_four=20000
test -z "${LONG_TESTS-}" || calls=100000000 calls_of_four=200000
mib=1048576

# stress NAME THREADS CALLS LIMIT OPTIONS [VARIABLE=VALUE]
stress() {
	stress_status=0
	audited CUAUDIT_EXCLUDE=libwatch.so CUAUDIT_OUTPUT="$tmp/report" \
		CUAUDIT_HOOKS="limit($5;format=json)" CUAUDIT_LOG=error ${6-} \
		"$tmp/stress" "$2" "$3" "$4" >"$tmp/out" 2>"$tmp/err" || stress_status=$?
	sed -n 's/^#/# '"$1"':/p' "$tmp/out"
	is "$(grep '^not ok' "$tmp/out") $stress_status" " 0" "$1: the program's own account"
	is "$(cat "$tmp/err")" "" "$1: nothing is said"
	is "$("$PYTHON3" -c '
import json, sys
report = json.load(open(sys.argv[1]))
accounts = [report["process"]] + report["devices"] + report["libraries"]
print(sum(abs(a["used"]) for a in accounts), report["lost"],
      all(0 < a["peak"] <= int(sys.argv[2]) for a in accounts))' "$tmp/report.limit" "$4")" \
		"0 0 True" "$1: the hook's account at the end, and its peaks"
}

stress "a device's limit" 16 "$calls" $((48 * mib)) "device0=48M"
stress "the process's limit" 16 $((calls / 10)) $((40 * mib)) "memory=40M"
stress "less memory than the limit" 16 $((calls / 10)) $((64 * mib)) "memory=64M" \
	CUAUDIT_SIM_MEMORY=40M
stress "the user's limit" 8 $((calls / 20)) $((24 * mib)) "user=24M;file=$tmp/shared"

# Processes that share a limit, each with a device of its own.
for number in 1 2 3 4; do
	audited CUAUDIT_EXCLUDE=libwatch.so CUAUDIT_OUTPUT="$tmp/one-$number" CUAUDIT_LOG=error \
		CUAUDIT_HOOKS="limit(user=24M;file=$tmp/shared)" \
		"$tmp/stress" 2 "$calls_of_four" $((24 * mib)) "$tmp/sum" >"$tmp/one-$number" 2>&1 &
done
wait
cat "$tmp"/one-[1-4] >"$tmp/four"
is "$(grep -c '^ok' "$tmp/four") $(grep '^not ok' "$tmp/four")" "28 " \
	"four processes with one limit: each one's account"
is "$("$PYTHON3" -c '
import struct, sys
row = struct.Struct("<Q56x")
data = open(sys.argv[1], "rb").read()
print(struct.unpack("<Q", open(sys.argv[2], "rb").read()), sum(u for u, in row.iter_unpack(data[64:])))' \
	"$tmp/shared" "$tmp/sum")" "(0,) 0" "and the sum at the end"
done_testing
