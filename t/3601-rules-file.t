# SPDX-License-Identifier: Apache-2.0
# The rules file: what is no rule is refused by file, line and column before the program starts, and
# what is one is understood whatever its bytes; with cuaudit check, and by the hook alone.
. "${top_srcdir:-$(dirname "$0")/..}/t/rules/lib.sh"

helper rules/broken
broken=$tmp/broken

# wrong COLUMN REGEX LINE...: the last line is refused there.
wrong() {
	wrong_column=$1
	wrong_regex=$2
	shift 2
	printf '%b\n' "$@" >rules
	for wrong_last; do :; done
	rm -f ran
	check touch ran
	is "$status $(ls ran 2>none)" "2 " "refused, and nothing is run: $(echo "$wrong_last" | cut -c 1-60)"
	says "^cuaudit: rules: $tmp/rules:$#:$wrong_column: $wrong_regex\$" "... where, and why"
	is "$(wc -l <err)" 1 "... in one line"
}

# right LINE...: understood; the driver is not called.
right() {
	printf '%b\n' "$@" 'optional calls' >rules
	for right_last; do :; done
	check true
	ends 0 "understood: $(echo "$right_last" | cut -c 1-60)"
}

# Words that are none, and the nearest one.
wrong 1 "there is no rule 'nevr'; did you mean never\\?" 'nevr cuInit'
wrong 1 "there is no rule 'at-mosst'; did you mean at-most\\?" 'at-mosst 1 cuInit'
wrong 1 "there is no rule 'x'.*" '' '# a comment' '\t ' 'never cuInit' 'x'
wrong 4 "there is no rule 'qqqqqqqqqqqq'; known: .*never, .*" ' \t qqqqqqqqqqqq'
wrong 10 "there is no rule 'nevr'; did you mean never\\?" 'optional nevr'
wrong 1 "there is no rule 'Never'.*" 'Never cuInit'
wrong 1 "'never' in quotes is no rule; leave the quotes out" '"never" cuInit'
wrong 10 "there is no rule 'optional'.*" 'optional optional never cuInit'
wrong 16 "nothing follows 'optional calls'" 'optional calls x'
wrong 14 "there is no condition 'inn'; did you mean in\\?" 'never cuInit inn libx'
wrong 14 "there is no condition 'betwen'; did you mean between\\?" 'never cuInit betwen a b'
wrong 14 "'by' in quotes is no condition; leave the quotes out" 'never cuInit "by" x'
wrong 7 "'cuInt' names no function; did you mean cuInit\\?" 'never cuInt'
wrong 7 "'cuMemAloc' names no function; did you mean cuMemAlloc.*" 'never cuMemAloc'
wrong 7 "'%nosuch' is no selector; .*" 'never %nosuch'
wrong 11 "'cuMemAloc\\*' .*" 'at-most 1 cuMemAloc*'
wrong 13 "'cuInt' names no function.*" 'same-thread cuInt'
wrong 18 "there is no direction 'HtoX'; did you mean HtoD\\?" 'at-most 1 copied HtoX'
wrong 18 "there is no direction 'upwards'; known: HtoD, DtoH, .*" 'at-most 1 copied upwards'
wrong 18 "there is no direction 'unknown'; known: HtoD, .*" 'at-most 1 copied unknown'
wrong 23 "there is no condition 'step'; known: after, .*, in, .*" 'never cuInit in rnage step'
wrong 18 "there is no result 'OUT_OF_MEMRY'; did you mean CUDA_ERROR_OUT_OF_MEMORY\\?" \
	'no-errors except cuInit:OUT_OF_MEMRY'
wrong 18 "there is no result 'out_of_memory'; did you mean CUDA_ERROR_OUT_OF_MEMORY\\?" \
	'no-errors except cuInit:out_of_memory'
wrong 18 "there is no result 'NOPE'" 'no-errors except cuInit:NOPE'
wrong 18 "'cuInt' names no function.*" 'no-errors except cuInt:1'
wrong 27 "there is no mark 'warmup' in the lines above|there is no mark in the lines above 'warmup'; did you mean warm-up\\?" \
	'mark warm-up = 1st cuInit' 'never cuMemAlloc        after warmup'
