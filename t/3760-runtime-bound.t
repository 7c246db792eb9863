# SPDX-License-Identifier: Apache-2.0
# Calls of a shared runtime, by its bindings: each once, and they can be changed.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

test "$(loader_family)" = new || skip_all "the loader does not report all bindings"

helpers fake/libcuda.so.1 runtime/calls runtime/hostile runtime/libcudart.so.13 runtime/liblinked.so runtime/sees.so
here=$top_srcdir/t/runtime
built() {
	compile "$@" >"$tmp/build.out" 2>&1 || {
		sed 's/^/# /' "$tmp/build.out"
		bail_out "cannot build $*"
	}
}
built -shared -fPIC -o "$tmp/edits.so" "$here/edits.c" "$top_builddir/lib/cuaudit/cuaudit-core.so"
built -shared -fPIC -o "$tmp/frames.so" "$here/frames.c" "$top_builddir/lib/cuaudit/cuaudit-core.so"
# One runtime reports its calls, the other one is newer; of 11.0 and 12 there is one, too.
for version in 11.0 12 13 14; do
	built -shared -fPIC -Wl,-soname,libcudart.so.$version -o "$tmp/libcudart.so.$version.newer" "$here/newer.c"
done
mkdir "$tmp/11.0" "$tmp/12" "$tmp/13" "$tmp/framed"
built -fno-omit-frame-pointer -shared -fPIC -Wl,-soname,libcudart.so.13 -o "$tmp/framed/libcudart.so.13" "$here/runtime.c" \
	-L"$tmp" -l:libcuda.so.1
for version in 11.0 12 13; do
	mv "$tmp/libcudart.so.$version.newer" "$tmp/$version/libcudart.so.$version"
done
mv "$tmp/libcudart.so.14.newer" "$tmp/libcudart.so.14"
built -o "$tmp/answers" "$here/answers.c" -L"$tmp" -l:libcudart.so.13 -l:libcudart.so.14 -Wl,-rpath,"$tmp" -l:libcuda.so.1
cat >"$tmp/advise.c" <<'C'
#include <stdio.h>

int cudaMemAdvise(const void *, long, int, int);
int cudaMemPrefetchAsync(const void *, long, int, long, long);

int main(void)
{
	printf("%d %d\n", cudaMemAdvise((void *)0x500, 1, 2, 3), cudaMemPrefetchAsync((void *)0x600, 1, 3, 4, 5));
	return 0;
}
C
for version in 11.0 12 13; do
	built -o "$tmp/advise$version" "$tmp/advise.c" -L"$tmp/$version" -l:libcudart.so.$version
done

# run [VARIABLE=VALUE...] COMMAND...: what it prints, in $tmp/out; messages, in $tmp/err
run() {
	status=0
	rm -f "$tmp"/counts*
	audited LD_LIBRARY_PATH="$tmp" FAKE_TOOLS="${tools-whole}" CLOSED="$tmp/closed.so" \
		CUAUDIT_DOMAINS=driver,runtime CUAUDIT_HOOKS="$tmp/sees.so" CUAUDIT_OUTPUT="$tmp/counts" \
		timeout 300 env "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
}
counts() {
	$PYTHON3 -c '
import json, sys
print(*sorted("%s %d %d" % (row["name"], row["calls"], row["errors"])
    for row in json.load(open(sys.argv[1]))["functions"] if "cuda" in row["name"]), sep="\n")' "$tmp/counts"
}

# the table and the binding of one call: one call
run "$tmp/calls"
is "$(cat "$tmp/out")" "cudaMalloc calls pointer 0x1000 = 0 flags
 cuInit libcudart.so.13 = 0
 cuGetExportTable libcudart.so.13 = 0
 cuMemAlloc_v2 libcudart.so.13 = 0
cudaFree calls 0x1234 = 0 flags
cudaGetDevice calls pointer = 0 flags
cudaGetErrorString calls 0x2 = 0
cudaLaunchKernel calls 0x100 0x200000001 0x3 0x500000004 0x6 0x200 0x7 0x300 = 0 flags
 cuStreamQuery libcudart.so.13 = 600
