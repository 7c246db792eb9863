# SPDX-License-Identifier: Apache-2.0
# Where an allocation, a read or a write fails, there is status 2, a message and no output, or
# nothing is missing: some 25 of each, LONG_TESTS takes all. Interrupted, nothing is left either.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

helper tool/faults.so
helper stat/ends
helper trace/synth
synth -a -k -o -n 150 -t 2 "$tmp/one.cutrace"
mkdir "$tmp/jobs" "$tmp/traces"
synth -n 100 -p 1 -t 2 "$tmp/traces/1.cutrace"
synth -a -i -n 100 -p 2 "$tmp/traces/plain"
# Names that are no UTF-8 are copied before they are written.
"$PERL" -pe 's/libtorch_cuda/lib\xfforch_cuda/; s/kernel_1/k\xffrnel_1/' "$tmp/traces/plain" \
	>"$tmp/traces/2.cutrace"
rm "$tmp/traces/plain"
audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/jobs/1" "$tmp/ends" 100 kill 2>"$tmp/none"
audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/jobs/2" "$tmp/ends" 200 kill 2>"$tmp/none"
test -s "$tmp/jobs/2.part" || bail_out "no saved statistics"
# Names of functions come from the library on a call stack.
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(file=$tmp/ran.cutrace;backtrace=cuInit)" \
	"$demo" dlopen >"$tmp/none" 2>&1
test -s "$tmp/ran.cutrace" || bail_out "no trace with call stacks"

# attempt KIND N ARGUMENT...: of the tool, where the N-th fails. Its status in $attempt_status, all
# of its output in $tmp/all, how many there were in $attempt_seen.
attempt() {
	attempt_kind=$1
	attempt_n=$2
	shift 2
	rm -rf "$tmp/to" && mkdir "$tmp/to"
	attempt_status=0
	: >"$tmp/seen"
	env LD_PRELOAD="$tmp/faults.so" "$attempt_kind=$attempt_n" "$cuaudit" "$@" \
		>"$tmp/out" 2>"$tmp/err" 9>"$tmp/seen" || attempt_status=$?
	find "$tmp/to" -type f | sort >"$tmp/files"
	cp "$tmp/out" "$tmp/all"
	while read -r attempt_file; do
		echo "${attempt_file#"$tmp"}" | sed 's/\.cuaudit-[0-9]*-/left-/' >>"$tmp/all"
		cat "$attempt_file" >>"$tmp/all"
	done <"$tmp/files"
	attempt_seen=$(cat "$tmp/seen")
}

# rows: of a database. SQLite's ANALYZE leaves statistics out for which there is no memory.
rows() {
	test ! -e "$tmp/to/out" || sqlite3 "$tmp/to/out" .dump 2>"$tmp/none" | grep -v sqlite_stat1
}

# whole: whether the output is what it is without a fault. gone: whether there is none.
whole() {
	cmp -s "$tmp/all" "$tmp/right" || { test -s "$tmp/right.rows" && rows | cmp -s - "$tmp/right.rows"; }
}

gone() {
	test -z "$(ls -A "$tmp/to")"
}

# steps KIND MOST ARGUMENT...: sets $steps to some MOST of all, $tmp/right and $right.
steps() {
	steps_kind=$1
	steps_most=$2
	shift 2
	attempt "$steps_kind" 0 "$@"
	cp "$tmp/all" "$tmp/right"
	rows >"$tmp/right.rows"
	right=$attempt_status all=$attempt_seen
	test -z "${LONG_TESTS-}" || steps_most=$all
	steps=$(seq 1 $((all / (steps_most + 1) + 1)) "$all")
}

# each KIND ARGUMENT...: of the tool, with its output in $tmp/to or on standard output.
each() {
	each_kind=$1
	shift
	steps "$each_kind" 25 "$@"
	each_bad=
	for n in $steps; do
		attempt "$each_kind" "$n" "$@"
		{ test "$attempt_status" = "$right" && whole; } ||
			{ test "$attempt_status" = 2 && test -s "$tmp/err" && gone; } ||
			each_bad="$each_bad $n:$attempt_status"
	done
	is "$each_bad" "" "$each_kind, of $all: $(echo "$*" | sed "s|$tmp/||g")"
}

# interrupted SIGNAL KIND ARGUMENT...: the same; the signal ends it.
interrupted() {
	FAULT_SIGNAL=$1
	each_kind=$2
	shift 2
	steps "$each_kind" 6 "$@"
	export FAULT_SIGNAL
	each_bad=
	for n in $steps; do
		attempt "$each_kind" "$n" "$@"
		{ test "$attempt_status" = $((128 + FAULT_SIGNAL)) && { gone || whole; }; } ||
			each_bad="$each_bad $n:$attempt_status"
	done
	is "$each_bad" "" \
		"signal $FAULT_SIGNAL at $each_kind, of $all: $(echo "$*" | sed "s|$tmp/||g")"
	unset FAULT_SIGNAL
}

formats=
for to in text csv folded otlp chrome ctf perfetto sqlite jsonl; do
	# Not what this tool was built without.
	if "$cuaudit" convert --to $to -o "$tmp/try" "$tmp/one.cutrace" 2>"$tmp/none" ||
		test -e "$tmp/try"; then
		formats="$formats $to"
	else
		diag "not built: $to"
	fi
	rm -rf "$tmp/try"
done

for kind in FAULT_MALLOC FAULT_READ; do
	for format in text json; do
		each $kind report --jobs 1 --format $format "$tmp/one.cutrace"
		each $kind report --jobs 1 --format $format "$tmp/traces"
		each $kind report --jobs 1 --format $format "$tmp/jobs"
	done
	each $kind report --jobs 1 "$tmp/jobs/1.part" "$tmp/traces/1.cutrace" "$tmp/jobs/2.part"
	each $kind report --format prometheus "$tmp/jobs/1.part" "$tmp/jobs/2.part"
	each $kind report --format openmetrics "$tmp/jobs"
	each $kind report --jobs 1 --diff "$tmp/jobs/1.part" "$tmp/jobs/2.part"
	each $kind report --jobs 1 --format json --diff "$tmp/traces/1.cutrace" "$tmp/traces/2.cutrace"
	each $kind report --jobs 1 --html "$tmp/to/page" "$tmp/one.cutrace"
done
# Reports are written by other functions, to /dev/full in t/5130.
for kind in FAULT_MALLOC FAULT_READ FAULT_WRITE; do
	for to in $formats; do
		each $kind convert --to "$to" -o "$tmp/to/out" "$tmp/one.cutrace"
		each $kind convert --to "$to" -o "$tmp/to/out" \
			"$tmp/traces/1.cutrace" "$tmp/traces/2.cutrace"
	done
	each $kind convert --to folded -o "$tmp/to/out" "$tmp/ran.cutrace"
done

for to in $formats; do
	for kind in FAULT_MALLOC FAULT_READ FAULT_WRITE; do
		for signal in 2 15; do
			interrupted $signal $kind convert --to "$to" -o "$tmp/to/out" \
				"$tmp/one.cutrace" "$tmp/traces/1.cutrace"
		done
	done
done
interrupted 15 FAULT_MALLOC report --jobs 1 --html "$tmp/to/page" "$tmp/one.cutrace"
done_testing
