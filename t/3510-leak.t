# SPDX-License-Identifier: Apache-2.0
# The leak hook: what is left at exit, what was used wrongly, and by whom.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"

cp "$top_srcdir/t/leak/leaks.c" "$tmp/leaks.c"
compile -O1 -g -Wall -Wextra -rdynamic -o "$tmp/leaks" "$tmp/leaks.c" "$sim" \
	-Wl,-rpath,"$simdir" >"$tmp/build.out" 2>&1 ||
	bail_out "cannot build leaks: $(head -n 1 "$tmp/build.out")"

# leaks OPTIONS STEP...: its report, messages and status.
leaks() {
	leaks_options=$1
	shift
	leaks_status=0
	rm -f "$tmp"/report*
	audited CUAUDIT_OUTPUT="$tmp/report" CUAUDIT_HOOKS="leak($leaks_options)" "$tmp/leaks" "$@" \
		>"$tmp/out" 2>"$tmp/err" || leaks_status=$?
}

# left [KEY]: what, how many, bytes and where each was allocated.
left() {
	"$PYTHON3" -c '
import json, sys
report = json.load(open(sys.argv[1]))
for l in report["left"]:
    print(l["what"], l["count"], l["bytes"], l["function"], l.get("symbol"), sep=", ")' \
		"$tmp/report.leak" | sort
}

errors() {
	"$PYTHON3" -c '
import json, sys
report = json.load(open(sys.argv[1]))
def site(s):
    return s["function"] + " " + s["symbol"] if s else "nowhere"
for e in report["errors"]:
    gone = e.get("freed")
    print(e["error"], e["count"], e["result"], e["what"], site(e), "allocated " + site(e.get("allocated")),
          "freed " + site(gone) + (" with " + gone["with"] if gone and "with" in gone else ""), sep=", ")' \
		"$tmp/report.leak"
}

leaks 'format=json;fail=any' clean
is "$leaks_status" 3 "clean: status"
is "$(left)" "" "clean: nothing is left"
is "$(errors)" "" "clean: no error"
is "$(cat "$tmp/err")" "" "clean: nothing is said"
like "$(cat "$tmp/report.leak")" '"allocated":16,"freed":16,' "clean: sixteen objects came and went"
leaks 'format=json;fail=any' primary clean
is "$leaks_status,$(left),$(errors)" "3,," "clean in a primary context"

leaks 'format=json;fail=errors' memory pitch host managed pool virtual array stream event code context
granularity=$(sed -n 's/^granularity //p' "$tmp/out")
pitch=$(sed -n 's/^pitch //p' "$tmp/out")
is "$leaks_status" 3 "leaks are no errors"
is "$(left)" "address range, 1, $granularity, cuMemAddressReserve, leave_virtual
array, 1, 256, cuArrayCreate_v2, leave_array
context, 1, 0, cuCtxCreate_v2, leave_context
context, 1, 0, cuCtxCreate_v2, main
device memory, 1, $((10 * pitch)), cuMemAllocPitch_v2, leave_pitch
device memory, 3, 3000, cuMemAlloc_v2, leave_memory
event, 1, 0, cuEventCreate, leave_event
host memory, 1, 3000, cuMemHostAlloc, leave_host
library, 1, 0, cuLibraryLoadData, leave_code
managed memory, 1, 2000, cuMemAllocManaged, leave_managed
mapping, 1, $granularity, cuMemMap, leave_virtual
memory pool, 1, 0, cuMemPoolCreate, leave_pool
module, 1, 0, cuModuleLoadData, leave_code
physical memory, 1, $granularity, cuMemCreate, leave_virtual
pool memory, 1, 500, cuMemAllocFromPoolAsync, leave_pool
registered host memory, 1, 8192, cuMemHostRegister_v2, leave_host
stream, 1, 0, cuStreamCreate, leave_stream" "each leak, where it was allocated"
is "$(errors)" "" "and no error"
like "$(cat "$tmp/report.leak")" "\"left_bytes\":$((3000 + 10 * pitch + 11192 + 2000 + 500 + granularity + 256))," \
	"addresses are no memory"

leaks 'format=json;fail=errors' with-context double-free use-after-free stream-after-free \
	function-after-unload invalid-free wrong-context
