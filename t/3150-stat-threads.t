# SPDX-License-Identifier: Apache-2.0
# What each thread called is told apart, also when the thread has ended.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
helpers routes/libasker.so routes/counted

# threads OPTION: rows of threads, cuInit's calls in them, and those of the others
threads() {
	audited LD_LIBRARY_PATH="$tmp" ROUTES=routed CUAUDIT_HOOKS="stat(format=json;$1)" \
		CUAUDIT_OUTPUT="$tmp/report" "$tmp/counted" threads >"$tmp/out" 2>&1 || cat "$tmp/out"
	"$PYTHON3" -c '
import json, sys
threads = json.load(open(sys.argv[1]))["threads"]
named = [t for t in threads if t["tid"] is not None]
inits = [f for t in named for f in t["functions"] if f["name"] == "cuInit"]
assert all(sum(f["calls"] for f in t["functions"]) == t["calls"] for t in named)
assert all(f["min_ns"] <= f["p50_ns"] <= f["p99_ns"] <= f["max_ns"] for f in inits)
print(len(inits), sum(f["calls"] for f in inits), sum(t["calls"] for t in threads) >= 16000)
' "$tmp/report"
}

is "$(threads threads=100)" "16 16000 True" "sixteen threads, a thousand calls each"
is "$(threads threads=4)" "4 4000 True" "the four busiest; the others are added up"
is "$(threads threads=0)" "0 0 True" "none"
done_testing
