# SPDX-License-Identifier: Apache-2.0
# Programs and libraries that are linked to the driver, in every way a linker knows.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

know_loader
fake_driver
cuda="-L$tmp -l:libcuda.so.1"
caller="-L$tmp -l:libcaller.so"
library libcaller.so library.c $cuda

# PLT, lazy and at load
program lazy linked.c $caller $cuda -Wl,-z,lazy
both "lazy PLT" "$tmp/lazy" plt relocation plt
both "LD_BIND_NOW" LD_BIND_NOW=1 "$tmp/lazy" plt relocation plt
program now linked.c $caller $cuda -Wl,-z,now
both "-z now" "$tmp/now" plt relocation plt
program relro linked.c $caller $cuda -Wl,-z,now -Wl,-z,relro
both "full RELRO" "$tmp/relro" plt relocation plt
program stripped linked.c $caller $cuda
ok "strip" strip --strip-all "$tmp/stripped"
both "stripped" "$tmp/stripped" plt relocation plt
if objcopy --help 2>&1 | grep -q -e --strip-section-headers; then
	ok "objcopy" objcopy --strip-section-headers "$tmp/stripped" "$tmp/headless"
else
	# e_shoff, e_shnum, e_shstrndx of the header
	ok "cp" cp "$tmp/stripped" "$tmp/headless"
	ok "e_shoff" dd if=/dev/zero of="$tmp/headless" bs=1 seek=40 count=8 conv=notrunc
	ok "e_shnum" dd if=/dev/zero of="$tmp/headless" bs=1 seek=60 count=4 conv=notrunc
fi
both "without section headers" "$tmp/headless" plt relocation plt

# GLOB_DAT and R_64
program noplt linked.c $caller $cuda -fno-plt
both "-fno-plt" "$tmp/noplt" relocation relocation plt

# a program at a fixed address, whose PLT is where its functions' addresses are
build fixed.o -c -fno-pie "$routes/observe.c"
build fixed -fno-pie -no-pie "$routes/linked.c" "$tmp/fixed.o" $caller $cuda -pthread -ldl
both "-no-pie" "$tmp/fixed" plt plt plt canonical
both "-no-pie, LD_BIND_NOW" LD_BIND_NOW=1 "$tmp/fixed" plt plt plt canonical

# libraries
ok "a folder" mkdir "$tmp/other"
for flags in -Wl,-z,now -fno-plt -Wl,--hash-style=sysv -Wl,-Bsymbolic; do
	build other/libcaller.so -shared -fPIC -Wl,-soname,libcaller.so "$routes/library.c" \
		$cuda $flags
	route=plt
	test "$flags" != -fno-plt || route=relocation
	both "library: $flags" LD_LIBRARY_PATH="$tmp/other:$tmp" "$tmp/lazy" plt relocation $route
done
program sysv linked.c $caller $cuda -Wl,--hash-style=sysv
both "DT_HASH only" "$tmp/sysv" plt relocation plt

# other linkers
for linker in lld gold; do
	if ! compile -fuse-ld=$linker -o "$tmp/any" -x c - <<-END 2>"$tmp/any.out"; then
		int main(void) { return 0; }
	END
		skip 4 "no $linker here"
		continue
	fi
	program $linker linked.c $caller $cuda -fuse-ld=$linker
	both "$linker" "$tmp/$linker" plt relocation plt
	program $linker-now linked.c $caller $cuda -fuse-ld=$linker -Wl,-z,now -fno-plt
	both "$linker, -z now, -fno-plt" "$tmp/$linker-now" relocation relocation plt
done

done_testing
