#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The generator of the tables, on a small header written for it.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
. "$top_srcdir/t/gen/check.sh"

small=$top_srcdir/t/gen

# generate OUT [COMPILER [OPTION...]]
generate() {
	generate_out=$1
	generate_cc=${2:-$CC}
	shift "$(($# < 2 ? $# : 2))"
	mkdir -p "$generate_out"
	$PERL "$generator" --cc "$generate_cc" --cuda "$small" \
		--header small.h --versions smallTypedefs.h \
		--overrides "$small/small.overrides" \
		--classes "$small/small.classes" --shapes "$small/small.shapes" --out "$generate_out" "$@"
}

# wrong MACRO LINE MESSAGE: what MACRO breaks is told, with its place.
wrong() {
	cp -r "$tmp/out" "$tmp/$1"
	fails "$1: ends with an error" generate "$tmp/$1" "$CC -D$1"
	line=$(grep -n -F -e "$2" "$small/small.h" | sed 's/:.*//')
	is "$(cat "$tmp/tap.out")" "$small/small.h:$line: $3" "$1: says where"
	ok "$1: changes nothing" diff -r "$tmp/out" "$tmp/$1"
}

ok "runs" generate "$tmp/out"
for file in driver_api.def driver_args.def driver_enums.def driver_params.def driver_structs.def cuda_types.h; do
	ok "$file is as expected" diff -u "$small/golden/$file" "$tmp/out/$file"
done
for compiler in gcc clang; do
	if command -v "$compiler" >"$tmp/which"; then
		ok "runs with $compiler" generate "$tmp/$compiler" "$compiler"
		ok "$compiler: same tables" diff -r "$tmp/out" "$tmp/$compiler"
	else
		skip 2 "no $compiler"
	fi
done
ok "says that nothing would change" generate "$tmp/out" "$CC" --check --refresh

cp -r "$tmp/out" "$tmp/newer"
fails "says that newer headers would change the tables" \
	generate "$tmp/newer" "$CC -DNEWER" --check
ok "and has not changed them" diff -r "$tmp/out" "$tmp/newer"
ok "reads newer headers" generate "$tmp/newer" "$CC -DNEWER"
rows=$(grep -c '^CUAPI' "$tmp/out/driver_api.def")
grep '^CUAPI' "$tmp/newer/driver_api.def" >"$tmp/rows"
is "$(sed -n "1,${rows}p" "$tmp/rows")" \
	"$(grep '^CUAPI' "$tmp/out/driver_api.def")" "no row changed"
is "$(sed "1,${rows}d; s/^CUAPI(\([^,]*, [^,]*\),.*/\1/" "$tmp/rows")" \
	"$rows, cuSmallAdded
$((rows + 1)), cuSmallAlloc_v3" "new rows came last"
cp -r "$tmp/newer" "$tmp/older"
ok "reads the older headers again" generate "$tmp/older"
ok "which change nothing" diff -r "$tmp/newer" "$tmp/older"

wrong CHANGED "cuSmallCopy(void *dst, const void *src, unsigned int size);" \
	"cuSmallCopy: prototype changed: parameter 3 is 'unsigned int', the table has 'size_t'"
wrong NOCLASS "cuLarge(" "cuLarge: in no class"
wrong NORESULT "cuSmallInteger(" "cuSmallInteger: returns 'int'"
wrong UNDECIDED "	void *what);" \
	"cuSmallUndecided: no direction for parameter 'what' (void *); decide it in the overrides"
wrong UNNAMED "cuSmallUnnamed(" "cuSmallUnnamed: parameter 2 has no name"
wrong UNVALUED "CU_NOWHERE" "'CU_NOWHERE' has no value here"

echo "dir(cuSmallCreate.name) = SIDEWAYS" >"$tmp/overrides"
fails "a direction that does not exist" \
	generate "$tmp/out" "$CC" --overrides "$tmp/overrides"
is "$(cat "$tmp/tap.out")" \
	"$tmp/overrides:1: 'SIDEWAYS' is no direction" "says where"

# unclassed LINE MESSAGE: a class that is a table's rows, and cannot be.
unclassed() {
	cp "$small/small.classes" "$small/small.waits" "$tmp/"
	echo "$1" >>"$tmp/small.classes"
	fails "classes: $1" generate "$tmp/out" "$CC" --classes "$tmp/small.classes"
	is "$(cat "$tmp/tap.out")" "$tmp/small.classes:$(($(wc -l <"$tmp/small.classes"))): $2" "says what is wrong"
}
unclassed 'SYNC	@small.wait WAITS' "small.wait: No such file or directory"
unclassed 'SYNC	@small.waits WAIT' "no WAIT(...) in small.waits"
unclassed 'SYNC	@small.waits' "cannot read 'SYNC	@small.waits'"

# unshaped SED-SCRIPT MESSAGE: other decisions about values than they are.
unshaped() {
	sed "$1" "$small/small.shapes" >"$tmp/shapes"
	fails "shapes: $1" generate "$tmp/out" "$CC" --shapes "$tmp/shapes"
	is "$(cat "$tmp/tap.out")" "$tmp/shapes$2" "says what is wrong"
}
unshaped '/^len(cuSmallList.list)/d; /^len(cuSmallList/d' \
	": cuSmallList: no length for parameter 'list' beside 'count'; decide it here"
unshaped '/^len(cuSmallList.list)/s/count/amount/' \
	": len(cuSmallList.list): no parameter 'amount'"
unshaped '/^flags(cuSmallPass/s/CUsmall_flags/CUnone/' \
	": flags(cuSmallPass.flags): no enumeration 'CUnone'"
unshaped '/^flags(cuSmallPass/s/flags)/fraction)/' ": flags(cuSmallPass.fraction): no integer"
unshaped '/^macros/s/MARK_/NOMARK_/' ": macros(CU_SMALL_MARK): no macro 'CU_SMALL_NOMARK_*'"
unshaped '/^len(CUsmallPair/s/len/lenght/' ":6: cannot read 'lenght(CUsmallPair_v1.y) = x'"

cp -r "$tmp/out" "$tmp/allowed"
echo "changed(cuSmallCopy)" | cat "$small/small.overrides" - >"$tmp/overrides"
ok "a prototype may change where the overrides say so" \
	generate "$tmp/allowed" "$CC -DCHANGED" --overrides "$tmp/overrides"
like "$(cat "$tmp/allowed/driver_api.def")" \
	'^CUAPI\(4, cuSmallCopy,.* P\(VAL, unsigned int, size\)\)$' \
	"its row has the old id, the new type"

mkdir "$tmp/include"
ln -s ../out "$tmp/include/cuaudit"
for language in "$CC -std=gnu11 -x c" "$CXX -std=gnu++17 -x c++"; do
	ok "the types compile alone: $language" $language -fsyntax-only -DCUAUDIT_OWN_TYPES \
		-Wall -Wextra -Werror -I"$tmp/include" "$tmp/out/cuda_types.h"
done
ok "the types step aside for the header" $CC -std=gnu11 -fsyntax-only \
	-DCUAUDIT_OWN_TYPES -Wall -Wextra -Werror -I"$small" -include small.h "$tmp/out/cuda_types.h"
done_testing
