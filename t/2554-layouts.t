# SPDX-License-Identifier: Apache-2.0
# Objects laid out as few are: intercepted all the same, or among the escapes.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

exec=$top_srcdir/t/exec
fake_driver
know_loader

# object NAME FLAG...: addresses.c, linked to the fake driver.
object() {
	object_name=$1
	shift
	build "$object_name" -fno-plt "$exec/addresses.c" "$@" -L"$tmp" -l:libcuda.so.1 -ldl
}

# patched WHAT FROM TO: see patch.py.
patched() {
	"$PYTHON3" "$exec/patch.py" "$1" "$tmp/$2" "$tmp/$3" || bail_out "cannot patch $2"
}

# reports COMMAND...: what it prints, its status, the calls we counted.
reports() {
	rm -f "$tmp/report" "$tmp/report.coverage"
	reports_status=0
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS='stat(format=json),coverage(format=json;fail=escapes)' \
		CUAUDIT_OUTPUT="$tmp/report" "$@" >"$tmp/out" 2>"$tmp/err" || reports_status=$?
	cat "$tmp/out" "$tmp/err"
	test -e "$tmp/report" || echo "no report"
	test ! -e "$tmp/report" || echo "status $reports_status, cuInit $(calls cuInit "$tmp/report")," \
		"cuDriverGetVersion $(calls cuDriverGetVersion "$tmp/report")"
}

# laid_out NAME LIBRARY [PROGRAM]: opened lazily and at once, in a program that calls too.
laid_out() {
	laid_program=$tmp/${3-plain}
	native "$1" "$laid_program" "$tmp/$2" "$tmp/$2"
	is "$(reports "$laid_program" "$tmp/$2" "$tmp/$2")" "cuInit called 6 times
status 0, cuInit 6, cuDriverGetVersion 3" "$1: all is called and counted"
}

object plain
object fixed -fno-pie -no-pie
for at in 0x10000 0x200000 0x10000000 0x700000000000; do
	object text-$at.so -DLIBRARY -shared -fPIC -Wl,-Ttext-segment=$at
	laid_out "a library made for $at" text-$at.so
	laid_out "a library made for $at, a fixed program" text-$at.so fixed
	object shared-$at.so -DLIBRARY -shared -fPIC -Wl,-Ttext-segment=$at,-z,noseparate-code
	laid_out "a library made for $at, one segment of code" shared-$at.so
	object program-$at -fPIE -pie -Wl,-Ttext-segment=$at
	laid_out "a program made for $at" text-0x10000.so program-$at
done

object library.so -DLIBRARY -shared -fPIC
patched moved library.so moved.so
laid_out "program headers at the end" moved.so
patched moved text-0x10000.so moved-text.so
laid_out "program headers at the end, a library made for 0x10000" moved-text.so

# Twice in the process: the program headers are the right copy's.
cp "$tmp/moved.so" "$tmp/again.so"
laid_out "twice" again.so

# 600 libraries needed: DT_NEEDED come first of all entries.
echo 'int needed;' >"$tmp/needed.c"
build libneeded.so -shared -fPIC "$tmp/needed.c"
set --
for n in $(seq 600); do
	ln -s libneeded.so "$tmp/libneeded$n.so"
	set -- "$@" "-l:libneeded$n.so"
done
object needs.so -DLIBRARY -shared -fPIC -Wl,--no-as-needed -L"$tmp" "$@"
is "$($READELF -dW "$tmp/needs.so" | grep -c 'NEEDED.*libneeded')" 600 "a library with 600 DT_NEEDED"
laid_out "it" needs.so

# driver NAME [VARIABLE=VALUE...]: the fake one, made so, in $tmp/driver.
driver() {
	driver_name=$1
	shift
	is "$(reports CUAUDIT_DRIVER="$tmp/driver/libcuda.so.1" "$@" "$tmp/plain" "$tmp/library.so")" \
		"cuInit called 4 times
status 0, cuInit 4, cuDriverGetVersion 2" "a driver $driver_name: all is called and counted"
}
mkdir "$tmp/driver"
other_auditor
for at in 0x10000 0x10000000; do
	build driver/libcuda.so.1 -shared -fPIC -Wl,-soname,libcuda.so.1 -Wl,-Ttext-segment=$at \
		"$top_srcdir/t/fake/driver.c" "$top_srcdir/t/fake/tools.c" "$top_srcdir/t/fake/record.S" -ldl
	driver "made for $at"
	driver "made for $at, beside another auditor" LD_AUDIT="$tmp/told.so:$LIBCUAUDIT"
