# SPDX-License-Identifier: Apache-2.0
# The simulated driver: contexts.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"

helper sim/context
sim_results context
