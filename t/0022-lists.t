# SPDX-License-Identifier: Apache-2.0
# The build's lists hold every file there is, sorted.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
cd "$top_srcdir" || exit 99

# listed LIST-FILE VARIABLE
listed() {
	awk -v name="$2" '
	$1 == name && ($2 == "=" || $2 == "+=") { on = 1; sub(/^[^=]*=/, "") }
	on {
		more = sub(/\\$/, "")
		n = split($0, word)
		for (i = 1; i <= n; i++)
			print word[i]
		on = more
	}' "$1"
}

# found DIRECTORY PATTERN...: relative names, this directory only.
found() {
	directory=$1
	shift
	for pattern; do
		# What protoc-c made is in tarballs; numbers for assembly are beside their source where that is built in.
		find "$directory" -maxdepth 1 -type f -name "$pattern" ! -name '*.pb-c.*' ! -name '*_offsets.h'
	done
}

same() {
	ok "$3 is not empty" test -n "$1"
	is "$(printf '%s\n' "$1" | LC_ALL=C sort)" "$(printf '%s\n' "$2" | LC_ALL=C sort)" "$3"
}

same "$(listed audit/sources.am audit_sources)" "$(found audit '*.c')" "audit_sources"
same "$(listed audit/sources.am audit_headers)" "$(found audit '*.h' '*.def')" "audit_headers"
same "$(listed hooks/sources.am hooks_sources)" "$(found hooks '*.c')" "hooks_sources"
for module in $(sed -n 's/^MODULE(\([a-z]*\))$/\1/p' hooks/builtin.def); do
	same "$(listed hooks/sources.am "${module}_module_sources"
	listed hooks/sources.am "${module}_core_sources"
	listed hooks/sources.am "${module}_offsets_sources")" \
		"$(found "hooks/modules/$module" '*.[ch]' '*.def'
	test "$module" != stat || found hooks/modules '*.[ch]')" "the sources of $module"
done
same "$(listed hooks/sources.am hooks_headers)" "$(found hooks '*.h' '*.def')" "hooks_headers"
same "$(listed include/include.am internal_headers)" "$(found include/internal '*')" "internal_headers"
same "$(listed tables/sources.am tables_sources)" "$(found tables '*.[ch]' '*.def')" "tables_sources"
for list in util_freestanding util_sources util_tool_sources; do
	listed util/sources.am "$list"
done | grep -v '^\$' >"$tmp/util"
same "$(cat "$tmp/util")" "$(found util '*.[ch]' '*.def')" "util_sources"
same "$(listed print/sources.am print_sources)" "$(found print '*.[ch]')" "print_sources"
same "$(listed tracefile/sources.am tracefile_sources)" "$(found tracefile '*.[ch]')" "tracefile_sources"
same "$(listed analysis/sources.am analysis_stat_sources
listed analysis/sources.am analysis_libdw_sources
listed analysis/sources.am analysis_sources)" "$(found analysis '*.[ch]' '*.def')" "analysis_sources"
same "$(for library in "" protobuf_c_ sqlite3_; do
	listed export/sources.am "export_${library}sources"
done)" "$(for format in "" /ctf /perfetto /sqlite; do
	found "export$format" '*.[ch]'
done)" "export_sources"
same "$(listed export/html/sources.am html_sources)" "$(found export/html '*.[ch]')" "html_sources"
same "$(listed export/html/sources.am html_page)" "$(found export/html '*.html' '*.css' '*.js')" "html_page"
same "$(listed nvtx/sources.am nvtx_sources | grep 'c$')" "$(found nvtx '*.c')" "nvtx_sources"
same "$(listed nvtx/sources.am nvtx_headers)" "$(found nvtx '*.def')" "nvtx_headers"
same "$(listed sim/sources.am sim_sources)" "$(found sim '*.c')" "sim_sources"
same "$(listed sim/sources.am sim_headers)" "$(found sim '*.h' '*.def')" "sim_headers"
same "$(listed tools/sources.am tools_sources)" "$(found tools '*.[ch]')" "tools_sources"
same "$(listed include/include.am cuauditinclude_HEADERS)" \
	"$(found include/cuaudit '*.h' '*.def')" "installed headers"
same "$(listed Makefile.am dist_example_DATA)" "$(found examples '*')" "the examples"
same "$(listed t/tests.am shell_tests)" "$(found t '[0-9]*.t')" "shell_tests"
same "$(listed t/tests.am program_tests)" "$(found t '[0-79]*.c' | sed 's/\.c$//')" "program_tests"

