# SPDX-License-Identifier: Apache-2.0
# tables.sh in a build directory, on a machine with a GPU: programs with the driver's export tables hooked,
# alone and beside the runtime's domain. Prints TAP, which tables and slots were called how often, and, of
# what fails, all that is needed to mend it.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/t/lib.sh"

gpu=$top_srcdir/t/gpu
toolkit=${CUDA_HOME:-/usr/local/cuda}
nvcc=$toolkit/bin/nvcc
nvidia-smi -L >"$tmp/gpus" 2>&1 || skip_all "no GPU"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/# /'

# shown WHAT FILE: its first and last lines, as comments
shown() {
	test ! -s "$2" || {
		head -n 20 "$2" | sed "s/^/# $1: /"
		test "$(grep -c '' "$2")" -le 20 || tail -n 20 "$2" | sed "s/^/# $1, last: /"
	}
}

# counts: "CALLS NAME" of slots, from stat's JSON files given
counts() {
	"$PYTHON3" -c '
import collections, json, sys
calls = collections.Counter()
for name in sys.argv[1:]:
    try:
        report = json.load(open(name))
    except ValueError as error:
        print("# unreadable", name, error)
        continue
    for row in report.get("functions", []):
        if not row["name"].lstrip("_").startswith(("cu", "cuda")):
            calls[row["name"]] += row["calls"]
for name, count in sorted(calls.items(), key=lambda item: -item[1]):
    print(count, name)' "$@"
}

# handed: tables that were handed out, as the coverage report in JSON has them
handed() {
	"$PYTHON3" -c '
import json, sys
for name in sys.argv[1:]:
    try:
        report = json.load(open(name))
    except ValueError as error:
        print("unreadable", name, error)
        continue
    for table in report.get("export_tables", report.get("tables", [])):
        print(" ".join("%s=%s" % item for item in sorted(table.items())))' "$@" | sort | uniq -c
}

# combined NAME DOMAINS COMMAND...: the program with them, compared with $tmp/alone
combined() {
	in_name=$1
	in_domains=$2
	shift 2
	rm -f "$tmp"/stat*
	in_status=0
	audited CUAUDIT_DOMAINS="$in_domains" CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/stat-%p" \
		timeout 300 "$@" >"$tmp/out" 2>"$tmp/err" || in_status=$?
	is "$in_status" 0 "$in_name, $in_domains: ends well"
	is "$(cat "$tmp/out")" "$(cat "$tmp/alone")" "$in_name, $in_domains: the same output"
	is "$(cat "$tmp/out" "$tmp/err" | grep -ciE 'integrity check|cudaErrorSoftwareValidity|error 103|\(103\)')" 0 \
		"$in_name, $in_domains: no error 103"
	if test "$in_status" -ne 0 || ! cmp -s "$tmp/out" "$tmp/alone"; then
		shown "$in_name stdout" "$tmp/out"
	fi
	shown "$in_name stderr" "$tmp/err"
	counts "$tmp"/stat* >"$tmp/counts-$in_domains" 2>"$tmp/err2"
	shown "counts" "$tmp/err2"
}

# each NAME COMMAND...: alone, then in all combinations
each() {
	each_name=$1
	shift
	each_status=0
	timeout 300 "$@" >"$tmp/alone" 2>"$tmp/err" || each_status=$?
	is "$each_status" 0 "$each_name: runs alone"
	if test "$each_status" -ne 0; then
		shown "$each_name alone" "$tmp/err"
		return
	fi
	combined "$each_name" driver "$@"
	is "$(cat "$tmp/counts-driver")" "" "$each_name, driver: no slot is hooked"
	combined "$each_name" driver,tables "$@"
	ok "$each_name, driver,tables: slots are called" test -s "$tmp/counts-driver,tables"
	is "$(grep -c 'd4082055\|INTEGRITY' "$tmp/counts-driver,tables")" 0 "$each_name: none of the integrity table"
	combined "$each_name" driver,runtime,tables "$@"
	is "$(grep -c 'a094798c\[[12]\]$' "$tmp/counts-driver,runtime,tables")" 0 \
		"$each_name: words of the runtime's domain are its alone"
	diag "$each_name: a table for docs/, CALLS with driver,tables | with driver,runtime,tables | slot"
	awk 'FNR == NR { first[$2] = $1; next } { second[$2] = $1 }
	END { for (n in first) all[n]; for (n in second) all[n]
	for (n in all) printf "# | %d | %d | `%s` |\n", first[n], second[n], n }' \
		"$tmp/counts-driver,tables" "$tmp/counts-driver,runtime,tables" | sort -t '|' -k 2,2nr
	# Which slots are left, and why: the words themselves need a debugger, the sizes do not.
	rm -f "$tmp"/coverage*
	audited CUAUDIT_DOMAINS=driver,tables CUAUDIT_HOOKS='coverage(format=json)' CUAUDIT_OUTPUT="$tmp/coverage-%p" \
		timeout 300 "$@" >"$tmp/out" 2>"$tmp/err" || :
	handed "$tmp"/coverage* >"$tmp/handed" 2>&1
	sed "s/^/# $each_name: handed out /" "$tmp/handed"
	audited CUAUDIT_DOMAINS=driver,tables CUAUDIT_FUNCTIONS=%tables CUAUDIT_HOOKS=trace \
		CUAUDIT_OUTPUT="$tmp/trace-%p" timeout 300 "$@" >"$tmp/out" 2>"$tmp/err" || :
	each_last=$(ls -t "$tmp"/trace-*.cutrace 2>"$tmp/none" | head -n 1)
	test -z "$each_last" ||
		"$top_builddir/bin/cuaudit" convert --to text --symbols no "$each_last" 2>&1 | head -n 12 | sed "s/^/# $each_name: /"
	rm -f "$tmp"/trace-*
}

python_has() {
	"$PYTHON3" -c "import $1" >"$tmp/import" 2>&1
}

# built NAME ARGUMENT...: builds it, says why where that fails
built() {
	built_name=$1
	shift
	"$nvcc" -o "$tmp/$built_name" "$@" >"$tmp/nvcc" 2>&1 && return
	diag "nvcc cannot build $built_name"
	shown nvcc "$tmp/nvcc"
	return 1
}

if test -x "$nvcc"; then
	built saxpy "$gpu/saxpy.cu" && each "saxpy, static cudart" "$tmp/saxpy"
	built saxpy_shared -cudart shared "$gpu/saxpy.cu" && each "saxpy, shared cudart" "$tmp/saxpy_shared"
	built gemm "$gpu/gemm.cu" -lcublas && each "cuBLAS" "$tmp/gemm"
else
	skip 1 "no nvcc"
fi
if python_has torch; then
	each "PyTorch" "$PYTHON3" "$gpu/torch_eager.py"
else
	skip 1 "no torch"
	shown import "$tmp/import"
fi
if python_has cupy; then
	each "CuPy" "$PYTHON3" "$gpu/cupy_arrays.py"
else
	skip 1 "no cupy"
	shown import "$tmp/import"
fi
if python_has jax; then
	each "JAX" "$PYTHON3" "$gpu/jax_jit.py"
else
	skip 1 "no jax"
	shown import "$tmp/import"
fi
done_testing
