# SPDX-License-Identifier: Apache-2.0
# cuGetProcAddress of the simulated driver answers all vectors as the real one did.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"

command -v xz >"$tmp/xz" || skip_all "no xz"
helper sim/procaddr
xz -dc "$top_srcdir/t/data/procaddr-580.txt.xz" >"$tmp/vectors" || bail_out "xz"
sim_results procaddr "$tmp/vectors"
