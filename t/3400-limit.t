# SPDX-License-Identifier: Apache-2.0
# The limit hook: every way to take memory, what is told, dry runs, denial, its options.
. "${top_srcdir:-$(dirname "$0")/..}/t/limit/lib.sh"

helper limit/limit
helper limit/some

limited "every kind of memory, counted exactly" "device0=64M;format=json" "$tmp/limit"
ok "and nothing was left out" test "$(grep -c '^ok' "$tmp/out")" -ge 200
is "$(reported '[(a["limit"], a["peak"], a["used"]) for a in r["devices"]]')" \
	"[(67108864, 67108864, 0), (None, 134217728, 0)]" "devices"
is "$(reported '(r["process"]["limit"], r["process"]["used"], r["lost"], r["user"])')" \
	"(None, 0, 0, None)" "the process"
is "$(reported '[(a["path"].endswith("/limit"), a["used"], a["refused"]) for a in r["libraries"]]')" \
	"[(True, 0, $(reported 'r["devices"][0]["refused"]'))]" "the library"

# What the limits are, each against the others.
limited "limits of the process and of each device" "memory=3M;device=2M;device1=1MiB;format=json" \
	"$tmp/some" init 0 take=2097152 take=1 told 1 take=1048577 take=1048576 told take=1
is "$(paste -s -d ' ' "$tmp/out")" "0 0 0 2 0 2097152 0 2 0 0 1048576 2" "who refuses"
is "$(reported '[a["refused"] for a in [r["process"]] + r["devices"]]')" "[0, 1, 2]" "is named"
limited "the process's alone" "memory=3M;format=json" \
	"$tmp/some" init 0 take=2097152 told 1 take=1048577 told free
is "$(paste -s -d ' ' "$tmp/out")" "0 0 0 1048576 3145728 0 2 1048576 3145728 0" "over all devices"
is "$(reported '[a["refused"] for a in [r["process"]] + r["devices"]]')" "[1, 0]" "refuses"
limited "a limit of 10 million bytes" "memory=10MB;format=json" \
	"$tmp/some" init 0 told take=1 told take=9998848 told take=1
is "$(paste -s -d ' ' "$tmp/out")" "0 0 9999872 10000000 0 9999360 10000000 0 512 10000000 0" \
	"what is free is rounded down to what can be had"
limited "... all of it" "memory=10MB;format=json" "$tmp/some" init 0 take=9999872 told take=1
is "$(paste -s -d ' ' "$tmp/out")" "0 0 0 0 10000000 2" "... can be had"

# A limit holds whatever functions other hooks are to see.
CUAUDIT_FUNCTIONS=cuInit
export CUAUDIT_FUNCTIONS
limited "CUAUDIT_FUNCTIONS without memory" "memory=1M;format=json" \
	"$tmp/some" init 0 take=1048576 take=1 free
is "$(paste -s -d ' ' "$tmp/out")" "0 0 0 2 0" "a limit is not taken away by it"
unset CUAUDIT_FUNCTIONS

limited "a dry run" "memory=1M;dry-run;count=allocations;format=json" \
	"$tmp/some" init 0 take=2097152 told take=1 free
is "$(paste -s -d ' ' "$tmp/out")" "0 0 0 1071644672 1073741824 0 0" "refuses nothing, tells the truth"
is "$(reported '(r["dry_run"], r["process"]["refused"], r["process"]["peak"])')" \
	"(True, 2, 2097664)" "and counts"
is "$(sed 's/0x[0-9a-f]*/0xN/' "$tmp/err")" "cuaudit: limit: cuMemAlloc_v2 by some+0xN would be refused 2097152\
 bytes on device 0: the process has 1048576 of 1048576 left" "and says so once"

is "$(reported '[(s["function"], s["calls"], s["first_bytes"], s["library"].split("/")[-1], int(s["offset"], 0) > 0)
	for s in r["refusals"]], r["other_refusals"]')" "([('cuMemAlloc_v2', 2, 2097152, 'some', True)], 0)" \
	"and by call site"
