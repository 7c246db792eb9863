# SPDX-License-Identifier: Apache-2.0
# What the statistics say of calls whose number is known, the first of the process among them.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
helpers routes/libasker.so routes/counted routes/early

# counted NAME COMMAND...: each process leaves a file in $tmp/json
counted() {
	counted_name=$1
	shift
	rm -rf "$tmp/json"
	mkdir "$tmp/json"
	ok "$counted_name" audited LD_LIBRARY_PATH="$tmp" ROUTES=routed \
		CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/json/%p" "$@"
}

# calls FUNCTION: how often each process called it, sorted
calls() {
	awk -v name="$1" '
	BEGIN { RS = "{" }
	index($0, "\"name\":\"" name "\",\"calls\":") == 1 && !(FILENAME in seen) {
		seen[FILENAME]
		split($0, field, /[:,]/)
		print field[4]
	}' "$tmp"/json/* >"$tmp/calls" || echo "status $?"
	sort -n "$tmp/calls"
}

# part NAME: the object or list of that name in the only file
part() {
	sed -n 's/.*"'"$1"'":\([[{][^]}]*[]}]\).*/\1/p' "$tmp"/json/*
}

counted "three ways" "$tmp/counted" three
is "$(calls cuInit)" 15 "all are counted"
is "$(calls cuGetProcAddress_v2)" 1 "and the look-up"
test "$(loader_family)" = new && relocation=1 || relocation=0
is "$(part routes)" "{\"plt\":1,\"dlsym\":1,\"relocation\":$relocation,\"procaddr\":1}" "the routes"
is "$(part escapes)" '[]' "nothing escaped"

counted "first call by sixteen threads at once" "$tmp/counted" threads
is "$(calls cuInit)" 16000 "none is lost"
counted "first call in a constructor" "$tmp/early"
is "$(calls cuInit)" 2 "it is counted"
counted "fork" "$tmp/counted" fork
is "$(calls cuInit)" "2
4" "the child begins at zero"
counted "a library's calls" "$tmp/counted" library
is "$(calls cuInit)" 5 "all are counted"
is "$(awk 'BEGIN { RS = "{" } /"path":"[^"]*libasker\.so"/ { on = 1; next }
	on && /"name":"cuInit"/ { split($0, field, /[:,]/); print field[4]; exit }' \
	"$tmp"/json/*)" 3 "three are the library's"

counted "calls after main" "$tmp/counted" exit
is "$(calls cuInit)" 4 "by atexit and by a destructor"
counted "calls of threads that end" "$tmp/counted" thread-ends
is "$(calls cuInit)" 40 "all are counted"
counted "exit in a callback" "$tmp/counted" callback
is "$(calls cuInit)" 1 "what was called till then"
busy() {
	for turn in 1 2 3 4 5 6 7 8 9 10; do
		audited LD_LIBRARY_PATH="$tmp" CUAUDIT_OUTPUT="$tmp/busy" timeout 300 \
			"$tmp/counted" busy || return
		grep cuInit "$tmp/busy" || return
	done
}
ok "the end of a process whose threads go on calling, ten times" busy

done_testing
