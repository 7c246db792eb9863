# SPDX-License-Identifier: Apache-2.0
# Rules where a program is not well-behaved: it goes on as without them, all that breaks rules is counted,
# and what is lost is said.
. "${top_srcdir:-$(dirname "$0")/..}/t/rules/lib.sh"

helpers rules/broken rules/hostile rules/libbreaks.so trace/moved
hostile=$tmp/hostile
never='never cuCtxSynchronize'

# broken TIMES NAME: the one rule is broken so often, nothing is lost.
broken() {
	is "$status $(grep -c 'not made' err)" "88 0" "$2: status" || diag "$(head -c 3000 err)"
	if test "$1" = 1; then
		says '^  broken once' "$2: once"
	else
		says "^  broken $1 times" "$2: $1 times"
	fi
}

# lost REGEX NAME: the check was not made, for that reason; the status is 89, or 88 beside what is broken.
lost() {
	ends "$1" "$3"
	says "^check: (process [0-9]+ of .*: )?.*$2" "$3: what was lost"
}

# holds NAME
holds() {
	case $(grep -cvE '^(allow|mark) ' rules) in
	1) holds_all="the rule holds" ;;
	*) holds_all="all $(grep -cvE '^(allow|mark) ' rules) rules hold" ;;
	esac
	is "$status $(grep '^check' err)" "0 check: $holds_all" "$1" || diag "$(head -c 3000 err)"
}

# Signal handlers.
rules "$never"
check "$hostile" handler 500
broken 500 "calls of a signal handler"
says '^  500 times: cuCtxSynchronize\(\) = CUDA_SUCCESS$' "... by one call stack"
check "$hostile" storm 300
made=$(cat out)
counted=$(sed -n 's/^  broken \([0-9]*\) times.*/\1/p' err)
ends 88 "calls of a timer's handler, within hooks too"
ok "... $counted of $made are counted, or lost ones are said" sh -c \
	'test "$1" -eq "$2" || { test "$1" -lt "$2" && grep -q "calls were lost" err; }' sh "$counted" "$made"
rules 'never cuCtxSynchronize' 'never cuDriverGetVersion'
check "$hostile" storm 300
ends 88 "... while the other call breaks rules, too"
like "$(cat out)" '^[0-9]+$' "... and the program ends"

# What leaves calls and hooks.
rules "$never"
check "$hostile" jumps 300
is "$status $(cat out)" "88 done" "siglongjmp out of hooks: the program ends"
rules 'at-most 5 cuMemcpyHtoD'
check "$hostile" left 1
is "$(cat out)" left "siglongjmp out of the driver"
lost 89 "calls were lost, .*left by longjmp" "... is no call that holds"
# Before glibc 2.35 the unwinder takes the loader's lock, which _exit is not to wait for.
awk 'BEGIN { exit !(ARGV[1] + 0 >= 2.35) }' "$(getconf GNU_LIBC_VERSION | sed 's/.* //')" && quits='0 1' || quits=
for ends in 0 ${quits:+"$quits"}; do
	# shellcheck disable=SC2086
	check "$hostile" left $ends
	lost 89 "calls were lost, .*left by longjmp" "... of a thread that calls nothing more: left $ends"
done
for ends in 0 1; do
	check "$hostile" left-thread $ends
	is "$(cat out)" left "siglongjmp out of the driver, on a thread that ends: $ends"
	lost 89 "calls were lost, .*left by longjmp" "... is no call that holds"
done
# A call that a coroutine takes to another thread, while its first one calls or after that has ended.
rules no-errors 'never cuCtxSynchronize'
for how in stays ends; do
	for often in 1 2 3; do
		check "$tmp/moved" $how
		is "$status $(grep '^check' err)" "0 check: all 2 rules hold" "calls that end on another thread, $how: $often"
	done
done
check "$tmp/moved" ends forgets
lost 89 "calls were lost, .*left by longjmp" "... but one that nobody ends"