wrong 20 "there is no mark 'later' in the lines above" 'never cuInit after later'
wrong 10 "there is no mark of the kind 'rang'; did you mean range\\?" 'mark a = rang x'
wrong 17 "a signal is USR1 or USR2, not 'HUP'" 'mark a = signal HUP'

# What is missing, empty, twice, or too much.
wrong 6 "a function or a selector is missing" never
wrong 7 "a function or a selector is empty" 'never ""'
wrong 7 "a function or a selector is missing" 'never # cuInit'
wrong 8 "how many or how much is missing" at-most
wrong 10 "a function or a selector is missing" 'at-most 1'
wrong 17 "a direction is missing" 'at-most 1 copied'
wrong 20 "a function or a selector is missing" 'at-most 1 host-time'
wrong 16 "a library is missing" 'never cuInit in'
wrong 17 "a library is empty" 'never cuInit in ""'
wrong 22 "a range is missing" 'never cuInit in range'
wrong 16 "a kernel is missing" 'never cuInit by'
wrong 18 "a frame is missing" 'never cuInit from'
wrong 19 "the name of a mark is missing" 'never cuInit after'
wrong 23 "the name of a mark is missing" 'mark a = 1st cuInit' 'never cuInit between a'
wrong 27 "a range is missing" 'at-most 1 cuInit per range'
wrong 23 "the number of a device is missing" 'never cuInit on device'
wrong 11 "a version such as 12.4 is missing" min-driver
wrong 17 "SELECTOR:RESULT is missing" 'no-errors except'
wrong 5 "the name of a mark is missing" mark
wrong 6 "the name of a mark is empty" 'mark "" = 1st cuInit'
wrong 8 "mark NAME = ...: = is missing" 'mark a 1st cuInit'
wrong 9 "what reaches the mark is missing" 'mark a ='
wrong 13 "a function or a selector is missing" 'mark a = 1st'
wrong 15 "a range is missing" 'mark a = range'
wrong 16 "the name of a signal is missing" 'mark a = signal'
wrong 7 "a frame is missing" 'allow # why'
wrong 10 "why is it allowed\\? '# REASON' is missing" 'allow a:b'
wrong 11 "why is it allowed\\? '# REASON' is missing" 'allow a:b #   \t\r'
wrong 11 "a line allows one frame" 'allow a:b c:d # why'
wrong 7 "a frame is FILE:FUNCTION or FILE:LINE of Python, or LIBRARY:FUNCTION, not 'train.py'" 'allow train.py # why'
wrong 7 "a frame is FILE:FUNCTION .*, not 'train.py:'" 'allow train.py: # why'
wrong 7 "a frame is FILE:FUNCTION .*, not ':step'" 'allow :step # why'
wrong 9 "what is optional is missing" optional
wrong 22 "a second library" 'never cuInit in a in b'
wrong 34 "a second range" 'never cuInit in range a in range b'
wrong 22 "a second kernel" 'never cuInit by a by b'
wrong 28 "a second frame" 'never cuInit from a:b from c:d'
wrong 28 "a second mark" 'mark a = 1st cuInit' 'never cuInit after a after a'
wrong '[0-9]*' "a second device" 'never cuInit on device 0 on device 1'
wrong 9 "nothing follows this rule" 'no-leak x'
wrong 13 "nothing follows this rule" 'no-unrouted in x'
wrong 18 "nothing follows this mark" 'mark a = range b c'
wrong 6 "there is a mark 'a' already" 'mark a = 1st cuInit' 'mark a = 2nd cuInit'
wrong 6 "main is a mark by itself" 'mark main = 1st cuInit'

# Numbers.
for number in x -1 1x 0x 1.5 99999999999999999999 1,000; do
	wrong 9 "a number such as 3 is wanted here, not '$number'" "at-most $number cuInit"
	wrong 9 "a number such as 3 is wanted here, not '$number'" "at-most $number kernels"
done
for size in x 1X 1GiBB 99999999999999999999 16777217T; do
	wrong 9 "a size such as 512MiB is wanted here, not '$size'" "at-most $size memory"
	wrong 9 "a size such as 512MiB is wanted here, not '$size'" "at-most $size copied any"
