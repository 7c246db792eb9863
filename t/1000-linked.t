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

# One function by an address, a place in it, the PLT and a look-up: each counts as what it is.
# No segment is left writable that was not.
build libmixed.so -shared -fPIC -fplt -Wl,-z,lazy -x c - -x none $cuda -ldl <<'END'
#include <dlfcn.h>

#include "t/fake/driver.h"

int (*volatile mixed_address)(unsigned int flags) = cuInit;
const char *volatile mixed_inside = (const char *)cuInit + 4;
extern int cuNewOne(unsigned int flags) __attribute__((weak));
int (*volatile mixed_weak)(unsigned int flags) = cuNewOne;

int mixed_call(void);
int mixed_call(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_NOW);
	int (*found)(unsigned int) = (int (*)(unsigned int))dlsym(driver, "cuInit");

	return mixed_address(0) || cuInit(0) || found(0);
}
END
build mixed -x c - -x none -L"$tmp" -l:libmixed.so $cuda -ldl <<'END'
#include <link.h>
#include <stdint.h>

#include "t/fake/driver.h"
#include "t/tap.h"

extern const char *volatile mixed_inside;
extern int mixed_call(void);

/* How the page at is mapped: 1 if it can be written to. */
static int is_writable(uintptr_t at)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to;
	char line[4096], mode[8];
	int writable = 0;

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) == 3 && at >= from && at < to)
			writable = mode[1] == 'w';
	if (maps)
		fclose(maps);
	return writable;
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || segment->p_flags & PF_W)
			continue;
		for (ElfW(Xword) at = 0; at < segment->p_memsz; at += 4096)
			*(int *)data += is_writable(info->dlpi_addr + segment->p_vaddr + at);
	}
	/* The program and its first libraries, ours among them. */
	return strstr(info->dlpi_name, "/libcuda.so.1") != NULL;
}

int main(void)
{
	int writable = 0;

	dl_iterate_phdr(look, &writable);
	is_int(writable, 0, "no page of code or constants can be written to");
	is_ptr(mixed_inside, (const char *)cuaudit_fake_address("cuInit") + 4, "a place in a function");
	is_int(mixed_call(), 0, "the calls");
	return done_testing();
}
END
native "one function in every way" "$tmp/mixed"
if test "$LOADER" = new; then
	ok "one function in every way" audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS='stat(format=json)' \
		CUAUDIT_OUTPUT="$tmp/mixed.json" "$tmp/mixed"
	is "$(sed -n 's/.*"routes":\({[^}]*}\).*/\1/p' "$tmp/mixed.json")" \
		'{"plt":2,"dlsym":1,"relocation":1,"procaddr":0}' "its routes, and the program's own call"
else
	skip 2 "old loaders route all by the driver's symbol table"
fi

# libraries
ok "a directory" mkdir "$tmp/other"
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
