# SPDX-License-Identifier: Apache-2.0
# The simulated driver: exceptions and longjmp out of host functions.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"

helper sim/leave
sim_results leave
