# SPDX-License-Identifier: Apache-2.0
# The programs for the GPU, on the simulated driver: each runs until its runtime stops there.
#
# CUAUDIT_TEST_BUNDLE is the unpacked bundle of t/runtimes/gpu-bundle, else it is made here.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
. "$top_srcdir/t/runtimes/bundle.sh"

"$PYTHON3" --version >"$tmp/python" 2>&1 || skip_all "no python3"
if test -z "$bundle"; then
	long_test
	"$PYTHON3" -m pip --version >"$tmp/pip" 2>&1 || skip_all "no pip"
	made=0
	env PYTHON3="$PYTHON3" ${CUAUDIT_TEST_CACHE:+CUAUDIT_TEST_CACHE="$CUAUDIT_TEST_CACHE"} \
		"$top_srcdir/t/runtimes/gpu-bundle" "$tmp/bundle.tar.gz" >"$tmp/made" 2>&1 || made=$?
	test "$made" = 0 || diag "$(tail -n 3 "$tmp/made")"
	test "$made" != 3 || skip_all "cannot download the runtimes"
	test "$made" = 0 || bail_out "cannot make the bundle"
	tar -xzf "$tmp/bundle.tar.gz" -C "$tmp"
	bundle=$tmp/bundle
fi
bundle=$(cd "$bundle" && pwd -P)

all_bundled 1 LD_LIBRARY_PATH="$simdir" CUAUDIT_DRIVER=sim

# What the driver is given of each kernel is what the simulated one can load.
compile -O1 -Wall -Wextra -o "$tmp/kernel" "$top_srcdir/t/runtimes/kernel.c" \
	"$simdir/libcuda.so.1" -Wl,-rpath,"$simdir" || bail_out "cannot build kernel"
for program in "$bundle"/*/shared "$bundle"/*/static; do
	ok "${program#"$bundle"/}: its fat binary holds the kernel" "$tmp/kernel" "$program"
done
done_testing
