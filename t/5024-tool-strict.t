# SPDX-License-Identifier: Apache-2.0
# cuaudit run, stat and trace: what is not understood keeps the program from being started.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

compile -shared -fPIC -o "$tmp/no-plugin.so" -x c /dev/null || bail_out "no shared object"
long=$(awk 'BEGIN { for (i = 0; i < 5000; i++) printf "x" }')
cd "$tmp" || exit 99

# stopped REGEX NAME [VARIABLE=VALUE...] -- COMMAND [OPTION...]: status 2, one line, not started
stopped() {
	stopped_regex=$1
	stopped_name=$2
	shift 2
	rm -f ran
	stopped_before=
	while test "$1" != --; do
		stopped_before="$stopped_before $(printf '%s' "$1" | sed "s/'/'\\\\''/g; s/^/'/; s/\$/'/")"
		shift
	done
	shift
	status=0
	eval "env $stopped_before \"\$cuaudit\" \"\$@\" touch ran" >out 2>err || status=$?
	is "$status $(wc -l <err) $(wc -c <out)" "2 1 0" "$stopped_name: status 2, one line"
	like "$(cat err)" "^cuaudit: .*$stopped_regex" "$stopped_name: what it says"
	ok "$stopped_name: the program is not started" test ! -e ran
}

# hooks REGEX NAME HOOKS: as an option and as a variable, by each command
hooks() {
	stopped "$1" "$2" -- run -d sim -k "$3"
	stopped "$1" "$2, in the environment" CUAUDIT_HOOKS="$3" -- run -d sim
}

# fine NAME [OPTION...]: the program is started; nothing is said but that it made no call
fine() {
	fine_name=$1
	shift
	rm -f ran
	tool "$@" touch ran
	is "$status $(grep -v 'no call of .* was counted in any process' err)" "0 " "$fine_name: started"
	ok "$fine_name: and runs" test -e ran
}

fine "nothing wrong" run -d sim -k 'stat(format=json),coverage,limit(memory=1GiB;deny=%graph)' \
	-f '%memory,!cuMemGetInfo*' -l '(main):libx*' -x 'liby*' -o 'x-%p'
fine "stat" stat -d sim -i 10
fine "trace" trace -d sim -o traces --start %launch:100
fine "without a driver" run

# variables, in the environment of each command
for command in run stat trace; do
	stopped 'CUAUDIT_EXLUDE .*did you mean CUAUDIT_EXCLUDE' "$command: a name" CUAUDIT_EXLUDE=x -- $command
	stopped "CUAUDIT_LOG takes .*, not 'loud'" "$command: LOG" CUAUDIT_LOG=loud -- $command
	stopped "CUAUDIT_FUNCTIONS: 'cuMemAloc' names no function; did you mean cuMemAlloc" \
		"$command: a function" CUAUDIT_FUNCTIONS=cuMemAloc -- $command
done
ok "trace: no directory is made" test ! -e cuaudit-trace
stopped "CUAUDIT_DISABLE takes 0.1, not ''" "DISABLE empty" CUAUDIT_DISABLE= -- run
stopped "CUAUDIT_FOLLOW takes 0.1, not '2'" "FOLLOW" CUAUDIT_FOLLOW=2 -- run
stopped "CUAUDIT_OUTPUT takes .*'x%z'" "OUTPUT" CUAUDIT_OUTPUT=x%z -- run
stopped "CUAUDIT_INCLUDE takes .*colons.*'liba,libb'" "INCLUDE" CUAUDIT_INCLUDE=liba,libb -- run
stopped "CUAUDIT_INCLUDE takes .*colons.*'liba,libb'" "--library" -- run -l liba,libb
stopped "CUAUDIT_EXCLUDE takes .*'lib\\[a'" "--exclude" -- run -x 'lib[a'
stopped "CUAUDIT_SIM_MEMORY takes SIZE.*'lots'" "SIM_MEMORY" CUAUDIT_SIM_MEMORY=lots -- run
stopped "CUAUDIT_SIM_LAUNCH_TIME takes MICRO.*'1ms'" "SIM_LAUNCH_TIME" CUAUDIT_SIM_LAUNCH_TIME=1ms -- run
stopped "CUAUDIT_DRIVER takes sim or the path.* /nowhere/x cannot be read" "DRIVER" \
	CUAUDIT_DRIVER=/nowhere/x -- run
mkfifo "$tmp/fifo"
stopped "CUAUDIT_DRIVER takes sim or the path.*/fifo cannot be read" "DRIVER that is a FIFO" \
	CUAUDIT_DRIVER="$tmp/fifo" -- run
