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

# What saxpy.c calls, but for cudaRuntimeGetVersion: not every static runtime reports that before it has the driver.
saxpy_calls="cudaEventCreate 1
cudaEventDestroy 1
cudaEventRecord 2
cudaEventSynchronize 2
cudaFree 2
cudaGetLastError 1
cudaLaunchKernel 2
cudaMalloc 2
cudaMemcpy 3
cudaMemcpyAsync 1
cudaStreamCreate 1
cudaStreamDestroy 1"

# runtime_calls REPORT: "NAME CALLS" of the runtime's functions
runtime_calls() {
	"$PYTHON3" -c '
import json, sys
for row in json.load(open(sys.argv[1]))["functions"]:
    if row["name"].startswith("cuda"):
        print(row["name"], row["calls"])' "$1" | sort
}

# with_domain STATUS LINKAGE [AUDITED-VARIABLE=VALUE]: the same program again, its calls of the runtime seen
with_domain() {
	domain_status=0
	rm -f "$tmp/report"
	audited "${3-A=}" CUAUDIT_DOMAINS=driver,runtime CUAUDIT_OUTPUT="$tmp/report" CUAUDIT_HOOKS='stat(format=json)' \
		"$program" >"$tmp/audited" 2>&1 </dev/null || domain_status=$?
	# One that the simulated driver cannot serve reports no call, which is said.
	is "$domain_status $(grep -v '^cuaudit: calls of the runtime are not seen: it did not get ready' "$tmp/audited")" \
		"$1 $(cat "$tmp/plain")" "$name: the same with the domain runtime"
	runtime_calls "$tmp/report" >"$tmp/runtime.calls"
	case $1-$2 in
	0-nvjpeg*)
		# Each launch of the library is one of the driver.
		is "$(awk '/^cudaLaunchKernel/ { n += $2 } END { print n }' "$tmp/runtime.calls")" "$(value launches)" \
			"$name: as many launches of the runtime as of the driver"
		;;
	0-*) is "$(grep -v '^cudaRuntimeGetVersion ' "$tmp/runtime.calls")" "$saxpy_calls" "$name: calls of the runtime" ;;
	# The simulated driver has no table for reports: what is bound is seen, up to the first failure.
	*-shared)
		is "$(cut -d ' ' -f 1 "$tmp/runtime.calls" | tail -n 1) $(cut -d ' ' -f 2 "$tmp/runtime.calls" | uniq)" \
			"cudaRuntimeGetVersion 1" "$name: calls of the runtime, by its bindings"
		;;
	*) is "$(cat "$tmp/runtime.calls")" "" "$name: no calls of the runtime, which nobody reports here" ;;
	esac
	domain_runtime=${name%%,*}
	printf '| %s | %s | %s | %s |\n' "${domain_runtime#cudart }" "$(linkage "$2")" "$(grep -c . "$tmp/runtime.calls")" \
		"$(awk '{ n += $2 } END { print n + 0 }' "$tmp/runtime.calls")" >>"$tmp/runtime.rows"
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
	with_domain "$1" "$3" "${7-A=}"
}

# all_bundled STATUS [NATIVE-VARIABLE=VALUE [AUDITED-VARIABLE=VALUE]]: each of the manifest.
all_bundled() {
	all_status=$1
	shift
	: >"$tmp/rows"
	: >"$tmp/runtime.rows"
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
	diag "CUAUDIT_DOMAINS=driver,runtime"
	diag "| Runtime | Linkage | Functions of the runtime called | Calls |"
	diag "|---|---|--:|--:|"
	diag "$(cat "$tmp/runtime.rows")"
}
