# SPDX-License-Identifier: Apache-2.0
# suites.sh <PARTS in a build directory, on a machine with an even number of GPUs: parts of CuPy's own
# suite alone on the first half of the GPUs and audited, with everything on, on the other, and whether
# each test's result is the same. Prints TAP, a line a part. A part is FILE@FIRST:LAST, FILE relative to
# SUITES_TESTS, the directory that holds the tests/ of the CuPy that is installed: `pytest FILE` of these
# items alone, in their order; LAST may be missing. No part is begun after SUITES_SECONDS (none is set).
# SUITES_TURNS=yes: one part after the other, alone and then audited, each with all GPUs, for tests
# that want them all. SUITES_SIDE=audited: that side alone, with all GPUs; each part has to pass.
# SUITES_NETWORK=own: each part in a network of its own, for tests whose processes meet at one port.
# SUITES_MARK: pytest's -m, `not slow` if it is not set.
# SUITES_CACHE: a directory that each side's cache of CuPy begins with: without Jitify's headers there the tests
# that use it read them for ten minutes each.
# SUITES_LOG=error: without warnings, for tests that want their children to say nothing.
# SUITES_OUT keeps, of each part and side, the results ("ID<tab>outcome") and the log, and of a side the
# times, as they come: a run that is cut off can go on with the parts that are not there.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/t/lib.sh"

gpus=$(nvidia-smi -L 2>"$tmp/gpus" | wc -l)
test "$gpus" -gt 1 || skip_all "no two GPUs"
test -d "${SUITES_TESTS:?the directory with CuPy\'s tests/}/tests" || bail_out "no $SUITES_TESTS/tests"
out=${SUITES_OUT:-$tmp/suites}
mkdir -p "$out/alone" "$out/audited" "$tmp/traces"
for side in alone audited; do
	test -z "${SUITES_CACHE-}" || cp -R "$SUITES_CACHE" "$tmp/cache.$side"
done
test -r "${LIBCUAUDIT%/*}/cuaudit/libcuaudit-nvtx.so" || bail_out "no libcuaudit-nvtx.so"
cat >"$tmp/parts"
test -s "$tmp/parts" || bail_out "no parts on standard input"

# one SIDE PART: its results and "PART STATUS SECONDS"; slots of a side take its GPUs by turns.
cat >"$tmp/one" <<'SH'
side=$1
part=$2
test "$(date +%s)" -lt "$SUITES_END" || exit 0
name=$(echo "$part" | tr -c 'A-Za-z0-9\n' _)
count=$((SUITES_GPUS / 2)) first=0
test "$side" = alone || first=$count
test -z "${SUITES_TURNS-}${SUITES_SIDE-}" || count=$SUITES_GPUS first=0
devices=
i=0
while test "$i" -lt "$count"; do
	device=$((first + (${SUITES_SLOT:-0} + i) % count))
	devices=$devices${devices:+,}$device
	i=$((i + 1))
done
export CUDA_VISIBLE_DEVICES="$devices" CUPY_CACHE_DIR="$SUITES_TMP/cache.$side" \
	SUITES_ITEMS="${part##*@}" SUITES_RESULTS="$SUITES_OUT/$side/$name"
cd "$SUITES_TESTS"
begun=$(date +%s)
set -- "$PYTHON3"
test -z "${SUITES_NETWORK-}" || set -- unshare -n "$PYTHON3" "$top_srcdir/t/gpu/own_network.py" "$PYTHON3"
set -- "$@" -m pytest -q -p suites_slice -p no:cacheprovider -m "${SUITES_MARK:-not slow}" --tb=line "${part%@*}"
status=0
if test "$side" = alone; then
	"$@" >"$SUITES_OUT/$side/$name.log" 2>&1 || status=$?
else
	LD_AUDIT=$LIBCUAUDIT NVTX_INJECTION64_PATH=$SUITES_NVTX CUAUDIT_OUTPUT="$SUITES_TMP/traces/%e-%p" \
		CUAUDIT_DOMAINS=driver,runtime,tables,libc \
		CUAUDIT_PROVIDERS='libcublas.so.*:libnvrtc.so.*:libcurand.so.*' \
		CUAUDIT_HOOKS="$SUITES_HOOKS" CUAUDIT_LOG="${SUITES_LOG:-warn}" "$@" >"$SUITES_OUT/$side/$name.log" 2>&1 || status=$?
