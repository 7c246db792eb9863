# SPDX-License-Identifier: Apache-2.0
# What is not understood: a warning, status 85 with CUAUDIT_STRICT=1 and where something is enforced.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
helper routes/simple
LD_LIBRARY_PATH=$tmp
export LD_LIBRARY_PATH

# simple [VARIABLE=VALUE...]: $status, calls made ("" if none was said) and $tmp/err
simple() {
	status=0
	audited CUAUDIT_HOOKS= "$@" "$tmp/simple" 2 >"$tmp/out" 2>"$tmp/err" 3>"$tmp/3" || status=$?
	calls=$(sed 's/.* //' "$tmp/3")
}

# line REGEX NAME: the one line there is
line() {
	is "$(grep -c '^cuaudit' "$tmp/err")" 1 "$2: one line"
	like "$(cat "$tmp/err")" "^cuaudit: .*$1" "$2: what it says"
}

# stops REGEX NAME VARIABLE=VALUE...: with status 85 and that one line
stops() {
	stops_regex=$1
	stops_name=$2
	shift 2
	simple "$@"
	is "$status $calls" "85 " "$stops_name: status 85"
	line "$stops_regex" "$stops_name"
}

# strict REGEX NAME VARIABLE=VALUE...: a warning, and stops with CUAUDIT_STRICT=1
strict() {
	strict_regex=$1
	strict_name=$2
	shift 2
	simple "$@"
	is "$status $calls" "0 calls=2" "$strict_name: the program runs on"
	like "$(cat "$tmp/err")" "cuaudit: .*$strict_regex" "$strict_name: a warning"
	simple CUAUDIT_STRICT=0 "$@"
	is "$status $calls" "0 calls=2" "$strict_name, not strict: the program runs on"
	stops "$strict_regex" "$strict_name, strict" CUAUDIT_STRICT=1 "$@"
}

# enforced REGEX NAME VARIABLE=VALUE...: stops by itself, and not with CUAUDIT_STRICT=0
enforced() {
	enforced_regex=$1
	enforced_name=$2
	shift 2
	stops "$enforced_regex" "$enforced_name" "$@"
	simple CUAUDIT_STRICT=0 "$@"
	is "$status $calls" "0 calls=2" "$enforced_name, not strict: the program runs on"
	like "$(cat "$tmp/err")" "cuaudit: .*$enforced_regex" "$enforced_name, not strict: a warning"
}

long=$(awk 'BEGIN { for (i = 0; i < 5000; i++) printf "x" }')

# variables
strict 'CUAUDIT_EXLUDE .*did you mean CUAUDIT_EXCLUDE' "a misspelt name" CUAUDIT_EXLUDE=x
strict 'CUAUDIT_QWERTYUIOP is no variable.*libcuaudit' "a name like no other" CUAUDIT_QWERTYUIOP=1
strict "CUAUDIT_DISABLE takes 0.1, not 'yes'" "DISABLE" CUAUDIT_DISABLE=yes
strict "CUAUDIT_DISABLE takes 0.1, not ''" "an empty value" CUAUDIT_DISABLE=
strict "CUAUDIT_FOLLOW takes 0.1, not '1 '" "a space" CUAUDIT_FOLLOW='1 '
strict "CUAUDIT_LOG takes error.*debug, not 'loud'" "LOG" CUAUDIT_LOG=loud
strict "CUAUDIT_LOG takes .*, not 'x{76}\\.\\.\\.'" "5000 bytes" CUAUDIT_LOG="$long"
strict "CUAUDIT_OUTPUT takes PATH with %p.*, not 'x%z'" "OUTPUT" CUAUDIT_OUTPUT='x%z'
strict "CUAUDIT_OUTPUT takes PATH with %p.*, not 'x%'" "a percent sign at the end" CUAUDIT_OUTPUT='x%'
strict "CUAUDIT_INCLUDE takes GLOB.*colons between.*'libx.,liby.'" "INCLUDE with commas" \
	CUAUDIT_INCLUDE='libx*,liby*'
strict "CUAUDIT_EXCLUDE takes GLOB.*colons between.*'libx.,liby.'" "EXCLUDE with commas" \
	CUAUDIT_EXCLUDE='libx*,liby*'
strict "CUAUDIT_EXCLUDE takes GLOB.*'libx\\[a'" "an unfinished set" CUAUDIT_EXCLUDE='libx[a'
strict "CUAUDIT_FUNCTIONS: 'cuMemAloc' names no function; did you mean cuMemAlloc" "a function" \
	CUAUDIT_FUNCTIONS=cuMemAloc
strict "CUAUDIT_FUNCTIONS: '%memroy' is no selector; did you mean %memory" "a class" \
	CUAUDIT_FUNCTIONS=cuInit,%memroy