stopped "CUAUDIT_DRIVER takes PATH.sim, not 'smi'" "DRIVER misspelt" CUAUDIT_DRIVER=smi -- run
stopped "CUAUDIT_DRIVER: .*no-plugin.so is no CUDA driver" "no driver" \
	CUAUDIT_DRIVER="$tmp/no-plugin.so" -- run
stopped "CUAUDIT_DRIVER: .*file too short|CUAUDIT_DRIVER: .*invalid ELF" "no object" CUAUDIT_DRIVER=/dev/null -- run
stopped "CUAUDIT_DOMAINS takes driver.libc.runtime.tables\\[,...\\], not 'driver,runtmie'" "DOMAINS" \
	CUAUDIT_DOMAINS=driver,runtmie -- run
stopped "CUAUDIT_STRICT takes 0.1.check, not 'yes'" "STRICT" CUAUDIT_STRICT=yes -- run
stopped "CUAUDIT_STRCIT is no variable" "STRICT misspelt" CUAUDIT_STRCIT=0 -- run
stopped "CUAUDIT_LOG takes" "by errors alone" CUAUDIT_LOG=errors CUAUDIT_STRICT=1 -- run
stopped "CUAUDIT_FUNCTIONS: 'x{100}" "5000 bytes" CUAUDIT_FUNCTIONS="$long" -- run
stopped "CUADIT_HOOKS is no variable.*did you mean CUAUDIT_HOOKS" "a misspelt prefix" CUADIT_HOOKS=stat -- run
stopped "--output takes PATH, not ''" "--output of nothing" -- run -o ''
stopped "'cuMemAloc' names no function; did you mean cuMemAlloc" "--functions" -- run -f cuMemAloc

# modules, options, values, rules
hooks "there is no hook module 'statt'; did you mean stat" "a module" statt
hooks "there is no hook module 'limti'; did you mean limit" "limit" 'limti(memory=1G)'
hooks "CUAUDIT_HOOKS takes NAME" "an open bracket" 'stat(format=json'
hooks "CUAUDIT_HOOKS takes NAME" "a bracket too many" 'stat(format=json))'
hooks "stat has no option 'fromat'; did you mean format" "an option" 'stat(fromat=json)'
hooks "stat: format takes" "a value" 'stat(format=jsn)'
hooks "stat: run takes a number" "a run" 'stat(run=1x)'
hooks "stat: threads takes" "a number" 'stat(threads=1001)'
hooks "stat: interval takes" "seconds" 'stat(interval=1m)'
hooks "stat: interval takes" "no seconds" 'stat(interval=0)'
hooks "limit: memory takes a size" "a size" 'limit(memory=1Q)'
hooks "limit: device3 takes a size" "a device's" 'limit(device3=-1)'
hooks "limit: user takes a size" "a user's" 'limit(user=)'
hooks "limit: deny: 'cuMemAloc' names no function" "deny" 'limit(deny=cuMemAloc)'
hooks "limit: memory is given once" "an option twice" 'limit(memory=1G;memory=2G)'
hooks "stat is given twice" "a module twice" 'stat,stat(format=json)'
hooks "fault: there is no inject=RULE" "fault without a rule" fault
hooks "fault: a rule has no 'eror'; did you mean error" "a rule's key" 'fault(inject=cuInit:eror=1)'
hooks "fault: error takes a result.*did you mean CUDA_ERROR_OUT_OF_MEMORY" "a result" \
	'fault(inject=cuInit:error=CUDA_ERROR_OUT_OF_MEMRY)'
hooks "fault: cuMemAlloc_v2 has no parameter 'size'; did you mean bytesize|has no parameter 'size'" "a condition" \
	'fault(inject=cuMemAlloc_v2:error=2:if=size>1)'
hooks "fault: 'cuMemAloc' names no function" "a rule's selector" 'fault(inject=cuMemAloc:error=2)'
hooks "fault: '!\*' takes no function" "a rule of no function" 'fault(inject=!*:error=2)'
hooks "trace: stop: 'cuFoo' names no function" "a trigger" 'trace(stop=cuFoo:3)'
hooks "trace: size takes" "a trace's size" 'trace(size=1KiB)'
hooks "leak: suppress=/nowhere/x cannot be read" "suppressions" 'leak(suppress=/nowhere/x)'
printf 'left * *\nnonsense\n' >known
hooks "leak: .*known:2: a line is WHAT FUNCTION LIBRARY" "one of them" 'leak(suppress=known)'
printf 'left * lib[a\n' >known
hooks "leak: .*known:1: 'lib\[a' is no glob: its \[ has no \]" "a glob of them" 'leak(suppress=known)'
hooks "trace: thread takes a glob over the names of threads" "an unfinished set" 'trace(thread=[)'
hooks "trace: thread takes a glob over the names of threads" "no thread" 'trace(thread=)'
hooks "coverage: fail takes no.escapes" "fail" 'coverage(fail=routed)'
hooks "/nowhere/x.so is left out: .*cannot open" "a plug-in" /nowhere/x.so
hooks "no-plugin.so is left out: it has no cuaudit_module" "no plug-in" "$tmp/no-plugin.so"
hooks "CUAUDIT_HOOKS is longer than 4096" "5000 bytes of hooks" "stat($long)"
stopped "trace: start: 'cuFoo' names no function" "trace --start" -- trace --start cuFoo
stopped "trace: open: 'cuFoo' names no function" "trace --open" -- trace --open cuFoo
stopped "trace: frames takes" "trace --frames" -- trace -b cuInit --frames 1000