fi
echo "$part $status $(($(date +%s) - begun))" >>"$SUITES_OUT/$side.times"
# Traces of all parts at once would fill a disk.
find "$SUITES_TMP/traces" -name '*.cutrace' -mmin +2 -delete
SH
export SUITES_TURNS SUITES_SIDE SUITES_TMP="$tmp" SUITES_OUT="$out" SUITES_GPUS="$gpus" SUITES_TESTS PYTHON3 LIBCUAUDIT \
	SUITES_END="$(($(date +%s) + ${SUITES_SECONDS:-1000000}))" \
	SUITES_NVTX="${LIBCUAUDIT%/*}/cuaudit/libcuaudit-nvtx.so" PYTHONPATH="$top_srcdir/t/gpu:${PYTHONPATH-}"
: "${SUITES_HOOKS:=stat(format=json),trace(args=kernel;backtrace=cuLaunchKernel*,cuMemAlloc*;python=%driver;size=4M;when-full=ring),dbgmem(libraries=*/cupy/*:*/numpy/*;action=report)}"
export SUITES_HOOKS
jobs=${SUITES_JOBS:-$(nproc)}
: >"$out/alone.times"
: >"$out/audited.times"
if test -n "${SUITES_TURNS-}"; then
	while read -r part; do
		sh "$tmp/one" alone "$part" </dev/null
		sh "$tmp/one" audited "$part" </dev/null
	done <"$tmp/parts"
elif test -n "${SUITES_SIDE-}"; then
	xargs -P "$jobs" -n 1 --process-slot-var=SUITES_SLOT sh "$tmp/one" "$SUITES_SIDE" <"$tmp/parts"
else
	xargs -P "$((jobs * 9 / 20))" -n 1 --process-slot-var=SUITES_SLOT sh "$tmp/one" alone <"$tmp/parts" &
	xargs -P "$((jobs - jobs * 9 / 20))" -n 1 --process-slot-var=SUITES_SLOT sh "$tmp/one" audited \
		<"$tmp/parts"
	wait
fi

tests=0
while read -r part; do
	name=$(echo "$part" | tr -c 'A-Za-z0-9\n' _)
	grep -F "$part " "$out/alone.times" | cut -d ' ' -f 2 >"$tmp/status.alone"
	grep -F "$part " "$out/audited.times" | cut -d ' ' -f 2 >"$tmp/status.audited"
	if test -n "${SUITES_SIDE-}"; then
		is "$(grep -F "$part " "$out/$SUITES_SIDE.times" | cut -d ' ' -f 2)" 0 "$part: passes"
		continue
	fi
	if ! test -s "$tmp/status.alone" || ! test -s "$tmp/status.audited"; then
		skip 3 "$part: no time was left for it"
		continue
	fi
	for side in alone audited; do
		sort "$out/$side/$name" >"$tmp/sorted.$side"
	done
	like "$(cat "$tmp/status.alone")" '^[015]$' "$part: pytest runs it"
	is "$(cat "$tmp/status.audited")" "$(cat "$tmp/status.alone")" "$part: ends as alone"
	diff "$tmp/sorted.alone" "$tmp/sorted.audited" >"$tmp/different" || {
		for side in alone audited; do
			echo "== $part $side"
			tail -n 60 "$out/$side/$name.log"
		done | cut -c 1-400 >>"$out/differences"
	}
	is "$(grep '^[<>]' "$tmp/different" | cut -c 1-300 | head -n 20)" "" \
		"$part: each of its tests the same"
	tests=$((tests + $(wc -l <"$tmp/sorted.alone")))
done <"$tmp/parts"
test -n "${SUITES_SIDE-}" || ok "$tests tests were compared" test "$tests" -gt 0
if test "${SUITES_LOG:-warn}" = warn; then
	is "$(grep -l 'dbgmem: nothing was checked' "$out"/audited/*.log | wc -l)" 0 "dbgmem checked calls in each part"
fi
"$PYTHON3" - "$tmp/traces" <<'PY'
import collections, glob, json, sys

calls, escapes = collections.Counter(), 0
saved = [path for path in glob.glob(sys.argv[1] + "/*-*[0-9]") if not path.endswith(".cutrace")]
for path in saved:
    report = json.load(open(path))
    escapes += len(report["escapes"])
    for function in report["functions"]:
        calls[function["name"]] += function["calls"]
print(f"# {len(saved)} processes: {sum(calls.values())} calls of {len(calls)} functions, {escapes} escapes")
PY
done_testing
