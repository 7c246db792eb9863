# SPDX-License-Identifier: Apache-2.0
# The domain libc: calls of memory functions by libraries of CUAUDIT_LIBC go through the hooks, and programs are as without.
. "${top_srcdir:-$(dirname "$0")/..}/t/rules/lib.sh"

test "$(loader_family)" = new || skip_all "the loader does not report all bindings"
here=$top_srcdir/t/libc

# built NAME ARGUMENTS...: of calls.c
built() {
	built_as=$1
	shift
	compile -O1 -g -fno-builtin -foptimize-sibling-calls -w -I"$top_srcdir" -I"$top_srcdir/include" -o "$built_as" "$@" \
		"$here/calls.c" -L"$tmp" -l:libother.so.1 -Wl,-rpath,"$tmp" -pthread -ldl >build.out 2>&1 || {
		sed 's/^/# /' build.out
		bail_out "cannot build $built_as"
	}
}
compile -O1 -fno-builtin -w -I"$top_srcdir" -shared -fPIC -fno-plt -Wl,-soname,libother.so.1 -o libother.so.1 "$here/other.c" ||
	bail_out "cannot build libother.so.1"
built lazy -fPIE -pie -Wl,-z,lazy
built now -fPIE -pie -Wl,-z,now
built noplt -fPIE -pie -fno-plt
built fixed -fno-pie -no-pie -Wl,-z,lazy
built fixednow -fno-pie -no-pie -Wl,-z,now
built allocator -DALLOCATOR
built early -DCONSTRUCTOR
built interposer -DINTERPOSER -rdynamic

# seen [VARIABLE=VALUE...] COMMAND...: what it prints, in out; messages, in err; what hooks write, in counts*
libraries='(main)' domains=driver,libc
seen() {
	status=0
	rm -f counts*
	# Neither timeout nor env is a program that is seen.
	$run_env timeout -k 5 300 env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DOMAINS="$domains" CUAUDIT_LIBC="$libraries" \
		CUAUDIT_OUTPUT="$tmp/counts" "$@" >out 2>err || status=$?
}
# calls: of each function, by name, in files of stat
calls() {
	for file in ${*-counts}; do
		sed -n '/  Name$/,/^$/p' "$file" | awk '$NF ~ /^libc.so.6:/ {
			for (i = 1; $i !~ /^[0-9]+$/; i++)
				;
			sub(/.*:/, "", $NF)
			print $NF, $i
		}' | sort
	done | tr '\n' ' '
}
# others: calls that no hook saw
others() {
	sed -n 's/^  \(not hooked\|unwound\) *\([0-9]*\) calls.*/\2/p' counts
}

each=$(sed -n 's/^LIBC_FUNCTION(\(.*\),.*/\1 4/p' "$top_srcdir/include/internal/libc_functions.def" | sort | tr '\n' ' ')
is "$(echo "$each" | wc -w)" 32 "there are 16 functions"
for program in lazy now noplt fixed fixednow; do
	for hooks in stat 'stat(clock=no)' 'dbgmem(libraries=(main);action=report),stat'; do
		seen CUAUDIT_HOOKS="$hooks" ./$program all
		is "$status $(cat out err)" "0 0" "$program, $hooks: the program is well"
		is "$(calls)" "$each" "$program, $hooks: by PLT, loader, dlsym and data, each is counted once"
		is "$(others)" "" "$program, $hooks: and none is made by a hook"
	done
	seen ./$program tail
	is "$status $(calls)" "0 memcpy 10 " "$program: jumps"
done
seen LD_BIND_NOW=1 ./lazy all
is "$status $(calls)" "0 $each" "LD_BIND_NOW"

# who is seen
seen ./lazy other
is "$status $(calls)" "0 memcpy 1 " "a library that is not chosen is not seen"
libraries='libother*' seen ./lazy other
is "$(calls)" "memcpy 10 " "one that is chosen is, alone"
libraries='*' seen ./lazy other
is "$(calls)" "memcpy 11 " "both"
is "$(sed -n 's/^ *[0-9.]* *[^ ]* *\([0-9]*\)  [^ ]*\/\([a-z.0-9]*\)$/\2 \1/p' counts | sort | tr '\n' ' ')" \
	"lazy 1 libother.so.1 10 " "by caller"
