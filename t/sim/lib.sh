# SPDX-License-Identifier: Apache-2.0
# What the tests of the simulated driver share: its programs, built and run.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

sim=$simdir/libcuda.so.1

# sim_results NAME [ARGUMENT...]: the program's TAP is this test's; its status too.
sim_results() {
	sim_name=$1
	shift
	sim_status=0
	$run_env "$tmp/$sim_name" "$@" || sim_status=$?
	exit "$sim_status"
}
