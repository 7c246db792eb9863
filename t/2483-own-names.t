# SPDX-License-Identifier: Apache-2.0
# Programs that define what the C library has too: the core calls the library's own, but for the allocator.
. "${top_srcdir:-$(dirname "$0")/..}/t/rules/lib.sh"

core=${LIBCUAUDIT%/*}/cuaudit/cuaudit-core.so
source=$top_srcdir/t/hostile/own_names.c
LD_LIBRARY_PATH=$simdir
export LD_LIBRARY_PATH
rules no-errors

# build NAME [FLAG...]: $tmp/NAME, whose names the linker exports
build() {
	build_name=$1
	shift
	compile -fno-builtin -rdynamic -o "$tmp/$build_name" "$@" -ldl >build.out 2>&1 ||
		bail_out "cannot build $build_name: $(head -n 1 build.out)"
}

# run_with NAME [VARIABLE=VALUE...] COMMAND: it ends as alone; what is printed of it is in `report`
run_with() {
	run_name=$1
	shift
	status=0
	rm -f report*
	audited "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	ends 7 "$run_name"
}

# with_hooks PROGRAM: each has its results
with_hooks() {
	run_with "$1, stat" CUAUDIT_HOOKS=stat CUAUDIT_OUTPUT=report timeout -s KILL 300 "$tmp/$1"
	like "$(cat report)" ' cuMemAlloc_v2$' "... which has its calls"
	run_with "$1, trace" CUAUDIT_HOOKS='trace(file=report)' timeout -s KILL 300 "$tmp/$1"
	like "$("$cuaudit" report report)" ' cuMemAlloc_v2$' "... which has its calls"
	run_with "$1, leak" CUAUDIT_HOOKS=leak CUAUDIT_OUTPUT=report timeout -s KILL 300 "$tmp/$1"
	like "$(cat report.leak)" ' 64 +device memory' "... which has what it leaves"
	run_with "$1, limit" CUAUDIT_HOOKS='limit(memory=1GiB)' CUAUDIT_OUTPUT=report timeout -s KILL 300 "$tmp/$1"
	like "$(cat report.limit)" '^ +1\.00GiB .* the process$' "... which has what it used"
	run_with "$1, fault" CUAUDIT_HOOKS='fault(inject=cuMemAlloc:error=2:when=2..3)' CUAUDIT_OUTPUT=report \
		timeout -s KILL 300 "$tmp/$1" 2
	like "$(cat report.fault)" CUDA_ERROR_OUT_OF_MEMORY "... whose failures come"
	check "$tmp/$1"
	ends 7 "$1, rules"
	says '^check: the rule holds$' "... which holds"
}

# Not those of C's own start, of the allocator, and what own_names.c calls; nor what libraries call that the
# core goes through.
$NM -D --undefined-only "$core" | sed 's/.* U //; s/@.*//' | grep -v '^__' | sort -u >imports
for library in libdl.so.2 libgcc_s.so.1 libpthread.so.0; do
	$NM -D --undefined-only "$($CC -print-file-name=$library)" 2>/dev/null | sed 's/.* [Uw] //; s/@.*//'
done >spared
printf '%s\n' malloc calloc realloc free dlopen dlsym write _Exit >>spared
grep -v -x -F -f spared imports | sed 's/.*/OWN(&)/' >names.h
like "$(cat names.h)" 'OWN\(strsep\)' "what the core calls"

build all -DNAMES="\"$tmp/names.h\"" "$source"
build list -DLIST "$source"
build list-fixed -DLIST -fno-pie -no-pie "$source"
build list-sysv -DLIST -Wl,--hash-style=sysv "$source"
build maps -DMAPS "$source"
for program in all list list-fixed list-sysv maps; do
	status=0
	$run_env "$tmp/$program" >"$tmp/out" 2>"$tmp/err" || status=$?
	ends 7 "$program, alone"
	with_hooks $program
done

build weak -DWEAK "$source"
run_with "a weak definition" CUAUDIT_HOOKS= "$tmp/weak"
like "$(cat "$tmp/err")" '^seen$' "... sees calls of the core"

# What the program's allocator has given away, it gets back.
build malloc "$source" "$top_srcdir/t/hostile/own_malloc.c"
build malloc.so -shared -fPIC "$top_srcdir/t/hostile/own_malloc.c"
build plain "$source"
for way in malloc: "plain:$tmp/malloc.so"; do
	run_with "an allocator, ${way##*/}" LD_PRELOAD="${way#*:}" CUAUDIT_HOOKS='trace(file=report)' "$tmp/${way%:*}"
	is "$(cat "$tmp/err")" served "... whose allocator serves the core"
done

done_testing