seen CUAUDIT_EXCLUDE='(main)' ./lazy other
is "$status $(calls)" "0 " "excluded"
libraries='*' seen CUAUDIT_INCLUDE='libother*' ./lazy other
is "$(calls)" "memcpy 10 " "included alone"
for off in driver runtime; do
	domains=$off seen ./lazy all
	is "$status $(cat out err) $(ls counts* 2>&1 | grep -c 'No such')" "0 0 1" "$off: nothing without the domain"
done
seen CUAUDIT_FUNCTIONS='libc.so.6:mem*,!*:memset' ./lazy all
is "$(calls)" "memcpy 4 memmove 4 mempcpy 4 " "selectors"
seen CUAUDIT_FUNCTIONS='%libc' ./lazy all
is "$(calls)" "$each" "%libc"
seen CUAUDIT_FUNCTIONS='*,!%libc' ./lazy all
is "$status $(calls 2>/dev/null)" "0 " "all but %libc"
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS=stat CUAUDIT_FUNCTIONS=%libc "$top_builddir/demo/cudemo" procaddr >out 2>err
like "$(cat err)" "'%libc' names no function; CUAUDIT_DOMAINS=driver,libc has the C library's, of the libraries of CUAUDIT_LIBC" \
	"%libc, where the domain is off"
seen CUAUDIT_FUNCTIONS='%driver' ./lazy all
is "$status $(calls 2>/dev/null)" "0 " "%driver"
seen CUAUDIT_FUNCTIONS='libc.so.6:memcopy' ./lazy all
like "$(cat err)" "CUAUDIT_FUNCTIONS: 'libc.so.6:memcopy' names no function; did you mean libc.so.6:memcpy" "a name that is none"

seen CUAUDIT_FUNCTIONS=memcpy ./lazy all
like "$(cat err)" "CUAUDIT_FUNCTIONS: 'memcpy' names no function; did you mean libc.so.6:memcpy[?];" "a name without its library"

# dbgmem has its own libraries
libraries='libother*' seen CUAUDIT_DRIVER=sim CUAUDIT_HOOKS='dbgmem(libraries=(main);action=report),stat' ./lazy other
is "$(calls)" "memcpy 11 " "the libraries of CUAUDIT_LIBC and of dbgmem"
libraries='' seen CUAUDIT_HOOKS='dbgmem(libraries=(main);action=report),stat' ./lazy other
is "$status $(calls)" "0 memcpy 1 " "of dbgmem alone"
for chosen in '' '(main)' 'libother*'; do
	for hooks in '' ,stat; do
		for checked in '(main)' 'libother*'; do
			libraries=$chosen seen CUAUDIT_HOOKS="dbgmem(libraries=$checked;action=report)$hooks" ./lazy overlaps
			test "$checked" = '(main)' && found='lazy[+]' || found='other_copies[+]'
			is "$status $(grep -c ' dbgmem: memcpy of ' err) $(grep -c " dbgmem: memcpy of .* by $found" err)" "0 1 1" \
				"CUAUDIT_LIBC='$chosen' dbgmem of $checked$hooks: that library's call is found"
		done
	done
done

# handlers, threads, children, faults, stacks, the end
seen ./lazy handlers
is "$status $(cat err)" "0 " "100,000 calls in a handler: the program is well"
is "$(($(calls | sed 's/memcpy //') + $(others)))" "$(cat out)" "... and each is counted, or said to be not hooked"
seen CUAUDIT_HOOKS='dbgmem(libraries=(main);action=report),stat' ./lazy handlers
is "$status" 0 "with dbgmem: the program is well"
like "$(cat err)" '^cuaudit: dbgmem: [0-9]+ calls were not seen, and those of memory functions among them not checked: made while a hook ran$' \
	"... which says that those were not checked"
is "$(wc -l <err)" 1 "... in one line"
for hooks in stat "trace(file=$tmp/small.cutrace;size=16M)" 'dbgmem(libraries=(main)),stat'; do
	seen CUAUDIT_HOOKS="$hooks" ./now signal_stack
	is "$status" 0 "${hooks%%(*}, in a handler on a small signal stack: the program is well"
