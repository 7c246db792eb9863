# SPDX-License-Identifier: Apache-2.0
# The simulated driver: streams, events and host functions.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"

helper sim/stream
sim_results stream
