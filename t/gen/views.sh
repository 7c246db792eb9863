# SPDX-License-Identifier: Apache-2.0
# Compiles uses of every typed view.
tables=$top_srcdir/include/cuaudit

# compiles VERSION NAME COMPILER ARGUMENT...: with the types of a <cuda.h> of
# that version, 99999 for our own.
compiles() {
	awk -F ', ' -v none="$tmp/none.def" -v rows="$tmp/rows.def" -v named="$tmp/named.def" \
		-v version="$1" '
	/^CUAPI/ { print >($9 ? rows : none) }
	/^CUAPI/ && $9 && $7 <= version + 0 &&
	(version == 99999 || !/, cu(GL|EGL|VDPAU|Graphics(GL|EGL|VDPAU)|Profiler|EventCreateFromEGL|GraphicsResourceGetMappedEgl)/) {
		print >named
	}' "$tables/driver_api.def"
	sed -n 's/^CUAPI([0-9]*, \(\w*\),.*/#undef \1/p' "$tables/driver_api.def" >"$tmp/undef.h"
	compiles_name=$2
	compiler=$3
	shift 3
	case $compiler in
	*++) set -- -x c++ -std=c++17 "$@" ;;
	*) set -- -std=c11 "$@" ;;
	esac
	ok "$compiles_name: $compiler" $compiler "$@" -fsyntax-only -Wall -Wextra -Wshadow \
		-Wno-unused-function -Wno-deprecated-declarations -Werror \
		-DROWS="\"$tmp/rows.def\"" -DNONE="\"$tmp/none.def\"" \
		-DUNDEF="\"$tmp/undef.h\"" -DNAMED="\"$tmp/named.def\"" -I"$top_srcdir/include" \
		"$top_srcdir/t/gen/check_views.c"
}
