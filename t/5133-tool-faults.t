# SPDX-License-Identifier: Apache-2.0
# Where an allocation or a read fails, there is status 2, a message and no output, or nothing is
# missing: each of them in turn, until none fails any more. LONG_TESTS takes each, else every few.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

compile -shared -fPIC -o "$tmp/faults.so" "$top_srcdir/t/tool/faults.c" -ldl \
	>"$tmp/build.out" 2>&1 || bail_out "cannot build t/tool/faults.c"
synthesizer
synth -a -k -o -n 150 -t 2 "$tmp/one.cutrace"
mkdir "$tmp/to"

# each WHAT STEP ARGUMENT...: of the tool; %o is its output, else that is standard output.
each() {
	each_what=$1
	each_step=$2
	shift 2
	test -z "${LONG_TESTS-}" || each_step=1
	each_n=0 each_bad= each_ran=0
	while test "$each_n" -lt 100000; do
		rm -rf "$tmp/to" && mkdir "$tmp/to"
		: >"$tmp/failed"
		each_status=0
		if test "$each_n" = 0; then
			"$cuaudit" "$@" >"$tmp/out" 2>"$tmp/err" || each_status=$?
			cat "$tmp/out" "$tmp"/to/* >"$tmp/right" 2>"$tmp/none" || :
			each_right=$each_status
			each_n=1
			continue
		fi
		env LD_PRELOAD="$tmp/faults.so" "$each_what=$each_n" "$cuaudit" "$@" \
			>"$tmp/out" 2>"$tmp/err" 9>"$tmp/failed" || each_status=$?
		cat "$tmp/out" "$tmp"/to/* >"$tmp/all" 2>"$tmp/none" || :
		each_ran=$((each_ran + 1))
		if test "$each_status" = "$each_right" && cmp -s "$tmp/all" "$tmp/right"; then
			test -s "$tmp/failed" || break
		elif test "$each_status" != 2 || ! test -s "$tmp/err" ||
			test -n "$(ls -A "$tmp/to")"; then
			each_bad="$each_bad $each_n:$each_status"
		fi
		each_n=$((each_n + each_step))
	done
	is "$each_bad" "" "$each_what, each $each_step: $1 $2 $3 ($each_ran runs)"
}

for what in FAULT_MALLOC FAULT_READ; do
	step=$(test $what = FAULT_READ && echo 1 || echo 7)
	each $what "$step" report --jobs 1 --format text "$tmp/one.cutrace"
	each $what "$step" report --jobs 1 --format json "$tmp/one.cutrace"
	each $what "$step" report --jobs 1 --html "$tmp/to/page" "$tmp/one.cutrace"
	for to in text csv folded otlp chrome; do
		each $what "$step" convert --to $to -o "$tmp/to/$to" "$tmp/one.cutrace"
	done
done
done_testing
