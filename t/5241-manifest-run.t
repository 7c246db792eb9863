# SPDX-License-Identifier: Apache-2.0
# cuaudit manifest -- PROGRAM: its status, its outputs, what is left behind; traces of all kinds.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"
helper tool/needs
helper trace/synth
mkdir "$tmp/tmp"
TMPDIR=$tmp/tmp
export TMPDIR

left() {
	find "$tmp/tmp" -mindepth 1 | wc -l
}

tool manifest -d sim -- "$tmp/needs" init count
is "$status $(wc -c <"$tmp/out") $(left)" "0 0 0" "a program: its status, nothing on its stdout, nothing left"
like "$(cat "$tmp/err")" '^cuaudit manifest: 1 process, 2 calls, driver of CUDA 13\.0$' "the manifest is on stderr"
tool manifest -d sim --format json -o - -- "$tmp/needs" init fork fails
is "$status $(wc -c <"$tmp/err") $(left)" "3 0 0" "the program's own status"
like "$(cat "$tmp/out")" '^\{"version":1,"kind":"manifest",.*\}$' "JSON on stdout"
is "$("$PYTHON3" -c '
import json, sys
page = json.load(open(sys.argv[1]))
called = [(library["path"], call) for library in page["libraries"] for call in library["called"]]
newest = page["lowest_driver"]["called"]
print(len(called), all(call["first_call"]["library"] == path and int(call["first_call"]["offset"], 16) > 0 and
    call["first_call"]["at_ns"] > 10**18 for path, call in called),
    any(call["cuda_version"] == newest["cuda_version"] and call["function"] == newest["function"] and
    path == newest["library"] for path, call in called))' "$tmp/out")" "2 True True" \
	"JSON: where each function was called first, and which wants the newest driver"
cp "$tmp/needs" "$tmp/own"
refused 2 "$tmp/own is the program, and is no output" "an output over the program" \
	manifest -d sim -o "$tmp/own" -- "$tmp/own" init
refused 2 "cannot write the manifest to $tmp/nowhere/file: No such file or directory" "... that cannot be made" \
	manifest -d sim -o "$tmp/nowhere/file" -- "$tmp/own" init
tool manifest -d sim -o "$tmp/file" -- "$tmp/needs" init
is "$status $(wc -c <"$tmp/out") $(wc -c <"$tmp/err")" "0 0 0" "a file"
like "$(cat "$tmp/file")" '^cuaudit manifest: 1 process, 1 call' "... which has the manifest"
tool manifest -d sim -- sh -c "'$tmp/needs' init; kill -TERM \$\$"
is "$status $(left)" "143 0" "a program that is killed: ours ends the same way"
# Processes that ran no exit handlers, as Python's workers end.
helper stat/workers
for how in _exit kill exec-other; do
	tool manifest -d sim -o "$tmp/file" -- "$tmp/workers" $how=2 $how=1
	is "$status $(left) $(cat "$tmp/err")" "0 0 " "processes that end by $how do not run"
	like "$(cat "$tmp/file")" '^cuaudit manifest: 2 processes, 3 calls' "... their calls are there"
done
tool manifest -d sim -o "$tmp/file" -- "$tmp/workers" sleep=2
like "$(cat "$tmp/err")" "^cuaudit: processes of .*/workers still run; .*: cuaudit manifest $TMPDIR/cuaudit-manifest" \
	"one that sleeps does"
is "$status $(left)" "0 2" "... and its trace is left"
kill -KILL "$(ls "$TMPDIR"/cuaudit-manifest-* | sed 's/.*-//; s/\..*//')"
rm -r "$TMPDIR"/*
for first in : "'$tmp/needs' init"; do
	tool manifest -d sim -- sh -c "sleep 100 >'$tmp/none' 2>&1 & echo \$!; $first"
	like "$(cat "$tmp/err")" "^cuaudit: processes of sh still run; .*: cuaudit manifest $TMPDIR/cuaudit-manifest" \
		"one that has not called yet, beside $first"
	ok "... and the directory is left" test -d "$(sed -n 's/.*still run; .*: cuaudit manifest //p' "$tmp/err")"
	kill "$(cat "$tmp/out")"
	rm -rf "$TMPDIR"/*
done
if test "$(id -u)" = 0 && unshare -m sh -c 'umount -l /proc' 2>"$tmp/none"; then
	unshare -m sh -c 'umount -l /proc && exec "$@"' sh "$cuaudit" manifest -d sim -o "$tmp/file" -- "$tmp/workers" \
		sleep=2 >"$tmp/out" 2>"$tmp/err"
	like "$(cat "$tmp/err")" "^cuaudit: whether processes of .*/workers still run is not known: /proc is not there; .*: cuaudit manifest $TMPDIR/cuaudit-manifest" \
		"without /proc: that it is not known"
	if test "$(loader_family)" = new; then
		is "$(left)" 2 "... and its trace is left"
	else
		skip 1 "not installed, an old loader's auditor finds itself by /proc"
	fi
	kill -KILL "$(cat "$tmp/out")"
	rm -r "$TMPDIR"/*
else
	skip 2 "no mounting here"
fi
tool manifest -d sim -- "$tmp/needs"
is "$status $(left)" "2 0" "no call at all: there is no manifest"
like "$(cat "$tmp/err")" "^cuaudit: no call of the CUDA driver was recorded in any process of .*/needs; see" "... why"
# No process can be started: the first, or one after it.
cat >"$tmp/fork.c" <<'END'
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>

