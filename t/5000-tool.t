# SPDX-License-Identifier: Apache-2.0
# The command's frame: help, version, words that do not exist, the manual, the completions.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

table=$top_srcdir/tools/commands.def
commands=$(sed -n 's/^COMMAND(\([a-z]*\), .*/\1/p' "$table")
page=$top_builddir/man/cuaudit.1

# options COMMAND: the long names of the table.
options() {
	sed -n "s/^OPTION(\"[^\"]* \\(\\*\\|$1\\) .*\", '.', \"\\([a-z-]*\\)\", \"\\([^\"]*\\)\",.*/\\2 \\3/p" "$table"
}

# A letter is one option, whatever the command.
letters=$(sed -n "s/^OPTION(\"[^\"]*\", '\(.\)', \"\([a-z-]*\)\",.*/\1 \2/p" "$table" | sort -u)
is "$(printf '%s\n' "$letters" | cut -d ' ' -f 1 | uniq -d | xargs)" "" "no letter is two options"
is "$(printf '%s\n' "$letters" | cut -d ' ' -f 2 | sort | uniq -d | xargs)" "" "no option has two letters"
ok "there are commands" test "$(printf '%s\n' "$commands" | wc -l)" -ge 5
tool --help
is "$status $(wc -c <"$tmp/err")" "0 0" "--help"
for command in $commands; do
	like "$(cat "$tmp/out")" "^  $command " "--help names $command"
done
cp "$tmp/out" "$tmp/help"
tool -h
ok "-h is the same" cmp "$tmp/out" "$tmp/help"
tool --version
is "$status $(cat "$tmp/out")" "0 cuaudit ${version:-$("$cuaudit" -V | sed 's/.* //')}" "--version"

for command in $commands; do
	tool "$command" --version
	is "$status $(cat "$tmp/out")" "0 $("$cuaudit" --version)" "$command --version"
	tool "$command" --help
	is "$status $(wc -c <"$tmp/err")" "0 0" "$command --help"
	is "$(awk 'length > 79' "$tmp/out" | grep -v '^usage')" "" "$command --help: lines of 79"
	ok "$command has options" test -n "$(options "$command")"
	for name in $(options "$command" | sed 's/ .*//'); do
		like "$(cat "$tmp/out")" "^  -., --$name( |\$)" "$command --help names --$name"
	done
	is "$(sed -n 's/^  -., --\([a-z-]*\).*/\1/p' "$tmp/out" | sort)" \
		"$(options "$command" | sed 's/ .*//' | sort)" "$command --help: and no others"
	is "$(awk -v command="$command" '
		/^\.S[sh] / { on = $0 == ".Ss cuaudit " command }
		on && /^\.It Fl . , / { print substr($5, 3) }' "$page" | sort)" \
		"$(options "$command" | sed 's/ .*//; /^help$/d; /^version$/d' | sort)" \
		"cuaudit(1) names the options of $command"
	refused 2 "there is no option '--hlep'; did you mean --help\\?" "$command: a misspelt option" \
		"$command" --hlep
	refused 2 "there is no option '-~' of $command; see cuaudit $command --help" \
		"$command: a wrong letter" "$command" -~
	refused 2 "--version takes no value" "$command: a value too much" "$command" --version=x
	status=0
	"$cuaudit" "$command" --help >/dev/full 2>"$tmp/err" || status=$?
	is "$status" 2 "$command --help: a full disk is reported"
done
refused 2 "no command; see cuaudit --help" "nothing"
refused 2 "there is no command 'rnu'; did you mean run\\?" "letters exchanged" rnu
refused 2 "there is no command 'reprt'; did you mean report\\?" "a letter less" reprt
refused 2 "there is no command 'xyzzy'; see cuaudit --help" "like no other" xyzzy
refused 2 "there is no option '--hepl'; did you mean --help\\?" "an option" --hepl
refused 2 "-k wants a value; see cuaudit run --help" "a value missing" run -k
refused 2 "--hooks wants a value; see cuaudit run --help" "a long option's" run --hooks
# Each option that takes a path, of each command.
sed -n 's/^OPTION("\( [a-z ]*\) ", .*, "\([a-z-]*\)", "\([A-Za-z|]*PATH\|FILE\|DIR\)", .*/\2 \3\1/p' \
	"$top_srcdir/tools/commands.def" >"$tmp/paths"
is "$(wc -l <"$tmp/paths")" 18 "there are such"
while read -r name value takers; do
	for command in $takers; do
		refused 2 "--$name takes $value, not ''" "$command --$name: an empty path" "$command" "--$name" '' x
	done
done <"$tmp/paths"
for command in 'report' 'convert --to csv' 'manifest' 'limit status'; do
	# shellcheck disable=SC2086 # words
	refused 2 "'': No such file or directory" "$command: a file with an empty name" $command ''
