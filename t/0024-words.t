# SPDX-License-Identifier: Apache-2.0
# Words that the field has others for: not in pages, messages or help. HACKING has the glossary.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

words='folders?|everybody|companions?|seldom|said again|the same again|gave|gives? back|given back|way to (the|a) call|routed|unrouted|born|birth|abandoned|choosy|strangers?|peek|doze|bury|grain'

# found FILE...: lines that have one; what was printed on a day stays as it was printed. no-unrouted is a rule
found() {
	grep -n '' "$@" /dev/null | sed 's/no-unrouted//g' | grep -w -i -E "$words"
}
cd "$top_srcdir" || exit 99
is "$(found man/* README.md SECURITY.md HACKING.md docs/DECISIONS.md docs/PERFORMANCE.md docs/ci.md docs/coverage.md docs/runtimes.md)" \
	"" "pages"
is "$(found include/cuaudit/variables.def tools/*.def)" "" "variables, options and findings"

# The texts in C, which messages are made of.
texts() {
	grep -n -o -E '"([^"\\]|\\.)*"' "$@" | grep -v -E '\.(h|c)"$'
}
is "$(texts audit/*.c hooks/*.c hooks/modules/*/*.c analysis/*.c export/*.c export/*/*.c tools/*.c tracefile/*.c util/*.c |
	grep -w -i -E "$words")" "" "messages"
ok "texts are found" test "$(texts tools/*.c | wc -l)" -gt 100
echo 'a folder' >"$tmp/page"
is "$(found "$tmp/page")" "$tmp/page:1:a folder" "a word is found"
done_testing