done
for time in x 1h 99999999999999999999s; do
	wrong 9 "a time such as 20ms is wanted here, not '$time'" "at-most $time host-time cuInit"
done
for version in 12 x 12. .4 12.345 99999.1 12.4.1 -1.0; do
	wrong 12 "a version such as 12.4 is wanted here, not '$version'" "min-driver $version"
done
for number in 1024 -1 x; do
	wrong 24 "a device is a number such as 0, not '$number'" "never cuInit on device $number"
done
while read -r ordinal right; do
	wrong 10 "'$ordinal' is no ordinal; did you mean $right\\?" "mark a = $ordinal cuInit"
	right "mark a = $right cuInit" 'optional never cuCtxSynchronize after a'
done <<'END'
4 4th
5st 5th
1th 1st
2st 2nd
3nd 3rd
4rd 4th
10st 10th
11st 11th
12nd 12th
13rd 13th
20nd 20th
21th 21st
22th 22nd
23th 23rd
101th 101st
111st 111th
1000012nd 1000012th
END
for ordinal in 0th 0 th st1 1sts 99999999999999999999th -1st 1ST; do
	wrong 10 "there is no mark of the kind '$ordinal'.*" "mark a = $ordinal cuInit"
done
for result in -1 4294967296 1x CUDA_ERROR_ CUDA_SUCES; do
	wrong 18 "there is no result '$result'.*" "no-errors except cuInit:$result"
done
wrong 18 "an exception is SELECTOR:RESULT, not 'cuInit'" 'no-errors except cuInit'
wrong 18 "an exception is SELECTOR:RESULT, not ':\\*'" 'no-errors except :*'
wrong 9 "a number such as 3 is wanted here, not 'cuInit'" 'at-most cuInit'

# What a rule cannot be judged by.
wrong 16 "on what\\? 'on device N' or 'on legacy stream'" 'never cuInit on'
wrong 17 "on what\\? .*" 'never cuInit on stream'
wrong 17 "per what\\? 'per range GLOB'" 'never cuInit per'
wrong 18 "per what\\? 'per range GLOB'" 'never cuInit per thread'
wrong 30 "'on legacy stream' wants %blocking" 'never cuInit on legacy stream'
wrong 26 "'stream' is missing" 'never %blocking on legacy'
wrong 17 "growth is counted per range: 'per range GLOB' is missing" 'at-most 1 growth'
wrong 18 "of this, 'at-most' alone can be judged" 'at-least 1 memory'
wrong '[0-9]*' "of this, 'at-most' alone can be judged" 'exactly 1 distinct-kernels'
for exactly in '0ns host-time cuInit' '5ms host-time %memory' '1s host-time cuInit per range x' 'x host-time cuInit'; do
	wrong 1 "host time varies: give 'at-most' or 'at-least'" "exactly $exactly"
done
wrong 10 "host time varies: .*" 'optional exactly 5ms host-time cuInit'
for amount in 'at-most 5ms' 'at-least 1ns'; do
	rules "$amount host-time cuInit"
	check "$broken" child fixed 1
	ends 0 "$amount host-time"
done
for quantity in memory distinct-kernels; do
	wrong '[0-9]*' ".*" "at-most 1 $quantity per range x"
done
wrong 23 "'\\[a' is no glob: its \\[ has no \\]" 'never cuInit in range [a'
wrong 23 "'\\[a' is no glob: its \\[ has no \\]" 'never cuInit in range "[a"'

# Quotes.
wrong 17 "this quote has no other" 'never cuInit in "a'
wrong 17 "this quote has no other" 'never cuInit in "a\\"'
wrong 17 "a blank is missing behind the quotes" 'never cuInit in "a"b'
wrong 17 "this quote has no other" 'never cuInit in "'
right 'optional never cuInit in range "a b # c"'
right 'optional never cuInit in "range"'
right 'optional never cuInit in range "\\"\\\\ "'
wrong 23 "a blank is missing behind the quotes" 'never cuInit in range "a"# not a comment'
printf 'never cuInit# not a comment\n' >rules
check true
ends 2 "no comment begins within a word"