is "$leaks_status" 87 "errors: status"
is "$(errors)" "use-after-free, 1, 400, event, cuEventQuery with_context, allocated cuEventCreate with_context, freed cuCtxDestroy_v2 with_context with context
double-free, 2, 1, device memory, cuMemFree_v2 double_free, allocated cuMemAlloc_v2 double_free, freed cuMemFree_v2 double_free
use-after-free, 1, 1, device memory, cuMemsetD8_v2 use_after_free, allocated cuMemAlloc_v2 use_after_free, freed cuMemFree_v2 use_after_free
use-after-free, 1, 400, stream, cuStreamQuery stream_after_free, allocated cuStreamCreate stream_after_free, freed cuStreamDestroy_v2 stream_after_free
use-after-free, 1, 400, function, cuLaunchKernel function_after_unload, allocated cuModuleGetFunction function_after_unload, freed cuModuleUnload function_after_unload with module
invalid-free, 1, 1, None, cuMemFree_v2 invalid_free, allocated nowhere, freed nowhere
invalid-free, 1, 1, device memory, cuMemFree_v2 invalid_free, allocated cuMemAlloc_v2 invalid_free, freed nowhere
wrong-context, 1, 400, event, cuEventRecord wrong_context, allocated cuEventCreate wrong_context, freed nowhere
wrong-context, 1, 400, event, cuEventRecord wrong_context, allocated cuEventCreate wrong_context, freed nowhere" \
	"each error, where its object was allocated and freed"
is "$(grep -c '^cuaudit: leak: ' "$tmp/err")" 9 "each is said at once"
leaks 'format=json' double-free
is "$leaks_status" 3 "errors and nobody minds"

# Left in a primary context; the context itself is nobody's fault.
leaks 'format=json;fail=any' primary
is "$leaks_status" 3 "a primary context that is left is no failure"
is "$(left)" "primary context, 1, 0, cuDevicePrimaryCtxRetain, main" "but is shown"
leaks 'format=json;fail=any' primary stream
is "$leaks_status" 87 "left, and somebody minds"
like "$(cat "$tmp/report.leak")" '"what":"stream","count":1,"bytes":0,"primary":true,' \
	"it is of a primary context"

# Of a library by a relative path, the path from anywhere: of leaks and of faults.
mkdir "$tmp/start" "$tmp/start/part"
cat >"$tmp/leaves.c" <<'END'
#include "sim/api.h"

int leaves(void);

int leaves(void)
{
	CUdeviceptr memory;

	return cuMemAlloc_v2(&memory, 64) != CUDA_SUCCESS;
}
END
cat >"$tmp/elsewhere.c" <<'END'
#include <unistd.h>

#include "sim/api.h"

int leaves(void);

int main(void)
{
	CUcontext context;

	return chdir("/") || cuInit(0) || cuCtxCreate_v2(&context, 0, 0) || leaves() || leaves();
}
END
(cd "$tmp/start" &&
	compile -shared -fPIC -o part/leaves.so "$tmp/leaves.c" "$sim" -Wl,-rpath,"$simdir" &&
	compile -o elsewhere "$tmp/elsewhere.c" part/leaves.so "$sim" -Wl,-rpath,"$simdir") >"$tmp/build.out" 2>&1 ||
	bail_out "cannot build elsewhere: $(head -n 1 "$tmp/build.out")"