tool_bin=$top_builddir/bin/cuaudit
"$tool_bin" report --format json "$tmp/report.limit" >"$tmp/completed" 2>"$tmp/err"
is "$? $(cat "$tmp/err")" "0 " "which cuaudit report reads"
if grep -q '^#define HAVE_LIBDW 1' "$top_builddir/config.h" && $READELF -S "$tmp/some" | grep -q debug_line; then
	like "$(cat "$tmp/completed")" '"caller_function":"main","caller_file":"[^"]*some\.c","caller_line":[0-9]+' \
		"with function, file and line"
else
	skip 1 "built without libdw"
fi
"$tool_bin" report "$tmp/report.limit" >"$tmp/completed" 2>"$tmp/err"
is "$? $(cat "$tmp/completed")" "2 " "as JSON alone"

limited "as text" "device0=1M;count=allocations" "$tmp/some" init 0 take=524288 take=1048576
is "$(sed 's/pid [0-9]*/pid N/; s,  /.*/some, some,; s/0x[0-9a-f]*/0xN/' "$tmp/report.limit")" "cuaudit: limit, pid N

     Limit       Peak     At end    Refused  Device memory, without contexts and code, of
       none  512.00KiB  512.00KiB          0  the process
    1.00MiB  512.00KiB  512.00KiB          1  device 0

      Peak     At end     Allocs    Refused  Library
  512.00KiB  512.00KiB          1          1 some

   Refused      First  Call site
          1    1.00MiB  cuMemAlloc_v2 by some+0xN" "the report"

# Very many call sites.
{
	echo '#include "sim/api.h"'
	echo 'int main(void) { CUdeviceptr p; CUcontext c; cuInit(0); cuCtxCreate_v2(&c, 0, 0);'
	for n in $(seq 70); do
		echo "cuMemAlloc_v2(&p, $((n + 1)) << 20);"
	done
	echo 'for (int i = 0; i < 5; i++) cuMemAlloc_v2(&p, 4 << 20); return 0; }'
} >"$tmp/sites.c"
compile -O1 -I"$top_srcdir" -I"$top_srcdir/include" -o "$tmp/sites" "$tmp/sites.c" "$simdir/libcuda.so.1" -Wl,-rpath,"$simdir" \
	>"$tmp/build.out" 2>&1 || bail_out "cannot build: $(head -n 1 "$tmp/build.out")"
limited "75 refusals from 71 call sites" "memory=1M;format=json" "$tmp/sites"
is "$(reported 'len(r["refusals"]), sum(s["calls"] for s in r["refusals"]), r["other_refusals"], r["refusals"][0]["first_bytes"]')" \
	"(64, 64, 11, 2097152)" "the first 64 have a row"

limited "no memory" "device0=1M" "$tmp/some" version
ok "no report" test ! -e "$tmp/report.limit"

limited "a child that forked before cuInit" "memory=1M;format=json" \
	"$tmp/some" version fork init 0 take=1048576 take=1
is "$(paste -s -d ' ' "$tmp/out")" "0 0 0 0 2" "has a limit of its own"

audited CUAUDIT_OUTPUT="$tmp/fork-%p" CUAUDIT_HOOKS='limit(dry-run;format=json)' \
	"$tmp/some" init 0 take=1048576 fork told >"$tmp/out"
is "$("$PYTHON3" -c '
import json, sys
reports = [json.load(open(path)) for path in sys.argv[1:]]
print(sorted([r["process"]["used"], sum(l["used"] for l in r["libraries"])] for r in reports))' \
	"$tmp"/fork-*.limit)" "[[0, 0], [1048576, 1048576]]" "one that forked later has nothing of its parent"
audited CUAUDIT_OUTPUT="$tmp/idle-%p" CUAUDIT_HOOKS='limit(dry-run)' \
	"$tmp/some" init 0 take=1048576 fork >"$tmp/out"
is "$(ls "$tmp"/idle-*.limit | wc -l)" 1 "one that calls nothing reports nothing"

