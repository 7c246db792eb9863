#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The committed tables by themselves: counts, ids, types that compile alone.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
. "$top_srcdir/t/gen/check.sh"

api=$tables/driver_api.def

is "$(grep -c '^CUAPI(' "$api")" 672 "672 rows"
is "$(grep '^CUAPI(' "$api" | grep -o '[( ]P([A-Z]*, ' | wc -l | tr -d ' ')" 2106 \
	"2106 parameters"
is "$(awk -F '[(,]' '/^CUAPI/ && $2 != n++ { print }' "$api")" "" "ids are dense"
is "$(awk -F ', ' '/^CUAPI/ && seen[$2]++ { print $2 }' "$api")" "" "no symbol twice"
is "$(awk -F ', ' '/^CUAPI/ { n = gsub(/[( ]P\([A-Z]*, /, "&"); if (n != $9) print $2 }' \
	"$api")" "" "nparams is the number of parameters"
is "$(grep -v '^CUAPI(' "$api" | grep -v '^ \*\|^/\*\|^$')" "" "nothing but rows and comments"
is "$(grep -o '[( ]P([A-Z]*, ' "$api" | tr -d '(, ' | sort -u | tr '\n' ' ')" \
	"PADDR PIN PINOUT POUT PVAL " "five directions"
is "$(awk -F ', ' '/^CUAPI/ { print $6 }' "$api" | sort -u | tr '\n' ' ')" \
	"NONE PTDS PTSZ " "three flavours"
is "$(awk -F ', ' '/^CUAPI/ { gsub(/[|]/, "\n", $8); print $8 }' "$api" | sort -u)" \
	"$(sed -n 's/^CLASS(\([A-Z]*\),.*/\1/p' "$tables/classes.def" | sort -u)" \
	"the classes are those of classes.def"

# A row for each twin of a name, under the names cuGetProcAddress goes by.
is "$(awk -F ', ' '/^CUAPI/ {
	name = $3 ($5 > 1 ? "_v" $5 : "") ($6 == "NONE" ? "" : "_" tolower($6))
	if (name != $2)
		print $2
}' "$api")" "" "a symbol is base, variant and flavour"
is "$(awk -F ', ' '/^CUAPI/ && $4 > $7 { print $2 }' "$api")" "" \
	"no header is older than its function"

printf '%s\n' '#include <cuaudit/cuda_types.h>' '#define SEP ,' \
	'#define P(direction, type, name) type name' \
	'#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, n, ...) \' \
	'	CUresult symbol(__VA_ARGS__);' \
	'#include <cuaudit/driver_api.def>' >"$tmp/all.c"
printf '%s\n' '#include <cuaudit/cuda_types.h>' '#include <stddef.h>' \
	'#define ENUM(type)' '#define FLAGSET(type)' '#define ENUM_END(type)' \
	'#define ENUM_ALIAS(alias, type) enum { size_##alias = sizeof(alias) };' \
	'#define ENUMERATOR(type, name, value) enum { is_##name = 1 / (name == (type)(value)) };' \
	'#include <cuaudit/driver_enums.def>' \
	'#define STRUCT(type) enum { size_##type = sizeof(type) };' '#define STRUCT_END(type)' \
	'#define STRUCT_ALIAS(alias, type) enum { size_##alias = 1 / (sizeof(alias) == sizeof(type)) };' \
	'#define FIELD(type, field, path) void f(int (*)[offsetof(type, path) + sizeof(field)]);' \
	>"$tmp/types.c"
for compiler in gcc clang; do
	if ! command -v "$compiler" >"$tmp/which"; then
		skip 5 "no $compiler"
		continue
	fi
	set -- -fsyntax-only -DCUAUDIT_OWN_TYPES -Wall -Wextra -Wshadow -Werror -I"$top_srcdir/include"
	ok "$compiler: types compile alone as C11" \
		"$compiler" -std=c11 -x c "$@" "$tables/cuda_types.h"
	ok "$compiler: types compile alone as C++17" \
		"$compiler" -std=c++17 -x c++ "$@" "$tables/cuda_types.h"
	ok "$compiler: every row compiles as C" "$compiler" -std=gnu11 "$@" "$tmp/all.c"
	ok "$compiler: every row compiles as C++" \
		"$compiler" -std=gnu++17 -x c++ "$@" "$tmp/all.c"
	ok "$compiler: enumerations and structures are the types'" \
		"$compiler" -std=gnu11 "$@" "$tmp/types.c"
done
done_testing