# Bytes.
right 'never cuInit\r' '\r' '# comment\r'
right '\t never\t cuInit \t'
right 'never cuInit by "k\303\244rnel\377*"'
printf 'optional calls\nnever cuInit' >rules
check true
ends 0 "a last line without its end"
printf '\357\273\277never cuInit\n' >rules
check touch ran
is "$status $(ls ran 2>none)" "2 " "a byte order mark is refused"
says "^cuaudit: rules: $tmp/rules:1:1: " "... where"
wrong 1 "there is no rule '.*" '\033[31mred'
unlike "$(cat err)" "$(printf '\033')" "no escape sequence reaches the terminal"
printf 'never cuInit\n\0never cuInit\n' >rules
check touch ran
is "$status $(ls ran 2>none)" "2 " "a NUL is refused"
says "rules: $tmp/rules.* holds a NUL" "... by name"

# lines N FORMAT: N lines of that format with the number.
lines() {
	"$PERL" -e 'printf "$ARGV[1]\n", $_ for 1 .. $ARGV[0]' "$1" "$2"
}

# limit NAME ACCEPTED FORMAT WHAT [LAST]: so many lines are understood, one more is refused.
limit() {
	{ lines "$2" "$3"; printf '%s\n' 'optional calls' ${5+"$5"}; } >rules
	check true
	ends 0 "$2 $1"
	{ lines "$(($2 + 1))" "$3"; printf '%s\n' 'optional calls' ${5+"$5"}; } >rules
	rm -f ran
	check touch ran
	is "$status $(ls ran 2>none)" "2 " "$(($2 + 1)) $1"
	says "^cuaudit: rules: $tmp/rules:$(($2 + 1)):[0-9]*: $4" "... where"
}
limit rules 64 'never cuInit' 'there are more than 64 rules'
limit marks 32 'mark m%d = 1st cuInit' 'there are more than 32 marks' 'never cuInit'
limit 'allow lines' 64 'allow f:%d # why' 'there are more than 64 lines of allow' 'never cuInit'
limit 'ranges' 32 'optional never cuInit in range r%d' 'rules name more than 32 ranges'
limit 'rules per range' 16 'optional at-most 1 cuInit per range r' 'at most 16 rules can count per range'
right "no-errors except$("$PERL" -e 'print " cuInit:$_" for 1 .. 8')"
wrong '[0-9]*' 'at most 8 exceptions' "no-errors except$("$PERL" -e 'print " cuInit:$_" for 1 .. 9')"
right "no-errors except cuInit:1 except cuMemAlloc:2 cuMemFree:*"
wrong '[0-9]*' 'a line has at most 127 words' "never cuInit$("$PERL" -e 'print " x" x 126')"
wrong '[0-9]*' '.*' "never cuMemAlloc $("$PERL" -e 'print "x" x 100000')"
is "$(test "$(wc -c <err)" -lt 2000 && echo short)" short "a long word is not printed whole"
wrong '[0-9]*' '.*' "never $("$PERL" -e 'print "x" x 100000')"
"$PERL" -e '$rules = "never cuInit\noptional calls\n"; print $rules, "#" x (262144 - length $rules)' >rules
check true
ends 0 "256 KiB"
"$PERL" -e 'print "#" x 262144' >rules
check true
is "$status" 2 "256 KiB, of which no line is a rule"
unlike "$(cat err)" 'longer than' "... but not too long"
"$PERL" -e '$rules = "never cuInit\noptional calls\n"; print $rules, "#" x (262145 - length $rules)' >rules
rm -f ran
check touch ran
is "$status $(ls ran 2>none)" "2 " "more than 256 KiB"
says 'rules.* cannot be read: it is longer than 256 KiB' "... is said"
for text in '' '\n\n' '# nothing\n' 'mark a = 1st cuInit\n' 'allow a:b # why\n' 'optional calls\n'; do
	printf "$text" >rules
	rm -f ran
	check touch ran
	is "$status $(ls ran 2>none)" "2 " "a file without a rule: '$text'"
	says "rules: $tmp/rules has no rule" "... is said"
done

# `optional calls` and rules that want something.
wrong 1 "with 'optional calls' this rule has to be optional, too.*" 'optional calls' 'never cuInit in range x'
wrong '[0-9]*' '.*' 'optional calls x'
rm -f ran
printf '%s\n' 'exactly 1 cuInit' 'optional calls' >rules
check touch ran
is "$status $(ls ran 2>none)" "2 " "a rule that wants a call, beside optional calls"
says "rules: $tmp/rules:1:1: with 'optional calls'" "... which"

