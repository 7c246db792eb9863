# SPDX-License-Identifier: Apache-2.0
# Functions that hold the tables against a toolkit's headers.
: "${PERL:=perl}"
generator=$top_srcdir/maint/driver-api.pl
tables=$top_srcdir/include/cuaudit
ours=$top_srcdir/include

# toolkit_version DIR: the headers' CUDA_VERSION.
toolkit_version() {
	sed -n 's/^#define CUDA_VERSION \([0-9]*\).*/\1/p' "$1/cuda.h"
}

# prepare_toolkit DIR WORK: puts the parts of our tables that the headers in
# DIR have into WORK.
prepare_toolkit() {
	mkdir -p "$2/theirs" &&
	toolkit=$(toolkit_version "$1") && test -n "$toolkit" &&
	exact=$(grep -c "^ \* Newest headers read: CUDA $toolkit\$" \
		"$tables/driver_api.def"); test -n "$exact" &&
	$PERL "$generator" --cc "$CC" --stand-ins "$2/stand-ins" &&
	$PERL "$generator" --cc "$CC" --cuda "$1" --out "$2/theirs" --types &&
	awk -F ', ' -v version="$toolkit" '/^CUAPI/ && $7 <= version + 0' \
		"$tables/driver_api.def" >"$2/rows.def" &&
	for table in enums structs; do
		awk -v exact="$exact" -f "$top_srcdir/t/gen/common.awk" \
			"$top_srcdir/maint/overrides" \
			"$2/theirs/driver_$table.def" \
			"$tables/driver_$table.def" >"$2/$table.def" || return
	done &&
	test -s "$2/rows.def" && test -s "$2/enums.def" && test -s "$2/structs.def"
}

# check_rows COMPILER DIR WORK
check_rows() {
	$1 -std=gnu11 -fsyntax-only -Wall -Wextra -Werror -I"$3/stand-ins" \
		-isystem "$2" -DROWS="\"$3/rows.def\"" "$top_srcdir/t/gen/check_rows.c"
}

# check_types COMPILER DIR WORK
check_types() {
	$1 -x c++ -std=gnu++17 -fsyntax-only -Wall -Wextra -Werror \
		-I"$3/stand-ins" -isystem "$2" -I"$ours" \
		-DROWS="\"$3/rows.def\"" -DENUMS="\"$3/enums.def\"" \
		-DSTRUCTS="\"$3/structs.def\"" "$top_srcdir/t/gen/check_types.cc"
}
