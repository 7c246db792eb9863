# SPDX-License-Identifier: Apache-2.0
# cuaudit trace: the directory it makes, the hook's options, the environment of what it starts.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"
cd "$tmp" || exit 99

# The settings of the program that was started, NAME=VALUE without CUAUDIT_.
cat >"$tmp/show" <<'END'
#!/bin/sh
unset LD_AUDIT
env | sed -n 's/^CUAUDIT_//p' | sort
exit 7
END
chmod 755 "$tmp/show"

# shows WANT NAME ARGUMENT...
shows() {
	shows_want=$1
	shows_name=$2
	shift 2
	tool trace "$@" -- "$tmp/show"
	is "$status $(cat "$tmp/err")" "7 " "$shows_name: the program's own status, nothing printed"
	is "$(grep -v '^LOG=' "$tmp/out")" "$shows_want" "$shows_name"
}

shows "HOOKS=trace(print=yes)
OUTPUT=$tmp/cuaudit-trace/%e-%h-%p" "no option"
ok "the directory is made" test -d cuaudit-trace
shows "HOOKS=trace(print=yes)
OUTPUT=$tmp/cuaudit-trace.1/%e-%h-%p" "a directory that is there: another run may have made it"
rmdir cuaudit-trace.1
RANK=0
export RANK
shows "HOOKS=trace(print=yes)
OUTPUT=$tmp/cuaudit-trace/%e-%h-%p" "... of a rank of the job"
unset RANK
shows "HOOKS=trace(print=yes)
OUTPUT=$tmp/100%%/%e-%h-%p" "a percent sign, relative" -o 100%
ok "... is the directory's name" test -d '100%'
shows "HOOKS=trace(print=yes)
OUTPUT=$tmp/a;b)(/%e-%h-%p" "a name that no option could hold" -o "$tmp/a;b)("
shows "HOOKS=trace(text=yes)" "--text" --text
shows "HOOKS=trace(text=yes)
OUTPUT=$tmp/lines/%e-%h-%p" "--text with a directory" -T -o lines
rmdir cuaudit-trace
shows "DRIVER=sim
EXCLUDE=libx*
FUNCTIONS=
HOOKS=trace(functions=%memory,%launch;print=yes)
INCLUDE=liba*:libb*
OUTPUT=$tmp/cuaudit-trace/%e-%h-%p" "what run has too" -d sim -x 'libx*' -f %memory -f %launch \
	-l 'liba*' -l 'libb*'
rmdir cuaudit-trace
shows "HOOKS=trace(args=kernel;strings=16;elements=2;size=0.5gb;when-full=ring;thread=main*;min-duration=10us;start=%launch:100;stop=5s;open=%sync;backtrace=cuLaunch*,/^cu(Mem|Ctx)/;frames=8;print=yes)
OUTPUT=$tmp/cuaudit-trace/%e-%h-%p" "the hook's" --args kernel --strings 16 --elements 2 \
	--size 0.5gb --when-full ring --thread 'main*' --min-duration 10us --start %launch:100 \
	--stop 5s --open %sync -b 'cuLaunch*,/^cu(Mem|Ctx)/' --frames 8

# Where no file can be written, the program is not started.
{
	(ulimit -f 0 && exec "$cuaudit" trace -d sim -o room -- "$demo" dlopen)
	echo "status $?"
} 2>&1 | cat >"$tmp/err"
is "$(cat "$tmp/err")" \
	"cuaudit: no file can be written in room: the limit on the size of files is too low; raise it with ulimit -f
status 2" "no room for a trace: the program is not started"
ok "... and there is no directory" test ! -e room
{
	(ulimit -f 0 && exec "$cuaudit" trace -d sim --text -o room -- "$demo" dlopen)
	echo "status $?"
} 2>&1 | cat >"$tmp/err"
is "$(tail -n 1 "$tmp/err")" "status 0" "... text is not refused"
if test "$(id -u)" = 0 && unshare -m true 2>/dev/null; then
	mkdir small
	status=0
	unshare -m sh -c 'mount -t tmpfs -o size=64k none small && exec "$@"' sh \
		"$cuaudit" trace -d sim -o small -- "$demo" dlopen >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status $(cat "$tmp/out" "$tmp/err")" \
		"2 cuaudit: no file can be written in small: the file system is full; free some space or choose another directory" \
		"a full file system: the same"
else
	skip 1 "no mounting here"
fi

refused 2 "trace: no program given" "no program" trace -o x
ok "... and no directory" test ! -e x
refused 2 "--args takes yes\\|no\\|kernel, not 'maybe'" "a word that is none" trace --args maybe true
refused 2 "--size takes SIZE, not '12X'" "no size" trace --size 12X true
refused 2 "--min-duration takes TIME, not '10'" "no time" trace --min-duration 10 true
refused 2 "--strings takes N, not '-1'" "no number" trace --strings -1 true
refused 2 "--backtrace takes SELECTOR, not '%nothing'" "no selector" trace --backtrace %nothing true
refused 2 "--functions: no ';' and no bracket" "functions that would end them" trace -f '/[)]/' true
refused 2 "trace: functions: 'cuNothing' names no function" "functions that are none" trace -d sim -f cuNothing true
refused 2 "--thread: no ';' and no bracket" "what would be an option" trace --thread 'x;args=no' true
refused 2 "--thread: no ';' and no bracket" "what would end them" trace --thread 'x)' true
refused 2 "--thread: no ';' and no bracket" "brackets the wrong way" trace --thread ')x(' true
refused 2 "nowhere/x: No such file or directory" "a directory in none" trace -o nowhere/x true
: >file
refused 2 "file: Not a directory" "a file" trace -o file true
refused 127 "./nothing: no such program" "no such program" trace -o made ./nothing
ok "... leaves no directory" test ! -e made
head -c 40 "$cuaudit" >short
chmod 755 short
refused 126 "cannot run $tmp/short: " "one that the system does not take" trace -F -o made "$tmp/short"
ok "... leaves no directory either" test ! -e made

# The hook has the options that the command has.
helper stat/ends
tool trace -d sim -o all -- "$tmp/ends" 20 fork
is "$status" 0 "a program that forks"
is "$(sed 's/^cuaudit: trace: [0-9]* calls\{0,1\} in //' "$tmp/err" | sort)" \
	"$(find "$tmp/all" -name '*.cutrace' | sort)" "each process says where its file is"
is "$(find all -name "ends-$(uname -n)-*.cutrace" | wc -l) $(find all -type f | wc -l)" "2 2" \
	"a file of each process"
is "$("$cuaudit" list hooks trace | sed -n 's/^  \([a-z-]*\)=.*/\1/p' |
	grep -vx -e file -e library -e print | sort)" \
	"$(awk -F'"' '/^OPTION\(" (stat )?trace "/ { print $4 }' "$top_srcdir/tools/commands.def" |
		grep -vx -e add -e output | sort)" "every option of the hook is one of the command"