for hook in leak 'fault(inject=cuMemAlloc:error=1:when=2)'; do
	rm -f "$tmp"/far*
	hook_options=${hook#"${hook%%(*}"}
	hook_options=${hook_options#(}
	(cd "$tmp/start" && audited CUAUDIT_OUTPUT="$tmp/far" \
		CUAUDIT_HOOKS="${hook%%(*}(format=json;${hook_options%)})" ./elsewhere) >"$tmp/out" 2>&1
	like "$(cat "$tmp"/far*)" "\"library\":\"$tmp/start/part/leaves\.so\"" "${hook%%(*}: a library by a relative path" ||
		diag "$(cat "$tmp/out")"
done

# The places are those addr2line knows.
if addr2line -e "$tmp/leaks" 0 >"$tmp/which" 2>&1; then
	leaks format=json stream
	offset=$("$PYTHON3" -c 'import json, sys
print([l["offset"] for l in json.load(open(sys.argv[1]))["left"] if l["what"] == "stream"][0])' \
		"$tmp/report.leak")
	line=$(addr2line -e "$tmp/leaks" "$offset")
	like "$line" "leaks\.c:$(grep -n 'STEP leave_stream' "$tmp/leaks.c" |
		awk -F : '{ print $1 + 4 }')" "addr2line finds the line"
else
	skip 1 "no addr2line"
fi

# Text.
leaks fail=no pool double-free with-context
like "$(cat "$tmp/report.leak")" \
	'^cuaudit: leak of pid [0-9]+: [0-9]+ objects, 3 left at exit \(500 bytes\), 3 errors$' "text: counts"
like "$(cat "$tmp/report.leak")" '^ +1 +500  pool memory +cuMemAllocFromPoolAsync, leave_pool\+0x' \
	"text: what is left"
like "$(cat "$tmp/report.leak")" \
	'double-free in cuMemFree_v2, called by leaks double_free\+0x[0-9a-f]+ \(0x[0-9a-f]+\), answer CUDA_ERROR_INVALID_VALUE$' \
	"text: an error"
like "$(cat "$tmp/report.leak")" 'freed in cuCtxDestroy_v2, .*, with its context$' "text: with what it went"
leaks fail=no wrong-context
is "$(grep -c ', of context 0x[0-9a-f]*, not 0x[0-9a-f]*' "$tmp/report.leak")" 2 "text: both contexts"

# Suppressions.
cat >"$tmp/known" <<'END'
# what is known
left cuMemAlloc[A-F]* leaks
left cuMemPool* *
double-free cuMemFree l?aks   # by its base name
use-after-free * */nowhere/*
END
leaks "format=json;fail=errors;suppress=$tmp/known" pool double-free with-context
is "$leaks_status" 87 "suppressed: an error is left"
is "$(errors)" "use-after-free, 1, 400, event, cuEventQuery with_context, allocated cuEventCreate with_context, freed cuCtxDestroy_v2 with_context with context" \
	"suppressed: not this one"
is "$(left)" "context, 1, 0, cuCtxCreate_v2, main" "suppressed: nor this object"
like "$(cat "$tmp/report.leak")" '"suppressed_left":2,"suppressed_errors":2,' "suppressed: but counted"
is "$(grep -c '^cuaudit: leak: ' "$tmp/err")" 1 "suppressed: nor said"
printf '* * */leaks\n' >"$tmp/known"
leaks "fail=any;suppress=$tmp/known" stream double-free
is "$leaks_status" 3 "suppressed: all, by the library's path"
# A set that begins with its own end; only what a pattern takes is left out.
printf '* * []x]*\n* * *[!]x]\n' >"$tmp/known"
leaks "fail=any;suppress=$tmp/known" stream double-free
is "$leaks_status" 3 "suppressed: by sets with a bracket"
printf '* * []x]*\n* * *[!]s]\n' >"$tmp/known"
leaks "fail=any;suppress=$tmp/known" stream double-free
is "$leaks_status" 87 "suppressed: by none of them"
printf '* * (main)\n' >"$tmp/known"
leaks "fail=any;suppress=$tmp/known" stream double-free
is "$leaks_status" 3 "suppressed: what the program itself does"
printf 'left * *\nLeft * *\n' >"$tmp/known"
leaks "fail=any;suppress=$tmp/known" stream
is "$leaks_status $(sed 's/.*known:/known:/' "$tmp/err")" "85 known:2: no report has 'Left'; did you mean left?" "what no report has: stops"
printf '* * */leaks\nleft\n' >"$tmp/known"
leaks "fail=any;suppress=$tmp/known" stream
is "$leaks_status" 85 "a bad line and fail=any: stops"
leaks "suppress=$tmp/known" stream double-free
is "$leaks_status" 3 "a bad line without fail: does not"
like "$(cat "$tmp/err")" "known:2: a line is WHAT FUNCTION LIBRARY" "and is reported"
leaks "suppress=$tmp/none" stream
like "$(cat "$tmp/err")" "leak: suppress=.*/none cannot be read: No such file" "so is a missing file"

# A child has nothing of its parent's.
leaks format=json fork
is "$leaks_status,$(errors)" "3," "fork: no error"
is "$(left)" "context, 1, 0, cuCtxCreate_v2, main" "fork: the parent's report"
is "$(cat "$tmp/err")" "" "fork: nothing is said"

# One is not "1 objects".
helper rules/hostile
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS=leak "$tmp/hostile" once >"$tmp/one" 2>&1
like "$(cat "$tmp/one")" '^cuaudit: leak of pid [0-9]+: 1 object, 1 left at exit \(0 bytes\), 0 errors$' "text: one object"
done_testing
