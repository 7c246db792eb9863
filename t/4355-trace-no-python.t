# SPDX-License-Identifier: Apache-2.0
# Interpreters whose frames cannot be read: the trace and all its readers say so, once.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

helper python/newer.so
helper python/unlocked.so
helper python/pypy.so
cd "$tmp" || exit 1

# traced INTERPRETER OPTION...: into the directory a
traced() {
	traced_interpreter=$1
	shift
	rm -rf a
	tool trace --driver sim -o a "$@" env LD_PRELOAD="$tmp/$traced_interpreter.so" \
		"$top_builddir/demo/cudemo" dlopen
}

while IFS='|' read -r name why; do
	says="Python frames are not recorded: $tmp/$name.so is $why"
	traced "$name" --python '*'
	is "$(grep -cF "$says" err)" 1 "$name: standard error says so, once"
	tool convert --to jsonl a
	is "$(grep -cF "\"text\":\"$says\"" out) $(grep -c '"type":"mark"' out)" "1 1" "... and the file"
	is "$(grep -c '"stack"' out)" 0 "... and no call has frames"
	tool report a
	is "$(sed -n 's/^  no Python *//p' out)" "$says" "... and its report"
	unlike "$(cat out)" partial "... of which nothing else is missing"
	tool report --format json a
	like "$(cat out)" "\"no_python\": ?\"$says\"" "... in JSON"
	tool report --html page.html a
	ok "... as a page" grep -qF "$says" page.html
	for format in chrome perfetto text; do
		tool convert --to $format a
		like "$(tr -d '\0' <out)" "$says" "... as $format"
	done
done <<'END'
newer|Python 3.99, newer than this version of cuaudit
unlocked|Python 3.13 of a layout that is not known, as without GIL
pypy|not CPython 3.9 or newer
END

traced newer --backtrace cuInit
tool report a
like "$(cat out)" 'no Python .*newer\.so' "where stacks are unwound, too"
traced newer
unlike "$(cat err)" Python "nothing is said where none are wanted"
tool report a
unlike "$(cat out)" Python "... nor in the report"

helper stat/ends
rm -rf a
tool trace --driver sim -o a --python '*' env LD_PRELOAD="$tmp/newer.so" "$tmp/ends" 20 fork
for file in a/*.cutrace; do
	tool convert --to jsonl "$file"
	grep -c '"type":"mark"' out
done >marks
is "$(sort marks | tr '\n' ' ')" "1 1 " "a child's file says it too"
done_testing