strict "CUAUDIT_FUNCTIONS: '/cuMem' is no selector" "half a regex" CUAUDIT_FUNCTIONS=/cuMem
strict "CUAUDIT_FUNCTIONS: 'x{200}" "5000 bytes of selector" CUAUDIT_FUNCTIONS="$long"
# Lists of nothing, whatever is between their parts: no list, which would be all or the default.
for list in DOMAINS=, DOMAINS=,, EXCLUDE=: FUNCTIONS=, HOOKS=, HOOKS=,, INCLUDE=:: PATH=: PROVIDERS=: \
	TYPES=:; do
	strict "CUAUDIT_${list%%=*} takes .*, not '${list#*=}'" "$list" "CUAUDIT_$list"
done
simple CUAUDIT_EXCLUDE=:libnone.so:
like "$(cat "$tmp/err")" "CUAUDIT_EXCLUDE: 'libnone.so' matched no library" "an empty part of a list is none"
strict "leak: suppress takes PATH, not ''" "an empty path" CUAUDIT_HOOKS='leak(suppress=)'
strict "stat: save takes auto.no.PATH, not ''" "an empty path beside words" CUAUDIT_HOOKS='stat(save=)'

# hooks
strict "there is no hook module 'statt'; did you mean stat" "a module" CUAUDIT_HOOKS=statt
strict "there is no hook module ' stat'; did you mean stat" "a space before it" CUAUDIT_HOOKS=' stat'
strict "there is no hook module 'xyzzy'" "a module like no other" CUAUDIT_HOOKS=xyzzy
strict "CUAUDIT_HOOKS takes NAME.*'stat\\(format=json'" "an open bracket" CUAUDIT_HOOKS='stat(format=json'
strict "CUAUDIT_HOOKS takes NAME.*'stat\\(format=json\\)x'" "something behind it" \
	CUAUDIT_HOOKS='stat(format=json)x'
strict "CUAUDIT_HOOKS takes NAME.*'stat\\(format=\\(json\\)'" "unbalanced ones" \
	CUAUDIT_HOOKS='stat(format=(json)'
strict "there is no hook module 'stat\\)'" "a closing one" CUAUDIT_HOOKS='stat)'
strict "stat has no option 'fromat'; did you mean format" "an option" CUAUDIT_HOOKS='stat(fromat=json)'
strict "stat has no option 'memory'" "another module's option" CUAUDIT_HOOKS='stat(memory=1G)'
strict "stat: format takes text.*, not 'jsn'" "a value" CUAUDIT_HOOKS='stat(format=jsn)'
strict "stat: format takes text.*, not ''" "no value" CUAUDIT_HOOKS='stat(format=)'
strict "stat: format takes text.*, not 'json,'" "a comma in a value" CUAUDIT_HOOKS='stat(format=json,)'
strict "stat: format takes text.*, not 'yes'" "no equals sign" CUAUDIT_HOOKS='stat(format)'
# What holds instead: the value before, or the option's own.
for wrong in "stat(format=json;format=text)=given once, not also as 'text'; it is json now" \
	"stat(format=json;format=xml)=takes .*, not 'xml'; it is json now" \
	"stat(format=xml)=takes .*, not 'xml'; it is text now"; do
	simple CUAUDIT_HOOKS="${wrong%%)=*})" CUAUDIT_OUTPUT="$tmp/report"
	line "stat: format .*${wrong#*)=}\$" "${wrong%%)=*})"
done
# What enforces something and is understood, before what is not.
simple CUAUDIT_HOOKS='coverage(fail=escapes),stat(format=json' CUAUDIT_OUTPUT="$tmp/report"
is "$status $calls" "0 calls=2" "a bracket is missing behind what enforces something: a warning"
line "not 'stat\\(format=json'" "a bracket is missing behind what enforces something"
strict "stat: format is given once, not also as 'text'" "an option twice" \
	CUAUDIT_HOOKS='stat(format=json;format=text)'
strict "trace: only 64 options at once, functions=cuInit is one more" "more options than there is room for" \
	CUAUDIT_HOOKS="trace($(seq 65 | sed 's/.*/functions=cuInit;/' | tr -d '\n'))"
strict "stat is given twice" "a module twice" CUAUDIT_HOOKS='stat,stat(format=json)'
strict "stat: run takes a number, 0 if not given, not 'x'" "a run" CUAUDIT_HOOKS='stat(run=x)'
strict "stat: threads takes a number from 0 to 1000.*'many'" "a number" CUAUDIT_HOOKS='stat(threads=many)'
strict "stat: interval takes seconds.*'-1'" "seconds" CUAUDIT_HOOKS='stat(interval=-1)'
strict "stat: interval takes seconds.*'0'" "no time" CUAUDIT_HOOKS='stat(interval=0)'
strict "stat: interval takes seconds.*'0.0009'" "less than there is" CUAUDIT_HOOKS='stat(interval=0.0009)'
strict "trace: size takes 1MiB or more.*'12'" "a size" CUAUDIT_HOOKS='trace(size=12)'
strict "trace: start: 'cuFoo' names no function" "a selector" CUAUDIT_HOOKS='trace(start=cuFoo)'
strict "trace: functions: 'cuMem\\[' is no selector" "no selector" CUAUDIT_HOOKS='trace(functions=cuMem[)'
strict "trace: open: '%snyc' is no selector; did you mean %sync" "a class of it" \
	CUAUDIT_HOOKS='trace(open=%snyc)'
