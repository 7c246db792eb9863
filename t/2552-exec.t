# SPDX-License-Identifier: Apache-2.0
# Objects whose relocations share an executable segment: that is never written to, wherever the
# kernel, or a filter, refuses to make memory executable again.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

exec=$top_srcdir/t/exec
fake_driver
build refuse "$exec/refuse.c"
know_loader

# object NAME FLAG...: addresses.c, linked to the fake driver.
object() {
	object_name=$1
	shift
	build "$object_name" -fno-plt "$exec/addresses.c" "$@" -L"$tmp" -l:libcuda.so.1 -ldl
}

# Where tables and code share a segment, and where they do not.
for code in noseparate separate; do
	object $code.so -DLIBRARY -shared -fPIC -Wl,-z,$code-code
	object $code-now.so -DLIBRARY -shared -fPIC -Wl,-z,$code-code -Wl,-z,now -Wl,-z,relro
	object $code -fPIE -pie -Wl,-z,$code-code
	object $code-fixed -fno-pie -no-pie -Wl,-z,$code-code
done

# patched WHAT FROM TO: see patch.py.
patched() {
	"$PYTHON3" "$exec/patch.py" "$1" "$tmp/$2" "$tmp/$3" || bail_out "cannot patch $2"
}

# shared_segment FILE: whether its relocations lie in an executable segment.
shared_segment() {
	$READELF -lW "$1" | awk '
	/^  LOAD/ { executable[++n] = / R.?E / }
	/^   0[0-9] .*\.rela\.dyn/ { at = $1 + 1 }
	/^  [A-Z]/ && !/^  Type/ { kinds[++k] = $1 }
	END { for (i = 1; i <= at; i++) if (kinds[i] == "LOAD") l++; exit !executable[l] }'
}

ok "relocations lie in a segment of code" shared_segment "$tmp/noseparate.so"
ok "also a program's" shared_segment "$tmp/noseparate"
fails "and elsewhere do not" shared_segment "$tmp/separate.so"

# reports COMMAND...: what it prints, its status, the calls we counted.
reports() {
	rm -f "$tmp/report"
	reports_status=0
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS='stat(format=json),coverage(format=json;fail=escapes)' \
		CUAUDIT_OUTPUT="$tmp/report" "$@" >"$tmp/out" 2>"$tmp/err" || reports_status=$?
	cat "$tmp/out" "$tmp/err"
	echo "status $reports_status, cuInit $(calls cuInit "$tmp/report")," \
		"cuDriverGetVersion $(calls cuDriverGetVersion "$tmp/report")"
}

# by_relocation LIBRARY: functions it came by in that way.
by_relocation() {
	"$PYTHON3" -c '
import json, sys
report = json.load(open(sys.argv[1]))
print(*sorted(f["name"] for d in report["drivers"] for f in d["functions"] for b in f["bound"]
    if b["library"].endswith("/" + sys.argv[2]) and b["route"] == "relocation"))' \
	"$tmp/report.coverage" "$1"
}

for how in "" mdwe seccomp protect; do
	refuse=${how:+$tmp/refuse $how}
	if test -n "$how"; then
		status=0
		"$tmp/refuse" $how /bin/true 2>"$tmp/refused" || status=$?
		if test $status = 77; then
			diag "$(cat "$tmp/refused")"
			skip 1 "this kernel cannot refuse by $how"
			continue
		fi
	fi
	for code in noseparate separate; do
		for program in $code $code-fixed; do
			native "$how $program" $refuse "$tmp/$program" "$tmp/$code.so" "$tmp/$code-now.so"
			is "$(reports $refuse "$tmp/$program" "$tmp/$code.so" "$tmp/$code-now.so")" \
				"cuInit called 6 times
status 0, cuInit 6, cuDriverGetVersion 3" "$how $program: all is called and counted"
			# Of a position-dependent program that defines the address, HACKING.md.
			test "$LOADER $program" = "new $code" || continue
			is "$(by_relocation $code.so)" "cuDriverGetVersion cuInit" \
				"$how $program: its library's, by relocation"
			is "$(by_relocation $code-now.so)" "cuDriverGetVersion cuInit" \
				"$how $program: its other library's"
		done
	done
done

