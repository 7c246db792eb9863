# SPDX-License-Identifier: Apache-2.0
# Hooks of a runtime's functions that come and go while sixteen threads call.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

count=1000
test -z "${LONG_TESTS-}" || count=50000

helpers fake/libcuda.so.1 runtime/libcudart.so.13
build stress "$top_srcdir/t/plugins/stress.c" "$top_srcdir/t/runtime/stress.c" -L"$tmp" -l:libcudart.so.13 \
	-l:libcuda.so.1 -L"$top_builddir/lib/cuaudit" -l:cuaudit-core.so \
	-Wl,-rpath,"$top_builddir/lib/cuaudit" -pthread -ldl

# calls FILE: of the runtime's functions, as stat has them
calls() {
	$PYTHON3 -c '
import json, sys
print(*sorted("%s was called %d times" % (row["name"], row["calls"])
    for row in json.load(open(sys.argv[1]))["functions"] if row["name"].startswith("cuda")), sep="\n")' "$1"
}
# stressed NAME HOOK: what is called by threads is counted by it. Memory grows by lists of all
# functions, until there is one for each few hooks that can be together.
stressed() {
	rm -f "$tmp"/counts*
	routed "$1" LD_LIBRARY_PATH="$tmp" FAKE_TOOLS=whole CUAUDIT_DOMAINS=driver,runtime CUAUDIT_HOOKS="$2" \
		CUAUDIT_OUTPUT="$tmp/counts" timeout 600 "$tmp/stress" "$count" 4096
	sed -n 's/^ok 6 - /# /p' "$tmp/tap.out"
	test -z "$2" || is "$(calls "$tmp/counts" | grep -v cudaGetDevice)" \
		"$(sed -n 's/^# \(cuda.* was called .*\)/\1/p' "$tmp/tap.out" | sort)" "$1: each call is counted once"
}

for runtime in bound reported; do
	if test $runtime = reported; then
		# Its reports alone are looked at where it is another library.
		sed 's/libcudart\.so\.13/libcudart-so.13/' "$tmp/libcudart.so.13" >"$tmp/renamed"
		mv "$tmp/renamed" "$tmp/libcudart.so.13"
	fi
	stressed "$runtime, no other hook" ''
	stressed "$runtime, beside what counts" 'stat(clock=no;format=json)'
	stressed "$runtime, beside what times" 'stat(format=json)'
done
done_testing