for option in '--args no' '--elements 3' '--frames 9 -b cuInit' '--min-duration 1us' '--open %memory' \
	'--size 2M' '--start cuDriverGetVersion:3' '--stop 5s' '--strings 7' '--thread ends' \
	'--when-full ring' '-b %device'; do
	# shellcheck disable=SC2086 # words
	tool trace -d sim -o each --add $option -- "$tmp/ends" 20 return
	is "$status $(grep -vc ' calls\{0,1\} in .*\.cutrace$' "$tmp/err")" "0 0" "$option is taken by the hook"
done

# A second run is not added to the first unnoticed.
mkdir fresh
tool trace -d sim -o fresh -- "$tmp/ends" 20 return
is "$status $(find fresh -type f | wc -l)" "0 1" "a directory that is there and empty"
like "$(cat "$tmp/err")" "^cuaudit: trace: [0-9]+ calls in $tmp/fresh/ends-.*\.cutrace\$" "where the trace is"
refused 2 "fresh has traces of an earlier run; choose another directory, or add to them with --add" \
	"the same directory again" trace -d sim -o fresh -- "$tmp/ends" 20 return
is "$(find fresh -type f | wc -l)" 1 "... as it was"
tool trace -d sim -o fresh --add -- "$tmp/ends" 20 return
is "$status $(find fresh -type f | wc -l)" "0 2" "... with --add"
for rank in 0 1; do
	RANK=$rank
	export RANK
	tool trace -d sim -o ranks -- "$tmp/ends" 20 return
	is "$status $(find ranks -type f | wc -l)" "0 $((rank + 1))" "rank $rank of a job"