strict "trace: backtrace: 'cuFoo' names no function" "backtrace" CUAUDIT_HOOKS='trace(backtrace=cuFoo)'
strict "trace: min-duration takes a time.*'10'" "a time" CUAUDIT_HOOKS='trace(min-duration=10)'
strict "trace: frames takes a number from 0 to 100, not '101'" "too many" CUAUDIT_HOOKS='trace(frames=101)'
strict "trace: file takes a path with %p" "a field of a file" CUAUDIT_HOOKS='trace(file=x%z)'
strict "leak: suppress=/nowhere/x cannot be read" "a file" CUAUDIT_HOOKS='leak(suppress=/nowhere/x)'
strict "leak: format takes text" "leak, which enforces nothing" CUAUDIT_HOOKS='leak(format=x)'
strict "CUAUDIT_HOOKS is longer than 4096" "5000 bytes of hooks" CUAUDIT_HOOKS="stat($long)"
strict "is left out: .*cannot open shared object" "a plug-in" CUAUDIT_HOOKS=/nowhere/x.so
strict "there is no hook module 'x'" "a plug-in by name" CUAUDIT_HOOKS=x CUAUDIT_PATH=/nowhere
simple CUAUDIT_STRICT=1 CUAUDIT_HOOKS='stat(format=json;),,coverage(),' CUAUDIT_OUTPUT="$tmp/o"
is "$status $calls $(wc -c <"$tmp/err")" "0 calls=2 0" "separators with nothing between are fine"

simple CUAUDIT_STRICT=1 CUAUDIT_DRIVER=libcuda.so.1
is "$status $calls $(wc -c <"$tmp/err")" "0 calls=2 0" "a driver's name, which the loader looks for"

# what is set twice: env(1) cannot do that
helper routes/twice
# given VARIABLE=VALUE...: to simple, as they stand
given() {
	status=0
	"$tmp/twice" "$tmp/simple" 2 -- LD_AUDIT="$LIBCUAUDIT" "$@" >"$tmp/out" 2>"$tmp/err" 3>"$tmp/3" ||
		status=$?
	calls=$(sed 's/.* //' "$tmp/3")
}
if test "$run_env" = env; then
	given CUAUDIT_HOOKS= CUAUDIT_LOG=info CUAUDIT_LOG=error
	is "$status $calls" "0 calls=2" "set twice: the program runs on"
	line "CUAUDIT_LOG is set more than once, .*it is 'info' now" "set twice"
	given CUAUDIT_STRICT=1 CUAUDIT_HOOKS= CUAUDIT_LOG=info CUAUDIT_LOG=error
	is "$status $calls" "85 " "set twice, strict: status 85"
	line "CUAUDIT_LOG is set more than once, to different values; give one$" "set twice, strict"
	given CUAUDIT_STRICT=1 CUAUDIT_HOOKS= CUAUDIT_LOG=info CUAUDIT_LOG=info
	is "$status $calls $(wc -c <"$tmp/err")" "0 calls=2 0" "set twice to the same"
	given CUAUDIT_HOOKS= CUAUDIT_LOG
	is "$status $calls" "0 calls=2" "a name without a value: the program runs on"
	line "CUAUDIT_LOG is in the environment without '=' and a value" "a name without a value"
	given CUAUDIT_HOOKS= CUAUDIT_STRICT=1 CUAUDIT_LOG
	is "$status $calls" "85 " "a name without a value, strict: status 85"
	given CUAUDIT_STRICT=0 CUAUDIT_HOOKS= CUAUDIT_STRICT=1
	is "$status $calls" "0 calls=2" "STRICT set twice, the first one holds"
	given CUAUDIT_OUTPUT="$tmp/both" CUAUDIT_HOOKS=stat CUAUDIT_HOOKS='limit(deny=cuInit)'
	ok "HOOKS set twice: both lists" test -s "$tmp/both" -a -s "$tmp/both.limit"
	given CUAUDIT_OUTPUT="$tmp/late" CUAUDIT_HOOKS=, CUAUDIT_HOOKS='limit(deny=cuInit)'
	ok "HOOKS set to nothing, then to a list: that" test -s "$tmp/late.limit" -o -s "$tmp/late"
	given CUAUDIT_HOOKS='limit(deny=cuInit)' CUAUDIT_HOOKS='limit(memory=1G)'
	is "$status $calls" "85 " "HOOKS set twice, with options of one module"
