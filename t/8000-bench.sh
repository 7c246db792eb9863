# SPDX-License-Identifier: Apache-2.0
# `make bench`: the cost of a routed call and of a start, one JSON line a measure.
#
# Each line holds both sides, measured in turn in one run, and the number
# DESIGN asks for ("..._at_most", 0 for none). It judges nothing: machines
# differ. Arguments: the folder to build in. Environment: CC, LIBCUAUDIT,
# top_srcdir, BENCH_THREADS (default: the processors).
set -eu

dir=$1
threads=${BENCH_THREADS:-$(getconf _NPROCESSORS_ONLN)}
[ "$threads" -le 16 ] || threads=16
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
src=$top_srcdir/t/bench

$CC -O2 -fPIC -shared -Wl,-soname,libcuda.so.1 -o "$dir/libcuda.so.1" "$src/driver.c"
$CC -O2 -D_GNU_SOURCE -fPIC -shared -o "$dir/libbenchraw.so" "$src/raw.c"
$CC -O2 -fno-omit-frame-pointer -D_GNU_SOURCE -I"$top_srcdir/include" -o "$dir/bench" "$src/bench.c" \
	-pthread -Wl,--no-as-needed -L"$dir" -lbenchraw -l:libcuda.so.1 -ldl \
	-Wl,-rpath,'$ORIGIN'
$CC -O2 -D_GNU_SOURCE -o "$dir/start" "$src/start.c"
$CC -O2 -fPIC -shared -o "$dir/libbenchplt.so" -x c - <<'C'
long bench_next(long number);
long bench_next(long number)
{
	return number + 1;
}
C
$CC -O2 -fplt -D_GNU_SOURCE -o "$dir/plt" "$src/plt.c" -Wl,-z,lazy -L"$dir" -lbenchplt \
	-Wl,-rpath,'$ORIGIN'

audited() {
	env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER="$dir/libcuda.so.1" \
		CUAUDIT_EXCLUDE=libbenchraw.so CUAUDIT_OUTPUT="$dir/report.txt" "$@"
}

audited CUAUDIT_HOOKS= "$dir/bench" hooks "$threads"
audited CUAUDIT_HOOKS= "$dir/bench" attached
audited CUAUDIT_HOOKS=stat "$dir/bench" stat "$threads"
audited CUAUDIT_HOOKS='stat(clock=no)' "$dir/bench" count "$threads"
audited CUAUDIT_HOOKS='fault(inject=cuCtxGetCurrent:error=2:when=9999999999)' "$dir/bench" fault \
	"a fault rule that is not due"
audited CUAUDIT_HOOKS='fault(inject=cuCtxGetCurrent:error=2:if=pctx==1)' "$dir/bench" fault \
	"a fault rule's condition that does not hold"
audited CUAUDIT_HOOKS='limit(memory=1G)' "$dir/bench" pairs 1 "limit: an allocation and its free"
audited CUAUDIT_HOOKS="limit(user=1G;file=$dir/shared)" \
	"$dir/bench" pairs 1 "limit of the user: an allocation and its free"
audited CUAUDIT_HOOKS=leak "$dir/bench" leak "$threads"
"$dir/start" "$LIBCUAUDIT"
"$dir/plt" "$LIBCUAUDIT"
