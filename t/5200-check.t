# SPDX-License-Identifier: Apache-2.0
# cuaudit check: what holds, what is broken, what was never reached, what could not be checked; and
# that no check that did not happen ends with 0.
. "${top_srcdir:-$(dirname "$0")/..}/t/check/lib.sh"

good='rule holds'

# The rules hold: the program's own end.
check -- $good
verdict 0 "check: the rule holds" "a rule that holds"
is "$(cat "$tmp/out")" "" "... with nothing on stdout"
check -- $good rule two exit 7 say hello
verdict 7 "check: all 2 rules hold" "the command's status"
is "$(cat "$tmp/out")" hello "... and its output"
check -- $good -- $good die 15
verdict 143 "check: the rule holds" "the command's signal"
check -- $good exit 88
verdict 88 "check: the rule holds" "a status that is one of ours"

# Broken.
check -- rule one broken 2 rule two
verdict 88 "check: 1 of 2 rules is broken" "a rule that is broken"
says '^cuaudit\.rules:1: one$' "... which"
says '^  broken 2 times$' "... how often"
check -- rule one broken 2 rule two broken 1 exit 3
verdict 88 "check: 2 of 2 rules are broken" "two, and a status of the command"
check -- $good -- rule holds broken 1
verdict 88 "check: 1 of 1 rule is broken" "in another process"
check -- rule one broken 1 -- none die 15
verdict 88 "check: 1 of 1 rule is broken" "a command that is killed"

# Counts are of all processes together, at both bounds.
count='rule count kind 1 bounds 2 4'
check -- $count value 1 -- $count value 1
verdict 0 "check: the rule holds" "a count: the least, of two processes"
check -- $count value 2 -- $count value 2
verdict 0 "check: the rule holds" "a count: the most"
check -- $count value 1
verdict 88 "check: 1 of 1 rule is broken" "a count: too little"
says '^  broken: 1 call, from 2 to 4 allowed$' "... how much there was"
check -- $count value 2 -- $count value 3
verdict 88 "check: 1 of 1 rule is broken" "a count: too much, of two processes"
says '^  broken: 5 calls, from 2 to 4 allowed$' "... how much there was"
check -- rule c kind 1 bounds 0 5 value 18446744073709551615 -- rule c kind 1 bounds 0 5 value 7
verdict 88 "check: 1 of 1 rule is broken" "a count that no number holds"
says ': 18446744073709551615 calls' "... is the largest"

# A budget is judged by the process; the value furthest from its bounds is shown.
budget='rule b kind 2 unit 1 bounds 0 100'
check -- $budget value 90 -- $budget value 100
verdict 0 "check: the rule holds" "a budget in each process"
check -- $budget value 90 -- $budget value 300 broken 3 -- $budget value 200 broken 1
verdict 88 "check: 1 of 1 rule is broken" "a budget"
says '^  broken 4 times: 300 bytes, at most 100 allowed$' "... and the worst"

# What is never reached, of all processes, is not green.
check -- rule 'after warm' wants 1 mark warm 0 mark other 0
verdict 88 "check: 1 of 1 rule was never reached" "a mark that is never reached"
says '^  never reached: mark warm$' "... which"
check -- rule 'after warm' wants 1 mark warm 0 -- rule 'after warm' wants 1 reached 1 mark warm 1
verdict 0 "check: the rule holds" "a mark that another process reached"
check -- rule 'between a-b and b' wants 3 reached 1 mark a-b 1 mark b 0 mark a 0
says '^  never reached: mark b$' "the second mark"
check -- rule 'in x' wants 12 reached 4
says '^  never reached: its library, of which none of that name called the driver$' "a library"
check -- rule 'in range r in zzzzz' wants 8 caller app caller liba.so -- \
	rule 'in range r in zzzzz' wants 8 caller liba.so caller libb.so
says '^  never reached: its library, .* called the driver: calls are of app, liba\.so, libb\.so$' "... and who calls"
rule='never cuInit in libfo.so* in range librange.so'
check -- rule "$rule" wants 8 caller a caller b caller c caller d -- \
	rule "$rule" wants 8 caller e caller f caller g caller h caller libfoo.so.1 caller librange.so
says ': calls are of a, b, c, d, e, f, g, h \.\.\.; did you mean libfoo\.so\.1\?$' "... up to eight, and the nearest"
check -- rule 'in x' wants 12 reached 8 rule y broken 1
verdict 88 "check: 1 of 2 rules is broken, 1 was never reached" "one of each"
says '^  never reached: its range, of which none of that name was opened$' "a range"
check -- rule 'before warm' wants 1 broken 2 mark warm 0 rule 'after warm' wants 1 -- \
	rule 'before warm' wants 1 broken 1 mark warm 0 rule 'after warm' wants 1