# Threads.
rules "$never"
check "$hostile" small 4 3
broken 12 "threads of 64 KiB stacks"
is "$(cat out)" done "... go on"
check "$hostile" threads 8 500
broken 4000 "threads that break a rule at once"
says '^  4000 times: cuCtxSynchronize\(\) = CUDA_' "... by one call stack"
rules 'at-most 3999 cuCtxSynchronize'
check "$hostile" threads 8 500
ends 88 "... a bound"
says '^  broken( once)?: 4000 calls, at most 3999 allowed' "... is exact"
rules 'exactly 4000 cuCtxSynchronize'
check "$hostile" threads 8 500
holds "... at its bound"
rules 'same-thread cuCtxSynchronize'
check "$hostile" threads 8 1
broken 7 "same-thread: all but the first"
check "$hostile" numbered
holds "... a thread's number is asked for once, and in a child of fork again"
rules 'mark m = 1000th cuDriverGetVersion' 'never cuCtxSynchronize after m'
check "$hostile" races 10 100
broken 1 "a mark that threads reach together"
check "$hostile" races 9 111
ends 88 "... and one call less"
says 'never reached: mark m' "... does not"
rules 'mark a = 1st cuDriverGetVersion' 'mark b = 1st cuCtxSynchronize' 'exactly 1 cuCtxSynchronize between a b'
check "$hostile" races 16 200
holds "the call that reaches a mark is before it"

# Processes.
rules "$never"
check "$hostile" forks 5
broken 5 "children of fork that end by _exit"
check "$hostile" forks-midway 20
is "$status $(cat out)" "88 done" "children of fork while another thread breaks a rule"
says '^  broken 20020 times' "... all are counted"
# Stacks are read with the loader's lock before glibc 2.35, which such a child may find taken.
if test "$(loader_family)" = new; then
	check "$hostile" clones-midway 50
	is "$status $(cat out)" "88 done" "children of clone by itself while another thread breaks a rule"
	says '^  broken 20050 times' "... all are counted"
fi
for how in 0 1; do
	test $how = 0 && name=clone || name=clone3
	rules 'exactly 1 cuCtxSynchronize' no-use-after-fork
	check "$hostile" clones $how
	broken 1 "a child of $name by itself that calls alone what no rule looked at in the parent"
	is "$(cat out)" done "... which goes on"
	rules no-use-after-fork
	check "$hostile" clones $how 1
	holds "... one that makes no call"
	rules 'same-thread %driver' 'exactly 2 cuCtxSynchronize'
	check "$hostile" clones $how 2
	holds "... one that is counted for itself"
done
rules no-use-after-fork 'exactly 101 cuDriverGetVersion'
check "$hostile" clones 2
holds "a child of clone with its parent's memory is none of fork"
rules 'same-thread %driver'
check "$hostile" clones 2
holds "... and the thread of it that made it"
rules no-use-after-fork
check "$hostile" forks-early
holds "a child of fork before the driver is started"
check "$hostile" forks-alike 100
broken 1 "a child of fork that calls alone what no rule looked at in the parent"
rules 'mark late = 90th cuDriverGetVersion' 'never cuMemAlloc after late' 'no-errors'
check "$hostile" forks-alike 100
is "$status $(grep '^check' err)" "0 check: all 2 rules hold" "a mark is reached by what no rule looks at where it succeeds"
rules no-leak 'at-least 2 cuDriverGetVersion'
check "$hostile" forks-holding
says '^  broken: 1 calls?, ' "what the parent holds: the child is judged"
unlike "$(cat err)" 'no-leak' "... and leaks nothing of it"
rules "$never"
check "$hostile" vforks
broken 1 "vfork and exec"
is "$(cat out)" done "... and vfork and _exit"
check "$hostile" again
broken 2 "the same process executes another program"
check "$hostile" killed
broken 1 "SIGKILL: what was found before is kept"
rules 'no-leak'
check "$hostile" killed
lost 89 "." "SIGKILL: a rule that is judged at the exit"
says 'is judged at its exit' "... is said"
rules "$never" 'no-leak'
check "$hostile" killed
ends 88 "SIGKILL: a broken rule wins"
says '^check: not made in full' "... and both are said"
rules 'optional at-most 1 cuInit'
check "$hostile" quits
is "$status" 3 "_exit: the program's status" || diag "$(cat err)"