fi

# STRICT itself
stops "CUAUDIT_STRICT takes 0.1.check, not 'yes'" "STRICT=yes" CUAUDIT_STRICT=yes CUAUDIT_HOOKS=
stops "CUAUDIT_STRICT takes 0.1.check, not ''" "STRICT empty" CUAUDIT_STRICT= CUAUDIT_HOOKS=
stops "CUAUDIT_STRCIT is no variable.*did you mean CUAUDIT_STRICT" "STRICT misspelt" \
	CUAUDIT_STRCIT=1 CUAUDIT_HOOKS=
simple CUAUDIT_STRICT=check CUAUDIT_HOOKS="stat(save=$tmp/saved),trace(file=$tmp/traced)"
is "$status $calls" "0 " "STRICT=check: ends at the first call"
is "$(tail -n 1 "$tmp/err")" "cuaudit: CUAUDIT_STRICT=check: the settings are understood, and the process ends here" \
	"STRICT=check: says so"
is "$(sed 's/^cuaudit: CUAUDIT_STRICT=check: //; s/; by default.*threads=16$/; .../; s/; by default.*text=no, print=no$/; .../;$d' \
	"$tmp/err")" "hook module stat: save=$tmp/saved; ...
hook module trace: file=$tmp/traced; ...
nothing is enforced" "STRICT=check: lists the modules"
simple CUAUDIT_STRICT=check CUAUDIT_FUNCTIONS=cuInit,cuMemAlloc CUAUDIT_OUTPUT=x-%e CUAUDIT_FOLLOW=0 CUAUDIT_LOG=warn \
	CUAUDIT_HOOKS='limit(memory=1G),coverage(fail=no)'
is "$(sed 's/^cuaudit: CUAUDIT_STRICT=check: //; s/of the [0-9]*/of the N/; $d' "$tmp/err")" \
	"CUAUDIT_FOLLOW=0: whether child processes are audited
CUAUDIT_FUNCTIONS=cuInit,cuMemAlloc: functions that are hooked: 3 of the N that are known
CUAUDIT_LOG=warn: the messages printed on stderr
CUAUDIT_OUTPUT=$PWD/x-%e: where hooks write, stderr if empty: $PWD/x-simple
hook module limit: memory=1G; by default count=auto, on-error=exit, dry-run=no, format=text
hook module coverage: fail=no; by default format=text
enforced, by CUAUDIT_HOOKS: limit
cuaudit: CUAUDIT_FOLLOW=0: programs that this one starts are not held to: limit" \
	"STRICT=check: lists the variables that are set, and where a policy does not hold"
simple CUAUDIT_STRICT=check CUAUDIT_FUNCTIONS='!*' CUAUDIT_HOOKS='limit(memory=1G)'
like "$(cat "$tmp/err")" 'CUAUDIT_FUNCTIONS=!.: functions that are hooked: 0 of the [0-9]+ that are known$' "STRICT=check: none"
simple CUAUDIT_STRICT=check CUAUDIT_LOG=error CUAUDIT_HOOKS="stat(save=/$(printf 'x%.0s' $(seq 2000)))"
like "$(cat "$tmp/err")" 'hook module stat: .*x\.\.\.$' "STRICT=check: a long line ends in dots"
simple CUAUDIT_STRICT=check CUAUDIT_LOG=error CUAUDIT_HOOKS=
like "$(cat "$tmp/err")" 'no hook module is to start$' "STRICT=check: no hooks"
ok "and has written nothing" test ! -e "$tmp/saved" -a ! -e "$tmp/traced"

# as early as can be: a program that does not call the driver either
status=0
audited CUAUDIT_STRICT=1 CUAUDIT_LOG=loud sh -c "echo ran" >"$tmp/out" 2>"$tmp/err" || status=$?
is "$status $(cat "$tmp/out")" "85 " "variables: before main"
audited CUAUDIT_STRICT=1 CUAUDIT_HOOKS=statt sh -c "echo ran" >"$tmp/out" 2>"$tmp/err"
is "$(cat "$tmp/out" "$tmp/err")" "ran" "hooks: not in a process that does not call the driver"
audited CUAUDIT_HOOKS='limit(memory=1Q)' CUAUDIT_LOG=loud sh -c "echo ran" >"$tmp/out" 2>"$tmp/err"
is "$(cat "$tmp/out" "$tmp/err")" "ran" "nor what is enforced"
stops "CUAUDIT_DRIVER takes sim or the path of a driver; /nowhere/x cannot be read" "a driver" \
	CUAUDIT_STRICT=1 CUAUDIT_DRIVER=/nowhere/x
stops "CUAUDIT_DRIVER takes PATH.sim, not 'smi'" "not the simulated one" \
	CUAUDIT_STRICT=1 CUAUDIT_DRIVER=smi
