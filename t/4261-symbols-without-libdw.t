# SPDX-License-Identifier: Apache-2.0
# The tool built without libdw: functions of callers by .symtab, and by .dynsym where there is no other.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"
long_test
here=$(cd "$top_srcdir" && pwd)
test ! -e "$here/config.status" || skip_all "built in the source tree"

mkdir "$tmp/build"
(cd "$tmp/build" && "$here/configure" -q --without-libdw CC="$CC" CXX="$CXX" && "$MAKE" -s -j2 bin/cuaudit) >"$tmp/built" 2>&1 ||
	bail_out "$(tail -n 5 "$tmp/built")"
is "$(grep -c '^#define HAVE_LIBDW 1' "$tmp/build/config.h")" 0 "it has no libdw"

cat >"$tmp/program.c" <<'END'
int cuInit(unsigned int flags);
__attribute__((noinline)) static int hidden(void)
{
	return cuInit(0) + 1;
}
__attribute__((noinline)) int exported(void)
{
	return cuInit(0) + hidden();
}
int main(void)
{
	return exported() == 3;
}
END
# named NAME FLAG...: functions of cuInit's callers
named() {
	name=$1
	shift
	compile -fno-optimize-sibling-calls "$@" -o "$tmp/$name" "$tmp/program.c" "$simdir/libcuda.so.1" -Wl,-rpath,"$simdir"
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(file=$tmp/$name.cutrace)" "$tmp/$name"
	"$tmp/build/bin/cuaudit" report --by caller "$tmp/$name.cutrace" >"$tmp/out" 2>"$tmp/err"
	sed -n "s/.* cuInit, \\(.*\\)$name+0x[0-9a-f]*\$/\\1none/p" "$tmp/out" | sed 's/, none$//' | sort | tr '\n' ' '
	cat "$tmp/err"
}
is "$(named whole -g)" "exported hidden " "all functions"
is "$(named stripped -s -rdynamic)" "exported none " "stripped: the exported one, and none that it is not"
done_testing