# More stacks than there is room for.
rules "$never"
check "$hostile" stacks 256
broken 256 "256 call stacks"
check "$hostile" stacks 300
lost 88 "more call stacks than there is room for" "300 call stacks"
rules "$never" 'allow hostile:* # all of them'
check "$hostile" stacks 300
holds "300 call stacks that are allowed"
check "$hostile" stacks 1000000 100
holds "a million calls by a hundred stacks that are allowed"
check "$hostile" threads 4 60000
holds "... by four threads at once"
rules "$never from libnothere*:*"
check "$hostile" stacks 1000000 100
holds "... that are from elsewhere"
rules "$never from hostile:*" 'allow hostile:nothing # none'
check "$hostile" stacks 300000 1000
lost 88 "more call stacks than there is room for" "calls by more stacks than are kept"
says '^  broken 300000 times' "... each is counted"
rules "$never"
check "$hostile" threads 4 60000
broken 240000 "calls by four threads"
rules 'at-most 1000 cuCtxSynchronize'
check "$hostile" stacks 300
holds "a bound needs no stacks"

# No room for the file.
rules "$never"
# without COMMAND...: in the directory of the findings nothing can be made.
cat >without <<'END'
#!/bin/sh
directory=${CUAUDIT_HOOKS#*save=}
rm -r "${directory%/*}" && exec "$@"
END
chmod 755 without
check ./without "$hostile" once
ends 89 "the directory for files is gone: not made"
says 'rules: what is found cannot be kept: the directory does not exist' "... why"
check sh -c 'ulimit -f 8; exec "$@"' sh "$hostile" once
ends 89 "no room for the file: not made"
says 'rules: what is found cannot be kept: the limit on the size of files' "... why"
check sh -c 'trap "" XFSZ; ulimit -f 8; exec "$@"' sh "$hostile" once
ends 89 "... where SIGXFSZ is ignored"
rules 'at-most 9 cuCtxSynchronize'
check "$hostile" full-child
ends 89 "... of a child: not made"
is "$(cat out)" done "... and the child goes on"
rules "$never"
if test -c /dev/full; then
	status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="rules(file=$tmp/rules)" CUAUDIT_OUTPUT="$tmp/x" \
		sh -c 'ln -s /dev/full x.rules; exec "$@"' sh "$hostile" once >out 2>err || status=$?
	is "$status" 88 "alone: a report that cannot be written"
	says 'rules' "... is said" || diag "$(cat err)"
else
	skip 2 "no full disk here"
fi

# Processes that nothing judges, of a command that makes light of how they end.
while IFS='|' read -r before way name; do
	rules 'at-most 1 cuCtxSynchronize'
	check sh -c "'$hostile' once; ( $before '$hostile' $way ); true"
	lost 89 'process [0-9]+ is not checked: CUAUDIT_DISABLE, .* or it could not be audited|is without a header' "$name"
	rules 'optional calls' 'never cuCtxSynchronize'
	check sh -c "( $before '$hostile' $way ); true"
	lost 89 'process [0-9]+ is not checked: .* or it could not be audited|is without a header' "... where there may be no call"
	unlike "$(cat err)" 'no process called the CUDA driver' "... and nobody says that there was none"
done <<'END'
trap "" XFSZ; ulimit -f 8;|once|no room for a file
unset NVTX_INJECTION64_PATH;|descriptors|no descriptor for the core
CUAUDIT_DISABLE=1|once|CUAUDIT_DISABLE=1
CUAUDIT_EXCLUDE='*'|once|CUAUDIT_EXCLUDE
END

# Processes that the auditor is not in, or that have other hooks: seen from outside, while they run.
helper rules/unseen
rules 'optional calls' 'optional never cuInit'
while IFS='|' read -r before name; do
	check sh -c "$before '$tmp/unseen' \$PPID"
	lost 89 'process [0-9]+, unseen, has the driver and is not checked: its environment is not the command' "$name"
done <<'END'
LD_AUDIT=|LD_AUDIT without the auditor
unset LD_AUDIT;|LD_AUDIT unset
CUAUDIT_HOOKS=stat|other hooks
unset CUAUDIT_HOOKS;|none of its own
parent=$PPID; exec env -i|no environment
exec env CUAUDIT_FOLLOW=0 sh -c 'exec "$@"' sh|a program that starts it unaudited
env -u LD_AUDIT X="LD_AUDIT=$LD_AUDIT"|the command's environment, by which the loader has no auditor
END
for command in "'$tmp/unseen' \$PPID" "exec '$tmp/unseen' \$PPID" "CUAUDIT_LOG=error '$tmp/unseen' \$PPID"; do
	check sh -c "$command"
	ends 0 "one that is audited: $command"
	unlike "$(cat err)" 'is not checked' "... is none of them"
done
# As many as there are: behind 4200 others, which is more than fit into any table, and 20 of them.
helper rules/crowd
cat >seen <<'END'
#!/bin/sh
LD_AUDIT= exec "$@"
END
chmod +x seen
rules 'optional calls' 'optional never cuInit'
check sh -c "exec '$tmp/crowd' 4200 '$tmp/seen' '$tmp/unseen' \$PPID no 60000"
if test "$status" = 99; then
	skip 2 "no 4200 processes at once"
else
	lost 89 'process [0-9]+, unseen, has the driver and is not checked' "behind 4200 others"
fi
check sh -c "for i in \$(seq 20); do LD_AUDIT= '$tmp/unseen' \$PPID no 2000 & done; wait"
lost 89 '4 more processes have the driver and are not checked' "20 of them"
is "$(grep -c ', unseen, has the driver and is not checked' err)" 16 "... 16 in a line each"
mkdir 'of 100%'
rules 'at-most 1 cuCtxSynchronize'
status=0
$run_env TMPDIR="$tmp/of 100%" "$cuaudit" check -d sim --rules rules -- \
	sh -c 'unset NVTX_INJECTION64_PATH; "$1" descriptors' sh "$hostile" >out 2>err || status=$?
lost 89 'process [0-9]+ is not checked' "a directory with a percent sign"
is "$(ls 'of 100%')" "" "... in which nothing is left"

# What a process cannot have hooks for: 25 copies of the driver.
cat >copies.c <<'END'
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	void *driver = NULL;
	int (*init)(unsigned int);

	for (int i = 1; i < argc; i++) {
		int (*get)(int *), version;

		driver = dlopen(argv[i], RTLD_NOW);
		get = driver && getenv("KILLED") ? (int (*)(int *))dlsym(driver, "cuDriverGetVersion") : NULL;
		if (get && get(&version))
			return 9;
	}
	init = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : NULL;
	if (init && getenv("KILLED") && !init(0))
		raise(SIGKILL);
	return init ? init(0) : 9;
}
END
compile -o copies copies.c -ldl || bail_out "cannot build"
for i in $(seq 25); do
	cp "$simdir/libcuda.so.1" "copy$i.so"
