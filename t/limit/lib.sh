# SPDX-License-Identifier: Apache-2.0
# What the tests of the limit hook share.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

# limited NAME OPTIONS COMMAND...: its output in $tmp/out and $tmp/err, the report in $tmp/report.limit.
limited() {
	limited_name=$1
	limited_options=$2
	limited_status=0
	shift 2
	rm -f "$tmp/report.limit"
	audited CUAUDIT_OUTPUT="$tmp/report" CUAUDIT_HOOKS="limit($limited_options)" "$@" \
		>"$tmp/out" 2>"$tmp/err" || limited_status=$?
	is "$limited_status" 0 "$limited_name"
	grep '^not ok' "$tmp/out" | sed 's/^/# /'
}

# reported EXPRESSION: of the JSON report, r.
reported() {
	"$PYTHON3" -c '
import json, sys
r = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$tmp/report.limit" "$1"
}

# checked COUNT NAME OPTIONS COMMAND...: the same of a program that makes so many checks of its own and frees all.
checked() {
	checked_count=$1
	shift
	limited "$@"
	is "$(grep -c '^ok' "$tmp/out")" "$checked_count" "and nothing was left out"
	is "$(reported 'r["process"]["used"], [a["used"] for a in r["libraries"]]')" "(0, [0])" \
		"nothing is left"
}
