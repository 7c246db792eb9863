# SPDX-License-Identifier: Apache-2.0
# Damaged programs: cuaudit judges each without a step out of its file.
. "${top_srcdir:-$(dirname "$0")/..}/t/fuzz/lib.sh"

sanitizers
cases=1000
test -z "${LONG_TESTS-}" || cases=100000
hosted -Dmmap=judge_mmap -Dmunmap=judge_munmap -c -o "$tmp/object.o" "$top_srcdir/tools/elf_file.c"
hosted -o "$tmp/judge" "$top_srcdir/t/tool/judge.c" "$tmp/object.o" "$top_srcdir/tools/program.c"

# number NAME: of a finding
number() {
	sed -n 's/^\(LIMIT\|FINDING\)(\([A-Z_]*\),.*/\2/p' "$top_srcdir/tools/findings.def" |
		awk -v name="$1" '$0 == name { print NR - 1 }'
}
# enough NAME: some of the cases had this finding
enough() {
	like "$(cat "$tmp/out")" "^$(number "$1") " "some are $1"
}

ok "$cases damaged copies" "$tmp/judge" "$top_builddir/demo/cudemo" "$tmp/copy" \
	"${CUAUDIT_TEST_SEED:-1}" "$cases"
cp "$tmp/tap.out" "$tmp/out"
diag "$(tr '\n' ';' <"$tmp/out")"
for name in PROGRAM STATIC DAMAGED MACHINE NOT_ELF NO_LOADER; do
	enough $name
done
done_testing
