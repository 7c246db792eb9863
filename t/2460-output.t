# SPDX-License-Identifier: Apache-2.0
# Where the report goes when that place is full, read-only, gone or somebody else's now.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

hostile where
LD_LIBRARY_PATH=$tmp
export LD_LIBRARY_PATH
ok "directories" mkdir "$tmp/start" "$tmp/there"
cd "$tmp/start" || exit 99

# run NAME [VARIABLE=VALUE...] COMMAND...: it succeeds; what it says is in $tmp/err
run() {
	run_name=$1
	shift
	rm -rf "$tmp"/start/* "$tmp"/there/*
	run_status=0
	audited CUAUDIT_HOOKS='stat(format=json)' "$@" >"$tmp/out" 2>"$tmp/err" || run_status=$?
	is "$run_status" 0 "$run_name: the program's status"
}

# silent NAME
silent() {
	is "$(cat "$tmp/err")" "" "$1: nothing is said"
}

# full and read-only places
ok "a link" ln -s /dev/full "$tmp/full"
run "/dev/full" CUAUDIT_HOOKS="stat(format=json;save=$tmp/full.part)" CUAUDIT_OUTPUT="$tmp/full" "$tmp/where" none later "$tmp"
like "$(cat "$tmp/err")" 'report is incomplete: the file system is full; ' "/dev/full: why there is no report"
like "$(cat "$tmp/err")" "cuaudit report $tmp/full.part shows it" "/dev/full: where it is"
"$top_builddir/bin/cuaudit" report --format json "$tmp/full.part" >"$tmp/saved"
is "$(calls cuInit "$tmp/saved")" 10 "/dev/full: it is there"
for place in /proc/report /sys/report "$tmp/nowhere/report" "$tmp/where/report"; do
	run "$place" CUAUDIT_OUTPUT="$place" "$tmp/where" none later "$tmp"
	like "$(cat "$tmp/err")" "cannot write $place: " "$place: why there is no report"
done
run "a directory" CUAUDIT_OUTPUT="$tmp/there" "$tmp/where" none later "$tmp"
like "$(cat "$tmp/err")" "cannot write $tmp/there: it names a directory; " "a directory: why"
for hooks in "stat(save=$tmp/there)" "trace(file=$tmp/there)"; do
	run "$hooks" CUAUDIT_HOOKS="$hooks" "$tmp/where" none later "$tmp"
	like "$(cat "$tmp/err")" "$tmp/there.*it names a directory; |it names a directory; .*$tmp/there" "$hooks: why"
	is "$(ls -d "$tmp/there".[0-9]* 2>"$tmp/none")" "" "$hooks: nothing is written beside it"
done
long=$(printf "%300s" x | tr " " x)
run "a name too long" CUAUDIT_OUTPUT="$long" "$tmp/where" none later "$tmp"
like "$(cat "$tmp/err")" "too long" "a name too long: why"
run "a path too long" CUAUDIT_OUTPUT="$(printf "%5000s" x | tr " " x)" "$tmp/where" none later \
	"$tmp"

small=
if test "$(id -u)" = 0 && unshare -m true 2>/dev/null; then
	small=yes
fi
if test -n "$small"; then
	for options in size=64k,mode=755 ro; do
		unshare -m sh -c "mount -t tmpfs -o $options none '$tmp/there' &&
			$run_env LD_AUDIT='$LIBCUAUDIT' CUAUDIT_OUTPUT='$tmp/there/report' \
			'$tmp/where' none later '$tmp'; echo \$? >'$tmp/status'
			wc -c <'$tmp/there/report' >'$tmp/size'" 2>"$tmp/err"
		is "$(cat "$tmp/status")" 0 "a file system of $options: the program's status"
		like "$(cat "$tmp/err")" '^cuaudit: ' "a file system of $options: why"
	done
else
	skip 4 "no mounting here"
fi

# when the core was loaded, by a clock that may be some milliseconds behind
before=$(($(date +%s) - 1))
run "time" CUAUDIT_OUTPUT="$tmp/there/time-%t" "$tmp/where" none later "$tmp"
written=$(ls "$tmp/there")
ok "time: $before, $written" test "${written#time-}" -ge "$before" -a "${written#time-}" -le "$(date +%s)"

# the number in a job: the first of the variables that is set, and set to something
# ranked WANT [VARIABLE=VALUE...]
ranked() {
	ranked_want=$1
	shift
	run "rank $ranked_want, $*" CUAUDIT_OUTPUT="$tmp/there/rank-%r" "$@" \
		"$tmp/where" none later "$tmp"
	is "$(ls "$tmp/there")" "rank-$ranked_want" "rank $ranked_want, $*"
}
ranked 0
ranked 0 RANK_OF=9 XRANK=8 RANK=
ranked 7 RANK_OF=9 RANK=7
ranked 6 RANK=7 SLURM_PROCID=6
ranked 5 PMIX_RANK= OMPI_COMM_WORLD_RANK=5 SLURM_PROCID=6
ranked 4 OMPI_COMM_WORLD_RANK=5 PMIX_RANK=4

# the program goes elsewhere
for when in first later; do
	run "chdir, $when" CUAUDIT_OUTPUT=report "$tmp/where" chdir $when "$tmp/there"
	is "$(calls cuInit "$tmp/start/report")" 10 "chdir, $when: where it started"
	is "$(ls "$tmp/there")" "" "chdir, $when: nothing elsewhere"
	silent "chdir, $when"
done

# the environment goes
for what in environ unset title; do
	for when in first later; do
		run "$what, $when" CUAUDIT_OUTPUT="$tmp/start/report" "$tmp/where" $what $when \
			"$tmp"
		is "$(ls "$tmp/start")" report "$what, $when: one file"
		is "$(calls cuInit "$tmp/start/report")" 10 "$what, $when: it has all"
		silent "$what, $when"
	done
done

# rights go
if test "$(id -u)" = 0; then
	run "chroot, first" CUAUDIT_OUTPUT="$tmp/start/report" "$tmp/where" chroot first \
		"$tmp/there"
	like "$(cat "$tmp/err")" 'nothing is audited' "chroot, first: there is no core"
	run "chroot, later" CUAUDIT_OUTPUT="$tmp/start/report" "$tmp/where" chroot later \
		"$tmp/there"
	like "$(cat "$tmp/err")" 'cannot write' "chroot, later: why there is no report"
	run "chroot, later, a trace" CUAUDIT_HOOKS="trace(print=yes;file=$tmp/start/trace)" \
		"$tmp/where" chroot later "$tmp/there"
	like "$(cat "$tmp/err")" "^cuaudit: trace: [0-9]+ calls in $tmp/start/trace\$" "chroot, later, a trace: it is there"
	chmod 755 "$tmp"
	chmod 700 "$tmp/start"
	for when in first later; do
		run "setuid, $when" CUAUDIT_OUTPUT="$tmp/start/report" "$tmp/where" setuid \
			$when "$tmp"
		like "$(cat "$tmp/err")" '^cuaudit: ' "setuid, $when: why there is no report"
	done
	chmod 777 "$tmp/there"
	run "setuid, allowed" CUAUDIT_OUTPUT="$tmp/there/report" "$tmp/where" setuid later "$tmp"
	is "$(calls cuInit "$tmp/there/report")" 10 "setuid, allowed: the report"
else
	skip 13 "only root can be somebody else"
fi

# What the process records into is nobody's to write a report to, by whatever name.
ok "another name" ln -s "$tmp/there" "$tmp/alias"
for where in "$tmp/there/x" "$tmp/alias/x"; do
	for hooks in "trace(file=$tmp/there/x),stat" "stat,trace(file=$tmp/there/x)" "stat(save=$tmp/there/x)" \
		"trace(file=$tmp/there/x.coverage),coverage"; do
		run "$hooks" CUAUDIT_HOOKS="$hooks" CUAUDIT_OUTPUT="$where" "$tmp/where" none later "$tmp"
		like "$(cat "$tmp/err")" "cannot write $where.*: this process records into it, or has read it; choose another path" \
			"$hooks to ${where#$tmp}: is told"
		case $hooks in
		*coverage) recorded=$tmp/there/x.coverage ;;
		*) recorded=$tmp/there/x ;;
		esac
		status=0
		"$top_builddir/bin/cuaudit" report --format json "$recorded" >"$tmp/saved" 2>"$tmp/unread" || status=$?
		is "$status $(cat "$tmp/unread") $(calls cuInit "$tmp/saved")" "0  10" "... and what was recorded is whole"
	done
done

# nor what it was told by
inputs() {
	rm -rf "$tmp"/there/*
	printf '%s\n' "$3" >"$tmp/there/$2"
	status=0
	audited CUAUDIT_HOOKS="$1" CUAUDIT_OUTPUT="$tmp/there/x" "$tmp/where" none later "$tmp" >"$tmp/out" 2>"$tmp/err" || status=$?
	like "$(cat "$tmp/err")" "cannot write $tmp/there/$2: this process records into it, or has read it; choose another path" \
		"$1: is told"
	is "$(cat "$tmp/there/$2")" "$3" "... and it is as it was"
}
inputs "rules(file=$tmp/there/x.rules)" x.rules "never cuInit"
is "$status" 88 "... and the rule is broken"
run "limit's file" CUAUDIT_HOOKS="limit(user=1G;file=$tmp/there/x),stat" CUAUDIT_OUTPUT="$tmp/there/x" "$tmp/where" none later "$tmp"
like "$(cat "$tmp/err")" "cannot write $tmp/there/x: this process records into it" "limit's file: is told"
run "... and is used again" CUAUDIT_HOOKS="limit(user=1G;file=$tmp/there/x)" "$tmp/where" none later "$tmp"

# descriptor 2 is the program's own file
for when in first later; do
	run "a file as descriptor 2, $when" "$tmp/where" reuse $when "$tmp/there"
	is "$(cat "$tmp/there/data")" "data" "a file as descriptor 2, $when: it has its data alone"
	rm -f "$tmp/there/data"
	ok "closed, then a file, $when" sh -c "exec $run_env LD_AUDIT='$LIBCUAUDIT' '$tmp/where' \
		reuse $when '$tmp/there' 2>&-"
	is "$(cat "$tmp/there/data")" "data" "closed, then a file, $when: it has its data alone"
done

done_testing