done
for command in run stat trace 'convert --to csv'; do
	# shellcheck disable=SC2086 # words
	refused 2 "--functions: '' is no selector" "$command: no functions" $command --functions '' x
done
refused 2 "--output takes the path of a directory, not '-'" "no directory is standard output" trace -o - true
for command in run stat; do
	(cd "$tmp" && "$cuaudit" $command -d sim -o - "$demo" dlopen >"$tmp/out" 2>"$tmp/err")
	is "$? $(grep -c ' cuInit$' "$tmp/out") $(cat "$tmp/err")" "0 2 " "$command: - is standard output"
	ok "... and no file" test ! -e "$tmp/-"
done

# The table is read by awk too, which says where it does not understand.
sed 's/^COMMAND(run, /COMMAND(run /; s/^OPTION(" run "/OPTION(run/' "$table" >"$tmp/table"
fails "a row that is none" awk -f "$top_srcdir/tools/manual.awk" "$tmp/table" \
	"$top_srcdir/man/cuaudit.1.in"
like "$(cat "$tmp/tap.out")" "table:[0-9]+: no OPTION" "a row that is none: where"
grep -v '^@options list@$' "$top_srcdir/man/cuaudit.1.in" >"$tmp/page.in"
fails "a subcommand without a section" awk -f "$top_srcdir/tools/manual.awk" "$table" "$tmp/page.in"
like "$(cat "$tmp/tap.out")" "the page says nothing of list" "a subcommand without a section: which"

# What the shells ask.
offers() {
	"$cuaudit" --complete "$@" | cut -f 1
}
is "$(offers '')" "$commands" "completion: the commands"
is "$(offers re)" "report" "completion: a command begun"
is "$(offers run --h)" "--help
--hooks" "completion: options"
is "$(offers run -d s)" "sim
:files" "completion: a value or a file"
is "$(offers report --format = '')" "text
json
prometheus
openmetrics" "completion: a value as bash splits it"
is "$(offers run -f '%memory,!cuMemAllocM')" '%memory,!cuMemAllocManaged' "completion: the last of a list"
is "$(offers run --hooks st)" stat "completion: hooks"
is "$(offers list '')" "functions
classes
hooks
variables" "completion: what to list"
is "$(offers list variables CUAUDIT_F)" "CUAUDIT_FOLLOW
CUAUDIT_FUNCTIONS" "completion: variables"
is "$(offers report x)" :files "completion: files"
is "$(offers check --baseline x)$(offers check --update x)" :files:files "completion: lock files"
is "$(offers run -d sim -- env x)" ":program 4" "completion: another program's words"
is "$(offers stat env x)" ":program 1" "completion: without --"
is "$(offers rnu x)" "" "completion: of no command"

if command -v bash >"$tmp/which"; then
	cat >"$tmp/try" <<'END'
. "$top_srcdir/tools/completion/cuaudit"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_cuaudit
echo "${COMPREPLY[*]}"
END
	is "$(bash "$tmp/try" "$cuaudit" run --ho)" "--hooks" "bash"
	is "$(bash "$tmp/try" "$cuaudit" list variables CUAUDIT_FO)" "CUAUDIT_FOLLOW" "bash: further on"
	is "$(bash "$tmp/try" "$cuaudit" xyzzy '')" "" "bash: nothing"
else
	skip 3 "no bash"
fi
if command -v zsh >"$tmp/which"; then
	ok "zsh reads its file" zsh -n "$top_srcdir/tools/completion/_cuaudit"
else
	skip 1 "no zsh"
fi
if command -v fish >"$tmp/which"; then
	is "$(cd "$tmp" && HOME=$tmp PATH=$top_builddir/bin:$PATH fish -c "
		source $top_srcdir/tools/completion/cuaudit.fish
		complete -C 'cuaudit run --ho'" | cut -f 1)" --hooks "fish"
else
	skip 1 "no fish"
fi

# lint PAGE: what mandoc complains of, less what it cannot find on this machine.
lint() {
	mandoc -Tlint "$1" 2>&1 | grep -v -e 'referenced manual not found' -e 'outdated mandoc\.db'
}
if command -v mandoc >"$tmp/which"; then
	for name in "$page" "$top_srcdir"/man/*.[0-9]; do
		is "$(lint "$name")" "" "mandoc has nothing to say of ${name##*/}"
		is "$(mandoc -T utf8 "$name" | grep "’’")" "" "... where each quote ends before the next begins"
	done
	sed 's/^\.Sh NAME/.Sh NMAE/' "$page" >"$tmp/wrong.1"
	like "$(lint "$tmp/wrong.1")" "NMAE" "it has of a wrong one"
else
	skip 1 "no mandoc"
fi
done_testing
