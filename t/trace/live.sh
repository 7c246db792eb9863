# SPDX-License-Identifier: Apache-2.0
# What tests of traces share: a program that calls, and a reader of its own.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

helpers trace/app trace/check

# traced OPTIONS COMMAND...: the files are $tmp/traces/*, what was said is in $tmp/err
traced() {
	traced_hooks=trace${1:+($1)}
	shift
	rm -rf "$tmp/traces"
	mkdir "$tmp/traces"
	status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/traces/%p" CUAUDIT_HOOKS="$traced_hooks" "$@" \
		>"$tmp/out" 2>"$tmp/err" || status=$?
}

# checked FILE...: prints what is in them
checked() {
	for checked_file; do
		$run_env "$tmp/check" "$checked_file" || echo "check failed: $checked_file"
	done
}

# number PATTERN: of the lines that match, on standard input
number() {
	grep -cE "$1" || :
}