done
patched moved libcuda.so.1 driver/libcuda.so.1
driver "with program headers at the end"
build driver/libcuda.so.1 -shared -fPIC -Wl,-soname,libcuda.so.1 \
	"$top_srcdir/t/fake/driver.c" "$top_srcdir/t/fake/tools.c" "$top_srcdir/t/fake/record.S" -ldl -Wl,--no-as-needed \
	-L"$tmp" "$@"
driver "with 600 DT_NEEDED"

# What cannot be routed. Before glibc 2.35 the driver's symbol table routes all of these.
patched hidden library.so hidden.so
native "program headers in no segment" "$tmp/plain" "$tmp/hidden.so"
is "$(reports "$tmp/plain" "$tmp/hidden.so" | sed 's, /[^ ]*/, ,g')" "cuInit called 4 times
cuaudit: not intercepted: hidden.so: its tables cannot be read
status 86, cuInit $(test "$LOADER" = old && echo 4 || echo 2), cuDriverGetVersion $(
	test "$LOADER" = old && echo 2 || echo 1)" "program headers in no segment: said, status 86"
like "$(cat "$tmp/report.coverage")" \
	'"escapes":\[\{"name":"hidden\.so","kind":"object",[^]]*"library":"[^"]*/hidden\.so","count":1\}\]' \
	"and reported"
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS='stat,coverage' CUAUDIT_OUTPUT="$tmp/report" \
	"$tmp/plain" "$tmp/hidden.so" "$tmp/hidden.so" >"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/report.coverage")" '^ +2  hidden\.so, its tables cannot be read, for .*/hidden\.so$' \
	"and in the table, each time"
like "$(cat "$tmp/report")" 'escapes +hidden\.so, its tables cannot be read, for .*, 2 times$' \
	"and in that of stat"
is "$(grep -c 'not intercepted' "$tmp/err")" 1 "said once"

# Where segments end is not to be counted with, nor then what tables lie in them.
patched endless library.so endless.so
native "a segment without an end" "$tmp/plain" "$tmp/endless.so"
is "$(reports "$tmp/plain" "$tmp/endless.so" | sed -n 's, /[^ ]*/, ,gp')" \
	"cuaudit: not intercepted: endless.so: its tables cannot be read" "a segment without an end: reported"

# Tables of the object that are not aligned are not read, program headers included.
patched odd library.so odd.so
native "program headers off a multiple of 8" "$tmp/plain" "$tmp/odd.so"
is "$(reports "$tmp/plain" "$tmp/odd.so" | sed -n 's, /[^ ]*/, ,gp')" \
	"cuaudit: not intercepted: odd.so: its tables cannot be read" \
	"program headers off a multiple of 8: reported"

# A child's report begins anew, and what cannot be routed in it still cannot.
build forks -fno-plt -x c - -L"$tmp" -l:libcuda.so.1 -ldl <<'C'
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/fake/driver.h"

int main(int argc, char **argv)
{
	int status = argc != 2 || !dlopen(argv[1], RTLD_NOW) || cuInit(0);

	if (!fork())
		exit(cuInit(0));
	return wait(&status) < 0 || !WIFEXITED(status) ? 99 : WEXITSTATUS(status);
}
C
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS='coverage(format=json;fail=escapes)' \
	CUAUDIT_OUTPUT="$tmp/forked.%p" "$tmp/forks" "$tmp/hidden.so" >"$tmp/out" 2>"$tmp/err"
is "$(grep -l '"escapes":\[{"name":"hidden.so","kind":"object"' "$tmp"/forked.*.coverage | wc -l)" 2 \
	"in the child's report too"

# A dynamic section that cannot be written, and relocations that share the segment of code.
# Old loaders write to it all the same.
if test "$LOADER" != old && ld.lld --version >"$tmp/none" 2>&1 && object constant.so -DLIBRARY \
	-shared -fPIC -fuse-ld=lld -Wl,-z,rodynamic,--no-rosegment; then
	native "a constant dynamic section" "$tmp/plain" "$tmp/constant.so"
	is "$(reports "$tmp/plain" "$tmp/constant.so" | sed 's, /[^ ]*/, ,g')" "cuInit called 4 times