cuInit liblinked.so = 0
cuGetExportTable liblinked.so = 0
cudaMalloc liblinked.so pointer 0 = 2
cudaMalloc liblinked.so pointer 0x2000 = 0
 cuMemAlloc_v2 liblinked.so = 0" "names, parameters, results: once each, by binding where it is shared"
for hooks in 'stat(format=json)' 'stat(format=json),trace(text=yes;file=/dev/null)' 'coverage,stat(format=json)'; do
	run CUAUDIT_HOOKS="$hooks" "$tmp/calls"
	is "$(counts)" "cudaFree 1 0
cudaGetDevice 1 0
cudaGetErrorString 1 0
cudaLaunchKernel 1 0
cudaMalloc 3 1" "$hooks: each once"
done
run LD_BIND_NOW=1 CUAUDIT_HOOKS='stat(format=json)' "$tmp/calls"
is "$(counts | grep Malloc)" "cudaMalloc 3 1" "LD_BIND_NOW"
# What a binding shows is not unwound for its report, however often it is called.
built -D_GNU_SOURCE -shared -fPIC -o "$tmp/unwinds.so" "$here/unwinds.c" -ldl
printf '#include <stdlib.h>\nint cudaGetDevice(int *);
int main(int argc, char **argv) { int it; (void)argc; for (int i = 0; i < atoi(argv[1]); i++) cudaGetDevice(&it); return 0; }\n' \
	>"$tmp/loop.c"
built -o "$tmp/loop" "$tmp/loop.c" -L"$tmp" -l:libcudart.so.13 -Wl,-rpath,"$tmp" -l:libcuda.so.1
# looks COUNT: how often the unwinder looks where there are so many calls
looks() {
	run LD_PRELOAD="$tmp/unwinds.so" CUAUDIT_HOOKS='stat(format=json)' "$tmp/loop" "$1"
	sed -n 's/^looks //p' "$tmp/err"
}
few=$(looks 10)
is "$(looks 1000)" "$few" "a call that its binding shows: 1000 of them are unwound no more than 10"
is "$(counts)" "cudaGetDevice 1000 0" "... and all are counted"

# Without an unwinder a report does not know who called.
helper routes/told.so none/libgcc_s.so.1
run LD_LIBRARY_PATH="$tmp/none:$tmp" CUAUDIT_HOOKS='stat(format=json)' "$tmp/calls"
is "$(counts | grep 'Free\|Launch')" "cudaFree 1 0
cudaLaunchKernel 1 0" "without an unwinder: each once"
tools=
run "$tmp/calls"
is "$(grep -c '^cuda.* flags$' "$tmp/out") $(grep -c '^cuda' "$tmp/out")" "4 4" "no table: those that are shared"
tools=whole
run CUAUDIT_DOMAINS=driver "$tmp/calls"
is "$(grep -c '^ *cuda' "$tmp/out")" 0 "driver: none"
run CUAUDIT_EXCLUDE='(main)' "$tmp/calls"
is "$(grep -c '^cuda.* calls ' "$tmp/out") $(grep -c '^cuda.* liblinked' "$tmp/out")" "0 2" "excluded"
run CUAUDIT_INCLUDE='(main)' "$tmp/calls"
is "$(grep -c '^cuda.* calls ' "$tmp/out") $(grep -c '^cuda.* liblinked' "$tmp/out")" "4 0" "included"
run CUAUDIT_FUNCTIONS='libcudart.so.*:*' "$tmp/calls"
is "$(sed 's/ .*//' "$tmp/out" | sort | tr '\n' ' ')" "cudaFree cudaGetDevice cudaLaunchKernel cudaMalloc " "by their library's name"
run CUAUDIT_FUNCTIONS='cudaMalloc' "$tmp/calls"
is "$(sed 's/ .*//' "$tmp/out" | sort | tr '\n' ' ')" "cudaMalloc cudaMalloc cudaMalloc " "by their own"

# threads, forks, signals, jumps, ends: as by the table
for mode in threads forks signals jumps closes ends; do
	test $mode != closes || cp "$tmp/liblinked.so" "$tmp/closed.so"
	$run_env LD_LIBRARY_PATH="$tmp" FAKE_TOOLS=whole CLOSED="$tmp/closed.so" "$tmp/hostile" $mode >"$tmp/alone" 2>/dev/null
	alone=$?
	run "$tmp/hostile" $mode
	is "$status" "$alone" "$mode: the program is well"
