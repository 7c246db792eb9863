# SPDX-License-Identifier: Apache-2.0
# The simulated driver: memory, pools and mappings.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"

helper sim/memory
sim_results memory
