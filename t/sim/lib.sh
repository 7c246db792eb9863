# SPDX-License-Identifier: Apache-2.0
# What the tests of the simulated driver share: its programs, built and run.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

sim=$simdir/libcuda.so.1

# sim_program NAME SOURCE [FLAG...]: $tmp/NAME from t/sim/SOURCE, linked to the simulated driver.
sim_program() {
	sim_name=$1
	sim_source=$2
	shift 2
	case $sim_source in
	*.cc) sim_compile="$CXX -std=c++17 -D_GNU_SOURCE -I$top_srcdir -I$top_srcdir/include -Wl,--disable-new-dtags" ;;
	*) sim_compile=compile ;;
	esac
	$sim_compile -O1 -g -Wall -Wextra -o "$tmp/$sim_name" \
		"$top_srcdir/t/sim/$sim_source" "$sim" "$@" -pthread \
		-Wl,-rpath,"$simdir" >"$tmp/build.out" 2>&1 && return
	sed 's/^/# /' "$tmp/build.out"
	bail_out "cannot build $sim_name"
}

# sim_results NAME [ARGUMENT...]: the program's TAP is this test's; its status too.
sim_results() {
	sim_name=$1
	shift
	sim_status=0
	$run_env "$tmp/$sim_name" "$@" || sim_status=$?
	exit "$sim_status"
}
