# SPDX-License-Identifier: Apache-2.0
# The core's interface: symbols and their versions, and structures laid out as released.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

core=$top_builddir/lib/cuaudit/cuaudit-core.so

# exports FILE: NAME@@NODE of each symbol that it defines
exports() {
	$NM -D --defined-only --with-symbol-versions "$1" | awk '$2 != "A" { print $3 }' | sort
}
# listed: the same as hooks/core.map has it
listed() {
	awk '
	/^[A-Z_0-9.]+ *{/ { node = $1 }
	/^\t[a-z_0-9]+;/ { gsub(/[\t;]/, ""); print $0 "@@" node }' "$top_srcdir/hooks/core.map" | sort
}
is "$(exports "$core")" "$(listed)" "each export has the version that core.map says"
like "$(exports "$core")" '^cuaudit_hook_add@@CUAUDIT_0\.1$' "which names them"

# What the headers declare for plug-ins is what the map lets out, but for the auditor's own.
cat "$top_srcdir"/include/cuaudit/*.h | $CC -E -P -fpreprocessed -dD -x c - 2>"$tmp/err" | tr '\n' ' ' |
	grep -o 'CUAUDIT_PUBLIC [^;]*;' | grep -o 'cuaudit_[a-z_]*\( *(\|;\)' | tr -d ' (;' |
	sort -u >"$tmp/declared"
is "$(listed | sed -n 's/@@CUAUDIT_[0-9].*//p' | diff - "$tmp/declared")" "" "all that is declared, and no more"

# What plug-ins and programs that were built before have in them: t/abi.txt has a line for each
# symbol of a release, and for the size of each structure and the offset of each member.
abi=$top_srcdir/t/abi.txt
is "$(listed | sed 's/\(.*\)@@\(.*\)/\2 \1/' |
	grep -F -e "$(sed -n 's/^\(CUAUDIT_[0-9.]*\) .*/\1 /p' "$abi" | sort -u)" | sort)" \
	"$(grep '^CUAUDIT_' "$abi" | sort)" "a node that is out stays as it is"
{
	printf '#include <cuaudit/%s>\n' hook.h args.h clock.h coverage.h params.h
	printf '#include <%s>\n' stddef.h stdio.h
	echo 'int main(void) {'
	sed -n 's/^\(cuaudit_[a-z_]*\) [0-9]*$/printf("\1 %zu\\n", sizeof(struct \1));/p
		s/^\(cuaudit_[a-z_]*\)\.\([a-z_]*\) [0-9]*$/printf("\1.\2 %zu\\n", offsetof(struct \1, \2));/p' "$abi"
	echo '}'
} >"$tmp/layout.c"
compile -o "$tmp/layout" "$tmp/layout.c" || bail_out "the layout does not build"
is "$($run_env "$tmp/layout" | diff - "$abi" | grep -v 'CUAUDIT_\|^[0-9]')" "" "structures are laid out as they were"
like "$(cat "$abi")" '^cuaudit_hook\.released [0-9]+$' "by their members"
done_testing