done
refused 2 "ranks has traces of an earlier run" "the same rank again" trace -d sim -o ranks -- "$tmp/ends" 20 return
unset RANK
rm -rf cuaudit-trace*
# Another run makes the directory at the same moment.
helper tool/meet.so
for where in cuaudit-trace met; do
	output=
	test $where = met && output='-o met'
	status=0
	# shellcheck disable=SC2086 # words
	LD_PRELOAD=$tmp/meet.so "$cuaudit" trace -d sim $output -- "$tmp/ends" 20 return >"$tmp/out" 2>"$tmp/err" ||
		status=$?
	is "$status $(find $where -type f | wc -l) $(cat "$tmp/err")" "2 0 cuaudit: $where has traces of an earlier \
run; choose another directory, or add to them with --add" "$where, made by another run at the same moment"
	# shellcheck disable=SC2086
	RANK=0 LD_PRELOAD=$tmp/meet.so "$cuaudit" trace -d sim $output -- "$tmp/ends" 20 return 2>"$tmp/err"
	is "$? $(find $where -type f | wc -l)" "0 1" "... or by another rank"
done
rm -rf cuaudit-trace* met
for where in cuaudit-trace cuaudit-trace.1 cuaudit-trace.2; do
	tool trace -d sim -- "$tmp/ends" 20 return
	like "$(cat "$tmp/err")" "^cuaudit: trace: [0-9]+ calls in $tmp/$where/ends-" "no directory given: $where"
done
tool trace -d sim --add -- "$tmp/ends" 20 return
is "$(find cuaudit-trace -type f | wc -l)" 2 "... and --add: the first"
tool trace -d sim -T -- "$tmp/ends" 1 return
like "$(cat "$tmp/err")" 'cuDriverGetVersion\(' "--text: lines on stderr"
tool trace -d sim -T -o lines -- "$tmp/ends" 1 return
is "$(cat "$tmp/err")" "" "--text with a directory: nothing on stderr"
like "$(cat lines/ends-*.trace)" 'cuDriverGetVersion\(' "... the lines are in it"
refused 2 "lines has traces of an earlier run" "... and again" trace -d sim -T -o lines -- "$tmp/ends" 1 return
tool trace -d sim -T -A -o lines -- "$tmp/ends" 1 return
is "$status $(find lines -type f | wc -l)" "0 2" "... with --add"
# A program whose name leaves no room for more in a file's.
long=$(printf %0255d 0)
cp "$tmp/ends" "$tmp/$long"
tool trace -d sim -o longest -- "$tmp/$long" 1 return
is "$status $(grep -c ' calls\{0,1\} in .*\.cutrace$' "$tmp/err")" "0 1" "a program of a long name has a trace"
for option in args=no args=kernel strings=3 elements=1 backtrace=cuInit open=no size=2M when-full=ring; do
	refused 2 "trace: ${option%%=[a-z0-9A-Z]*}.* needs a file, which text=yes does not write" "--text and $option" \
		trace -d sim -T "--${option%%=*}" "${option#*=}" -- "$tmp/ends" 1 return
done
done_testing