verdict 88 "check: 1 of 2 rules is broken, 1 was never reached" "a mark that is never reached, and what is before it"
says '^  broken 3 times; never reached: mark warm$' "... is said of what is broken"
says '^  never reached: mark warm$' "... and of what is not, beside it"
check -- rule 'before warm' wants 1 reached 1 broken 2 mark warm 1
says '^  broken 2 times$' "... but not of one that is"
check -- rule 'in x' optional wants 15
verdict 0 "check: the rule holds" "an optional rule"
check -- rule 'in x' optional wants 15 broken 1
verdict 88 "check: 1 of 1 rule is broken" "an optional rule that is broken"

# Allow lines.
check -- $good allow 'allow f:* known' 0 0 -- $good allow 'allow f:* known' 0 0
verdict 0 "check: the rule holds" "an allow line that is not used is no failure"
says '^cuaudit\.rules:100: allow f:\* known$' "... and is reported"
check -- $good allow 'allow f:* known' 0 0 -- $good allow 'allow f:* known' 0 3
is "$(wc -l <"$tmp/err")" 1 "one that another process used is not"
check -- $good allow 'allow f:* known' 1 0
is "$(wc -l <"$tmp/err")" 1 "nor one that is optional"

# What could not be checked: never 0.
check -- none
verdict 89 "check: not made" "no process called the driver"
says 'no process called the CUDA driver' "... is said"
check -- $good calls 0
verdict 89 "check: not made" "a file of no call"
check -- none exit 5
verdict 89 "check: not made" "... whatever the command's status"
for loss in 1 2 4 8; do
	check -- $good loss $loss
	verdict 89 "check: not made" "loss $loss"
	says '^check: process 90000001 of record: .*(lost|not reported)' "... is said"
done
check -- $good loss 8 exit 1
verdict 89 "check: not made" "a loss wins over the command's status"
check -- rule one broken 1 loss 8
verdict 88 "check: 1 of 1 rule is broken" "a broken rule wins over a loss"
says '^check: not made in full$' "... and both are said"
check -- rule end kind 3 killed
verdict 89 "check: not made" "a process that was killed before a rule of its end"
says 'the rule at line 1 is judged at its exit' "... is said"
check -- rule end kind 3 -- rule end kind 3 killed
verdict 89 "check: not made" "... or one of two"
check -- $good killed
verdict 0 "check: the rule holds" "killed, without such a rule"
check -- rule one -- rule other
verdict 89 "check: not made" "processes that have other rules"
check -- calls 3
verdict 89 "check: not made" "no rule at all"
mkfifo "$tmp/gate"
check -- $good stay "$tmp/gate"
verdict 89 "check: not made" "a process that still runs"
says 'process [0-9]+ of record still runs' "... is said"
echo >"$tmp/gate"
check --tap -- $good stay "$tmp/gate"
says 'process [0-9]+ of record still runs' "... in each run"
echo >"$tmp/gate"

# `optional calls`.
printf 'never cuInit\n  optional \t calls # it may do nothing\n' >idle.rules
check --rules idle.rules -- none exit 3
verdict 3 "check: no process called the CUDA driver, which the rules allow" "no call, allowed"
check --rules idle.rules -- none
is "$status" 0 "... is 0"
printf 'optional never cuInit # optional calls\n' >other.rules
check --rules other.rules -- none
is "$status" 89 "other words are another rule"
printf 'never cuInit\n# optional calls\n' >other.rules
check --rules other.rules -- none
is "$status" 89 "nor is a comment one"
check -- rule x idle calls 0 wants 4
verdict 0 "check: the rule holds" "a file of no call, allowed"
check -- rule x idle calls 0 broken 1
is "$status" 88 "... and a broken rule"

# Marks by a signal to cuaudit check: the program does not get it.
printf 'mark warm = signal USR1\nnever cuInit after warm\n' >mark.rules
check --rules mark.rules -- rule 'after warm' wants 1 await warm reached 1
verdict 0 "check: the rule holds" "a mark by a signal is in the process's file"
while read -r line; do
	printf '%s\nnever cuInit\n' "$line" >mark.rules
	check --rules mark.rules -- rule 'after warm' wants 1 await warm reached 1
	verdict 0 "check: the rule holds" "... as rules have it: $line"
done <<'END'
mark warm = signal "USR1"
mark "warm" = signal "SIGUSR1" # of a name with quotes
mark "warm#1" = signal USR1
mark warm#2 = signal USR1	# blanks and more words than there are in any other line of them
END
check -- $good await warm
is "$status" 138 "a signal that is no mark of the rules is the program's"

# Nothing is run if the rules are wrong.
for form in missing directory pipe; do
	case $form in
	directory) mkdir directory ;;
	pipe) mkfifo pipe ;;
	esac
	check --rules $form -- $good say ran
	is "$status $(wc -l <"$tmp/err") $(cat "$tmp/out")" "2 1 " "rules that are no file: $form"
	says "cannot read the rules in $form: " "... is said"