pid_t fork(void)
{
	static int left;

	left = left ? left : atoi(getenv("FORK_FAILS"));
	if (--left)
		return ((pid_t (*)(void))dlsym(RTLD_NEXT, "fork"))();
	unsetenv("LD_PRELOAD");
	errno = EAGAIN;
	return -1;
}
END
compile -shared -fPIC -o "$tmp/fork.so" "$tmp/fork.c" -ldl || bail_out "cannot build"
failing=
for n in 1 2 3 4 5 6; do
	rm -f "$tmp/ran"
	status=0
	timeout 300 env LD_PRELOAD="$tmp/fork.so" FORK_FAILS=$n "$cuaudit" manifest -d sim -- sh -c "touch '$tmp/ran'; '$tmp/needs' init" \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	test ! -e "$tmp/ran" || break
	failing="$failing $status $(left) $(grep -c 'cannot' "$tmp/err");"
done
is "$status $(echo "$failing" | tr ';' '\n' | grep -vc '^ 2 0 1$')" "0 1" "no process: status 2, why, and nothing left"
ok "each of them: $((n - 1))" test "$n" -ge 2
tool manifest -- "$tmp/missing"
is "$status $(left)" "127 0" "no program"
tool manifest -d sim -o "$tmp/missing/x" -- "$tmp/needs" init fails
is "$status $(left)" "2 0" "an output that cannot be"
refused 2 "manifest: --driver is for a program" "--driver without one" manifest -d sim "$tmp/x"
refused 2 "manifest: no trace and no program given" "nothing" manifest
refused 2 "manifest: no trace and no program given" "-- and nothing" manifest --
refused 2 "--format takes text\\|json, not 'xml'" "no format" manifest --format xml "$tmp/x"
tool manifest -o -- "$tmp/x"
is "$status" 2 "-- as the value of an option is none before a program"
refused 2 "manifest: traces and a program; give one of them" "both" manifest -d sim "$tmp/x" -- "$tmp/needs" init
is "$("$cuaudit" --complete manifest x)" ":files" "completion: files"
is "$("$cuaudit" --complete manifest -d sim -- x)" ":program 4" "completion: a program"

# Traces of no program: calls by many libraries, a process that was killed, damage.
synth -a -n 20000 -t 3 "$tmp/whole.cutrace"
tool manifest "$tmp/whole.cutrace"
is "$status" 0 "a trace with arguments"
is "$(sed -n 's/^ *\([0-9,]*\)  4\.0 *cuLaunchKernel$/\1/p' "$tmp/out" | tr -d ,)" "$(truth cuLaunchKernel | cut -d ' ' -f 1)" \
	"all calls of a function are counted"
cp "$tmp/out" "$tmp/once"
tool manifest "$tmp/whole.cutrace" --format text "$tmp/whole.cutrace"
ok "a file that is given twice is read once, options may be behind files" cmp "$tmp/once" "$tmp/out"
synth -k -p 4712 -n 20000 -t 3 "$tmp/killed.cutrace"
tool manifest "$tmp/killed.cutrace"
is "$status" 0 "a trace of a process that was killed"
like "$(cat "$tmp/out")" "^cuaudit manifest: 1 process, [1-9][0-9]* calls" "... has its calls"
tool manifest "$tmp/whole.cutrace" "$tmp/killed.cutrace"
like "$(cat "$tmp/out")" "^cuaudit manifest: 2 processes, " "two processes"
"$cuaudit" trace -d sim -o "$tmp/traces" -- "$tmp/needs" init asks >"$tmp/run.out" 2>&1
size=$(wc -c <"$(find "$tmp/traces" -type f)")
head -c $((size - 100)) "$tmp/traces/"* >"$tmp/cut.cutrace"
tool manifest "$tmp/cut.cutrace"
is "$status $(wc -l <"$tmp/err")" "2 1" "a trace that is cut"
like "$(cat "$tmp/out")" "calls are missing of these traces" "... is printed, and says so"
like "$(cat "$tmp/out")" "^  checkpoint  unknown  calls are missing" "... and promises nothing"
echo x >"$tmp/none.cutrace"
tool manifest --json "$tmp/whole.cutrace" "$tmp/none.cutrace"
is "$status" 2 "a file that is none among others"
like "$(cat "$tmp/out")" '"kind":"manifest"' "... which are printed"
synth -n 0 "$tmp/empty.cutrace"
tool manifest "$tmp/empty.cutrace"
is "$status" 0 "a trace without a call"
like "$(cat "$tmp/out")" "no call of the driver was recorded" "... says so"
like "$(cat "$tmp/out")" "^  checkpoint  unknown  no call was seen" "... and promises nothing"

# Bytes that are others.
synth -a -n 500 -t 2 -c 65536 "$tmp/small.cutrace"
cat >"$tmp/alter.pl" <<'END'
my ($from, $to, $seed) = @ARGV;
srand $seed;
open my $in, '<:raw', $from or die "$from: $!\n";
local $/;
my $bytes = <$in>;
substr($bytes, 8 + int(rand(length($bytes) - 8)), 1) = chr int rand 256 for 1 .. 60;
open my $out, '>:raw', $to or die "$to: $!\n";
print $out $bytes;
END
bad=
for seed in $(seq 60); do
	$PERL "$tmp/alter.pl" "$tmp/small.cutrace" "$tmp/altered.cutrace" "$seed"
	tool manifest --json "$tmp/altered.cutrace"
	case $status in
	0 | 2) ;;
	*) bad="$bad $seed:$status" ;;
	esac
done
is "$bad" "" "damaged traces end with status 0 or 2"
done_testing