done
seen CUAUDIT_HOOKS="trace(file=$tmp/handlers.cutrace;size=16M)" ./lazy handlers
is "$status" 0 "trace, in a handler: the program is well"
seen ./lazy threads
is "$status $(cat err) $(calls)" "0  memcpy 80000 " "threads that never called the driver"
seen CUAUDIT_OUTPUT="$tmp/counts-%p" ./lazy forks
is "$status $(cat out err) $(calls counts-* | tr ' ' '\n' | sort | tr '\n' ' ')" "0 2 2 5 memcpy memcpy " "a child of fork has its own"
seen ./lazy vforks
is "$status $(calls)" "0 memcpy 3 " "a child of vfork"
seen ./lazy faults
is "$status $(calls)$(others)" "0 memcpy 1 1000" "calls that a handler leaves"
seen ./lazy late
is "$status $(cat err) $(calls)" "0  memcpy 101 " "as threads and the process end"
seen ./allocator allocates
is "$status $(cat err) $(calls | sed 's/ memset.*//')" "0  memcpy 2000" "an allocator of the program's, which holds its lock"
seen CUAUDIT_HOOKS="stat,trace(file=$tmp/a.cutrace),dbgmem(libraries=(main))" ./allocator allocates
is "$status $(cat err)" "0 " "... with more hooks"
seen CUAUDIT_DRIVER=sim ./interposer threads
is "$status $(cat out) $(calls 2>/dev/null)" "0 80000 " "a program whose memcpy is everyone's: it is well, and not seen"
libraries='(main):libother*' seen ./interposer other
like "$(cat err)" "interposer: its calls of memory functions are not hooked: it has one of its own" "... which is said"
libraries='(main):libother*' seen ./lazy elsewhere
is "$status $(cat out) $(calls)" "0 1 memcpy 1 " "a library in another namespace is not seen"
like "$(cat err)" "libother.so.1: its calls of memory functions are not hooked: it is in a namespace of dlmopen$" "... which is said"
seen ./early once
is "$status $(calls)" "0 memcpy 1 " "what constructors call comes before"
alone=$($run_env ./lazy small)
seen ./lazy small
is "$status $(calls)" "0 memcpy 2 " "a stack of 16 KiB"

# trace and its readers
seen CUAUDIT_HOOKS='trace(text=yes)' ./lazy all
like "$(cat counts*)" 'libc.so.6:memcpy\(dest = 0x[0-9a-f]*, src = 0x[0-9a-f]*, n = 100\) = 0x[0-9a-f]* <' "trace: arguments"
like "$(cat counts*)" 'libc.so.6:memset\(s = 0x[0-9a-f]*, c = 120, n = 100\) = 0x' "trace: of memset"
like "$(cat counts*)" 'libc.so.6:__stpcpy_chk\(dest = 0x[0-9a-f]*, src = 0x[0-9a-f]*, destlen = 4096\) = 0x' "trace: of __stpcpy_chk"
seen CUAUDIT_HOOKS="trace(file=$tmp/all.cutrace)" ./lazy all
is "$("$cuaudit" convert --to text --symbols no all.cutrace | grep -c 'libc.so.6:.*dest = \|libc.so.6:.*(s = ')" 64 "convert: 64 calls, with names"
is "$("$cuaudit" convert --to jsonl --symbols no --functions 'libc.so.6:memcpy' all.cutrace | grep -c '"function":"libc.so.6:memcpy"')" 4 \
	"convert: a selector"
"$cuaudit" report all.cutrace >report.out
like "$(cat report.out)" ' 4 .*libc.so.6:strcat$' "report"

# fault: what it names is not called
seen CUAUDIT_HOOKS='fault(inject=libc.so.6:memcpy:error=2:when=1)' ./lazy once
is "$status $(cat out)" "1 wrong: a copy" "fault: the copy is not made"
like "$(cat counts*)" 'fault: rule 1, call 1, .*: libc.so.6:memcpy\(dest = 0x.*, n = 100\) is not called but returns 2$' "fault: says so"
seen CUAUDIT_HOOKS='coverage' ./lazy all
is "$status" 0 "coverage: the program is well"
like "$(cat counts*)" 'libc.so.6' "coverage: has the library"

# a hook of one's own, which calls the same functions
compile -O1 -fno-builtin -w -I"$top_srcdir/include" -shared -fPIC -fno-plt -o counter.so "$here/counter.c" \
	-L"$top_builddir/lib/cuaudit" -l:cuaudit-core.so || bail_out "cannot build counter.so"