# options that do not add
for option in '-o a -o b' '-d sim -d sim' '-o a --output=a'; do
	stopped "--(output|driver) is given twice" "$option" -- run $option
done
for wrong in 1e1 0x1 +1 ' 1' inf 1e9; do
	stopped "--interval takes seconds" "seconds" -- stat -i "$wrong"
done
stopped "--interval is given twice" "--interval" -- stat -i 1 -i 2
stopped "--format is given twice" "--format" -- stat --format=json -m text
stopped "--output is given twice" "trace --output" -- trace -o a -o b
stopped "--size is given twice" "trace --size" -- trace --size 1M --size 2M
fine "options that add" run -d sim -k stat -k coverage -f %memory -f %launch -l 'a*' -l '(main)' -x b -x c -F -F

# a policy and other variables
status=0
rm -f ran
CUAUDIT_DISABLE=1 tool run -k 'limit(memory=1G)' touch ran
is "$status $(tail -n 1 err)" \
	"2 cuaudit: CUAUDIT_DISABLE=1 switches off what CUAUDIT_HOOKS enforces; unset one" "DISABLE and a limit"
ok "is not started" test ! -e ran
rm -f ran
CUAUDIT_DISABLE=1 tool run -k stat touch ran
is "$status $(cat err)" "0 cuaudit: CUAUDIT_DISABLE is 1, so nothing is audited; unset it" \
	"DISABLE without one: reported"
ok "and started" test -e ran
for command in stat trace "run -k stat"; do
	CUAUDIT_HOOKS='limit(memory=1G)' tool $command true
	is "$status $(head -n 1 err)" "0 cuaudit: CUAUDIT_HOOKS=limit(memory=1G) is replaced, and what it enforces does not hold; give it to cuaudit run by --hooks" \
		"$command: a limit of the environment"
done
CUAUDIT_HOOKS='limit(memory=1G)' fine "a limit that stays" run
CUAUDIT_HOOKS=coverage fine "what enforces nothing" run -k stat
status=0
CUAUDIT_STRICT=0 "$cuaudit" run -d sim -k statt "$demo" dlopen >out 2>err || status=$?
is "$status $(cat err)" "0 cuaudit: there is no hook module 'statt'; did you mean stat?; it is left out" \
	"STRICT=0: the program is started"
rm -f ran
CUAUDIT_STRICT=check fine "STRICT=check of the user's own" run -d sim

# The driver's functions that the table lacks are known, too.
helper fake/libcuda.so.1 libnew.so.1
fine "a function of the driver's own" run -d "$tmp/libnew.so.1" -f cuNewReal
fine "a glob for it" run -d "$tmp/libnew.so.1" -k 'fault(inject=cuNewRea*:error=2)'
mkdir new && cp libnew.so.1 new/libcuda.so.1
LD_LIBRARY_PATH=$tmp/new fine "of the driver that the loader finds" run -f cuNewReal
stopped "'cuNewReal' names no function" "which another driver has not" -- run -d sim -f cuNewReal
stopped "'cuNewRael' names no function; did you mean cuNewReal" "a misspelt one" -- \
	run -d "$tmp/libnew.so.1" -f cuNewRael

# What the trial loads leaves nothing behind, and is heard where it dies.
for end in 7 0; do
	compile -shared -fPIC -DEND=$end -o dies$end.so -x c - <<'END' || bail_out "no plug-in"
#include <unistd.h>

static void __attribute__((constructor)) start(void)
{
	_exit(END);
}
END
	stopped "the settings cannot be judged: a trial of them ended by status $end" \
		"a plug-in that ends it by $end" -- run -d sim -k ./dies$end.so
done
CUAUDIT_LOG=error fine "settings that pass, with errors alone said" run -d sim
mkdir clean && cd clean || exit 99
tool run -d sim -k 'stat(save=s),trace(file=t),limit(user=1G;file=u),leak,coverage' true
is "$status $(cat "$tmp/err") $(ls)" "0  " "no file is made before a driver call is"
done_testing
