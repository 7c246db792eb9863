# SPDX-License-Identifier: Apache-2.0
# What the tests of cuaudit check share: a program that leaves files as the rules hook does.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

helpers check/record
mkdir "$tmp/work"
cd "$tmp/work" || exit 99
printf 'never cuMemAlloc\n' >cuaudit.rules
record=$tmp/record

# check OPTION... -- WORD...: of t/check/record.c. Its status in $status, output in $tmp/out and $tmp/err.
check() {
	check_options=
	while test "$1" != --; do
		check_options="$check_options $1"
		shift
	done
	shift
	status=0
	$run_env CUAUDIT_DRIVER=sim TMPDIR="$tmp/work" \
		"$cuaudit" check $check_options -- "$record" "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
}

# verdict STATUS LINE NAME: of the last check.
verdict() {
	is "$status $(head -n 1 "$tmp/err")" "$1 $2" "$3" || diag "$(head -c 2000 "$tmp/err")"
}

# says REGEX NAME: a line of the last check's text.
says() {
	like "$(cat "$tmp/err")" "$1" "$2"
}

# left: what is in the directory beside what the test made.
left() {
	find . -mindepth 1 -name 'cuaudit-check-*'
}
