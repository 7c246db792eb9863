# SPDX-License-Identifier: Apache-2.0
# Programs that look the driver's functions up, and plug-ins that are linked to it.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

know_loader
fake_driver
cuda="-L$tmp -l:libcuda.so.1"
library libcaller.so library.c $cuda
program lookups lookups.c

for mode in dlsym default next program lazy now global deepbind; do
	both "$mode" "$tmp/lookups" $mode
done
for mode in dlmopen dlmopen-first; do
	native "$mode" "$tmp/lookups" $mode
	# glibc before 2.35 makes no namespace while there is an auditor.
	if with_other "$tmp/lookups" $mode; then
		routed "$mode" "$tmp/lookups" $mode
	else
		skip 1 "does not run with any auditor"
	fi
done
both "dlsym, LD_BIND_NOW" LD_BIND_NOW=1 "$tmp/lookups" dlsym
both "plug-in, LD_BIND_NOW" LD_BIND_NOW=1 "$tmp/lookups" lazy
both "LD_BIND_NOT" LD_BIND_NOT=1 "$tmp/lookups" dlsym

# a driver with symbol versions
ok "a directory" mkdir "$tmp/versioned"
echo 'FAKE_1 { global: cu*; fake_*; local: *; };' >"$tmp/map"
build versioned/libcuda.so.1 -shared -fPIC -Wl,-soname,libcuda.so.1 \
	-Wl,--version-script="$tmp/map" "$top_srcdir/t/fake/driver.c" "$top_srcdir/t/fake/tools.c" "$top_srcdir/t/fake/record.S" -ldl
both "dlvsym" LD_LIBRARY_PATH="$tmp/versioned" "$tmp/lookups" dlvsym

# callers that come and go
library libsecond.so library.c $cuda
program unloaded unloaded.c
both "libraries in each other's place" "$tmp/unloaded"

# weak references
library libweak.so weak.c -ldl
cat >"$tmp/weak.c" <<'END'
int weak_main(int argc, char **argv);

int main(int argc, char **argv)
{
	return weak_main(argc, argv);
}
END
build weak "$tmp/weak.c" -L"$tmp" -l:libweak.so
both "weak, no driver" "$tmp/weak" absent
both "weak, LD_BIND_NOW" LD_BIND_NOW=1 "$tmp/weak" absent
build weak-linked "$tmp/weak.c" -L"$tmp" -l:libweak.so -Wl,--no-as-needed $cuda
both "weak, driver" "$tmp/weak-linked" present
both "weak, preloaded driver" LD_PRELOAD="$tmp/libcuda.so.1" "$tmp/weak" present

# What was not there to be bound is looked up later: that is no relocation.
build libasks.so -shared -fPIC -x c - -ldl <<'END'
#include <dlfcn.h>
#include <string.h>

extern int cuInit(unsigned int flags) __attribute__((weak));
int (*volatile asks_address)(unsigned int flags) = cuInit;

int asks(void);
int asks(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*found)(unsigned int) = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : 0;

	Dl_info info;

	/* What libc has is libc's own. */
	if (!dladdr(dlsym(RTLD_DEFAULT, "_exit"), &info) || !strstr(info.dli_fname, "libc.so"))
		return 2;
	return asks_address || !found || found(0);
}
END
build asks -x c - -x none -L"$tmp" -l:libasks.so <<'END'
int asks(void);

int main(void)
{
	return asks();
}
END
native "weak, looked up later" "$tmp/asks"
ok "weak, looked up later" audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS='stat(format=json)' \
	CUAUDIT_OUTPUT="$tmp/asks.json" "$tmp/asks"
is "$(sed -n 's/.*"routes":\({[^}]*}\).*/\1/p' "$tmp/asks.json")" \
	'{"plt":0,"dlsym":1,"relocation":0,"procaddr":0}' "its route"

# the hang of modules that put themselves between by LD_PRELOAD
library libomp.so ompt.c -ldl
program omp ompt-main.c -L"$tmp" -l:libomp.so $cuda
both "ompt_start_tool" timeout 300 "$tmp/omp"

done_testing