stops "CUAUDIT_DOMAINS takes driver.libc.runtime.*, not 'cuda'" "a domain" CUAUDIT_STRICT=1 \
	CUAUDIT_DOMAINS=cuda
stops "CUAUDIT_SIM_MEMORY takes SIZE.*, not '1Q'" "of the simulated driver" \
	CUAUDIT_STRICT=1 CUAUDIT_SIM_MEMORY=1Q
stops "CUAUDIT_SIM_LAUNCH_TIME takes MICROSECONDS, not '1ms'" "a time of it" \
	CUAUDIT_STRICT=1 CUAUDIT_SIM_LAUNCH_TIME=1ms
stops "CUAUDIT_LOG" "with only errors on stderr" CUAUDIT_STRICT=1 CUAUDIT_LOG=loud
stops "there is no hook module 'statt'" "the same for hooks" CUAUDIT_STRICT=1 CUAUDIT_LOG=error \
	CUAUDIT_HOOKS=statt

# prefixes that are misspelt
for name in CUADIT_LOG CUAUDT_LOG CUDAUDIT_LOG CUAUDIT-LOG cuaudit_log CUAUDITLOG CU_AUDIT_LOG CUDA_AUDIT_LOG \
	CuAudit.Log; do
	strict "$name is no variable of cuaudit; did you mean CUAUDIT_LOG" "$name" $name=info
done
simple CUAUDIT_STRICT=1 CUDA_PATH=/x CONDA_PATH=/x CUDA_CUDNN_PATH=/x CUSPARSE_LOG=x AUDIT_LOG=x LOG=x CURAUD_X=1 COLUMNS_LOG=x CMAKE_LOG=x
is "$status $calls $(wc -c <"$tmp/err")" "0 calls=2 0" "names of others"

# what enforces
enforced "limit: memory takes a size.*'1Q'" "a limit" CUAUDIT_HOOKS='limit(memory=1Q)'
enforced "limit: memory takes a size.*'1 G'" "a limit with a space" CUAUDIT_HOOKS='limit(memory=1 G)'
enforced "limit: memory takes a size.*'1G,'" "a limit with a comma" CUAUDIT_HOOKS='limit(memory=1G,)'
enforced "limit: memory takes a size.*not ''" "a limit of nothing" CUAUDIT_HOOKS='limit(memory=)'
enforced "limit: memory takes a size.*'yes'" "a limit without a value" CUAUDIT_HOOKS='limit(memory)'
enforced "limit: memory is given once" "a limit twice" CUAUDIT_HOOKS='limit(on-error=run;memory=1G;memory=2G)'
enforced "limit has no option 'memroy'; did you mean memory" "a limit's option" \
	CUAUDIT_HOOKS='limit(memroy=1G)'
enforced "limit has no option ' memory'; did you mean memory" "a space before it" \
	CUAUDIT_HOOKS='limit( memory=1G)'
enforced "limit: visible takes devices.*not '0 1'" "devices" CUAUDIT_HOOKS='limit(visible=0 1)'
enforced "limit: visible takes devices.*not '0;,1'|limit: visible takes devices.*not '0,,1'" "no device" \
	CUAUDIT_HOOKS='limit(visible=0,,1)'
simple CUAUDIT_LOG=error CUAUDIT_STRICT=1 CUAUDIT_HOOKS='stat(threads=x)'
is "$status $(wc -l <"$tmp/err")" "85 1" "a warning that ends the process is reported by LOG=error"
simple CUAUDIT_LOG=error CUAUDIT_HOOKS='fault(inject=cuMemAloc:error=2)'
is "$status $(wc -l <"$tmp/err")" "85 1" "that of what enforces, too"
enforced "limit: file takes PATH, not ''" "no file" CUAUDIT_HOOKS='limit(on-error=run;user=1G;file=)'
enforced "limit: share-dir takes PATH, not ''" "no directory" CUAUDIT_HOOKS='limit(on-error=run;share=1;share-dir=)'
enforced "there is no name before '\\(limit\\(memory=1G\\)\\)'" "options of nothing" \
	CUAUDIT_HOOKS='(limit(memory=1G))'
strict "there is no name before '\\(stat\\)'" "a name in brackets" CUAUDIT_HOOKS='(stat)'
strict "there is no hook module 'stat:format=json'; did you mean stat" "a colon" CUAUDIT_HOOKS=stat:format=json
strict "trace: start takes SELECTOR.*not ''" "an empty trigger" CUAUDIT_HOOKS='trace(start=)'
strict "trace: stop takes SELECTOR.*not ':3'" "a trigger of nothing" CUAUDIT_HOOKS='trace(stop=:3)'
enforced "limit: deny: 'cuMemAloc' names no function" "deny" CUAUDIT_HOOKS='limit(deny=cuMemAloc)'
enforced "limit: deny: ',' is no selector" "deny of a comma" CUAUDIT_HOOKS='limit(deny=,)'
enforced "limit: deny: 'cuMemAlloc\*,!%memory' takes no function" "deny that denies nothing" \
	CUAUDIT_HOOKS='limit(deny=cuMemAlloc*,!%memory)'
