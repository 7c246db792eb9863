# SPDX-License-Identifier: Apache-2.0
# Call sites in log lines: function, offset and library, from what is loaded.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
helpers fault/calls fault/libasker.so
long=$(printf 'n%.0s' $(seq 3000))
cat >"$tmp/asker.c" <<END
#include "t/fake/driver.h"

#define INNER __attribute__((noinline, visibility("protected"))) int

INNER evil_1234(size_t size);
INNER $long(size_t size);
static __attribute__((noinline)) int nameless(size_t size);
int library_alloc(size_t size);

INNER evil_1234(size_t size)
{
	unsigned long long pointer;
	volatile int result = cuMemAlloc_v2(&pointer, size);

	return result;
}

INNER $long(size_t size)
{
	unsigned long long pointer;
	volatile int result = cuMemAlloc_v2(&pointer, size);

	return result;
}

static int nameless(size_t size)
{
	unsigned long long pointer;
	volatile int result = cuMemAlloc_v2(&pointer, size);

	return result;
}

int library_alloc(size_t size)
{
	unsigned long long pointer;
	volatile int result = cuMemAlloc_v2(&pointer, size);

	return result + (size == 8 ? evil_1234(1) + $long(2) + nameless(3) : 0);
}
END

# asker OPTION...: builds it; the call sites of a call of each of its functions in $tmp/sites
asker() {
	compile -O1 -shared -fPIC -I"$top_srcdir" "$@" -o "$tmp/libasker.so" "$tmp/asker.c" \
		>"$tmp/build.out" 2>&1 || bail_out "cannot build libasker.so: $(head -n 1 "$tmp/build.out")"
	asked
}

asked() {
	$run_env LD_AUDIT="$LIBCUAUDIT" LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="fault(inject=cuMemAlloc_v2:delay_enter=1ns)" \
		"$tmp/calls" alloc lib 8 >"$tmp/out" 2>"$tmp/err" || echo "status $?" >>"$tmp/out"
	LC_ALL=C sed -n 's/^cuaudit: fault: rule 1, call [0-9]*, thread [0-9]*, \(.*\): cuMemAlloc_v2(.*/\1/p' "$tmp/err" \
		>"$tmp/sites"
}

# is_call FUNCTION DISTANCE: whether there is a call's last byte, as objdump has it.
is_call() {
	start=$($NM -D "$tmp/libasker.so" | sed -n "s/^0*\([0-9a-f]*\) T $1\$/\1/p")
	objdump -d "$tmp/libasker.so" | awk -v next_one="$(printf '%x:' $((0x$start + $2 + 1)))" '
		$1 == next_one { found = before ~ /[ \t](call|bl)/ }
		{ before = $0 }
		END { exit !found }'
}

want="library_alloc+0xN (libasker.so)
evil_1234+0xN (libasker.so)
$(printf '%s' "$long" | cut -c 1-92)...+0xN (libasker.so)
libasker.so+0xN"
for style in gnu sysv both; do
	asker -Wl,--hash-style=$style
	is "$(sed 's/0x[0-9a-f]*/0xN/' "$tmp/sites")" "$want" "by the table of hashes: $style"
done
if objdump --version >"$tmp/which" 2>&1; then
	distance=$(sed -n 's/^evil_1234+\(0x[0-9a-f]*\) .*/\1/p' "$tmp/sites")
	ok "the call itself is there" is_call evil_1234 "$distance"
else
	skip 1 "no objdump"
fi
cp "$tmp/libasker.so" "$tmp/whole.so"
strip "$tmp/libasker.so"
asked
is "$(sed 's/0x[0-9a-f]*/0xN/' "$tmp/sites")" "$want" "stripped: what is exported is known"

# What stands there may be anything.
asker -Wl,-z,norelro
LC_ALL=C sed -i 's/evil_1234/evil\x1b[31m/' "$tmp/libasker.so"
asked
is "$(LC_ALL=C grep -c "$(printf '\033')" "$tmp/err")" 0 "a name that controls the terminal does not"
like "$(sed -n 2p "$tmp/sites")" '^evil[^ ]*\[31m\+0x[0-9a-f]+ \(libasker\.so\)$' "... but is shown"
cat >"$tmp/damage.py" <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
off, = struct.unpack_from("<Q", data, 0x20)
size, count = struct.unpack_from("<HH", data, 0x36)
for i in range(count):
    at = off + i * size
    if struct.unpack_from("<I", data, at)[0] == 2:
        where, = struct.unpack_from("<Q", data, at + 8)
while struct.unpack_from("<Q", data, where)[0]:
    tag, = struct.unpack_from("<Q", data, where)
    if tag == 10:  # DT_STRSZ: the loader itself does not look at it
        struct.pack_into("<Q", data, where + 8, int(sys.argv[2], 0))
    where += 16
open(sys.argv[3], "wb").write(data)
END
for size in 0 1 0xffffffffffffffff; do
	"$PYTHON3" -B "$tmp/damage.py" "$tmp/whole.so" $size "$tmp/libasker.so" 2>"$tmp/py.err" || cat "$tmp/py.err"
	asked
	is "$(cat "$tmp/out") $(wc -l <"$tmp/sites")" "0 ; 4 reached 4" "strings of $size bytes: nothing happens"
	like "$(head -n 1 "$tmp/sites")" '^(library_alloc\+0x[0-9a-f]+ \(libasker\.so\)|libasker\.so\+0x[0-9a-f]+|address 0x[0-9a-f]+)$' "... a call site"
done

# A program exports nothing.
$run_env LD_AUDIT="$LIBCUAUDIT" LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="fault(inject=cuMemAlloc_v2:delay_enter=1ns)" \
	"$tmp/calls" alloc 1 >"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/err")" 'thread [0-9]+, calls\+0x[0-9a-f]+: cuMemAlloc_v2' "a program's call site"
done_testing
