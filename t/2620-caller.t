# SPDX-License-Identifier: Apache-2.0
# What hooks are told of who called: callers by frame pointers and by unwinding, build-id, thread's name.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
helpers plugins/aligned.so plugins/caller
# Behind a note that ends off a multiple of 8, and is filled up to one.
routed "callers" "$tmp/caller" "$tmp/aligned.so"
cp "$tmp/tap.out" "$tmp/out"

# build_id FILE
build_id() {
	$READELF -nW "$1" | sed -n 's/.*Build ID: //p'
}
is "$(sed -n 's/^# build-id //p' "$tmp/out")" "$(build_id "$tmp/caller")" "the program's build-id"
ok "which is one" test -n "$(build_id "$tmp/caller")"
libc=$(ldd "$tmp/caller" | awk '$1 == "libc.so.6" { print $3 }')
is "$(sed -n 's/^# libc //p' "$tmp/out")" "$(build_id "$libc" | cut -c 1-8)" \
	"the beginning of another library's"
is "$(sed -n 's/^# aligned //p' "$tmp/out")" 0102030405060708090a0b0c0d0e0f1011121314 \
	"one among notes that are aligned to 8 bytes"
done_testing
