# SPDX-License-Identifier: Apache-2.0
# libcuaudit.so: what it needs, exports and asks of the loader.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

dynamic=$($READELF -dW "$LIBCUAUDIT")
needed=$(printf '%s\n' "$dynamic" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
like "$needed" '^ld-linux' "the dynamic loader is needed"
is "$(printf '%s\n' "$needed" | wc -l)" 1 "nothing else is needed"
like "$dynamic" 'SONAME.*\[libcuaudit\.so\]' "SONAME"
like "$dynamic" '\(PLTGOT\)' "it has a PLT"
unlike "$dynamic" 'BIND_NOW' "bound lazily: the loader fills its GOT"
unlike "$dynamic" 'TEXTREL|RPATH|RUNPATH|\(HASH\)' "no text relocations, no run path, one hash"

exports=$($NM -D --defined-only "$LIBCUAUDIT" | awk '{ print $3 }' | sort)
required="cuaudit_auditor_link
la_activity
la_objclose
la_objopen
la_objsearch
la_preinit
la_symbind64
la_version"
is "$exports" "$required" \
	"exports the callbacks, and by what it knows another instance, alone"
unlike "$exports" 'plt(enter|exit)' "no callback that makes every PLT call dear"
is "$($NM -D --undefined-only "$LIBCUAUDIT" | sed 's/.* U //; s/@.*//')" "__tls_get_addr
_r_debug" "imports what every loader exports"
segments=$($READELF -lW "$LIBCUAUDIT")
unlike "$segments" '^ +(TLS|INTERP) ' "no TLS, no interpreter"
like "$segments" 'GNU_STACK.* RW ' "the stack is not executable"
unlike "$segments" 'LOAD.* RWE' "no segment is writable and executable"
done_testing
