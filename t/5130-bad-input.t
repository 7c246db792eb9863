# SPDX-License-Identifier: Apache-2.0
# Every subcommand of the table with input that is none and output that cannot be: one line on
# stderr, its status, nothing half-written.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

table=$top_srcdir/tools/commands.def
mkdir "$tmp/in" "$tmp/work"
chmod 755 "$tmp" "$tmp/in"
chmod 777 "$tmp/work"
cd "$tmp/work" || exit 99

# arguments COMMAND: what the table says that it takes.
arguments() {
	sed -n "s/^COMMAND($1, \"\\([^\"]*\\)\".*/\\1/p" "$table"
}

# paths COMMAND: its options for a file to write.
paths() {
	sed -n "s/^OPTION(\"[^\"]* $1 [^\"]*\", '.', \"\\([a-z-]*\\)\", \"[^\"]*PATH[^\"]*\",.*/--\\1/p" "$table"
}

# ways COMMAND: what has to be given with a file, a line for each choice.
ways() {
	choices=$(sed -n "s/^OPTION(\"[^\"]* $1 [^\"]*\", '.', \"to\", \"\\([^\"]*\\)\",.*/\\1/p" "$table")
	test -n "$choices" || echo
	echo "$choices" | tr '|' '\n' | sed -n 's/^[a-z]/--to &/p'
}

# bad STATUS NAME COMMAND...: that status, one line on stderr, nothing else, soon, no file left.
# $input comes on its standard input.
bad() {
	bad_want=$1
	bad_name=$2
	shift 2
	find . | LC_ALL=C sort >"$tmp/before"
	bad_status=0
	timeout 300 $as "$cuaudit" "$@" <"${input:-/dev/null}" >"$tmp/out" 2>"$tmp/err" || bad_status=$?
	find . | LC_ALL=C sort >"$tmp/after"
	bad_kind=fine
	test "$(wc -l <"$tmp/err")" = 1 && grep -q '^cuaudit: ' "$tmp/err" || bad_kind="not one line"
	test ! -s "$tmp/out" || bad_kind="something on stdout"
	cmp -s "$tmp/before" "$tmp/after" || bad_kind="files left"
	is "$bad_kind $bad_status" "fine $bad_want" "$1: $bad_name" || {
		diag "$*"
		diag "$(head -c 1000 "$tmp/err")"
		find . | LC_ALL=C sort | diff "$tmp/before" - | sed 's/^/# /'
	}
}

# What is no input. A trace and a record file are cut where a reader has just begun.
"$cuaudit" trace -d sim -o "$tmp/in/traces" "$demo" dlopen >"$tmp/demo.out" 2>"$tmp/demo.err" ||
	bail_out "no trace"
