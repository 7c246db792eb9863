# SPDX-License-Identifier: Apache-2.0
# The limit hook: what one thread ends while another's call about it has not come back.
. "${top_srcdir:-$(dirname "$0")/..}/t/limit/lib.sh"

helper limit/libcuda.so.1
helper limit/races
checked 20 "mappings, shared memory and pools" "device0=64M;format=json" "$tmp/races"
done_testing
