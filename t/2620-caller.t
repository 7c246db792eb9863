# SPDX-License-Identifier: Apache-2.0
# What hooks are told of who called: callers by frame pointers and by unwinding, build-id, thread's name.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
build caller -fno-omit-frame-pointer -rdynamic -Wl,--build-id=sha1 "$top_srcdir/t/plugins/caller.c" \
	-L"$tmp" -l:libcuda.so.1 -L"$top_builddir/lib/cuaudit" -l:cuaudit-core.so \
	-Wl,-rpath,"$top_builddir/lib/cuaudit" -pthread -ldl
# Behind a note that ends off a multiple of 8, and is filled up to one.
build aligned.so -shared -fPIC -nostdlib -Wl,--build-id=none -x c - <<'END'
const int aligned = 1;

__asm__(".section .note.aligned, \"a\"\n"
	"	.balign 8\n"
	"	.long 4, 4, 1\n	.asciz \"OWN\"\n	.long 7, 0\n"
	"	.long 4, 20, 3\n	.asciz \"GNU\"\n"
	"	.byte 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20\n"
	"	.balign 8\n"
	"	.previous\n");
END
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
