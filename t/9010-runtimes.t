# SPDX-License-Identifier: Apache-2.0
# CUDA runtimes of 11.8 to 13.0, shared and static, launch a kernel on a real GPU: the same audited.
#
# CUAUDIT_TEST_BUNDLE is the unpacked bundle of t/runtimes/gpu-bundle.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
. "$top_srcdir/t/runtimes/bundle.sh"

# A simulated or stub driver is none of this test's.
nvidia-smi -L >"$tmp/gpus" 2>&1 || skip_all "no GPU"
test -n "$bundle" || skip_all "no bundle of runtimes"

diag "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1)"
diag "$(ldd --version | head -n 1), kernel $(uname -r)"
all_bundled 0
done_testing
