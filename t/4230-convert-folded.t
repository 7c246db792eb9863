# SPDX-License-Identifier: Apache-2.0
# cuaudit convert --to folded: ways to calls, and what was spent there itself.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

helper trace/synth
synth -i -n 20000 -t 3 "$tmp/one.cutrace"
calls=$(truth calls) ns=$(truth ns) inside=$(truth inside) nested=$(truth nested)
ok "there are calls inside of others" test "$nested" -gt 1000

# sum: of the numbers; lines that are none are counted.
cat >"$tmp/sum.awk" <<'END'
!/^[^;]+-[0-9]+;[^;]+-[0-9]+;([^;]+;)+cu[A-Za-z0-9_]+ [1-9][0-9]*$/ { wrong++ }
{ sum += $NF; sub(/ [0-9]+$/, ""); seen[$0]++; if (seen[$0] > 1) twice++ }
END { printf "%d %d %d\n", sum, wrong, twice }
END
# depth N: the sum of the numbers of ways with N functions of the driver.
depth() {
	awk -v depth="$1" '{
		n = gsub(/;cu[A-Z][A-Za-z0-9_]*/, "&")
		sum += n == depth ? $NF : 0
	} END { printf "%d\n", sum }' "$tmp/out"
}

tool convert --to folded "$tmp/one.cutrace"
is "$status $(wc -c <"$tmp/err")" "0 0" "a file"
set -- $(awk -f "$tmp/sum.awk" "$tmp/out")
is "$2 $3" "0 0" "each line is a way and a number, each way is there once"
# Each call's ns are rounded down.
ok "all ns once, those of inner calls not twice" \
	test "$1" -ge $((ns - inside - calls)) -a "$1" -le $((ns - inside + calls))
tool convert --to folded --weight calls "$tmp/one.cutrace"
is "$(awk -f "$tmp/sum.awk" "$tmp/out")" "$calls 0 0" "--weight calls: each call once"
is "$(($(depth 2) + $(depth 3) + $(depth 4)))" "$nested" "... those inside of others below these"
ok "... three and four deep, too" test "$(depth 3)" -gt 100 -a "$(depth 4)" -gt 10
is "$(grep -c '^python3.12-4711;pt_autograd_2-4001;' "$tmp/out")" \
	"$(grep -c ';pt_autograd_2' "$tmp/out")" "by process and thread"
# Stacks of allocations: outermost first, the caller last.
ok "stacks where they were recorded" grep -q \
	';python3-4000;libcudart.so.13+0xc00;libcublasLt.so.13+0x800;libtorch_cuda.so+0x400;python3.12+0x0;cuMemAlloc_v2 ' \
	"$tmp/out"
fails "... of all calls at the top" grep -E '^[^;]*;[^;]*;[^;+]*;cuMemAlloc_v2 ' "$tmp/out"

fails "... nor of those inside of others" grep -E ';cu[A-Za-z0-9_]+;.*\+0x' "$tmp/out"

# A call whose outer one is not taken stands for itself.
tool convert --to folded --weight calls -f 'cuLaunchKernel' "$tmp/one.cutrace"
is "$(awk -f "$tmp/sum.awk" "$tmp/out" | cut -d' ' -f1)" "$(truth launches)" \
	"calls whose outer ones are filtered"

# Several files are one after the other.
synth -i -n 3000 -t 2 -s 9 -p 5 "$tmp/two.cutrace"
tool convert --to folded --weight calls "$tmp/two.cutrace"
{ cat "$tmp/out"; "$cuaudit" convert --to folded --weight calls "$tmp/one.cutrace"; } 2>"$tmp/err" | sort >"$tmp/apart"
tool convert --to folded --weight calls "$tmp/two.cutrace" "$tmp/one.cutrace"
is "$(sort "$tmp/out" | cmp - "$tmp/apart" 2>&1)" "" "two files have the ways of each"

