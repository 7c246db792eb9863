# SPDX-License-Identifier: Apache-2.0
# The simulated driver: start, devices, names of results, forks.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"

# Every result that the table of enumerations has.
sed -n 's/^ENUMERATOR(CUresult, \([A-Z0-9_]*\),.*/{ \1, "\1" },/p' \
	"$top_srcdir/include/cuaudit/driver_enums.def" >"$tmp/results.inc"
sim_program basic basic.c -I"$tmp"
sim_results basic
