# SPDX-License-Identifier: Apache-2.0
# The limit hook: what one thread ends while another's call about it has not come back.
. "${top_srcdir:-$(dirname "$0")/..}/t/limit/lib.sh"

helper limit/libcuda.so.1
helper limit/races
limited "mappings, shared memory and pools" "device0=64M;format=json" "$tmp/races"
is "$(grep -c '^ok' "$tmp/out")" 20 "and nothing was left out"
is "$(reported 'r["process"]["used"], [a["used"] for a in r["libraries"]]')" "(0, [0])" \
	"nothing is left"
done_testing
