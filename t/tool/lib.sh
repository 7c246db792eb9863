# SPDX-License-Identifier: Apache-2.0
# What the tests of the cuaudit command share: running it, what it refuses, programs of all kinds.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

cuaudit=$top_builddir/bin/cuaudit
demo=$top_builddir/demo/cudemo
unset GLIBC_TUNABLES

# tool ARGUMENT...: its status in $status, what it says in $tmp/out and $tmp/err.
tool() {
	status=0
	"$cuaudit" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
}

# refused STATUS REGEX NAME ARGUMENT...: nothing on stdout, one line on stderr that matches.
refused() {
	refused_status=$1
	refused_regex=$2
	refused_name=$3
	shift 3
	tool "$@"
	is "$status $(wc -l <"$tmp/err") $(wc -c <"$tmp/out")" "$refused_status 1 0" \
		"$refused_name: status $refused_status, one line"
	like "$(cat "$tmp/err")" "^cuaudit: $refused_regex" "$refused_name: what it says"
}

# program NAME FLAG...: $tmp/NAME, which says "ran", by the compiler alone.
program() {
	program_name=$1
	shift
	compile -o "$tmp/$program_name" "$@" -x c - >"$tmp/build.out" 2>&1 <<-'END' && return
		#include <unistd.h>

		int main(void)
		{
			return write(1, "ran\n", 4) != 4;
		}
	END
	sed 's/^/# /' "$tmp/build.out"
	bail_out "cannot build $program_name"
}

# foreign NAME FLAG...: a program that no libc here could start.
foreign() {
	foreign_name=$1
	shift
	echo 'void _start(void); void _start(void) { __builtin_trap(); }' >"$tmp/foreign.c"
	compile -nostdlib -nostartfiles -fno-stack-protector -o "$tmp/$foreign_name" "$@" \
		"$tmp/foreign.c" >"$tmp/build.out" 2>&1 && return
	sed 's/^/# /' "$tmp/build.out"
	bail_out "cannot build $foreign_name"
}

# strange_programs: one of each kind that cannot be audited, in $tmp.
strange_programs() {
	foreign static -static
	foreign static-pie -static-pie
	foreign musl -Wl,--dynamic-linker,/lib/ld-musl-x86_64.so.1
	foreign android -Wl,--dynamic-linker,/system/bin/linker64
	foreign lost -Wl,--dynamic-linker,/nowhere/ld-linux-x86-64.so.2
	program plain
	cp "$tmp/plain" "$tmp/machine"
	# e_machine: PowerPC
	printf '\025\000' | dd of="$tmp/machine" bs=1 seek=18 conv=notrunc 2>"$tmp/dd.out"
	head -c 40 "$tmp/plain" >"$tmp/short"
	head -c 100 "$tmp/plain" >"$tmp/shorter"
	: >"$tmp/empty"
	echo 'echo ran' >"$tmp/text"
	printf '#!%s/static -x\n' "$tmp" >"$tmp/script-static"
	printf '#!%s/script-static\n' "$tmp" >"$tmp/script-twice"
	printf '#!/nowhere/interpreter\n' >"$tmp/script-lost"
	printf '#!%s/script-loop\n' "$tmp" >"$tmp/script-loop"
	printf '#!/usr/bin/env -S A=1 static -x\n' >"$tmp/script-env"
	printf '#!/usr/bin/env -SA=1 static -x\n' >"$tmp/script-env-joined"
	printf '#!/usr/bin/env -S --unset=LD_AUDIT sh\n' >"$tmp/script-env-option"
	printf '#!/bin/sh\necho ran "$1"\n' >"$tmp/script"
	cp "$tmp/plain" "$tmp/private"
	chmod 755 "$tmp"/*
	chmod 644 "$tmp/private"
}
