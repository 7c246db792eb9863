# SPDX-License-Identifier: Apache-2.0
# Reports and messages where nobody reads them: the program's status is its own, it ends in time.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"

helper hostile/cancelled
helper hostile/outlet
helper hostile/prints_late.so prints.so

# into WHAT FD NAME [VARIABLE=VALUE...]: starts it; $tmp/NAME.status has its status.
into() {
	into_what=$1
	into_fd=$2
	into_name=$3
	shift 3
	(
		status=0
		exec 3>&1 4>"$tmp/$into_name.err"
		if test "$into_fd" != 2; then
			exec 2>&4
		fi
		timeout -s KILL 120 $run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_LOG=debug \
			"$@" "$tmp/outlet" "$into_what" "$into_fd" "$tmp/cancelled" later \
			>"$tmp/$into_name.out" || status=$?
		echo $status >"$tmp/$into_name.status"
	) &
}

# each WHAT FD: with each module at once
each() {
	for hooks in none stat 'stat(format=json,interval=0.01)' coverage trace leak 'trace(text)' \
		'fault(inject=%memory:delay_exit=1us)' 'limit(memory=100M)' \
		'stat,coverage,leak,limit(memory=100M),trace(text)'; do
		name=$(printf '%s' "$hooks" | tr '/*%=;,:() ' _)
		into "$1" "$2" "$name" CUAUDIT_HOOKS="$hooks" CUAUDIT_WRONG=1
	done
	wait
	for file in "$tmp"/*.status; do
		is "$(cat "$file")" 0 "$1 $2: $(basename "$file" .status)"
		rm "$file"
	done
}

cd "$tmp" || exit 99
for what in broken hangup full stuffed; do
	each $what 2
done
into broken 2 plug-in CUAUDIT_HOOKS="$tmp/prints.so"
wait
is "$(cat "$tmp/plug-in.status")" 0 "broken: a plug-in that uses stdio at the end"

# The auditor's own message: there is no core beside it.
mkdir "$tmp/alone"
cp "$LIBCUAUDIT" "$tmp/alone/libcuaudit.so"
for what in broken hangup full stuffed; do
	into $what 2 alone LD_AUDIT="$tmp/alone/libcuaudit.so"
	wait
	is "$(cat "$tmp/alone.status")" 0 "$what: the auditor's own message"
done

# output NAME HOOKS SUFFIX WHY: where a FIFO stands; what is said on stderr.
output() {
	mkfifo "$tmp/$1.fifo$3" || bail_out "no FIFOs"
	into limit 1000000000 "$1" CUAUDIT_HOOKS="$2" CUAUDIT_OUTPUT="$tmp/$1.fifo"
}
output stat stat ""
output json 'stat(format=json,interval=0.01)' ""
output metrics 'stat(format=prometheus)' ""
output coverage coverage .coverage
output leak leak .leak
output limit 'limit(memory=100M)' .limit
output text 'trace(text)' .trace
output fault 'fault(inject=%memory:delay_exit=1us)' .fault
output suppress "leak(suppress=$tmp/suppress.fifo.none)" .none
wait
for name in stat json metrics coverage leak limit text fault suppress; do
	is "$(cat "$tmp/$name.status")" 0 "a FIFO that nobody reads: $name"
	if test $name != suppress; then
		like "$(cat "$tmp/$name.err")" 'cannot write .*: nobody reads it' "it is said: $name"
	fi
done
like "$(cat "$tmp/suppress.err")" 'leak: suppress=.* cannot be read: Nobody writes there' \
	"a FIFO that nobody writes is reported"

# A reader that is there gets all; one that is there and sleeps is waited for, then that is said.
rm -f "$tmp"/*.fifo*
mkfifo "$tmp/read.fifo" "$tmp/sleeps.fifo"
cat "$tmp/read.fifo" >"$tmp/read" &
into limit 1000000000 read CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/read.fifo"
wait
like "$(cat "$tmp/read")" '"cuMemAlloc_v2","calls":15.*}' "a FIFO's reader gets the report"
exec 5<>"$tmp/sleeps.fifo"
dd if=/dev/zero of="$tmp/sleeps.fifo" bs=65536 count=1 2>/dev/null
into limit 1000000000 sleeps CUAUDIT_HOOKS=stat CUAUDIT_OUTPUT="$tmp/sleeps.fifo"
wait
exec 5<&-
is "$(cat "$tmp/sleeps.status")" 0 "a reader that sleeps"
like "$(cat "$tmp/sleeps.err")" 'stat: the report is incomplete: its reader took nothing' \
	"it is reported on standard error"

# Messages that found it full are counted, and told once it takes some.
mkfifo "$tmp/drained.fifo"
exec 5<>"$tmp/drained.fifo"
dd if=/dev/zero of="$tmp/drained.fifo" bs=65536 count=1 2>/dev/null
ok "a pipe that is drained in the end" timeout -s KILL 120 sh -c '"$@" 2>"$0"' "$tmp/drained.fifo" \
	$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_HOOKS=leak CUAUDIT_WRONG=1 "$tmp/cancelled" drain \
	"$tmp/drained.fifo"
dd if="$tmp/drained.fifo" bs=65536 count=1 iflag=nonblock >"$tmp/drained" 2>/dev/null
exec 5<&-
like "$(cat "$tmp/drained")" 'leak of pid|objects' "then the report comes"
like "$(cat "$tmp/drained")" '^cuaudit: messages that could not be written: [12]$' \
	"with what was dropped"

# RLIMIT_FSIZE
for hooks in stat 'stat(format=prometheus)' coverage trace leak 'trace(text)' \
	'fault(inject=%memory:delay_exit=1us)' 'limit(memory=100M)'; do
	name=$(printf '%s' "$hooks" | tr '/*%=;,:() ' _)
	mkdir "$tmp/$name"
	into limit 100 "$name" CUAUDIT_HOOKS="$hooks" CUAUDIT_OUTPUT="$tmp/$name/o"
	wait
	is "$(cat "$tmp/$name.status")" 0 "a limited file: $hooks"
done
done_testing