# Shares of what the devices have: two of 1 GiB.
limited "half of each device" "device=50%;device1=12.5%;format=json" \
	"$tmp/some" init 0 told take=536870912 take=1 free 1 told take=134217729 take=134217728
is "$(paste -s -d ' ' "$tmp/out")" "0 0 536870912 536870912 0 2 0 0 134217728 134217728 2 0" "is held"
is "$(reported '[a["limit"] for a in r["devices"]]')" "[536870912, 134217728]" "and reported"
limited "a share of all devices" "memory=25%" "$tmp/some" init 0 take=536870912 take=1
is "$(paste -s -d ' ' "$tmp/out")" "0 0 0 2" "is one of their sum"
limited "a share, before cuInit" "memory=25%" "$tmp/some" take=1 init 0 take=1
is "$(paste -s -d ' ' "$tmp/out")" "3 0 0 0" "leaves it to the driver"

limited "a device that is not there" "device1=1M;device7=1M;count=allocations" "$tmp/some" init 0 take=1 take=1
is "$(cat "$tmp/err")" "cuaudit: limit: device7 limits nothing: the program sees 2 devices, numbered\
 from 0" "is named once"

limited "denial" "deny=cuCtxCreate*,cuMemFree:error=CUDA_ERROR_INVALID_DEVICE" "$tmp/some" init 0
is "$(paste -s -d ' ' "$tmp/out")" "0 101" "answers the error"
like "$(cat "$tmp/err")" "^cuaudit: limit: cuCtxCreate_v2 by some\+0x[0-9a-f]+ is denied\$" "and says so"
like "$(cat "$tmp/report.limit")" '^ +1  cuCtxCreate_v2$' "and reports it"
limited "the usual error" "deny=cuCtxCreate" "$tmp/some" init 0 1
is "$(paste -s -d ' ' "$tmp/out")" "0 800 800" "is not permitted"
limited "denial in a dry run" "deny=cuCtxCreate;dry-run" "$tmp/some" init 0
is "$(paste -s -d ' ' "$tmp/out")" "0 0" "denies nothing"
like "$(cat "$tmp/err")" "^cuaudit: limit: cuCtxCreate_v2 by some\+0x[0-9a-f]+ would be denied\$" "and says so"

# Every common spelling of a size.
for size in 512M 512m 512MiB 512mib 512Mi 0.5Gi 0.5G 0.5g 0.5GiB 536870912 536870912B 524288k; do
	limited "memory=$size" "memory=$size;format=json" "$tmp/some" init 0 take=536870912 take=1
	is "$(reported 'r["process"]["limit"]') $(paste -s -d ' ' "$tmp/out")" "536870912 0 0 0 2" "as said"
done
limited "memory=512MB" "memory=512MB;format=json" "$tmp/some" init 0 take=1
is "$(reported 'r["process"]["limit"]')" 512000000 "a decimal one"

# What is not understood ends the process.
wrong() {
	wrong_status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="limit($1)" "$tmp/some" init \
		>"$tmp/out" 2>"$tmp/err" || wrong_status=$?
	is "$wrong_status $(cat "$tmp/err")" "85 cuaudit: limit: $2" "limit($1) is refused"
}
size="takes a size such as 512M or 4GiB"
for value in 4X 18446744073709551616 0 1.5 "" 0% 100.1% 101% % 50%% 5e1% -5% 50.% 4294967297%; do
	wrong "memory=$value" "memory $size, or a share such as 50%, not '$value'"
done
wrong "device3=-1" "device3 $size, or a share such as 50%, not '-1'"
wrong "user=99999999T" "user $size, not '99999999T'"
wrong "user=50%" "user $size, not '50%'"
# What would limit nothing.
for options in "" format=json on-error=run file=x; do
	wrong "$options" "no limit is given; give memory, device, user, share, time, visible or\
 deny, or dry-run to count alone"
done
wrong "deny=cuInit:error=CUDA_ERROR_NONE" "deny takes SELECTOR[:error=CUDA_ERROR_...], not\
 'cuInit:error=CUDA_ERROR_NONE'"
done_testing
