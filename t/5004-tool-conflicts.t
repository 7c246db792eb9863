# SPDX-License-Identifier: Apache-2.0
# Options that would have no effect beside others are refused: each row of conflicts.def, and that the same
# options are taken where it does not hold.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

helper trace/synth
cd "$tmp" || exit 99
synth -a -n 10 one.cutrace
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="stat(print=no;save=$tmp/one.part)" "$demo" dlopen >"$tmp/out" 2>"$tmp/err"

# value NAME: an option, with a value if it takes one.
value() {
	case $1 in
	add | bare | diff | exit-code | failed | force | github | tap | text) echo "--$1" ;;
	args) echo --args=no ;;
	backtrace | histogram | python) echo "--$1=cuInit" ;;
	by) echo --by=function ;;
	demangle) echo --demangle=base ;;
	driver) echo --driver=sim ;;
	format) echo --format=json ;;
	hooks) echo --hooks=stat ;;
	size) echo --size=1G ;;
	symbols) echo --symbols=no ;;
	to) echo --to=csv ;;
	weight) echo --weight=calls ;;
	elements | frames | jobs | runs | threads | top) echo "--$1=2" ;;
	*) echo "--$1=x.$1" ;;
	esac
}

# option WORD COMMAND: the same of a word of the table; of several values, the first.
option() {
	case $1 in
	json) test "$2" = check && echo --json=x.json || echo --json ;;
	*=*) echo "--${1%%,*}" ;;
	*) value "$1" ;;
	esac
}

# rest COMMAND: what follows the options.
rest() {
	case $1 in
	check | stat | trace) echo "-- touch started" ;;
	report) echo "one.cutrace one.cutrace" ;;
	*) echo "one.cutrace" ;;
	esac
}

# conditions WHERE COMMAND HOLD: the options by which all of where holds, or else the first of it does not.
conditions() {
	conditions_first=yes
	for conditions_word in $1; do
		conditions_hold=$3
		test "$conditions_first" = yes || conditions_hold=yes
		conditions_first=no
		case $conditions_word:$conditions_hold in
		:*) ;;
		!to=*:yes) echo --to=csv ;;
		!*:yes) ;;
		!*:no) option "${conditions_word#!}" "$2" ;;
		to=*:no) echo --to=csv ;;
		*:yes) option "$conditions_word" "$2" ;;
		esac
	done
}

sed -n 's/^CONFLICT("\([a-z]*\)", " \([^"]*\) ", " \([^"]*\) ", "\(.*\)")$/\1;\2;\3;\4/p' \
	"$top_srcdir/tools/conflicts.def" >table
ok "there are rows" test "$(wc -l <table)" -ge 20
is "$(grep -c '^CONFLICT' "$top_srcdir/tools/conflicts.def")" "$(wc -l <table)" "all of them are read"
while IFS=';' read -r command options where text; do
	for word in $options; do
		case $where in :*) continue ;; esac
		# shellcheck disable=SC2046 # words
		tool "$command" $(conditions "$where" "$command" yes) $(option "$word" "$command") $(rest "$command")
		is "$status $(cat err)" "2 cuaudit: $command: --$(echo "$word" | tr = ' ') $text" "$command: $word where$where"
		ok "... nothing is started" test ! -e started
		# shellcheck disable=SC2046
		tool "$command" $(conditions "$where" "$command" no) $(option "$word" "$command") $(rest "$command")
		unlike "$(cat err)" "$command: --.*$text" "... and not elsewhere"
		rm -rf started cuaudit-trace* x.*
	done
done <table

# By what the files are.
for option in --by=function --histogram=cuInit --jobs=2 --top=1; do
	refused 2 "report: ${option%%=*} is of traces, and no file is one" "$option of saved statistics" report "$option" one.part
	tool report "$option" one.part one.cutrace
	is "$status" 0 "... and of both"
done
for option in --in-range=x --demangle=base --jobs=2 --symbols=no; do
	refused 2 "report: ${option%%=*} is of traces, and these are record files" "$option: saved statistics compared" \
		report --diff "$option" one.part one.part
	tool report --diff "$option" one.cutrace one.cutrace
	unlike "$(cat err)" "is of traces" "... and traces"
done
for option in --driver=sim --force; do
	refused 2 "manifest: ${option%%=*} is for a program, which comes behind --" "$option of a trace" manifest "$option" one.cutrace
done
tool report --color=never --format=json one.cutrace
is "$status" 0 "colours that are off go with all"
done_testing
