# SPDX-License-Identifier: Apache-2.0
# What shell tests share: where things are, and running a program audited.
# `make check` sets these; a test run by hand, in a build directory, finds them itself.
: "${top_srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
: "${top_builddir:=$PWD}"
: "${CC:=cc}"
: "${CXX:=c++}"
: "${MAKE:=make}"
: "${NM:=nm}"
: "${PERL:=perl}"
: "${PYTHON3:=python3}"
: "${READELF:=readelf}"
: "${CUDA_HOME:=}"
: "${LIBCUAUDIT:=$top_builddir/lib/libcuaudit.so}"
export top_srcdir top_builddir CC CXX LIBCUAUDIT
LC_ALL=C
export LC_ALL
simdir=$top_builddir/lib/cuaudit/sim

. "$top_srcdir/t/tap.sh"

# Nothing of the caller's own settings reaches what a test runs; the tests' own, which no
# audited program knows, are variables of the shell from here on.
unset LD_AUDIT LD_PRELOAD COLUMNS
for tap_name in $(env | sed -n 's/^\(CUAUDIT_[A-Z_]*\)=.*/\1/p'); do
	case $tap_name in
	CUAUDIT_TEST_*)
		eval "tap_value=\$$tap_name"
		unset "$tap_name"
		eval "$tap_name=\$tap_value"
		;;
	*) unset "$tap_name" ;;
	esac
done

# What runs [VARIABLE=VALUE...] COMMAND...; t/6000-aarch64.t puts an emulator there.
: "${run_env:=env}"

# audited [VARIABLE=VALUE...] COMMAND...
audited() {
	$run_env LD_AUDIT="$LIBCUAUDIT" "$@"
}

# arch: the processor that the build is for, as configure names it.
arch() {
	sed -n 's/^arch = //p' "$top_builddir/Makefile"
}

# compile ARGUMENTS...: the C compiler with the tree's headers. A run path goes before
# LD_LIBRARY_PATH, which may name a real driver.
compile() {
	$CC -std=gnu11 -D_GNU_SOURCE -DCUAUDIT_OWN_TYPES -I"$top_srcdir/t/parts" -I"$top_srcdir" \
		-I"$top_srcdir/include" -Wl,--disable-new-dtags "$@"
}

# helper FILE [AS]: what make builds by t/helpers.am as t/FILE, as $tmp/AS. It is built now for a test
# that is run by hand, and when a source is newer.
helper() {
	helper_built=$top_builddir/t/$1
	if test ! -e "$helper_built" || test -n "$(find "$top_srcdir/t" -name '*.[chS]' -newer "$helper_built")"; then
		env MAKEFLAGS= MFLAGS= MAKELEVEL= $MAKE -s -C "$top_builddir" "t/$1" >"$tmp/build.out" 2>&1 || {
			sed 's/^/# /' "$tmp/build.out"
			bail_out "cannot build t/$1"
		}
	fi
	helper_as=$tmp/${2-${1##*/}}
	mkdir -p "${helper_as%/*}"
	cp "$helper_built" "$helper_as"
}

# helpers FILE...
helpers() {
	for helpers_file; do
		helper "$helpers_file"
	done
}

# sources DIRECTORY LIST: the C files of a list in DIRECTORY/sources.am, and of the lists that it names.
sources() {
	sed -n "/^$2 *=/,/[^\\\\]\$/p" "$top_srcdir/$1/sources.am" >"$tmp/$2"
	for sources_list in $(sed -n 's/.*$(\([a-z_]*\)).*/\1/p' "$tmp/$2"); do
		sources "$1" "$sources_list"
	done
	sed -n "s|.*\($1/[a-z_0-9]*\.c\).*|$top_srcdir/\1|p" "$tmp/$2"
}

# loader_family: "new" where the loader tells auditors of every binding; "old", before glibc
# 2.35, of those by dlsym and of those the PLT makes at the first call. It asks for version 1.
loader_family() {
	helper routes/version.so
	loader_version=0
	$run_env LD_AUDIT="$tmp/version.so" "$top_builddir/demo/cudemo" || loader_version=$?
	case $loader_version in
	0) return 1 ;;
	1) echo old ;;
	*) echo new ;;
	esac
}

# long_test: ends the test unless `make check-all` runs it.
long_test() {
	test -n "${LONG_TESTS-}" || skip_all "long; make check-all runs it"
}