enforced "limit: deny takes SELECTOR" "deny's error" CUAUDIT_HOOKS='limit(deny=cuInit:error=X)'
enforced "limit: deny takes functions of the driver, not those of libraries as in 'cuInit,libnccl.so.2:ncclBroadcast'" \
	"deny of a library's function" CUAUDIT_HOOKS='limit(deny=cuInit,libnccl.so.2:ncclBroadcast)'
for domains in driver driver,runtime; do
	for functions in cudaMalloc %runtime; do
		enforced "limit: deny takes functions of the driver, not those of the runtime as in '$functions'" \
			"$domains: deny of $functions" CUAUDIT_DOMAINS=$domains CUAUDIT_HOOKS="limit(deny=$functions)"
	done
done
enforced "there is no hook module 'limti'; did you mean limit" "limit" CUAUDIT_HOOKS='limti(memory=1G)'
enforced "there is no hook module 'Limit'; did you mean limit" "its case" CUAUDIT_HOOKS='Limit(memory=1G)'
enforced "there is no hook module 'LIMIT'; did you mean limit" "in capitals" CUAUDIT_HOOKS='LIMIT(MEMORY=1G)'
enforced "there is no hook module 'LEAK'; did you mean leak" "fail in capitals" CUAUDIT_HOOKS='LEAK(FAIL=ANY)'
enforced "there is no hook module 'QUOTA'" "an option in capitals" CUAUDIT_HOOKS='QUOTA(MEMORY=1G)'
enforced "CUAUDIT_HOKS is no variable.*did you mean CUAUDIT_HOOKS" "capitals in no variable" \
	CUAUDIT_HOKS='LIMIT(MEMORY=1G)'
enforced "CUAUDIT_HOOKS takes NAME" "a bracket behind which limit is" \
	CUAUDIT_HOOKS='stat(format=json,limit(memory=1G)'
enforced "CUAUDIT_HOOKS takes NAME" "limit with a bracket open" CUAUDIT_HOOKS='limit(memory=1G'
enforced "limit is given twice" "limit twice" CUAUDIT_HOOKS='limit(on-error=run;memory=1G),limit(device=1M)'
enforced "CUAUDIT_HOOKS is longer" "a limit behind 5000 bytes" CUAUDIT_HOOKS="stat($long),limit(memory=1G)"
enforced "CUAUDIT_HOKS is no variable.*did you mean CUAUDIT_HOOKS" "a limit in no variable" \
	CUAUDIT_HOKS='limit(memory=1G)' CUAUDIT_HOOKS=
enforced "CUADIT_HOOKS is no variable.*did you mean CUAUDIT_HOOKS" "a limit in a misspelt one" \
	CUADIT_HOOKS='limit(memory=1G)'
enforced "CUAUDITHOOKS is no variable.*did you mean CUAUDIT_HOOKS" "a limit in one without its underscore" \
	CUAUDITHOOKS='limit(memory=1G)'
for hooks in limit:memory=1G 'limit memory=1G' 'limit[memory=1G]' 'limits=memory=1G' 'quota(memory=1G)' \
	'xyzzy(device3=1G)' 'lmt(user=1G;file=x)' 'inject(inject=cuInit:error=2)'; do
	enforced "there is no hook module" "$hooks" CUAUDIT_HOOKS="$hooks"
done
enforced "limit is given twice" "limit twice, after another" \
	CUAUDIT_HOOKS='coverage,limit(on-error=run;memory=1G),limit(device=1M)'
strict "stat is given twice" "stat twice, after others" CUAUDIT_HOOKS='coverage,leak,stat,stat'
for options in 'memory' 'memory1=1G' 'xmemory=1G' 'x=memory' 'a;memory;b'; do
	strict "there is no hook module 'xyzzy'" "no option of what enforces: $options" CUAUDIT_HOOKS="xyzzy($options)"
done
for options in 'xmemory=1;memory=1G' 'memory;memory=1G' 'x,memory=1G' 'x=memory;device=1G' '[memory=1G' '{memory=1G' ' memory=1G'; do
	enforced "there is no hook module 'xyzzy'" "an option of what enforces: $options" CUAUDIT_HOOKS="xyzzy($options)"
done
enforced "./limit is left out: .*No such file" "limit as a path" CUAUDIT_HOOKS='./limit(memory=1G)'
strict "there is no hook module 'xyzzy'" "options of what enforces nothing" \
	CUAUDIT_HOOKS='xyzzy(format=json;file=x;interval=3)'
