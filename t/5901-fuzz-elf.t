# SPDX-License-Identifier: Apache-2.0
# Damaged ELF objects: the auditor reads nothing out of bounds, and writes nowhere else.
# A case alone: CUAUDIT_TEST_SEED is the seed; see t/fuzz/elf.c for the arguments.
. "${top_srcdir:-$(dirname "$0")/..}/t/fuzz/lib.sh"

sanitizers
auditor
set --
for file in "$top_srcdir"/audit/*.c "$top_srcdir/audit/arch/$(arch)"/*.S; do
	case $file in
	*/audit/message.c | */audit/sys.c) ;;
	*) set -- "$@" "$file" ;;
	esac
done
hosted -DPKGLIBDIR='"/nowhere"' -o "$tmp/elf" "$fuzz/elf.c" "$fuzz/map.c" "$fuzz/damage.c" \
	"$fuzz/fuzz.c" "$tmp/sys.o" \
	$(sources util util_freestanding) "$@"

# object NAME ARGUMENT...: one to damage.
object() {
	object_name=$1
	shift
	ok "built: $object_name" compile -O1 -o "$tmp/$object_name" "$@"
}

fake="$top_srcdir/t/fake/driver.c $top_srcdir/t/fake/tools.c $top_srcdir/t/fake/record.S"
shared="-shared -fPIC"
object libcuda.so.1 $shared $fake -Wl,-soname,libcuda.so.1 -Wl,--hash-style=gnu -ldl
object sysv.so $shared $fake -Wl,-soname,libcuda.so.1 -Wl,--hash-style=sysv -ldl
object noplt.so $shared -fno-plt "$top_srcdir/t/routes/library.c" "$tmp/libcuda.so.1"
object now.so $shared -Wl,-z,now -Wl,--hash-style=sysv "$top_srcdir/t/routes/library.c" \
	"$tmp/libcuda.so.1"
echo 'int cuInit(unsigned); int (*volatile f)(unsigned) = cuInit; int main(void) { return f(0); }' \
	>"$tmp/fixed.c"
object fixed -fno-pie -no-pie "$tmp/fixed.c" "$tmp/libcuda.so.1"
ok "the core to damage" strip -o "$tmp/core.so" "$top_builddir/lib/cuaudit/cuaudit-core.so"
ok "the sim to damage" strip -o "$tmp/sim.so" "$simdir/libcuda.so.1"
libc=$(ldd "$tmp/fixed" | sed -n 's/.*libc\.so\.6 => \([^ ]*\).*/\1/p')

set -- "$tmp/libcuda.so.1" "$tmp/sysv.so" "$tmp/noplt.so" "$tmp/now.so" "$tmp/fixed" \
	"$tmp/core.so" "$tmp/sim.so"
fuzzed "damaged objects" "$tmp/elf" "$@" "$libc"
share cases 100
share unread 3
share read 50
share drivers 10
share rewritten 10
share cores 3
share rebound 3
done_testing