# The hook alone.
CUAUDIT_SIM_LAUNCHES=$tmp/launched "$broken" launches fixed 1
ok "the program launches" test -s launched
rm -f launched
refuses() {
	alone env CUAUDIT_SIM_LAUNCHES="$tmp/launched" "$broken" launches fixed 1
	is "$status $(ls launched 2>none)" "85 " "alone: $1: nothing is called"
	like "$(head -n 1 err)" "^cuaudit: rules: $2" "... why"
}
printf 'never cuInit\nnevr cuInit\n' >rules
refuses "a wrong rule" "$tmp/rules:2:1: there is no rule 'nevr'; did you mean never\\?"
printf 'mark a = signal USR1\nnever cuInit after a\n' >rules
refuses "a mark by a signal" "$tmp/rules:1:17: a mark by a signal wants cuaudit check"
rm -f rules
refuses "no file" "file=$tmp/rules cannot be read: No such file"
mkdir rules
refuses "a directory" "file=$tmp/rules cannot be read: "
rmdir rules
: >rules
refuses "an empty file" "$tmp/rules has no rule"
rm -f rules
mkfifo rules
refuses "a FIFO" "file=$tmp/rules cannot be read: "
rm -f rules
ln -s /dev/zero rules
refuses "a device" "file=$tmp/rules cannot be read: "
rm -f rules
for options in '' '()'; do
	status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="rules$options" CUAUDIT_SIM_LAUNCHES="$tmp/launched" \
		"$broken" launches fixed 1 >out 2>err || status=$?
	is "$status $(ls launched 2>none)" "85 " "alone: rules$options"
	says 'rules: file=PATH is missing' "... why"
done

rules " 	never cuMemAlloc	 # why" 'no-errors'
alone "$broken" child fixed 1
ends 88 "alone: a rule is broken"
like "$(head -n 1 err)" "^$tmp/rules:1: broken: never cuMemAlloc\$" "... which, without blanks and comment around it"
says '^  1 time: cuMemAlloc_v2\(dptr = \[0x[0-9a-f]*\], bytesize = 4096\) = CUDA_SUCCESS$' "... the call"
says "^      .*\\($tmp/broken\\+0x[0-9a-f]*\\)\$" "... the stack"
unlike "$(cat err)" 'rules:2' "... and not the one that holds"
is "$(cat out)" "" "... nothing on stdout"
rules 'no-errors'
alone "$broken" child fixed 1
is "$status $(cat err)" "0 " "alone: the rule holds"
rules 'at-least 100 cuMemAlloc'
alone "$broken" child fixed 1
ends 88 "alone: too little"
says 'broken: at-least 100 cuMemAlloc \(it was 1\)$' "... how much"
rules 'optional never cuInit in libnone.so' 'at-most 9 cuMemAlloc'
alone "$broken" child fixed 1
is "$status $(cat err)" "0 " "alone: an optional rule"
rules 'never cuInit in libnone.so'
alone "$broken" child fixed 1
ends 88 "alone: never reached"
says '^.*:1: never reached: never cuInit in libnone\.so$' "... is said"
rules 'never cuMemAlloc' 'allow broken:* # all of it'
alone "$broken" child fixed 1
is "$status $(cat err)" "0 " "alone: allowed"

status=0
rules 'never cuMemAlloc'
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="rules(file=$tmp/rules)" CUAUDIT_OUTPUT="$tmp/report-%p" \
	"$broken" child fixed 1 >out 2>err || status=$?
is "$status $(cat err)" "88 " "CUAUDIT_OUTPUT: nothing on stderr"
like "$(cat report-*.rules)" "^$tmp/rules:1: broken: never cuMemAlloc\$" "... all in the file"
rules 'no-errors'
rm -f report-*
status=0
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="rules(file=$tmp/rules)" CUAUDIT_OUTPUT="$tmp/report-%p" \
	"$broken" child fixed 1 >out 2>err || status=$?
is "$status $(ls report-* 2>none)" "0 " "... and no file where the rules hold"
done_testing
