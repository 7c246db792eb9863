# SPDX-License-Identifier: Apache-2.0
# A process that gained privileges when it started (AT_SECURE): nothing of ours acts in it, even
# where an administrator has put the auditor, marked set-user-ID, where the loader trusts it.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

test "$(id -u)" = 0 || skip_all "only root can make programs that gain privileges"

# A system of its own, so that nothing is put among this one's libraries.
fake_driver
helper secure/enter
helper secure/secure app
build plugin.so -w -shared -fPIC -x c - <<'END'
#include <stdio.h>
static void __attribute__((constructor)) start(void) { puts("the plug-in acts"); }
END
root=$tmp/root
loader=$($READELF -lW "$tmp/app" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
# What the loader trusts is compiled into it.
trusted=$("$loader" --help 2>"$tmp/none" | sed -n 's/^ *\(\/[^ ]*\) (system search path).*/\1/p' |
	sed -n 1p)
: "${trusted:=/usr/lib}"
ok "directories" mkdir -p "$root$(dirname "$loader")" "$root$trusted/cuaudit" "$root/out"
cp "$loader" "$root$loader"
ln -f "$root$loader" "$root$trusted/$(basename "$loader")"
for file in "$tmp/app" "$top_builddir/lib/cuaudit/cuaudit-core.so"; do
	"$loader" --library-path "$tmp" --list "$file"
done | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' >"$tmp/list"
while read -r library; do
	cp "$library" "$root$trusted"
done <"$tmp/list"
cp "$LIBCUAUDIT" "$tmp/plugin.so" "$root$trusted"
cp "$top_builddir/lib/cuaudit/cuaudit-core.so" "$root$trusted/cuaudit"
cp -r "$simdir" "$root$trusted/cuaudit"
chmod -R go+rX "$root"
chmod 755 "$tmp"
chmod 777 "$root/out"
chmod 4755 "$root$trusted/libcuaudit.so"

# started NAME MODE OWNER [COMMAND...]: the program of that mode and owner, after COMMAND PROGRAM
started() {
	started_name=$1
	rm -f "$root/app" "$root"/out/*
	cp "$tmp/app" "$root/app"
	chown "$3" "$root/app"
	chmod "$2" "$root/app"
	shift 3
	test $# = 0 || "$@" "$root/app" || return
	started_status=0
	"$tmp/enter" "$root" /app LD_AUDIT=libcuaudit.so CUAUDIT_LOG=debug \
		CUAUDIT_HOOKS="coverage,$trusted/plugin.so" CUAUDIT_OUTPUT=/out/report \
		CUAUDIT_PATH=/out LD_LIBRARY_PATH=/out \
		>"$tmp/out" 2>"$tmp/err" || started_status=$?
}

# untouched NAME [COMMAND...]: with AT_SECURE
untouched() {
	untouched_name=$1
	shift
	if ! started "$untouched_name" "$@"; then
		skip 3 "no $untouched_name here"
		return
	fi
	if grep -q '^secure 0' "$tmp/out"; then
		skip 3 "programs gain no privileges in this file system"
		return
	fi
	is "$started_status $(cat "$tmp/out")" "0 secure 1 cuInit 0" "$untouched_name: the program alone"
	is "$(cat "$tmp/err")" "" "$untouched_name: nothing is said"
	is "$(ls "$root/out")" "" "$untouched_name: nothing is written"
}

# The same system has the auditor act in a program that gains nothing.
started "a program of no privileges" 755 0
like "$(cat "$tmp/out")" "the plug-in acts
secure 0 cuInit 0" "a program of no privileges: the plug-in acts"
if test "$(loader_family)" = old; then
	skip 1 "old loaders do not tell where an auditor in a trusted directory is"
else
	is "$(ls "$root/out")" "report.coverage" "a program of no privileges: the report is there"
fi

untouched "set-user-ID" 4755 0:0
untouched "set-group-ID" 2755 0:0
untouched "a set-user-ID of a third" 4755 1:1
untouched "a file capability" 755 0:0 setcap cap_net_raw+ep

# Settings that would end any other process at its start.
cp "$tmp/app" "$root/app"
chmod 4755 "$root/app"
is "$("$tmp/enter" "$root" /app LD_AUDIT=libcuaudit.so CUAUDIT_STRICT=1 CUAUDIT_NONE=1 \
	CUAUDIT_DRIVER=/out/driver.so CUAUDIT_HOOKS='limit(memory=nothing)' 2>&1)" \
	"secure 1 cuInit 0" "settings: none counts"
done_testing