done
rules 'never cuInit'
check ./copies ./copy1.so
broken 1 "a copy of the driver"
check sh -c './copies ./copy*.so'
lost 89 'functions could not be hooked, for the reason that the process printed' "25 of them"
check sh -c 'KILLED=yes ./copies ./copy*.so; :'
lost 89 'process [0-9]+ is not checked: .* it could not be audited' "... of a process that is killed"
check sh -c 'KILLED=yes ./copies ./copy2.so; exit 0'
broken 1 "one, of a process that is killed"

# Ranges, in a process whose ranges others get.
rules 'optional never cuProfilerStart in range step'
check sh -c "'$hostile' nested 1; env -u NVTX_INJECTION64_PATH '$hostile' nested 1"
lost 89 'NVTX_INJECTION64_PATH was not libcuaudit-nvtx.so' "no injection in one process"
check env NVTX_INJECTION64_PATH=/tmp/nothing.so "$hostile" nested 1
lost 89 'NVTX_INJECTION64_PATH was not libcuaudit-nvtx.so' "another one"
rules 'at-most 0 cuCtxSynchronize per range step'
check "$hostile" nested 7
broken 1 "eight nested ranges of a rule"
check "$hostile" nested 8
lost 89 "NVTX ranges were lost" "nine"
check "$hostile" unpopped 8
broken 1 "eight that are never popped"
check "$hostile" unpopped 9
lost 89 "NVTX ranges were lost" "nine that are never popped"
check "$hostile" nested 999
lost 89 "NVTX ranges were lost" "a thousand"
check "$hostile" nested 100 1
broken 1 "a range inside of 100 others"
rules 'never cuCtxSynchronize in range step'
check "$hostile" nested 20
broken 1 "in range, at any depth"
check "$hostile" beside
holds "a range of another thread"
check "$hostile" started
ends 88 "a started range is of no thread"
says 'never reached: its range' "... and none is pushed"
rules 'at-most 9 cuCtxSynchronize per range step'
check "$hostile" started
lost 89 "NVTX ranges were lost" "a started range, per range"
rules 'mark m = 1st cuDriverGetVersion' 'never cuCtxSynchronize in range step after m'
check "$hostile" begun-before
broken 1 "a range that begins before the mark"
rules 'mark m = range step' 'exactly 3 cuCtxSynchronize after m'
check "$hostile" begun-before
holds "a mark by a range"

