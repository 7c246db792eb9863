# SPDX-License-Identifier: Apache-2.0
# What the tests of traces share: files to read.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

# synth ARGUMENT...: what it put in, in $tmp/truth; `truth KEY` is one number of it.
synth() {
	"$tmp/synth" "$@" >"$tmp/truth" || bail_out "synth $*"
}

truth() {
	sed -n "s/^$1 //p" "$tmp/truth"
}
