# SPDX-License-Identifier: Apache-2.0
# Sizes that no device has: refused in the name of a limit that there is.
. "${top_srcdir:-$(dirname "$0")/..}/t/limit/lib.sh"

helper limit/sizes

# refused OPTIONS WHO REPORT: three calls are, by the limit of WHO, which is REPORT of the report.
refused() {
	limited "$1" "$1;format=json" "$tmp/sizes"
	is "$(reported "$3['refused']")" 3 "the limit of the $2 refuses"
	like "$(cat "$tmp/err")" ": the $2 has 1048576 of 1048576 left\$" "as the message says"
}
refused "memory=1MiB" process "r['process']"
refused "device=1MiB" device "r['devices'][0]"
refused "memory=2MiB;device=1MiB" device "r['devices'][0]"
refused "memory=2MiB;user=1MiB;file=$tmp/share" user "r['user']"
done_testing