done
printf 'never cuInit\nbad\n' >bad.rules
check --rules bad.rules -- $good say ran
is "$status $(cat "$tmp/out")" "2 " "a rule that is none"
says "rules: $PWD/bad\.rules:2:1: there is no rule 'bad'" "... where"
printf '\357\273\277never cuInit\n' >bad.rules
check --rules bad.rules -- $good say ran
is "$status $(cat "$tmp/out")" "2 " "a byte order mark"
says "there is no rule '$(printf '\357\277\275')never'; did you mean never\?$" "... is seen"
check --rules '' -- $good
is "$status" 2 "no name"

# Options behind the program are the program's, and may be misplaced.
behind='^cuaudit: check: --junit behind .* is left to that program; for check, give it before'
printf '#!/bin/sh\nshift "$1"\nexec "$0.real" rule holds\n' >"$record.sh"
ln -s record "$record.sh.real"
chmod 755 "$record.sh"
placed() {
	placed_said=$1
	shift
	tool check -d sim "$@"
	is "$status $(grep -c "$behind" "$tmp/err")" "0 $placed_said" "options behind the program: $placed_said said of $*"
}
placed 1 "$record.sh" 2 --junit=out
placed 1 "$record.sh" 5 say x --junit out
placed 0 -- "$record.sh" 3 --junit out
placed 0 "$record.sh" 4 -- --junit out
placed 0 "$record.sh" 4 --juni --junits=3 --help
placed 0 "$record.sh" 3 junit -4
ok "... none of which is taken" test ! -e out
placed 0 --junit out "$record.sh" 1
ok "... but for one before it" test -s out

# Programs that cannot be audited.
refused 127 "$tmp/nothing: no such program" "no such program" check "$tmp/nothing"
foreign static -static
refused 89 ".*static is a static program" "a static program" check "$tmp/static"
: >"$tmp/empty"
chmod 755 "$tmp/empty"
refused 89 "$tmp/empty is" "no program" check "$tmp/empty"
CUAUDIT_DISABLE=1 refused 89 "CUAUDIT_DISABLE is 1" "nothing is audited" check "$record"

# What the environment would keep from the rules.
for setting in CUAUDIT_EXCLUDE='*' CUAUDIT_INCLUDE=libx CUAUDIT_FUNCTIONS=cuInit CUAUDIT_FOLLOW=0 \
	CUAUDIT_STRICT=0; do
	status=0
	env "$setting" "$cuaudit" check -- "$record" $good 2>"$tmp/err" || status=$?
	is "$status" 0 "$setting: the check is made"
	ok "... and it is said" grep -qF "cuaudit: $setting is not used" "$tmp/err"
done
status=0
env CUAUDIT_HOOKS='limit(memory=1G)' "$cuaudit" check -- "$record" $good \
	2>"$tmp/err" || status=$?
says '^cuaudit: CUAUDIT_HOOKS=limit\(memory=1G\) is replaced' "hooks of the environment"

# Further hooks come behind.
printf '#!/bin/sh\necho "$CUAUDIT_HOOKS" >&3\n' >hooks
chmod 755 hooks
status=0
env "$cuaudit" check -k stat -k 'leak' -- ./hooks 3>"$tmp/hooks" 2>"$tmp/err" || status=$?
like "$(cat "$tmp/hooks")" "^rules\\(file=$PWD/cuaudit\\.rules;save=/.*%h-%p\\.check\\),stat,leak\$" \
	"hooks: rules is first"

# Files.
is "$(left)" "" "no directory is left"
check --keep kept -- $good -- $good
is "$status $(ls kept)" "0 host-90000001.check
host-90000002.check" "--keep"
check --keep kept -- $good
is "$status" 2 "--keep: not those of two runs"
says 'kept is not empty' "... is said"
TMPDIR=$tmp/missing refused 89 "cannot create a directory for findings" \
	"no directory" check -- "$record" $good
# Without /proc nobody knows whether all has ended.
if test "$(id -u)" = 0 && unshare -m sh -c 'umount -l /proc' 2>/dev/null; then
	echo no-errors >proc.rules
	status=0
	unshare -m sh -c 'umount -l /proc && exec "$@"' sh "$cuaudit" check -d sim --rules proc.rules -- "$demo" \
		dlopen >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status" 89 "without /proc a check is not made"
	says 'whether processes of the command still run is not known: /proc is not there' "... which is said"
else
	skip 2 "no mounting here"
fi
# Nor is a device needed: settings are judged without.
if test "$(id -u)" = 0 && unshare -m sh -c 'mount -t tmpfs none /dev' 2>/dev/null; then
	echo no-errors >dev.rules
	status=0
	unshare -m sh -c 'mount -t tmpfs none /dev && exec "$@"' sh "$cuaudit" check -d sim --rules dev.rules -- "$demo" \
		dlopen >"$tmp/out" 2>"$tmp/err" || status=$?
	verdict 0 "check: the rule holds" "without /dev/null a check is made"
else
	skip 1 "no mounting here"
fi
done_testing