enforced "fault: lib takes GLOB.*colons between, not 'liba.,libb.'" "a rule's libraries" \
	CUAUDIT_HOOKS='fault(inject=cuInit:error=2:lib=liba*,libb*)'
strict "trace: library takes GLOB.*colons between, not 'liba.,libb.'" "trace's libraries" \
	CUAUDIT_HOOKS='trace(library=liba*,libb*)'
enforced "CUAUDIT_MODULES is no variable" "a limit in a variable like no other" \
	CUAUDIT_MODULES='limit(memory=1G)' CUAUDIT_HOOKS=
enforced "limit: cannot share /nowhere/x" "a limit that cannot be shared" \
	CUAUDIT_HOOKS='limit(user=1G;file=/nowhere/x)'
enforced "fault: a rule has no 'eror'; did you mean error" "fault" \
	CUAUDIT_HOOKS='fault(inject=cuMemAlloc:eror=2)'
enforced "fault: 'cuMemAloc' names no function" "fault's selector" \
	CUAUDIT_HOOKS='fault(inject=cuMemAloc:error=2)'
enforced "leak: fail takes no.errors.any, not 'all'" "leak's fail" CUAUDIT_HOOKS='leak(fail=all)'
enforced "leak has no option 'fial'; did you mean fail" "leak's fail misspelt" CUAUDIT_HOOKS='leak(fial=any)'
enforced "leak: format takes" "leak's format, with fail" CUAUDIT_HOOKS='leak(format=x;fail=errors)'
enforced "leak: format takes" "leak's format, with any fail" CUAUDIT_HOOKS='leak(format=x;fail=no)'
enforced "stat: fail takes no.errors, not 'any'" "stat's fail" CUAUDIT_HOOKS='stat(fail=any)'
enforced "stat has no option 'fial'; did you mean fail" "stat's fail misspelt" CUAUDIT_HOOKS='stat(fial=errors)'
enforced "stat has no option 'on-failure'" "stat's fail with more" CUAUDIT_HOOKS='stat(on-failure=errors)'
enforced "stat has no option 'fromat'" "an option misspelt beside fail" CUAUDIT_HOOKS='stat(fromat=json;fail=no)'
enforced "there is no hook module 'statt'" "stat misspelt, with fail" CUAUDIT_HOOKS='statt(format=json;fail=errors)'
enforced "there is no hook module 'statt'" "stat and fail misspelt" CUAUDIT_HOOKS='statt(format=json;fial=errors)'
enforced "there is no hook module 'laek'" "leak and fail misspelt" CUAUDIT_HOOKS='laek(fial=any)'
enforced "stat: fail=errors takes results, which clock=no leaves out" "fail without results" \
	CUAUDIT_HOOKS='stat(clock=no;fail=errors)'
enforced "coverage: fail takes no.escapes, not 'esacpes'" "coverage's fail" \
	CUAUDIT_HOOKS='coverage(fail=esacpes)'
enforced "coverage: fail is given once" "coverage's fail twice" \
	CUAUDIT_HOOKS='coverage(fail=escapes;fail=no)'
# What came from outside is printed as what it is not, and whole.
simple CUAUDIT_HOOKS="$(printf 'st\033[1mt\303,sta\302\233t')"
is "$(cat "$tmp/err")" "$(printf "%s 'st\357\277\275[1mt\357\277\275'; it is left out\n" \
	"cuaudit: there is no hook module"
	printf "%s 'sta\357\277\275t'; did you mean stat?; it is left out\n" \
	"cuaudit: there is no hook module")" "escape sequences and half characters in a message"
is "$(tr -d '\0' <"$tmp/err" | wc -c)" "$(wc -c <"$tmp/err")" "and no byte 0"
simple CUAUDIT_HOOKS='limit(memory=1Q)'
is "$(wc -l <"$tmp/err")" 1 "one line and no more"

# other variables and what is enforced
on_limit="limit(deny=cuInit)"
simple CUAUDIT_HOOKS="$on_limit" CUAUDIT_FUNCTIONS=%launch
like "$(cat "$tmp/err")" "limit: cuInit by [^ ]+ is denied" "FUNCTIONS does not restrict limit"
simple CUAUDIT_HOOKS="fault(inject=cuInit:error=1)" CUAUDIT_FUNCTIONS=%launch
like "$(cat "$tmp/err")" "rule 1, call 1, .*cuInit" "nor fault"
rm -f "$tmp/o"
simple CUAUDIT_HOOKS="stat,$on_limit" CUAUDIT_FUNCTIONS=%launch CUAUDIT_OUTPUT="$tmp/o"
ok "but stat beside it" test ! -e "$tmp/o" -a -s "$tmp/o.limit"
simple CUAUDIT_HOOKS="$on_limit" CUAUDIT_FUNCTIONS='%memroy'
like "$(cat "$tmp/err")" "limit: cuInit by [^ ]+ is denied" "nor does one that is not understood"
simple CUAUDIT_HOOKS="$on_limit" CUAUDIT_EXCLUDE='libsimple*'
like "$(cat "$tmp/err")" "CUAUDIT_EXCLUDE=libsimple\\*: these libraries are not held to: limit" \
	"EXCLUDE: a line says that it does not hold"
