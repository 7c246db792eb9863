# SPDX-License-Identifier: Apache-2.0
# What hooks are told of who called: callers by frame pointers and by unwinding, build-id, thread's name.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
build caller -fno-omit-frame-pointer -rdynamic -Wl,--build-id=sha1 "$top_srcdir/t/plugins/caller.c" \
	-L"$tmp" -l:libcuda.so.1 -L"$top_builddir/lib/cuaudit" -l:cuaudit-core.so \
	-Wl,-rpath,"$top_builddir/lib/cuaudit" -pthread -ldl
routed "callers" "$tmp/caller"
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
done_testing
