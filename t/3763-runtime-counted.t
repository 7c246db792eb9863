#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Calls of the runtime that a hook only counts: as many as one that looks at each sees, and what is inside of them
# finds them around it, whatever the program does.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

helpers fake/libcuda.so.1 runtime/calls runtime/hostile runtime/libcudart.so.13 runtime/liblinked.so runtime/sees.so

compile -I"$top_srcdir/include" -I"$top_srcdir" -o "$tmp/alternates" "$top_srcdir/t/runtime/alternates.c" -L"$tmp" -l:libcudart.so.13 \
	-l:libcuda.so.1 -L"$top_builddir/lib/cuaudit" -l:cuaudit-core.so -Wl,-rpath,"$top_builddir/lib/cuaudit" >"$tmp/build.out" 2>&1 ||
	bail_out "cannot build alternates"
sed 's/libcudart\.so\.13/libcudart-so.13/' "$tmp/libcudart.so.13" >"$tmp/renamed"
mv "$tmp/renamed" "$tmp/libcudart.so.13"
cp "$tmp/liblinked.so" "$tmp/closed.so"

# run HOOKS PROGRAM...: what it prints, in $tmp/out; what was counted, in $tmp/counted, and how many calls were left, in
# $tmp/left: of all its processes together
run() {
	rm -f "$tmp"/stat-*
	status=0
	audited LD_LIBRARY_PATH="$tmp" FAKE_TOOLS=whole CLOSED="$tmp/closed.so" CUAUDIT_DOMAINS=driver,runtime \
		CUAUDIT_OUTPUT="$tmp/stat-%p" CUAUDIT_HOOKS="$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	$PYTHON3 - "$tmp"/stat-* >"$tmp/counted" <<'PY'
import collections, json, os, sys

calls, left = collections.Counter(), 0
for path in sys.argv[1:]:
    report = json.load(open(path)) if "*" not in path else {"functions": []}
    left += report.get("unwound_calls") or 0
    for row in report["functions"]:
        if row["name"].startswith("cuda"):
            calls[row["name"]] += row["calls"]
print("\n".join(f"{calls[name]} {name}" for name in sorted(calls)))
open(os.path.dirname(sys.argv[1]) + "/left", "w").write(str(left))
PY
}

# What is inside of a call is indented by one.
for mode in calls threads signals jumps jumps-inside closes ends mixed mixed-again by-jump forks; do
	program="$tmp/hostile $mode"
	test "$mode" != calls || program=$tmp/calls
	# shellcheck disable=SC2086
	run "stat(clock=no;format=json),$tmp/sees.so" $program
	grep -v '^ *cuda' "$tmp/out" | sort >"$tmp/inside"
	sed -n 's/^ *\(cuda[^ ]*\) .*/\1/p' "$tmp/out" | sort | uniq -c | sed 's/^ *//; s/ *$//' >"$tmp/calls.$mode"
	cp "$tmp/left" "$tmp/left.$mode"
	# shellcheck disable=SC2086
	run "stat(clock=no;format=json),$tmp/sees.so(functions=%driver)" $program
	is "$status" 0 "$mode: the program is well"
	is "$(grep -v '^ *cuda' "$tmp/out" | sort)" "$(cat "$tmp/inside")" "$mode: what is inside finds the call around it"
	is "$(cat "$tmp/left")" "$(cat "$tmp/left.$mode")" "$mode: as many are left"
	# What a child has counted until exec or _exit is in no report.
	test "$mode" = forks || is "$(cat "$tmp/counted")" "$(cat "$tmp/calls.$mode")" "$mode: each call is counted"
done

is "$(cat "$tmp/left.jumps") $(cat "$tmp/left.jumps-inside")" "200 100" "jumps, jumps-inside: how many were"
run 'stat(clock=no;format=json)' env 'CUAUDIT_EXCLUDE=(main)' "$tmp/hostile" threads
is "$(cat "$tmp/counted")" "1601 cudaMalloc" "none of an excluded library, and another one's"
run 'stat(clock=no;format=json)' env 'CUAUDIT_EXCLUDE=(main):liblinked.so' "$tmp/hostile" threads
is "$(cat "$tmp/counted")" "" "... or of both"
run 'stat(clock=no;format=json)' "$tmp/hostile" deep
like "$(grep cudaStream "$tmp/counted")" '^1[67] ' "of calls in calls at least 16"

# A call that was counted alone, and then, from the same place, one that a hook sees that came meanwhile.
run 'stat(clock=no;format=json)' timeout 60 "$tmp/alternates"
is "$status $(cat "$tmp/out")" "0 100 100" "a hook that comes and goes sees the end of each call that it saw begin"
is "$(grep cudaStreamAddCallback "$tmp/counted") $(cat "$tmp/left")" "400 cudaStreamAddCallback 50" "... and all are counted"
done_testing
