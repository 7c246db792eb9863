# SPDX-License-Identifier: Apache-2.0
# What the tests of the limit hook share.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

# on_sim NAME [FLAG...]: $tmp/NAME from t/limit/NAME.c, linked to the simulated driver.
on_sim() {
	on_sim_name=$1
	shift
	compile -O1 -g -Wall -Wextra -o "$tmp/$on_sim_name" "$top_srcdir/t/limit/$on_sim_name.c" \
		"$@" "$simdir/libcuda.so.1" -pthread \
		-Wl,-rpath,"$simdir",-rpath,"$tmp" >"$tmp/build.out" 2>&1 && return
	sed 's/^/# /' "$tmp/build.out"
	bail_out "cannot build $on_sim_name"
}

# own_driver: $tmp/libcuda.so.1 from t/limit/driver.c; like the real one it needs libdl.
own_driver() {
	compile -O1 -g -Wall -Wextra -shared -fPIC -Wl,-soname,libcuda.so.1 \
		-o "$tmp/libcuda.so.1" "$top_srcdir/t/limit/driver.c" -Wl,--no-as-needed -ldl ||
		bail_out "cannot build the driver"
}

# on_own NAME [FLAG...]: $tmp/NAME from t/limit/NAME.c, linked to that.
on_own() {
	on_own_name=$1
	shift
	compile -O1 -g -Wall -Wextra -o "$tmp/$on_own_name" "$top_srcdir/t/limit/$on_own_name.c" \
		"$@" "$tmp/libcuda.so.1" -Wl,-rpath,"$tmp" ||
		bail_out "cannot build $on_own_name"
}

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