for program in lazy fixed; do
	libraries='*' seen CUAUDIT_PATH="$tmp" CUAUDIT_HOOKS=counter,stat ./$program other
	is "$status $(cat err) $(calls)$(others)" "0 cuaudit: counter: 11 calls, 1100 bytes memcpy 11 " \
		"$program: a plug-in has all, and none of its own is seen"
	libraries='*' seen CUAUDIT_PATH="$tmp" CUAUDIT_HOOKS='counter(of=libother*)' ./$program other
	is "$status $(cat err)" "0 cuaudit: counter: 10 calls, 1000 bytes" "$program: of one library"
done

# rules
export CUAUDIT_DOMAINS=driver,libc CUAUDIT_LIBC='(main)'
rules "never libc.so.6:memcpy"
check ./lazy once
ends 88 "never memcpy: broken"
rules "never libc.so.6:memcpy in (main)"
check ./lazy once
ends 88 "... in (main)"
rules "never libc.so.6:memcpy in libother*"
CUAUDIT_LIBC='(main):libother*' check ./lazy other
ends 88 "... in a library"
rules "never libc.so.6:memmove"
check ./lazy once
ends 0 "never memmove: held"
rules "never libc.so.6:memcpy"
CUAUDIT_LIBC='libnone*' check ./lazy once
unlike "$status" '^0$' "no chosen library came: not judged as held"
for selector in libc.so.6:memmove 'libc.so.6:*move' %libc; do
	rules "never $selector"
	CUAUDIT_LIBC='(main):libother*' check ./lazy elsewhere
	test "$selector" = %libc && ends 88 "$selector: broken" || {
		ends 89 "$selector: not all calls are seen"
		says 'memory functions whose calls are not all hooked, for the reason that the process printed' "... why"
	}
done
rules "optional calls" "optional never libc.so.6:memcpy"
CUAUDIT_LIBC='(main):libother*' check ./interposer other
ends 89 "an interposer: not all calls are seen"
rules "never libc.so.6:memcpi"
check ./lazy once
ends 2 "a name that is none is refused"
unset CUAUDIT_DOMAINS CUAUDIT_LIBC

# what is not understood
# refused TEXT VARIABLE=VALUE...: by cuaudit run, before the program starts
refused() {
	text=$1
	shift
	status=0
	$run_env "$@" "$cuaudit" run ./lazy once >out 2>err || status=$?
	is "$status $(cat out)" "2 " "refused: $text"
	like "$(cat err)" "$text" "... and said"
}
refused 'CUAUDIT_LIBC: CUAUDIT_DOMAINS does not have libc; set it to driver,libc' CUAUDIT_LIBC='(main)'
refused 'CUAUDIT_DOMAINS: libc is for calls of libraries that CUAUDIT_LIBC names' CUAUDIT_DOMAINS=driver,libc
refused "CUAUDIT_LIBC takes GLOB.*, not 'lib\\['" CUAUDIT_DOMAINS=driver,libc CUAUDIT_LIBC='lib['
compile -w -shared -fPIC -o idle.so "$top_srcdir/t/fuzz/idle.c" || bail_out "cannot build another auditor"
for strict in 0 1; do
	seen CUAUDIT_STRICT=$strict LD_AUDIT="$tmp/idle.so:$LIBCUAUDIT" ./lazy once
	is "$status $(cat out)" "$(test $strict = 1 && echo '85 ' || echo '0 1')" "behind another auditor, strict $strict: its end"
	like "$(cat err)" '^cuaudit: CUAUDIT_LIBC: this loader does not report bindings of the C library' "... is told"
done
libraries='(main):libnone*' seen ./lazy once
is "$(cat err)" "cuaudit: CUAUDIT_LIBC: 'libnone*' matched no library" "one that never came"
libraries='libqqq*' seen CUAUDIT_DRIVER=sim "$top_builddir/demo/cudemo" dlopen
like "$(cat err)" "CUAUDIT_LIBC: nothing was seen: no library that 'libqqq\*' names has bound" "none that came"
status=0
CUAUDIT_DOMAINS=libc CUAUDIT_LIBC='libqqq*' "$cuaudit" stat ./lazy once >out 2>err || status=$?
is "$(grep -c "CUAUDIT_LIBC: 'libqqq\*': no process of lazy called" err)" 1 "stat: no process had one"
libraries='libqqq*' seen sh -c 'exit 3'
is "$status $(cat out err)" "3 " "a shell that inherits the settings is silent"
done_testing