trace=$(find "$tmp/in/traces" -type f)
helper stat/ends
(ulimit -c 0 && audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/in/stat" "$tmp/ends" 5 abort) 2>"$tmp/err"
stat=$tmp/in/stat.part
ok "there is a trace and a record file" test -s "$trace" -a -s "$stat"
: >"$tmp/in/empty"
head -c 100 "$trace" >"$tmp/in/cut.cutrace"
head -c 100 "$stat" >"$tmp/in/cut.part"
head -c 5 "$trace" >"$tmp/in/five"
echo hello >"$tmp/in/text"
cp "$top_builddir/demo/cudemo" "$tmp/in/elf"
head -c 300000 /dev/zero >"$tmp/in/zeros"
cp "$trace" "$tmp/in/locked.cutrace"
chmod 000 "$tmp/in/locked.cutrace"
mkdir "$tmp/in/directory" "$tmp/in/foreign" "$tmp/in/locked"
echo hello >"$tmp/in/foreign/a.cutrace"
chmod 000 "$tmp/in/locked"
mkfifo "$tmp/in/pipe"
ln -s nowhere "$tmp/in/dangling"
: >"$tmp/in/sparse"
truncate -s 1T "$tmp/in/sparse" 2>"$tmp/none" || :

# Somebody who may not read everything; "none" where nobody can be.
as=
other=
if test "$(id -u)" -eq 0; then
	other="setpriv --reuid=65534 --clear-groups"
	$other "$cuaudit" --version >"$tmp/none" 2>&1 || other=none
fi

bad_files() {
	for bad_file in missing empty cut.cutrace cut.part five text elf zeros directory foreign pipe \
		dangling sparse text/x; do
		bad 2 "$bad_file" "$@" "$tmp/in/$bad_file"
	done
	bad 2 /dev/zero "$@" /dev/zero
	bad 2 "a name of 5000 letters" "$@" "$(printf '%05000d' 0)"
	bad 2 "no name" "$@" ""
	bad 2 "a line break in a name" "$@" "$(printf 'a\nb\033[1mc')"
	input=$tmp/in/text
	bad 2 "standard input" "$@" -
	bad 2 "standard input by name" "$@" /dev/stdin
	input=
	if test "$other" != none; then
		as=$other
		bad 2 "an unreadable file" "$@" "$tmp/in/locked.cutrace"
		bad 2 "an unreadable directory" "$@" "$tmp/in/locked"
		as=
	else
		skip 2 "only root can be somebody else"
	fi
}

# A device that is always full; not the system's, which a fault as root would replace.
full=/dev/full
if test "$(id -u)" -eq 0; then
	full=$tmp/in/full
	mknod "$full" c 1 7 2>"$tmp/none" && chmod 666 "$full" && ! echo x 2>"$tmp/none" >"$full" ||
		full=
fi

# bad_output COMMAND OPTION [WAY]: the input is good.
bad_output() {
	bad_option=$2
	bad_command=$1
	shift 2
	mkdir there
	echo old >there/file
	for bad_path in missing/x there there/file/x "$(printf '%05000d' 0)" ""; do
		bad 2 "$bad_option $(printf %.20s "$bad_path")" "$bad_command" "$@" "$bad_option" \
			"$bad_path" "$trace"
	done
	if test -n "$full"; then
		bad 2 "$bad_option, a full disk" "$bad_command" "$@" "$bad_option" "$full" "$trace"
		ok "$bad_command: ... which is still a device" test -c "$full"
	else
		skip 2 "no full disk here"
	fi
	# The old one is not touched by an input that is none.
	bad 2 "$bad_option and no input" "$bad_command" "$@" "$bad_option" there/file "$tmp/in/text"
	is "$(cat there/file)" old "$bad_command: ... the old output stays"
	rm -r there
}

# A program that cannot be: env(1)'s statuses.
bad_programs() {
	for bad_file in missing dangling text/x; do
		bad 127 "$bad_file" "$1" "$tmp/in/$bad_file"
	done
	chmod 755 "$tmp/in/empty" "$tmp/in/zeros" "$tmp/in/pipe" "$tmp/in/sparse"
	# A check of what cannot be audited was not made.
	bad_cannot=126
	test "$1" != check || bad_cannot=89
	for bad_file in text zeros directory pipe sparse locked.cutrace; do
		bad $bad_cannot "$bad_file" "$1" "$tmp/in/$bad_file"
	done
	bad $bad_cannot /dev/zero "$1" /dev/zero
	bad 127 "no name" "$1" ""
	bad 2 "nothing" "$1"
}

commands=$(sed -n 's/^COMMAND(\([a-z]*\), .*/\1/p' "$table")
ok "the table has commands" test "$(echo "$commands" | wc -l)" -ge 6
for command in $commands; do
	case $(arguments "$command") in
	*FILE*)
		bad 2 "nothing" "$command"
		ways "$command" >"$tmp/ways"
		while read -r way <&3; do
			bad_files "$command" $way
			for option in $(paths "$command"); do
				bad_output "$command" "$option" $way
			done
		done 3<"$tmp/ways"
		;;
	'[--] PROGRAM '*)
		test "$command" != check || echo 'no rule' >cuaudit.rules
		bad_programs "$command"
		rm -f cuaudit.rules
		;;
	'[LOCK] [--] PROGRAM '*)
		for file in missing empty five text elf zeros directory pipe dangling sparse text/x; do
			bad 2 "$file" "$command" "$tmp/in/$file" -- "$demo" dlopen
		done
		bad 2 "no name" "$command" "" -- "$demo" dlopen
		bad 2 "nothing" "$command"
		bad 2 "no program" "$command" "$tmp/in/text"
		;;
	'[[--] PROGRAM '*)
		# It is asked about such programs: what it says is a finding, on stdout.
		for file in missing directory text zeros pipe sparse; do
			tool "$command" "$tmp/in/$file"
			is "$status $(wc -c <"$tmp/err")" "1 0" "$command: $file: a problem is found"
			like "$(cat "$tmp/out")" "^problem .*$tmp/in/$file" "... and named"
		done
		;;
	[a-z]*)
		bad 2 "nothing" "$command"
		bad 2 "no name" "$command" ""
		bad 2 "a word that is none" "$command" nonsense
		bad 2 "a file" "$command" "$tmp/in/text"
		for word in $(arguments "$command" | sed 's/ .*//; s/|/ /g'); do
			bad 2 "$word: what matches nothing" "$command" "$word" nonsense
			bad 2 "$word: a word too much" "$command" "$word" x y
		done
		;;
	'')
		bad 2 "nothing" "$command"
		bad 2 "a word that is none" "$command" nonsense
		for file in missing empty directory pipe; do
			bad 2 "$file" "$command" --from "$tmp/in/$file" --output new
		done
		;;
	*) ok "$command: what it takes is known to this test" false ;;
	esac
done
is "$(find "$tmp/work" -mindepth 1)" "" "no file is left"
done_testing
