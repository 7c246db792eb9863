# SPDX-License-Identifier: Apache-2.0
# Every public header compiles alone, as C and as C++.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

warnings="-Wall -Wextra -Wshadow -pedantic-errors -Werror"
for path in "$top_srcdir"/include/cuaudit/*.h; do
	header=cuaudit/${path##*/}
	printf '#include <%s>\n#include <%s>\nint nothing;\n' "$header" "$header" >"$tmp/x.c"
	cp "$tmp/x.c" "$tmp/x.cc"
	ok "$header as C11" $CC $warnings -Wstrict-prototypes -Wmissing-prototypes -std=c11 \
		-fsyntax-only -I"$top_srcdir/include" "$tmp/x.c"
	ok "$header as C++17" $CXX $warnings -std=c++17 -fsyntax-only \
		-I"$top_srcdir/include" "$tmp/x.cc"
done
for path in "$top_srcdir"/include/cuaudit/*.h; do
	printf '#include <cuaudit/%s>\n' "${path##*/}"
done >"$tmp/all.c"
ok "all together" $CC $warnings -std=c11 -fsyntax-only -I"$top_srcdir/include" "$tmp/all.c"
ok "all together, the other way round" sh -c 'sort -r "$1" >"$1-r.c" && shift && "$@"' sh \
	"$tmp/all.c" $CC $warnings -std=c11 -fsyntax-only -I"$top_srcdir/include" \
	"$tmp/all.c-r.c"
done_testing