# Two inner calls at once, which no process makes, take longer than the one around them.
if command -v "$PYTHON3" >"$tmp/which"; then
	"$PYTHON3" - "$top_srcdir/t/trace" "$tmp/two.cutrace" >"$tmp/altered" 2>&1 <<'END'
import struct, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import decode
calls = list(decode.Trace(sys.argv[2]).calls())
for thread in {c.thread for c in calls}:
    own = [c for c in calls if c.thread == thread]
    for one, two, around in zip(own, own[1:], own[2:]):
        start = one.end - 10 * (around.end - one.end)
        if (one.depth, two.depth, around.depth) != (2, 1, 0):
            continue
        with open(sys.argv[2], "r+b") as file:
            flags = [file.seek(call.at + 1) and file.read(1)[0] for call in (one, two, around)]
            if any(f & decode.LONG for f in flags):
                continue
            for call in (one, two, around):
                file.seek(call.at + 8)
                file.write(struct.pack("<I", call.end - start))
            file.seek(one.at + 20)
            file.write(struct.pack("<H", 1))
        print("altered")
END
	ok "calls that overlap" grep -q altered "$tmp/altered"
	diag "$(grep -v altered "$tmp/altered")"
	tool convert --to folded "$tmp/two.cutrace"
	is "$(awk -f "$tmp/sum.awk" "$tmp/out" | cut -d' ' -f2-)" "0 0" "... leave nothing below zero"
else
	skip 2 "no python3"
fi

"$PERL" -pe 's/libtorch_cuda/li;\ntorch_cud/' "$tmp/one.cutrace" >"$tmp/evil.cutrace"
tool convert --to folded --weight calls "$tmp/evil.cutrace"
is "$(awk -f "$tmp/sum.awk" "$tmp/out")" "$calls 0 0" "a name with separators in it"
ok "... is a name" grep -q "$(printf ';li:\357\277\275torch_cud\.so;')" "$tmp/out"
# Names of functions: of a program that is still the one that ran, and of one that is not.
cp "$demo" "$tmp/program"
$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim \
	CUAUDIT_HOOKS="trace(file=$tmp/ran.cutrace;backtrace=cuInit)" "$tmp/program" dlopen \
	>"$tmp/ran.out" 2>&1
if "$READELF" -n "$tmp/program" | grep -q 'Build ID'; then
	tool convert --to folded -f cuInit "$tmp/ran.cutrace"
	like "$(cat "$tmp/out")" '^program-[0-9]+;program-[0-9]+;(.*;)?main;cuInit [0-9]+$' \
		"frames have the names of functions"
	# The same file with another one's build ID.
	id=$("$READELF" -n "$tmp/program" | sed -n 's/.*Build ID: *//p')
	"$PERL" -0777 -pe 'BEGIN { $id = pack "H*", shift } s/\Q$id\E/substr($id, 1) . "x"/e' \
		"$id" "$demo" >"$tmp/program.other"
	mv "$tmp/program.other" "$tmp/program"
	tool convert --to folded -f cuInit "$tmp/ran.cutrace"
	like "$(cat "$tmp/out")" '^program-[0-9]+;.*;program\+0x[0-9a-f]+;cuInit [0-9]+$' \
		"... of the file that was loaded, not of another"
	head -c 5000 "$demo" >"$tmp/program"
	tool convert --to folded -f cuInit "$tmp/ran.cutrace"
	like "$(cat "$tmp/out")" ';program\+0x[0-9a-f]+;cuInit [0-9]+$' "... not of a part of it"
else
	skip 3 "no build ids here"
fi

# The call may be the last of its function, and what follows it is another's.
cat >"$tmp/last.s" <<'END'
	.text
	.globl main
	.type main, @function
main:
	push %rbp
	mov %rsp, %rbp
	call open_driver
	call last
	.size main, .-main
	.type last, @function
last:
	push %rbp
	mov %rsp, %rbp
	call call_and_exit
	.size last, .-last
	.type behind, @function
behind:
	ret
	.size behind, .-behind
	.section .note.GNU-stack,"",@progbits
