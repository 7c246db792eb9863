# SPDX-License-Identifier: Apache-2.0
# The simulated driver: copies, fills and arrays.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"

helper sim/copy
sim_results copy
