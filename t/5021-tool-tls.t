# SPDX-License-Identifier: Apache-2.0
# Libraries a program starts with that want more static TLS than glibc keeps beside an auditor.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

# libraries SIZE: four, each with SIZE bytes of initial-exec TLS, and the program.
libraries() {
	for name in first second third fourth; do
		compile -O1 -shared -fPIC -DSIZE="$1" -DNAME=$name -o "$tmp/lib$name.so" \
			-Wl,-soname,lib$name.so "$top_srcdir/t/tool/static_tls.c" ||
			bail_out "no library"
	done
	compile -O1 -DMAIN -o "$tmp/program" "$top_srcdir/t/tool/static_tls.c" "$tmp/libfirst.so" \
		"$tmp/libsecond.so" "$tmp/libthird.so" "$tmp/libfourth.so" -pthread ||
		bail_out "no program"
}

# run COMMAND...: as tool does
run() {
	status=0
	"$@" >"$tmp/out" 2>"$tmp/err" || status=$?
}

libraries 1024
LD_LIBRARY_PATH=$tmp
export LD_LIBRARY_PATH
run "$tmp/program"
is "$status $(cat "$tmp/out")" "0 ran 4 4" "4 KB of TLS, no auditor"

# An auditor that does nothing: what follows is the loader's doing.
helper routes/told.so nothing.so
run env LD_AUDIT="$tmp/nothing.so" "$tmp/program"
test "$status" -ne 0 || skip_all "this libc keeps enough static TLS beside an auditor"
message='cannot allocate memory in static TLS block'
like "$(cat "$tmp/err")" "^$tmp/program: error while loading shared libraries: .*: $message\$" \
	"an auditor that does nothing: the loader's message"
is "$status" 127 "... and its status"
run audited "$tmp/program"
like "$(cat "$tmp/err")" "^$tmp/program: error while loading shared libraries: .*: $message\$" \
	"LD_AUDIT by hand: the same"
is "$status" 127 "... and its status"
like "$(sed -n '/^\.Sh DIAGNOSTICS/,/^\.Sh LIMITATIONS/p' "$top_srcdir/man/libcuaudit.7")" \
	"^\\.It \"PROGRAM: error while loading shared libraries: LIBRARY: $message\"\$" \
	"libcuaudit(7) explains it"

tool run "$tmp/program"
is "$status $(cat "$tmp/out" "$tmp/err")" "0 ran 4 4" "cuaudit run"
tool run "$tmp/program" thread
is "$status $(cat "$tmp/out" "$tmp/err")" "0 ran 4 4" "... with a thread of the least stack"
tool doctor "$tmp/program"
like "$(cat "$tmp/out")" '^warning .*optional_static_tls=4096$' "cuaudit doctor says so"
is "$(sed -n 's/.*GLIBC_TUNABLES=//p' "$tmp/out")" glibc.rtld.optional_static_tls=4096 \
	"and what to set"
run env GLIBC_TUNABLES="$(sed -n 's/.*GLIBC_TUNABLES=//p' "$tmp/out")" \
	LD_AUDIT="$LIBCUAUDIT" "$tmp/program"
is "$status $(cat "$tmp/out" "$tmp/err")" "0 ran 4 4" "which helps"
run env GLIBC_TUNABLES=glibc.rtld.optional_static_tls=512 "$cuaudit" run "$tmp/program"
is "$status" 127 "the user's own number is not raised"

printf '#!%s\n' "$tmp/program" >"$tmp/script"
chmod 755 "$tmp/script"
tool run "$tmp/script"
is "$status $(cat "$tmp/out" "$tmp/err")" "0 ran 4 4" "a script of such a program"

# asked NUMBER: what run sets for the program
asked() {
	cat >"$tmp/show" <<-'END'
		#!/bin/sh
		echo "${GLIBC_TUNABLES##*=}"
	END
	chmod 755 "$tmp/show"
	"$cuaudit" run "$tmp/show"
}
is "$(asked)" 4096 "a program that wants nothing: the least"
libraries 8192
tool run "$tmp/program"
is "$status $(cat "$tmp/out" "$tmp/err")" "0 ran 4 4" "32 KB of TLS"
tool doctor "$tmp/program"
like "$(cat "$tmp/out")" 'optional_static_tls=65536$' "32 KB of TLS: the number"
libraries 400000
tool run "$tmp/program"
is "$status" 127 "1.6 MB of TLS: no number helps"
like "$(cat "$tmp/err")" "$message\$" "1.6 MB of TLS: the loader says so"
tool doctor "$tmp/program"
like "$(cat "$tmp/out")" "^problem  its libraries want more .*by dlopen: .*lib.*$message\$" \
	"1.6 MB of TLS: doctor says so"
done_testing
