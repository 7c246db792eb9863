# SPDX-License-Identifier: Apache-2.0
# What the tests of traces share: files to read.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

# synthesizer: builds $tmp/synth, see t/trace/synth.c.
synthesizer() {
	compile -O2 -o "$tmp/synth" "$top_srcdir/t/trace/synth.c" "$top_srcdir"/print/*.c "$top_srcdir"/util/buffer.c \
		>"$tmp/build.out" 2>&1 && return
	sed 's/^/# /' "$tmp/build.out"
	bail_out "cannot build t/trace/synth.c"
}

# synth ARGUMENT...: what it put in, in $tmp/truth; `truth KEY` is one number of it.
synth() {
	"$tmp/synth" "$@" >"$tmp/truth" || bail_out "synth $*"
}

truth() {
	sed -n "s/^$1 //p" "$tmp/truth"
}