simple CUAUDIT_HOOKS="$on_limit,fault(inject=cuInit:error=1)" CUAUDIT_EXCLUDE='libsimple*'
like "$(cat "$tmp/err")" "these libraries are not held to: limit, fault$" "EXCLUDE: all of them"
simple CUAUDIT_HOOKS="stat(fail=errors),$on_limit,fault(inject=cuInit:error=1),coverage(fail=escapes),trace(file=$tmp/o),leak(fail=any)" \
	CUAUDIT_EXCLUDE='libsimple*'
like "$(cat "$tmp/err")" "these libraries are not held to: stat, limit, fault, coverage, leak$" "EXCLUDE: five among others"
simple CUAUDIT_HOOKS="$on_limit" CUAUDIT_EXCLUDE='(main)'
line "$tmp/simple is given the driver itself, .* is not held to what CUAUDIT_HOOKS enforces" \
	"EXCLUDE, and nothing is left"
helper routes/leaves
for how in _exit abort; do
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="$on_limit" CUAUDIT_EXCLUDE='(main)' "$tmp/leaves" $how 2>"$tmp/err"
	line "$tmp/leaves is given the driver itself, .* is not held to what CUAUDIT_HOOKS enforces" \
		"... where it ends by $how"
done
simple CUAUDIT_HOOKS=stat CUAUDIT_EXCLUDE='(main)'
is "$(cat "$tmp/err")" "" "the same where nothing is enforced"
simple CUAUDIT_HOOKS="$on_limit" CUAUDIT_INCLUDE='(main)'
like "$(cat "$tmp/err")" "CUAUDIT_INCLUDE=\\(main\\): other libraries are not held to: limit" "INCLUDE too"
simple CUAUDIT_HOOKS="$on_limit" CUAUDIT_FOLLOW=0
like "$(cat "$tmp/err")" "CUAUDIT_FOLLOW=0: programs that this one starts are not held to: limit" "FOLLOW"
simple CUAUDIT_HOOKS=stat CUAUDIT_FOLLOW=0 CUAUDIT_INCLUDE='(main)' CUAUDIT_OUTPUT="$tmp/o"
is "$(cat "$tmp/err")" "" "where nothing is enforced they say nothing"
simple CUAUDIT_HOOKS="$on_limit" CUAUDIT_DISABLE=1
is "$status $calls" "0 calls=2" "DISABLE: the program runs"
line "CUAUDIT_DISABLE=1: what CUAUDIT_HOOKS enforces does not hold here" "DISABLE"
simple CUAUDIT_HOOKS=stat CUAUDIT_DISABLE=1
is "$(cat "$tmp/err")" "" "DISABLE where nothing is enforced"
stops "CUAUDIT_DISABLE=1 switches off what CUAUDIT_HOOKS enforces" "DISABLE, strict" \
	CUAUDIT_STRICT=1 CUAUDIT_DISABLE=1 CUAUDIT_HOOKS="$on_limit"

# no core, nothing enforced
mkdir -p "$tmp/lone/cuaudit"
cp "$LIBCUAUDIT" "$tmp/lone"
: >"$tmp/lone/cuaudit/cuaudit-core.so"
LIBCUAUDIT=$tmp/lone/libcuaudit.so
enforced "cannot load .*cuaudit-core.so" "a limit without a core" CUAUDIT_HOOKS='limit(memory=1G)'
simple CUAUDIT_HOOKS='limit(memory=1G)'
like "$(cat "$tmp/err")" "; nothing is audited, and what CUAUDIT_HOOKS enforces would not hold: the\
 process ends with status 85; CUAUDIT_STRICT=0 would let it run$" "a limit without a core: and why"
strict "cannot load .*cuaudit-core.so" "stat without a core" CUAUDIT_HOOKS=stat

# The auditor's words for what enforces are those that the modules have.
is "$(sed -n 's/.*words\[\] = { "\(.*\)" };/\1/p' "$top_srcdir/util/policy.c")" \
	'dbgmem(", "fail=", "fault(", "limit(", "rules(' "the auditor knows these"
is "$(grep -l 'enforces = ""' "$top_srcdir"/hooks/modules/*/*.c | sed 's/.*\///; s/\.c$//' | paste -s -d ' ' -)" \
	"dbgmem fault limit rules" "modules that always enforce"
is "$(sed -n 's/.*enforces = "\(.[^"]*\)".*/\1/p' "$top_srcdir"/hooks/modules/*/*.c | sort -u)" fail \
	"options that make modules enforce"
done_testing
