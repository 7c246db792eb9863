# SPDX-License-Identifier: Apache-2.0
# What was built with this libc loads with the oldest that is supported, 2.31.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

core=$top_builddir/lib/cuaudit/cuaudit-core.so

# needed_versions FILE: the versions of libc's symbols that it cannot be loaded without
needed_versions() {
	$READELF -VW "$1" | sed -n '/^Version needs/,$ s/.*Name: \([^ ]*\).*/\1/p' | sort -u
}

# newer: those of them that are no GLIBC_2.N with N up to 31
newer() {
	awk '!/^GLIBC_2\.[0-9.]+$/ { print; next }
	{ split($0, number, "."); if (number[2] > 31) print }'
}

is "$(printf 'GLIBC_2.2.5\nGLIBC_2.31\nGLIBC_2.32\nGLIBC_ABI_DT_RELR\nGLIBC_2.4\n' | newer)" \
	"GLIBC_2.32
GLIBC_ABI_DT_RELR" "newer ones are told from older ones"
ok "both files are there" test -f "$core" -a -f "$LIBCUAUDIT"
like "$(needed_versions "$core")" '^GLIBC_2\.' "the core needs versions"
is "$(needed_versions "$core" | newer)" "" "the core needs none newer than 2.31"
# glibc 2.38 gave these new names, which a libc of before does not show.
unlike "$($NM -u "$core")" ' (strto[dfiul]|__isoc|[a-z]*scanf|ato[il])' "it calls nothing whose name has changed"
is "$(needed_versions "$LIBCUAUDIT" | newer)" "" "nor does the auditor"
like "$($READELF -dW "$core")" 'NEEDED.*libpthread\.so\.0' "the core finds threads outside libc"
like "$($READELF -dW "$core")" 'NEEDED.*libdl\.so\.2' "and dlopen"
for file in "$LIBCUAUDIT" "$core"; do
	unlike "$($READELF -dW "$file")" '\(RELR' "$(basename "$file"): relocations of the kind known then"
done
done_testing
