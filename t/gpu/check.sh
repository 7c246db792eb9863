# SPDX-License-Identifier: Apache-2.0
# check.sh in a build directory, on a machine with a GPU: `cuaudit check` of programs that break a
# rule, and of the same without the fault. Prints TAP. STEPS: of those without, 1000 if not given.
# The device's faults want two GPUs.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/t/lib.sh"

gpu=$top_srcdir/t/gpu/check
steps=${STEPS:-1000}
nvcc=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc
gpus=$(nvidia-smi -L 2>"$tmp/gpus" | wc -l)
test "$gpus" -gt 0 || skip_all "no GPU"

# gate NAME FAULT RULES BROKEN-STEPS FILE COMMAND...: with the fault 88, and FILE's line that says
# "breaks FAULT" among those told; without it 0 after all steps, with nothing told.
gate() {
	gate_name=$1
	gate_fault=$2
	gate_rules=$gpu/rules/$3.rules
	gate_steps=$4
	gate_file=$5
	shift 5
	gate_line=$(grep -n "breaks $gate_fault\b" "$gpu/$gate_file" | cut -d : -f 1)
	gate_status=0
	"$top_builddir/bin/cuaudit" check --github --rules "$gate_rules" -- "$@" broken "$gate_steps" \
		>"$tmp/out" 2>"$tmp/err" || gate_status=$?
	is "$gate_status" 88 "$gate_name: the fault breaks the rule"
	sed 's/^/# /' "$tmp/err" | cut -c 1-160 | head -n "${LINES_SHOWN:-14}"
	like "$(cat "$tmp/out")" "file=[^,]*$gate_file,line=$gate_line," \
		"$gate_name: at line $gate_line of $gate_file"
	test "$(grep -c "$gate_file,line=$gate_line," "$tmp/out")" -gt 0 || sed 's/^/# /' "$tmp/out"
	gate_status=0
	"$top_builddir/bin/cuaudit" check --rules "$gate_rules" -- "$@" clean "$steps" \
		>"$tmp/out" 2>"$tmp/err" || gate_status=$?
	is "$gate_status" 0 "$gate_name: without it the rule holds"
	is "$(cat "$tmp/out")" "${gate_made:-$steps}" "$gate_name: ... for all steps"
	test "$gate_status" = 0 || sed 's/^/# /' "$tmp/err" | cut -c 1-160 | head -n 20
}

faults="item pageable allocation growth fork capture early"
test "$gpus" -gt 1 && faults="$faults device0"
if "$nvcc" -O1 -g -shared -Xcompiler -fPIC -arch=native -o "$tmp/libgpucheck.so" \
	"$gpu/library.cu" 2>"$tmp/nvcc" &&
	compile -g -o "$tmp/application" "$gpu/application.c" -L"$tmp" -lgpucheck \
		-Wl,-rpath,"$tmp"; then
	for fault in $faults; do
		gate "library, $fault" "$fault" "$fault" 5 library.cu "$tmp/application" "$fault"
	done
else
	skip 4 "no nvcc"
fi
if "$PYTHON3" -c 'import torch' 2>"$tmp/import"; then
	for fault in $faults; do
		file=torch_step.py
		rules=$fault
		if test "$fault" = early; then
			file=touches_device.py
			rules=early-torch
		fi
		gate "torch, $fault" "$fault" "$rules" 5 "$file" "$PYTHON3" "$gpu/torch_step.py" "$fault"
	done
	gate_made=$((steps * 16))
	gate "server of three threads" serve serve 20 torch_serve.py "$PYTHON3" "$gpu/torch_serve.py"
else
	skip 4 "no torch"
fi
done_testing