END
cat >"$tmp/last.c" <<'END'
#include <dlfcn.h>
#include <stdlib.h>
static void *driver;
void open_driver(void);
void open_driver(void)
{
	driver = dlopen("libcuda.so.1", RTLD_NOW);
}
void call_and_exit(void);
void call_and_exit(void)
{
	int result = ((int (*)(unsigned int))dlsym(driver, "cuInit"))(0);

	__asm__ volatile("" ::: "memory");
	exit(result);
}
END
if test "$(uname -m)" = x86_64 && compile -O1 -fno-omit-frame-pointer -Wl,--build-id -o "$tmp/last" \
	"$tmp/last.s" "$tmp/last.c" -ldl >"$tmp/build.out" 2>&1; then
	$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim \
		CUAUDIT_HOOKS="trace(file=$tmp/last.cutrace;backtrace=cuInit)" "$tmp/last" >"$tmp/ran.out" 2>&1
	tool convert --to folded -f cuInit "$tmp/last.cutrace"
	like "$(cat "$tmp/out")" ';last;call_and_exit;cuInit [0-9]+$' "a call at the end of its function"
else
	skip 1 "not x86-64"
fi

# What the trace names as a library and is no file is not even opened: who waits for a reader goes on waiting.
cp "$demo" "$tmp/named"
"$cuaudit" trace -d sim -b cuInit -o "$tmp/traces" "$tmp/named" dlopen >"$tmp/ran.out" 2>&1
rm "$tmp/named"
mkfifo "$tmp/named"
sh -c 'exec 3>"$1"; echo opened >"$1.opened"' sh "$tmp/named" &
until grep -q ' S ' "/proc/$!/stat"; do :; done
tool convert --to folded "$tmp/traces"
is "$status $(grep -c ';cuInit [0-9]*$' "$tmp/out") $(ls "$tmp" | grep -c opened)" "0 1 0" "a library that is a FIFO"
kill $! 2>"$tmp/kill.err" || :

# Functions of C++.
cat >"$tmp/names.cc" <<'END'
#include <dlfcn.h>
namespace train {
template <typename T> __attribute__((noinline)) int step(T driver)
{
	int result = ((int (*)(unsigned int))dlsym(driver, "cuInit"))(0);
	__asm__ volatile("" ::: "memory");
	return result;
}
}
int main() { return train::step(dlopen("libcuda.so.1", RTLD_NOW)); }
END
if ! "$cuaudit" convert --to folded --demangle full "$tmp/one.cutrace" >"$tmp/out" 2>&1; then
	skip 5 "built without libsupc++"
elif $CXX -O1 -fno-omit-frame-pointer -Wl,--build-id -o "$tmp/names" "$tmp/names.cc" -ldl >"$tmp/cxx.out" 2>&1; then
	$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim \
		CUAUDIT_HOOKS="trace(file=$tmp/names.cutrace;backtrace=cuInit)" "$tmp/names" >"$tmp/ran.out" 2>&1
	for style in "full int train::step<void\*>(void\*)" "short train::step<void\*>" "base train::step" \
		"no _ZN5train4stepIPvEEiT_"; do
		tool convert --to folded -f cuInit --demangle "${style%% *}" "$tmp/names.cutrace"
		ok "names of C++, ${style%% *}" grep -q ";${style#* };cuInit [0-9]*\$" "$tmp/out"
	done
	tool convert --to folded -f cuInit "$tmp/names.cutrace"
	ok "... short ones by default" grep -q ';train::step<void\*>;cuInit [0-9]*$' "$tmp/out"
else
	skip 5 "no compiler for C++"
fi

refused 2 "convert: --weight has no effect but on folded" "a weight of calls" convert --to csv --weight calls "$tmp/one.cutrace"
refused 2 "--weight takes ns or calls, not 'bytes'" "a weight that is none" \
	convert --to folded --weight bytes "$tmp/one.cutrace"
done_testing
