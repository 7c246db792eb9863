# SPDX-License-Identifier: Apache-2.0
# What the tests of a bundle share: each program plain and audited, and its row of a table.
# Sourced after t/lib.sh; $tmp/rows has the rows.

bundle=${CUAUDIT_TEST_BUNDLE-}

value() {
	sed -n "s/^$1 //p" "$tmp/row"
}

# version RUNTIME: as cudaRuntimeGetVersion says it.
version() {
	version_minor=${1#*.}
	echo $((${1%%.*} * 1000 + ${version_minor%%.*} * 10))
}

# linkage WORD: in words.
linkage() {
	case $1 in
	nvjpeg-*) echo "static, in nvJPEG ${1#nvjpeg-}" ;;
	*) echo "$1" ;;
	esac
}

# bundled STATUS RUNTIME LINKAGE PROGRAM HOLDER [NATIVE-VARIABLE=VALUE [AUDITED-VARIABLE=VALUE]]
# The program ends with STATUS in both runs; HOLDER is the file with the runtime.
bundled() {
	name="cudart $2, $(linkage "$3")"
	program=$bundle/$4
	holder=${program%/*}/$5
	plain_status=0
	env "${6-A=}" "$program" >"$tmp/plain" 2>&1 </dev/null || plain_status=$?
	is "$plain_status" "$1" "$name: status without us" || sed 's/^/# | /' "$tmp/plain"
	audited_status=0
	rm -f "$tmp/report" "$tmp/report.coverage" "$tmp/row"
	audited "${7-A=}" CUAUDIT_OUTPUT="$tmp/report" \
		CUAUDIT_HOOKS='stat(format=json),coverage(format=json;fail=escapes)' \
		"$program" >"$tmp/audited" 2>&1 </dev/null || audited_status=$?
	result=differs
	is "$audited_status $(cat "$tmp/audited")" "$plain_status $(cat "$tmp/plain")" \
		"$name: the same audited" && result=same
	if grep -q '^runtime' "$tmp/audited" || test "$1" = 0; then
		is "$(sed -n 's/^runtime //p' "$tmp/audited")" "$(version "$2")" \
			"$name: it is that runtime"
	fi
	ok "$name: reports" "$PYTHON3" "$top_srcdir/t/runtimes/row.py" "$tmp/report" "$holder"
	cp "$tmp/tap.out" "$tmp/row"
	is "$(value escapes) $(value real)" "0 0" "$name: nothing escapes"
	ok "$name: it looks up by dlsym" test "$(value dlsym)" -ge 1
	ok "$name: and asks for hundreds" test "$(value asked)" -ge 300
	test "$1" != 0 ||
		ok "$name: its kernels are launched" test "$(value launches)" -ge 2
	printf '| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' \
		"$2" "$(linkage "$3")" "$(value functions)" \
		$(($(value plt) + $(value relocation))) "$(value dlsym)" "$(value procaddr)" \
		"$(value asked)" "$(value tables)" "$(value called)" "$(value calls)" \
		"$(value launches)" "$(value escapes)" "$result" >>"$tmp/rows"
}

# all_bundled STATUS [NATIVE-VARIABLE=VALUE [AUDITED-VARIABLE=VALUE]]: each of the manifest.
all_bundled() {
	all_status=$1
	shift
	: >"$tmp/rows"
	ok "the bundle has a manifest" test -s "$bundle/MANIFEST" || return 0
	while read -r runtime linkage program holder packages; do
		bundled "$all_status" "$runtime" "$linkage" "$program" "$holder" "$@"
	done <"$bundle/MANIFEST"
	is "$(wc -l <"$tmp/rows")" "$(wc -l <"$bundle/MANIFEST")" "a row for each program"
	diag "driver $(value driver)"
	diag "| Runtime | Linkage | Functions bound | PLT or relocation | dlsym |" \
		"cuGetProcAddress | Asked | Export tables | Functions called | Calls |" \
		"Launches | Escapes | Result |"
	diag "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|"
	diag "$(cat "$tmp/rows")"
}
