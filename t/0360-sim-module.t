# SPDX-License-Identifier: Apache-2.0
# The simulated driver: modules, libraries, launches and the record of them.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"

helper sim/module

# With a CUDA toolkit at hand, a cubin and a fat binary too.
images=
if test -n "${CUDA_HOME-}" && test -x "$CUDA_HOME/bin/nvcc"; then
	for form in cubin fatbin; do
		"$CUDA_HOME/bin/nvcc" -arch=sm_90 --no-compress "-$form" \
			-o "$tmp/saxpy.$form" "$top_srcdir/t/sim/saxpy.cu" \
			>"$tmp/build.out" 2>&1 || bail_out "nvcc -$form"
		images="$images $tmp/saxpy.$form"
	done
else
	diag "no CUDA compiler: PTX text only"
fi
ok "modules, libraries, launches" $run_env CUAUDIT_SIM_LAUNCHES="$tmp/launches" \
	"$tmp/module" $images

is "$(wc -l <"$tmp/launches")" 11 "a line for each launch that was accepted"
is "$(sed -n 's/ stream=[0-9]*//; 2p' "$tmp/launches")" \
	"saxpy grid=7,1,1 block=64,1,1 shared=128 device=0 cooperative=0" "what it says"
is "$(sed -n 's/.*cooperative=//; 4p' "$tmp/launches")" 1 "a cooperative one"
is "$(sed -n 's/.*device=\([0-9]*\).*/\1/; 11p' "$tmp/launches")" 1 "one on the other device"
sed -n 's/.*stream=\([0-9]*\).*/\1/; 4,5p' "$tmp/launches" >"$tmp/streams"
is "$(sort -u "$tmp/streams" | wc -l)" 2 "the per-thread form has a stream of its own"
done_testing
