# SPDX-License-Identifier: Apache-2.0
# The leak hook on a real GPU: planted leaks and errors are found, and nothing else is.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

nvidia-smi -L >"$tmp/gpus" 2>&1 || skip_all "no GPU"
driver=$(ldconfig -p | sed -n 's/.*libcuda\.so\.1 (.*x86-64.*=> //p' | head -n 1)
compile -O1 -g -rdynamic -o "$tmp/leaks" "$top_srcdir/t/leak/leaks.c" \
	"${driver:-/usr/lib/x86_64-linux-gnu/libcuda.so.1}" || bail_out "cannot build leaks"

# reported NAME COMMAND...: its report, shortened, in $tmp/short.
reported() {
	reported_name=$1
	shift
	rm -rf "$tmp/reports"
	mkdir "$tmp/reports"
	reported_status=0
	audited CUAUDIT_HOOKS='leak(format=json)' CUAUDIT_OUTPUT="$tmp/reports/%p" "$@" \
		>"$tmp/out" 2>"$tmp/err" || reported_status=$?
	: >"$tmp/short"
	for report in "$tmp"/reports/*.leak; do
		test ! -f "$report" || "$PYTHON3" "$top_srcdir/t/gpu/leak_report.py" "$report" >>"$tmp/short"
	done
	diag "$reported_name: status $reported_status, $(grep -c '^left' "$tmp/short") kinds left," \
		"$(grep '^allocated' "$tmp/short" | tr '\n' ' ')"
	sed 's/^/#   /' "$tmp/short"
}

for how in '' primary; do
	reported "clean $how" "$tmp/leaks" $how clean
	is "$reported_status" 3 "clean $how: status" || diag "$(tail -n 3 "$tmp/out" "$tmp/err")"
	is "$(grep -v '^allocated' "$tmp/short")" "" "clean $how: nothing is left, no error"
done

reported leaks "$tmp/leaks" memory pitch host managed pool virtual array stream event code context
is "$(sed -n 's/^left \([^ ]*\) leaks \([0-9]*\) .*/\1 \2/p' "$tmp/short" | tr '\n' ',')" \
	"address-range 1,array 1,context 2,device-memory 4,event 1,host-memory 1,library 1,managed-memory 1,mapping 1,memory-pool 1,module 1,physical-memory 1,pool-memory 1,registered-host-memory 1,stream 1," \
	"leaks: each planted one"
is "$(grep '^error' "$tmp/short")" "" "leaks: no error"

# A real driver may crash in these; what is wrong is said before.
for error in "double-free double-free" "use-after-free use-after-free" \
	"use-after-free stream-after-free" "use-after-free function-after-unload" \
	"use-after-free with-context" "invalid-free invalid-free" "wrong-context wrong-context"; do
	reported "${error#* }" "$tmp/leaks" "${error#* }"
	like "$(cat "$tmp/err")" "^cuaudit: leak: ${error% *}: " "${error#* }: said"
done

for program in torch:leak_torch.py torch:torch_eager.py jax:jax_jit.py; do
	if ! "$PYTHON3" -c "import ${program%:*}" >"$tmp/import" 2>&1; then
		skip 2 "no ${program%:*}"
		continue
	fi
	reported "${program#*:}" "$PYTHON3" "$top_srcdir/t/gpu/${program#*:}"
	is "$reported_status" 0 "${program#*:}: status"
	is "$(grep '^error' "$tmp/short")" "" "${program#*:}: no error"
	test "$program" = torch:leak_torch.py || continue
	like "$(cat "$tmp/short")" '^left stream libffi[^ ]* 1 0$' "${program#*:}: the stream"
	like "$(cat "$tmp/short")" '^left device-memory libffi[^ ]* 1 1048576$' "${program#*:}: the megabyte"
done
done_testing
