# SPDX-License-Identifier: Apache-2.0
# Real programs on a real GPU: the same results audited as not, and nothing that escapes.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

# A simulated or stub driver is none of this test's.
nvidia-smi -L >"$tmp/gpus" 2>&1 || skip_all "no GPU"
gpu=$top_srcdir/t/gpu
nvcc=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc

diag "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)"
diag "$(ldd --version | head -n 1), kernel $(uname -r)"

value() {
	sed -n "s/^$1 //p" "$tmp/sums"
}

# real NAME COMMAND...: the command plain, then audited, each process with a report of its own.
real() {
	real_name=$1
	shift
	rm -rf "$tmp/reports"
	mkdir "$tmp/reports"
	if ! "$@" >"$tmp/plain" 2>"$tmp/plain.err"; then
		diag "$(tail -n 5 "$tmp/plain.err")"
		skip 4 "$real_name does not run here without us"
		return
	fi
	real_status=0
	audited CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/reports/%p" "$@" \
		>"$tmp/audited" 2>"$tmp/audited.err" || real_status=$?
	is "$real_status" 0 "$real_name: ends well"
	is "$(cat "$tmp/audited")" "$(cat "$tmp/plain")" "$real_name: prints the same"
	unlike "$(cat "$tmp/audited.err")" '^cuaudit: ' "$real_name: no word of ours"
	find "$tmp/reports" -type f ! -name '*.part' >"$tmp/list"
	if ! xargs "$PYTHON3" "$gpu/judge.py" <"$tmp/list" >"$tmp/sums"; then
		tap_result 1 "$real_name: reports"
		return
	fi
	is "$(value escapes)" 0 "$real_name: nothing escapes"
	diag "$real_name: $(value processes) processes, $(value calls) calls, $(value errors) errors;" \
		"cuGetProcAddress asked $(value asked), answers routed $(value routed)," \
		"other bindings $(value other)"
	diag "  driver $(value driver); callers: $(value callers)"
	grep '^escape' "$tmp/sums" | sed 's/^/# /'
}

python_has() {
	"$PYTHON3" -c "import $1" >"$tmp/import" 2>&1
}

if test -x "$nvcc"; then
	"$nvcc" -o "$tmp/saxpy_static" "$gpu/saxpy.cu" &&
		real "saxpy, static cudart" "$tmp/saxpy_static"
	cp "$tmp/sums" "$tmp/static"
	"$nvcc" -cudart shared -o "$tmp/saxpy_shared" "$gpu/saxpy.cu" &&
		real "saxpy, shared cudart" "$tmp/saxpy_shared"
	is "$(value calls)" "$(sed -n 's/^calls //p' "$tmp/static")" \
		"saxpy: as many calls from the static cudart as from the shared one"
	"$nvcc" -o "$tmp/gemm" "$gpu/gemm.cu" -lcublas && real "cuBLAS" "$tmp/gemm"
	like "$(value callers)" 'libcublas' "cuBLAS: the cudart inside it is seen as it"
else
	skip 14 "no nvcc"
fi
for program in torch_eager torch_compile torch_workers triton_kernel cupy_arrays jax_jit; do
	module=${program%%_*}
	if python_has "$module"; then
		real "$program" "$PYTHON3" "$gpu/$program.py"
	else
		skip 4 "no $module"
	fi
done
done_testing
