# SPDX-License-Identifier: Apache-2.0
# What the fuzzing tests share: code built hosted, with every step out of bounds seen.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

fuzz=$top_srcdir/t/fuzz
cases=100000
test -z "${LONG_TESTS-}" || cases=1000000

# hosted ARGUMENT...: the compiler, or the whole test fails.
hosted() {
	compile -O1 -g -U_FORTIFY_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=all \
		-I"$top_srcdir/audit/arch/$(arch)" -I"$top_builddir" \
		-DPACKAGE_NAME='"cuaudit"' -DPACKAGE_VERSION='"0"' "$@" \
		>"$tmp/build.out" 2>&1 && return
	sed 's/^/# /' "$tmp/build.out"
	bail_out "cannot build what is fuzzed"
}

# sanitizers: ends the test where there are none, or they do not run.
sanitizers() {
	echo 'int main(void) { return 0; }' >"$tmp/none.c"
	compile -fsanitize=address,undefined -o "$tmp/none" "$tmp/none.c" >"$tmp/none.out" 2>&1 &&
		"$tmp/none" >"$tmp/none.out" 2>&1 || skip_all "no sanitizers here"
}

# auditor: $tmp/sys.o, the auditor's strings; the rest of sys.c stands in fuzz.c.
auditor() {
	hosted -c -o "$tmp/sys.o" -Dmemcpy=sys_memcpy -Dmemset=sys_memset \
		-Dsys_alloc=sys_alloc_there -Dsys_copy=sys_copy_there \
		"$top_srcdir/audit/sys.c"
}

# share NAME PERCENT: at least so many of the cases in $tmp/out, "NAME n NAME n ...".
share() {
	ok "of $cases cases enough: $1" awk -v name="$1" -v least="$(($2 * cases / 100))" '
		{ for (i = 1; i < NF; i += 2) if ($i == name) found = $(i + 1) }
		END { exit found + 0 < least }' "$tmp/out"
}

# fuzzed NAME PROGRAM [ARGUMENT...]: it runs all cases and dies of none.
fuzzed() {
	fuzzed_name=$1
	fuzzed_program=$2
	shift 2
	ok "$fuzzed_name" "$fuzzed_program" "${CUAUDIT_TEST_SEED:-1}" 0 "$cases" "$@"
	cp "$tmp/tap.out" "$tmp/out"
	diag "$(tail -n 1 "$tmp/out")"
}
