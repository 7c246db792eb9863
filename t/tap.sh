# SPDX-License-Identifier: Apache-2.0
# TAP for POSIX shell tests. $tmp is a directory of the test's own, gone at its end.

tap_run=0
tap_failed=0
tap_planned=
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

diag() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

# plan N, or: plan skip REASON
plan() {
	test "$1" != skip || skip_all "$2"
	tap_planned=$1
	echo "1..$1"
}

tap_result() {
	tap_run=$((tap_run + 1))
	if test "$1" = 0; then
		printf 'ok %d - %s\n' "$tap_run" "$2"
	else
		tap_failed=$((tap_failed + 1))
		printf 'not ok %d - %s\n' "$tap_run" "$2"
	fi
	return "$1"
}

# ok NAME COMMAND...: what COMMAND prints is shown if it fails.
ok() {
	tap_name=$1
	shift
	tap_status=0
	"$@" >"$tmp/tap.out" 2>&1 || tap_status=$?
	tap_result "$tap_status" "$tap_name" && return
	diag "status $tap_status: $*"
	sed 's/^/# | /' "$tmp/tap.out"
	return 1
}

# fails NAME COMMAND...: COMMAND ends with a status of its own choice, not by a signal.
fails() {
	tap_name=$1
	shift
	tap_status=0
	"$@" >"$tmp/tap.out" 2>&1 || tap_status=$?
	tap_good=1
	test "$tap_status" -eq 0 || test "$tap_status" -gt 125 || tap_good=0
	tap_result "$tap_good" "$tap_name" && return
	diag "status $tap_status: $*"
	sed 's/^/# | /' "$tmp/tap.out"
	return 1
}

# is GOT WANT NAME
is() {
	tap_good=1
	test "$1" != "$2" || tap_good=0
	tap_result "$tap_good" "$3" && return
	diag "got:  $1"
	diag "want: $2"
	return 1
}

tap_matches() {
	printf '%s\n' "$1" | grep -E -q -e "$2"
}

# like TEXT EXTENDED-REGEX NAME: some line of TEXT matches.
like() {
	tap_good=0
	tap_matches "$1" "$2" || tap_good=1
	tap_result "$tap_good" "$3" && return
	diag "no line matches $2:"
	diag "$1"
	return 1
}

# unlike TEXT EXTENDED-REGEX NAME: no line of TEXT matches; a bad regex is no pass.
unlike() {
	tap_status=0
	tap_matches "$1" "$2" || tap_status=$?
	tap_good=1
	test "$tap_status" -ne 1 || tap_good=0
	tap_result "$tap_good" "$3" && return
	diag "a line matches $2:"
	diag "$1"
	return 1
}

# skip N REASON
skip() {
	tap_left=$1
	while test "$tap_left" -gt 0; do
		tap_run=$((tap_run + 1))
		tap_left=$((tap_left - 1))
		printf 'ok %d # SKIP %s\n' "$tap_run" "$2"
	done
}

skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}

bail_out() {
	echo "Bail out! $*"
	exit 1
}

done_testing() {
	test -n "$tap_planned" || plan "$tap_run"
	test "$tap_planned" -eq "$tap_run" || diag "planned $tap_planned, ran $tap_run"
	test "$tap_failed" -eq 0 || diag "$tap_failed of $tap_run failed"
	test "$tap_failed" -eq 0 && test "$tap_run" -gt 0 && test "$tap_planned" -eq "$tap_run"
	exit
}