cuaudit: not intercepted: constant.so: its relocations cannot be changed
status 86, cuInit 2, cuDriverGetVersion 1" "a constant dynamic section: reported, status 86"
	like "$(cat "$tmp/report.coverage")" \
		'"escapes":\[\{"name":"constant\.so","kind":"relocations",[^]]*"count":[1-9]' "and reported"
else
	skip 3 "no lld here"
fi

# A driver with an indirect function.
build driver/libcuda.so.1 -shared -fPIC -Wl,-soname,libcuda.so.1 -x c - <<'C'
int cuInit(unsigned int flags);
int cuDriverGetVersion(int *version);
int cuNewIndirect(void);
static int resolved(void)
{
	return 7;
}
static int (*resolve(void))(void)
{
	return resolved;
}
int cuInit(unsigned int flags)
{
	return (int)flags;
}
int cuDriverGetVersion(int *version)
{
	return *version = 0;
}
int cuNewIndirect(void) __attribute__((ifunc("resolve")));
C
build indirect -x c - -L"$tmp/driver" -l:libcuda.so.1 -Wl,--no-as-needed -ldl <<'C'
int cuInit(unsigned int flags);
int cuNewIndirect(void);

int main(void)
{
	return cuInit(0) || cuNewIndirect() != 7;
}
C
is "$(reports LD_LIBRARY_PATH="$tmp/driver" "$tmp/indirect" | sed 's, /[^ ]*/, ,g')" \
	"cuaudit: not intercepted: libcuda.so.1: its indirect functions (IFUNC) have no slot
status 86, cuInit 1, cuDriverGetVersion 0" "a driver with an indirect function: reported, status 86"
like "$(cat "$tmp/report.coverage")" '"kind":"ifunc",[^]]*"count":1' "and reported"

# A fixed program that takes a function's address defines it for all, but not for a library
# that looks into its own scope first.
build deep -fno-pie -no-pie -x c - -L"$tmp" -l:libcuda.so.1 -ldl <<'C'
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "t/fake/driver.h"

/* Taken by code: for data linkers may ask the loader for the address. */
static int (*volatile taken)(unsigned int flags);

int main(int argc, char **argv)
{
	int mode = RTLD_NOW | (argc == 3 && strcmp(argv[2], "shallow") ? RTLD_DEEPBIND : 0);
	void *library = dlopen(argv[1], mode);
	int (*call)(void);
	int failed;

	if (argc == 3 && !strcmp(argv[2], "moved")) {
		ElfW(Addr) at = ((struct link_map *)library)->l_addr;
		const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)at;
		const ElfW(Phdr) *segment = (const ElfW(Phdr) *)(at + header->e_phoff);
		size_t size = 0;

		for (int i = 0; i < header->e_phnum; i++)
			if (segment[i].p_type == PT_LOAD)
				size = segment[i].p_vaddr + segment[i].p_memsz;
		/* Zeros where it was; it comes somewhere else the next time. */
		dlclose(library);
		if (mmap((void *)at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS |
			 MAP_FIXED_NOREPLACE, -1, 0) != (void *)at)
			return 9;
		library = dlopen(argv[1], mode);
	}
	call = library ? (int (*)(void))dlsym(library, "addresses_call") : NULL;
	taken = cuInit;
	failed = !call || call() || taken(0);

	if (argc == 3 && !strcmp(argv[2], "shallow"))
		dlclose(library);
	return failed;
}
C
if $READELF -sW "$tmp/deep" | grep -q ' [0-9a-f]*[1-9a-f][0-9a-f]* .* UND cuInit'; then
	is "$(reports "$tmp/deep" "$tmp/library.so" shallow)" \
		"status 0, cuInit 3, cuDriverGetVersion 1" "a fixed program's own address: routed"
	is "$(reports "$tmp/deep" "$tmp/library.so" deep | sed 's, /[^ ]*/, ,g')" "$(
		test "$LOADER" = old ||
			echo "cuaudit: not intercepted: library.so: its relocations cannot be changed"
		test "$LOADER" = old || echo "status 86, cuInit 1, cuDriverGetVersion 1"
		test "$LOADER" = new || echo "status 0, cuInit 3, cuDriverGetVersion 1")" \
		"and with RTLD_DEEPBIND: reported"
	first=$(grep -o '"kind":"relocations",[^]]*"count":[0-9]*' "$tmp/report.coverage")
	reports "$tmp/deep" "$tmp/library.so" moved >"$tmp/out"
	moved=$(grep -o '"kind":"relocations",[^]]*"count":[0-9]*' "$tmp/report.coverage")
	is "${moved##*:}" "$(test -z "$first" || echo $((2 * ${first##*:})))" \
		"and again, where it comes to another address"
