# SPDX-License-Identifier: Apache-2.0
# What the tests of hostile surroundings share: programs that count, and what the report says of them.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

hostile=$top_srcdir/t/hostile

# hostile NAME: $tmp/NAME from t/hostile/NAME.c, linked to the fake driver.
hostile() {
	test -f "$tmp/libcuda.so.1" || fake_driver
	helper "hostile/$1"
}

# With an auditor, start-up libraries share little static TLS; this leaves them more.
room=GLIBC_TUNABLES=glibc.rtld.optional_static_tls=1000000

# with_room COMMAND...: whether it runs next to another auditor.
with_room() {
	other_auditor
	env $room LD_AUDIT="$tmp/told.so" "$@"
}

# counted NAME [VARIABLE=VALUE...] COMMAND...: each process leaves its report in $tmp/json.
counted() {
	counted_name=$1
	shift
	rm -rf "$tmp/json"
	mkdir "$tmp/json"
	ok "$counted_name" audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS='stat(format=json)' \
		CUAUDIT_OUTPUT="$tmp/json/%p" "$@"
}

# calls FUNCTION [FILE...]: how often all processes together called it.
calls() {
	calls_name=$1
	shift
	test $# -gt 0 || set -- "$tmp"/json/*
	awk -v name="$calls_name" '
	BEGIN { RS = "{" }
	index($0, "\"name\":\"" name "\",\"calls\":") == 1 && !(FILENAME in seen) {
		seen[FILENAME]
		split($0, field, /[:,]/)
		sum += field[4]
	}
	END { print sum + 0 }' "$@"
}

# calls_of FUNCTION LIBRARY: how often a library of that base name did.
calls_of() {
	awk -v name="$1" -v library="$2" '
	BEGIN { RS = "{" }
	index($0, "\"path\":\"") == 1 {
		split($0, field, "\"")
		sub(/.*\//, "", field[4])
		on = field[4] == library
	}
	/^"tid"/ { on = 0 }
	on && index($0, "\"name\":\"" name "\",\"calls\":") == 1 {
		split($0, field, /[:,]/)
		sum += field[4]
	}
	END { print sum + 0 }' "$tmp"/json/*
}