done
run CUAUDIT_HOOKS='stat(format=json)' "$tmp/hostile" threads
is "$(counts)" "cudaFree 1 0
cudaGetDevice 1601 0
cudaMalloc 3201 0" "threads: each call once"

# they can be changed
run CUAUDIT_HOOKS=stat "$tmp/answers"
is "$(cat "$tmp/out" "$tmp/err")" "cudaMalloc 0 pointer
cudaLaunchKernel 0
cudaMemAdvise 0
cudaNewerThanAll 10" "the program itself"
like "$(cat "$tmp/counts")" ' 1 .*  libcudart.so.14:cudaNewerThanAll' "one that is newer than any table: by its library"
run CUAUDIT_HOOKS='fault(inject=libcudart.so.13:cudaMalloc:error=2)' "$tmp/answers"
is "$(sed -n '1,2p' "$tmp/out")" "cudaMalloc 2 nothing
cudaLaunchKernel 0" "fault: answers for a shared runtime"
run CUAUDIT_HOOKS='fault(inject=libcudart.so.*:cudaLaunchKernel:result=9)' "$tmp/answers"
is "$(sed -n '1,2p' "$tmp/out")" "cudaMalloc 0 pointer
cudaLaunchKernel 9" "fault: another result"
run CUAUDIT_HOOKS="fault(inject=cudaMalloc:error=2)" "$tmp/answers"
is "$status" 85 "fault: of all runtimes it is refused"
like "$(cat "$tmp/err")" 'can only be observed.*libcudart.so.\*:cudaMalloc' "and the message names those that it can be for"
run CUAUDIT_HOOKS="$tmp/edits.so" "$tmp/answers"
is "$(cat "$tmp/out")" "cudaMalloc 2 nothing
cudaLaunchKernel 0
cudaMemAdvise 1
cudaNewerThanAll 10" "arguments can be edited"

# what is recorded of a driver call's stack has the runtime's call in it, and nothing of ours
run LD_LIBRARY_PATH="$tmp/framed:$tmp" CUAUDIT_HOOKS="$tmp/frames.so" "$tmp/calls"
is "$(grep 'cuMemAlloc_v2\|cuStreamQuery' "$tmp/err")" "cuMemAlloc_v2: 0 of ours; unwound several, 0 of ours
cuStreamQuery: 0 of ours; unwound several, 0 of ours
cuMemAlloc_v2: 0 of ours; unwound several, 0 of ours" "stacks of calls inside of others"
run CUAUDIT_HOOKS="trace(file=$tmp/stacks.cutrace;backtrace=cu*)" "$tmp/calls"
"$top_builddir/bin/cuaudit" convert --to jsonl "$tmp/stacks.cutrace" >"$tmp/out"
is "$(grep -c 'libcudart.so.13.*calls' "$tmp/out") $(grep -c 'cuaudit-core' "$tmp/out")" "4 0" "and in a trace"

# a runtime's parameters are those of its version
for version in 11.0:device 12:device 13:location; do
	run LD_LIBRARY_PATH="$tmp/${version%:*}:$tmp" CUAUDIT_HOOKS='trace(text=yes)' "$tmp/advise${version%:*}"
	is "$status $(cat "$tmp/out")" "0 0 0" "$version: the program"
	like "$(cat "$tmp"/counts*)" "cudaMemAdvise\\(devPtr = 0x500, count = 1, advice = .*, ${version#*:} = .*3\\) = cudaSuccess" \
		"$version: parameters"
	case $version in
	13*) prefetch='location = .*3.*, flags = 4, stream = 0x5' ;;
	*) prefetch='dstDevice = 3, stream = 0x4' ;;
	esac
	like "$(cat "$tmp"/counts*)" "cudaMemPrefetchAsync\\(devPtr = 0x600, count = 1, $prefetch\\) = cudaSuccess" \
		"$version: of a function that has one more in the later one"
done
done_testing
