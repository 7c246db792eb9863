# SPDX-License-Identifier: Apache-2.0
# cuaudit-core.so and the simulated driver: what they need and export.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

core=$top_builddir/lib/cuaudit/cuaudit-core.so
sim=$simdir/libcuda.so.1

# needed FILE: its NEEDED but for the C library and what old ones are split into.
needed() {
	$READELF -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
		sed '/^libc\.so\.6$/d; /^libdl\.so\.2$/d; /^libpthread\.so\.0$/d; /^ld-linux/d'
}

exports() {
	$NM -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort
}

ok "the core is there" test -f "$core"
is "$(needed "$core")" "" "the core needs libc alone"
like "$($READELF -dW "$core")" 'SONAME.*\[cuaudit-core\.so\]' "SONAME of the core"
unlike "$($READELF -dW "$core")" 'TEXTREL|RPATH|RUNPATH' "no text relocations, no run path"
is "$(exports "$core" | sed '/^cuaudit_/d')" "" "the core exports cuaudit_ names alone"
like "$(exports "$core")" '^cuaudit_hook_add$' "and those it does export"
like "$($READELF -lW "$core")" 'GNU_STACK.* RW ' "its stack is not executable"

# Descriptors go by util/io.h. What is left of libc's cancellation points is for the end of the
# process alone.
points='fsync|msync|nanosleep|clock_nanosleep|open64|openat|openat64|pause|poll|posix_fallocate'
points="$points|ppoll|pread|pread64|pwrite|pwrite64|read|readv|select|send|sendmsg|sendto|sleep"
points="$points|system|close|open|usleep|wait|waitpid|write|writev|creat|fopen|fopen64|fwrite|fputs"
points="$points|fprintf|dprintf"
imports=$($NM -D --undefined-only "$core" | sed 's/.* U //; s/@.*//')
is "$(printf '%s\n' "$imports" | grep -E -x "$points")" "" "no cancellation point of libc's is used"
like "$imports" '^syscall$' "the imports are read"

# What the compiler can mark for CET, BTI and PAC, the auditor and the core are marked with.
features() {
	$READELF -nW "$1" | sed -n 's/.*Properties: //p'
}
compile -shared -fPIC -nostdlib -fcf-protection -o "$tmp/marked.so" -x c /dev/null 2>"$tmp/none" ||
	compile -shared -fPIC -nostdlib -mbranch-protection=standard -o "$tmp/marked.so" -x c - \
		2>"$tmp/none" <<-'END' || bail_out "the compiler marks nothing"
		int nothing;
	END
marks=$(features "$tmp/marked.so")
like "$marks" 'IBT, SHSTK|BTI, PAC' "the compiler marks for ${marks:-nothing}"
is "$(features "$LIBCUAUDIT")" "$marks" "the auditor is marked"
is "$(features "$core")" "$marks" "the core is marked"

# Static TLS of late-loaded objects comes out of one small surplus.
tls=$($READELF -lW "$core" | awk '$1 == "TLS" { print $6 }')
ok "TLS of the core: ${tls:-none}, at most 64 bytes" test $((${tls:-0})) -le 64
unlike "$($READELF -rW "$core")" 'DTPMOD|TLSDESC' "TLS by the initial-exec model"

is "$(needed "$sim")" "" "the simulated driver needs libc alone"
like "$($READELF -dW "$sim")" 'SONAME.*\[libcuda\.so\.1\]' "SONAME of the simulated driver"
is "$(exports "$sim" | sed '/^cu[A-Z]/d')" "" "it exports driver functions alone"
like "$($READELF -lW "$sim")" 'GNU_STACK.* RW ' "its stack is not executable"

# What configure found makes less of a mistake: in the tool all of it, in what runs in the program
# what needs nothing of libc's and ends nothing.
# configured VARIABLE
configured() {
	sed -n "s/^$1 = *//p" "$top_builddir/Makefile"
}
tool=$top_builddir/bin/cuaudit
for file in "$tool" "$core" "$LIBCUAUDIT"; do
	test -z "$(configured RELRO_LDFLAGS)" ||
		like "$($READELF -lW "$file")" 'GNU_RELRO' "${file##*/} has RELRO"
done
for file in "$tool" "$core"; do
	test -z "$(configured NOW_LDFLAGS)" ||
		like "$($READELF -dW "$file")" 'BIND_NOW|Flags:.* NOW' "${file##*/} is bound now"
done
imported=$($NM -D --undefined-only "$tool" | sed 's/.* U //; s/@.*//')
case $(configured HARDEN_CFLAGS) in
*stack-protector*) like "$imported" '^__stack_chk_fail$' "cuaudit has stack canaries" ;;
esac
test -z "$(configured FORTIFY_CPPFLAGS)" ||
	like "$imported" '^__[a-z]*printf_chk$' "cuaudit has FORTIFY"
done_testing