else
	skip 3 "this linker gives a fixed program no address of its own"
fi

# Nothing of it is routed: the report is made all the same, and what is written still is.
if test "$LOADER" = new; then
	build alone -x c - -ldl <<'C'
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*call)(void) = library ? (int (*)(void))dlsym(library, "addresses_call") : NULL;

	printf("called: %d\n", call ? call() : 0);
	return 3;
}
C
	rm -f "$tmp/report.coverage"
	alone_status=0
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS='coverage(fail=escapes)' \
		CUAUDIT_OUTPUT="$tmp/report" "$tmp/alone" "$tmp/hidden.so" >"$tmp/out" 2>"$tmp/err" ||
		alone_status=$?
	is "$alone_status: $(cat "$tmp/out")" "86: called: 0" "nothing is routed: status 86"
	like "$(cat "$tmp/report.coverage")" '^ +1  hidden\.so, its tables cannot be read' "and reported"
else
	skip 2 "old loaders route all by the driver's symbol table"
fi
# Where there is no driver, what such a library would have called concerns nobody.
build none.so -shared -fPIC "$tmp/needed.c"
patched hidden none.so none-hidden.so
audited LD_LIBRARY_PATH="$tmp" LD_PRELOAD="$tmp/none-hidden.so" CUAUDIT_HOOKS='coverage(fail=escapes)' \
	true >"$tmp/out" 2>"$tmp/err"
is "$? $(cat "$tmp/out" "$tmp/err")" "0 " "no driver: nothing is printed"

# Twenty copies of a whole driver.
set --
for n in $(seq 20); do
	cp "$simdir/libcuda.so.1" "$tmp/sim$n.so" || bail_out "cannot copy"
	set -- "$@" "$tmp/sim$n.so"
done
build each -x c - -ldl <<'C'
#include <dlfcn.h>

int main(int argc, char **argv)
{
	int failed = argc < 2;

	for (int i = 1; i < argc; i++) {
		void *driver = dlopen(argv[i], RTLD_NOW);
		int (*init)(unsigned int) = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : 0;

		failed |= !init || init(0);
	}
	return failed;
}
C
is "$(reports "$tmp/each" "$@")" "status 0, cuInit 20, cuDriverGetVersion 0" "twenty drivers"
is "$(grep -o '"path":"[^"]*/sim[0-9]*\.so","version":[0-9]*,"exported":[0-9]*,"without_slot":0' \
	"$tmp/report.coverage" | wc -l)" 20 "each has its slots"
is "$(grep -o '"name":"cuInit","in_table":true,"called":true' "$tmp/report.coverage" | wc -l)" 20 \
	"and is called through one"

# Calls of more libraries than the table of coverage has lines for.
echo 'int cuInit(unsigned int flags); int call(void); int call(void) { return cuInit(0); }' >"$tmp/one.c"
build one.so -shared -fPIC -fplt -Wl,-z,lazy "$tmp/one.c"
set --
for n in $(seq 300); do
	cp "$tmp/one.so" "$tmp/one$n.so" || bail_out "cannot copy"
	set -- "$@" "$tmp/one$n.so"
done
build calls -x c - -ldl -L"$tmp" -Wl,--no-as-needed -l:libcuda.so.1 <<'C'
#include <dlfcn.h>

int main(int argc, char **argv)
{
	int failed = argc < 2;

	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_LAZY);
		int (*call)(void) = library ? (int (*)(void))dlsym(library, "call") : 0;

		failed |= !call || call();
	}
	return failed;
}
C
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS=coverage CUAUDIT_OUTPUT="$tmp/report" "$tmp/calls" "$@" \
	2>"$tmp/err"
is "$?" 0 "300 libraries call"
libraries=$(grep -c ' .*/one[0-9]*\.so$' "$tmp/report.coverage")
more=$(sed -n 's/^ *\([0-9]*\)  bindings of more libraries than fit here.*/\1/p' "$tmp/report.coverage")
is "$((libraries + more))" 300 "each is in the table, or among those that are left"

done_testing