# Libraries that go.
rules 'never cuCtxSynchronize in libbreaks.so'
check "$hostile" unloads 1
broken 1 "a library that is unloaded"
says 'library_breaks .*libbreaks\.so' "... its frame is named"
check "$hostile" unloads 50
broken 50 "... fifty times"
check "$hostile" unloads 300
broken 300 "... more often than there is room for call stacks"
says '^  300 times: cuCtxSynchronize' "... by one of them"
rules 'never cuCtxSynchronize from libbreaks.so:library_breaks' 'allow libbreaks.so:nothing # none'
check "$hostile" unloads 2
broken 2 "from a frame of it"
rules 'never cuCtxSynchronize' 'allow libbreaks.so:library_breaks # known'
check "$hostile" unloads 3
holds "allowed by a frame of it"

# What is no fault of the program, and what is one beside all hooks.
rules no-leak
check "$hostile" retains
holds "a primary context that is left"
check "$hostile" retains 3
broken 1 "memory that is left in a primary context"
says 'cuMemAlloc_v2; device memory: 3 never freed, 12288 bytes' "... how much of it"
unlike "$(cat err)" 'cuDevicePrimaryCtxRetain' "... without the context"
rules no-unchecked-error
check "$hostile" asks
holds "an error whose name is asked for"
is "$(cat out)" CUDA_ERROR_INVALID_VALUE "... is one"
helper routes/bindings fake/bindings
helper fake/libcuda.so.1 fake/libcuda.so.1
rules no-unrouted
for escapes in '' 1; do
	status=0
	LD_LIBRARY_PATH=$tmp/fake "$cuaudit" check --rules rules -- fake/bindings $escapes >out 2>err || status=$?
	case $escapes in
	1)
		ends 88 "no-unrouted: a function that escapes"
		says 'not intercepted: cuHidden, asked for by bindings' "... which, and whose"
		;;
	*) ends 3 "no-unrouted: none escapes" ;;
	esac
done

# A helper that sees that the command has ended, and then ends itself.
cat >helped <<'END'
#!/bin/sh
command=$$
(
	while kill -0 "$command" 2>/dev/null; do :; done
	exec "$@"
) &
END
chmod 755 helped
rules "$never"
check ./helped "$hostile" once
broken 1 "what a helper calls behind the command"
rules 'at-most 1 cuCtxSynchronize'
check ./helped "$hostile" once
holds "a helper that ends behind the command"

# What else.
rules "never cuLaunchKernel by kkk*"
check "$hostile" kernel 30000
broken 1 "a kernel with a name of 30 KB"
is "$(cat out)" done "... and the program goes on"
rules 'at-most 0 distinct-kernels'
check "$hostile" kernel 30000
ends 88 "... a distinct one"
rules 'mark nine = 2nd cuLaunchKernel by kernel9' 'at-most 4096 distinct-kernels' 'at-most 11 distinct-kernels by kernel12*' \
	'exactly 222 cuLaunchKernel by kernel12*' 'exactly 4086 cuLaunchKernel after nine' 'at-least 1 cuLaunchKernel in (main)' \
	'optional never cuLaunchKernel by kernel?????' 'optional never cuLaunchKernel in libnone*'
check "$hostile" kernels 4096
is "$status $(grep '^check' err)$(grep '^  broken' err)" "88 check: 1 of 7 rules is broken  broken 100 times: 111 kernels, at most 11 allowed" \
	"4096 kernels, of which rules name some: each counts once for a rule of distinct ones"
rules 'at-most 5000 distinct-kernels'
check "$hostile" kernels 4097
ends 89 "one more than have room is lost"
rules "$never"
check "$hostile" errno
broken 1 "errno"
is "$(cat out)" kept "... is kept"
check "$hostile" closed
broken 2 "all descriptors closed"
check "$hostile" elsewhere
broken 1 "another directory"
check "$hostile" blocked
broken 1 "all signals blocked"
is "$(cat out)" blocked "... as they are after it"
done_testing
