# SPDX-License-Identifier: Apache-2.0
# Faults on a real GPU: what the driver's callers, PyTorch and JAX make of them.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

nvidia-smi -L >"$tmp/gpus" 2>&1 || skip_all "no GPU"
gpu=$top_srcdir/t/gpu
oom=error=CUDA_ERROR_OUT_OF_MEMORY

# faulty RULES WANT COMMAND...: what the command prints, as a regex, under the rules
faulty() {
	faulty_rules=$1
	faulty_want=$2
	shift 2
	audited CUAUDIT_HOOKS="fault($faulty_rules)" "$@" >"$tmp/out" 2>"$tmp/err" ||
		echo "status $?" >>"$tmp/out"
	like "$(tr '\n' ' ' <"$tmp/out")" "$faulty_want" "$faulty_rules"
	sed -n '/^cuaudit: /s/^/# /p' "$tmp/err" | cut -c 1-200
}

has() {
	"$PYTHON3" -c "import $1" >"$tmp/import" 2>&1
}

compile -o "$tmp/allocs" "$gpu/allocs.c" -ldl || bail_out "cannot build"
faulty "inject=cuMemAlloc:$oom:when=3" '^0 0 2 0 0 synchronized 0 [0-9] $' "$tmp/allocs"
faulty "inject=cuMemAlloc:$oom:if=bytesize>=2M" '^0 0 0 0 0 s' "$tmp/allocs" 5 1048576
faulty "inject=cuMemAlloc:$oom:if=bytesize>=2M" '^2 2 2 2 2 s' "$tmp/allocs" 5 2097152
faulty "inject=cuStreamSynchronize:delay_enter=50ms" 'synchronized 0 [5-9][0-9] $' "$tmp/allocs"
faulty "inject=cuStreamSynchronize:result=CUDA_ERROR_LAUNCH_FAILED" 'synchronized 719 ' "$tmp/allocs"

# One failure is retried after the cache is emptied; two in a row are an OutOfMemoryError.
if has torch; then
	torch=$gpu/torch_fault.py
	faulty "inject=cuInit:delay_enter=1" \
		'^failed \[\] retries 0 ooms 0 and works 2000' "$PYTHON3" "$torch"
	faulty "inject=cuMemAlloc:$oom:if=bytesize>=32M:when=3" \
		'^failed \[\] retries 1 ooms 0 and works 2000' "$PYTHON3" "$torch"
	faulty "inject=cuMemAlloc:$oom:if=bytesize>=32M:when=3..4" \
		'^failed \[2\] retries 1 ooms 1 and works 2000' "$PYTHON3" "$torch"
	faulty "inject=cuMemAlloc:$oom:if=bytesize>=32M:lib=libnone*" \
		'^failed \[\] retries 0 ooms 0 and works 2000' "$PYTHON3" "$torch"
	PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
	export PYTORCH_CUDA_ALLOC_CONF
	faulty "inject=cuMemCreate:$oom:when=5..100" \
		'^failed \[[0-9].*\] retries [1-9][0-9]* ooms [1-9]' "$PYTHON3" "$torch"
	unset PYTORCH_CUDA_ALLOC_CONF
else
	skip 5 "no torch"
fi
large="$oom:if=bytesize>=64M;inject=cuMemCreate:$oom:if=size>=64M"
if has jax; then
	faulty "inject=cuInit:delay_enter=1" '^made .* and works 2000' "$PYTHON3" "$gpu/jax_fault.py"
	faulty "inject=cuMemAlloc,cuMemAllocAsync,cuMemAllocFromPoolAsync:$large" \
		'^failed True and works 2000' "$PYTHON3" "$gpu/jax_fault.py"
else
	skip 2 "no jax"
fi
done_testing
