# SPDX-License-Identifier: Apache-2.0
# The simulated driver: contexts.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"

sim_program context context.c
sim_results context