# library NAME LIBRARY [VARIABLE=VALUE...]: opened lazily and at once, in a program that calls too.
library() {
	library_name=$1
	library=$tmp/$2
	shift 2
	native "$library_name" "$tmp/separate" "$library" "$library"
	for refuse in "" "$tmp/refuse seccomp"; do
		is "$(reports "$@" $refuse "$tmp/separate" "$library" "$library")" \
			"cuInit called 6 times
status 0, cuInit 6, cuDriverGetVersion 3" "$library_name${refuse:+, seccomp}: called and counted"
	done
}

patched rwx noseparate.so rwx.so
native "code that may be written" "$tmp/noseparate" "$tmp/rwx.so"
is "$(reports "$tmp/noseparate" "$tmp/rwx.so")" "cuInit called 4 times
status 0, cuInit 4, cuDriverGetVersion 2" "code that may be written: called and counted"

patched rw separate.so rw.so
library "tables that may be written" rw.so

# What may be done with an object's memory is what may be without us.
build mapped -x c - -ldl <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Its mappings in their order: pages one behind the other with the same permissions are one. */
int main(int argc, char **argv)
{
	char line[4096], permissions[8], last[8] = "";
	unsigned long from, to, pages = 0;
	FILE *file;

	if (argc != 2 || !dlopen(argv[1], RTLD_NOW) || !(file = fopen("/proc/self/maps", "r")))
		return 1;
	while (fgets(line, sizeof(line), file)) {
		if (!strstr(line, argv[1]) ||
		    sscanf(line, "%lx-%lx %7s", &from, &to, permissions) != 3)
			continue;
		if (*last && strcmp(last, permissions)) {
			printf("%s %lu\n", last, pages);
			pages = 0;
		}
		strcpy(last, permissions);
		pages += (to - from) / 4096;
	}
	printf("%s %lu\n", last, pages);
	return 0;
}
C
for code in separate separate-now noseparate noseparate-now rwx rw; do
	alone=$($run_env LD_LIBRARY_PATH="$tmp" "$tmp/mapped" "$tmp/$code.so")
	like "$alone" '^r' "$code.so is mapped"
	is "$(audited LD_LIBRARY_PATH="$tmp" "$tmp/mapped" "$tmp/$code.so")" "$alone" \
		"and so with us"
done

object plt.so -DLIBRARY -shared -fPIC -fplt -Wl,-z,noseparate-code -Wl,-z,lazy
patched jmprel plt.so jmprel.so
library "the PLT's relocations apart" plt.so
library "the PLT's relocations counted twice" jmprel.so
# Two at once: behind the first one's copy lies what belongs to the second.
cp "$tmp/jmprel.so" "$tmp/jmprel2.so"
native "two of them at once" LD_PRELOAD="$tmp/jmprel.so:$tmp/jmprel2.so" "$tmp/separate"
is "$(reports LD_PRELOAD="$tmp/jmprel.so:$tmp/jmprel2.so" "$tmp/separate" "$tmp/jmprel.so" \
	"$tmp/jmprel2.so")" "cuInit called 6 times
status 0, cuInit 6, cuDriverGetVersion 3" "two of them at once: called and counted"
object plt-driver.so -DLIBRARY -shared -fPIC -fplt -Wl,-z,noseparate-code -Wl,-z,now
patched jmprel plt-driver.so jmprel-now.so
library "counted twice, and bound at once" jmprel-now.so

patched relative noseparate.so relative.so
library "a dynamic section marked read-only" relative.so
patched relative jmprel.so relative-jmprel.so
library "and the PLT's relocations counted twice" relative-jmprel.so
cp "$tmp/relative-jmprel.so" "$tmp/relative-jmprel2.so"
is "$(reports "$tmp/separate" "$tmp/relative-jmprel.so" "$tmp/relative-jmprel2.so")" \
	"cuInit called 6 times
status 0, cuInit 6, cuDriverGetVersion 3" "two of them: called and counted"
mkdir "$tmp/relative"
patched relative libcuda.so.1 relative/libcuda.so.1
other_auditor
CUAUDIT_DRIVER=$tmp/relative/libcuda.so.1
export CUAUDIT_DRIVER
library "that of the driver" noseparate.so
library "that of the driver, beside another auditor" noseparate.so LD_AUDIT="$tmp/told.so:$LIBCUAUDIT"
unset CUAUDIT_DRIVER

done_testing