for list in shell_tests program_tests test_files; do
	is "$(listed t/tests.am $list)" "$(listed t/tests.am $list | LC_ALL=C sort)" \
		"$list is sorted"
done

for list in fake limit others simulated trace; do
	sed -n "/^helpers_$list =/,/[^\\\\]\$/p" t/helpers.am | sed '1d; s/ .$//' >"$tmp/helpers"
	ok "helpers_$list is sorted" sort -c "$tmp/helpers" && test -s "$tmp/helpers"
	is "$(while read -r helper; do
		name=${helper#t/}
		grep -q -E "(helpers? .*\b|hostile )(${name%%/*}/)?${name#*/}( |\$)" t/*.t t/*.sh t/*/*.sh || echo "$helper"
	done <"$tmp/helpers")" "" "... and each is run by a test"
done

# Build directories are left out; a build in the source tree has its files everywhere.
if test -f config.status; then
	skip 2 "built in the source tree"
	done_testing
fi
env MAKEFLAGS= MAKELEVEL= "${MAKE:-make}" -s -C "$top_builddir" list-distributed |
	sed "s|^$top_srcdir/||; s|^\\(\\.\\./\\)*||; s|^${top_srcdir##*/}/||" | LC_ALL=C sort -u >"$tmp/packed"
# m4 is what aclocal reads: automake packs it, under names that differ by its version.
find . -name .git -prune -o -name autom4te.cache -prune -o -path './.*' -prune -o \
	-path ./m4 -prune -o \
	-type d -exec test -f '{}/config.status' ';' -prune -o -name _inst -prune -o \
	-type f ! -name '*~' ! -name '*.pyc' ! -name '*.tar.gz' -print |
	sed 's|^\./||' | LC_ALL=C sort >"$tmp/files"
ok "there is something to pack" test "$(wc -l <"$tmp/packed")" -gt 100
is "$(LC_ALL=C comm -13 "$tmp/packed" "$tmp/files")" "" "make dist packs every file"

# Each promise of SECURITY.md names a test that shows it.
promises=$(sed -n '/^## What is promised/,/^## What limit/p' SECURITY.md)
ok "promises of SECURITY.md" test "$(printf '%s\n' "$promises" | grep -c '^- ')" -ge 15
is "$(printf '%s\n' "$promises" | awk '
	/^(-|$|[A-Z#])/ { if (text != "" && text !~ /`t\/[^`]*`\)$/) print text; text = "" }
	/^-/ || text != "" { text = text $0 }')" "" "each names a test"
for test in $(printf '%s\n' "$promises" | grep -o '`t/[^`]*`' | tr -d '`'); do
	ok "SECURITY.md: $test is there" grep -q "$(basename "$test" .c)" t/tests.am
done

# HACKING names no file that is not there.
grep -o '`[a-z][a-z0-9_/]*\.\(c\|h\|S\|def\|am\|js\|py\|map\|sh\)`' HACKING.md | tr -d '`' | sort -u >"$tmp/named"
ok "HACKING names files" test "$(wc -l <"$tmp/named")" -gt 50
is "$(while read -r file; do
	case $file in
	*/*) test -e "$file" || echo "$file" ;;
	*) find . -name "$file" | grep -q . || echo "$file" ;;
	esac
done <"$tmp/named")" "" "each is there"

# What the thread sanitizer is told to leave out is a function that there is.
sed -n 's/^race:^\(.*\)\$$/\1/p' t/sanitize/thread.supp >"$tmp/named"
ok "the thread sanitizer leaves out functions" test -s "$tmp/named"
is "$(while read -r function; do
	grep -rqE "^[a-z].*\b$function\(" audit hooks analysis || echo "$function"
done <"$tmp/named")" "" "each is there"

# No name of a file for two things. The same thing twice: a subcommand and its module or format (tools/NAME.c),
# a header of the contract and what the core has beside it; sim/ has a file for each part of the driver API.
is "$(find analysis audit export hooks include print tables tools tracefile util -name '*.[chS]' ! -path '*/arch/*' \
	! -name '*.pb-c.*' | LC_ALL=C sort | awk -F / '
	{ files[$NF] = files[$NF] " " $0; count[$NF]++ }
	END {
		for (name in count) {
			if (count[name] < 2 || files[name] ~ / include\/cuaudit\//)
				continue
			if (count[name] == 2 && files[name] ~ / (tools|include\/cuaudit)\// && files[name] ~ / (export|hooks\/modules)\//)
				continue
			print files[name]
		}
	}')" " hooks/coverage.c hooks/modules/coverage/coverage.c" "no name twice, but for the module that prints what the core knows"
done_testing
