# SPDX-License-Identifier: Apache-2.0
# Memory functions of the C library, checked for chosen libraries: dbgmem.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

test "$(loader_family)" = new || skip_all "needs a loader that reports all bindings"
helpers dbgmem/cases dbgmem/model

# run [VARIABLE=VALUE...] COMMAND...: what it prints, in $tmp/out; messages, in $tmp/err
run() {
	status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_DOMAINS=driver,libc \
		CUAUDIT_HOOKS="dbgmem(libraries=(main);action=${action-report})" \
		timeout 300 env "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
}
# case CASE STATUS TEXT: what is found, when the call is made and when it is not
finds() {
	action=report
	run "$tmp/cases" "$1"
	is "$status" "$2" "$1: the program meets what it would have met"
	like "$(cat "$tmp/err")" "$3" "$1: is found"
	is "$(grep -c ' dbgmem: [a-z_]* of ' "$tmp/err")" 1 "$1: and reported once"
	action=abort
	run "$tmp/cases" "$1"
	is "$status $(cat "$tmp/out")" "134 " "$1: the process is aborted before it"
	like "$(cat "$tmp/err")" "$3" "$1: which says why"
	action=report
}
alloc='4 MiB of device memory at 0x[0-9a-f]*, allocated in cuMemAlloc_v2 by cases[+]0x[0-9a-f]*'
finds device_source 0 "memcpy of 100 bytes by cases[+].*: source 0x[0-9a-f]* is $alloc\$"
finds device_destination 0 "memcpy of 100 bytes by cases[+].*: destination 0x[0-9a-f]* is $alloc\$"
finds device_inside 0 "memmove of 100 bytes by .*: source 0x[0-9a-f]* is $alloc\$"
finds device_set 0 "memset of 100 bytes by .*: destination 0x[0-9a-f]* is $alloc\$"
finds device_freed 139 "source 0x[0-9a-f]* is freed: $alloc, freed in cuMemFree_v2 by cases[+]0x[0-9a-f]*\$"
freed='is freed: 4 MiB of'
finds pinned_freed 139 "source 0x[0-9a-f]* $freed host memory at .*, allocated in cuMemHostAlloc by cases.*, freed in cuMemFreeHost by cases[+]0x[0-9a-f]*, and is not mapped\$"
finds managed_freed 139 "source 0x[0-9a-f]* $freed managed memory at .*, allocated in cuMemAllocManaged by .*, freed in cuMemFree_v2 by .*, and is not mapped\$"
page='is 4 KiB of registered host memory at 0x[0-9a-f]*, allocated in cuMemHostRegister_v2 by cases[+]0x[0-9a-f]*'
finds registered_past 139 "source 0x[0-9a-f]*fc4 $page, and is past the end of a mapping: after 60 bytes nothing is mapped\$"
finds registered_read_only 139 "destination 0x[0-9a-f]*000 $page, and is read-only memory\$"
finds registered_gone 139 "source 0x[0-9a-f]*000 is freed: 4 KiB of registered host memory .*, freed in cuMemHostUnregister by .*, and is not mapped\$"
finds managed_overlap 0 "source 0x[0-9a-f]* and destination 0x[0-9a-f]* overlap; use memmove; the source is in 4 MiB of managed memory at .*, allocated in cuMemAllocManaged by cases[+]0x[0-9a-f]*\$"
finds reserved 139 'source 0x[0-9a-f]* is 2 MiB of address range at .*, allocated in cuMemAddressReserve by cases'
finds overlap 0 'memcpy of 100 bytes .*: source 0x[0-9a-f]* and destination 0x[0-9a-f]* overlap; use memmove$'
finds overlap_mempcpy 0 'mempcpy of 100 bytes .*overlap; use memmove$'
finds overlap_strcpy 0 'strcpy of 11 bytes .*overlap; use memmove$'
finds past 139 'memcpy of 100 bytes .*: source 0x[0-9a-f]*fc4 is past the end of a mapping: after 60 bytes nothing is mapped$'
finds past_set 139 'memset of 100 bytes .*: destination 0x[0-9a-f]*fc4 is past the end of a mapping: after 60 bytes '
finds past_string 139 'strcpy .*: source 0x[0-9a-f]*000 is past the end of a mapping: after 4 KiB nothing is mapped$'
finds past_append 139 'strcat .*: destination 0x[0-9a-f]*ff8 is past the end of a mapping: after 8 bytes '
finds read_only 139 'destination 0x[0-9a-f]* is read-only memory$'
for checked in __memcpy_chk __memmove_chk __mempcpy_chk __memset_chk __strncpy_chk strncpy; do
	finds "read_only_$checked" 139 "$checked of 100 bytes .*: destination 0x[0-9a-f]* is read-only memory\$"
done
for checked in __stpcpy_chk __strcat_chk __strcpy_chk stpcpy; do
	finds "read_only_$checked" 139 "$checked of 51 bytes .*: destination 0x[0-9a-f]* is read-only memory\$"
done
finds no_access 139 'source 0x[0-9a-f]* is memory without access'
finds past_guard 139 'memset of 4196 bytes .*: destination 0x[0-9a-f]*fc4 is past the end of a mapping: after 60 bytes begins memory without access'
finds read_only_overlap 139 'destination 0x[0-9a-f]*00a is read-only memory; source 0x[0-9a-f]*000 and destination 0x[0-9a-f]*00a overlap; use memmove$'
finds null 139 'source 0x0 is NULL$'
finds near_null 139 'destination 0x8 is in the page of NULL$'
# What a set of all addresses ends with depends on the C library.
alone=0
env LD_LIBRARY_PATH="$simdir" timeout 300 "$tmp/cases" wrap >"$tmp/out" 2>"$tmp/err" || alone=$?
finds wrap "$alone" 'memset of 18446744073709551615 bytes .*: destination 0x[0-9a-f]* is too near to the end of all addresses'
finds stack_end 139 'destination 0x[0-9a-f]* is past the end of a mapping of a stack: after [0-9]+ (bytes|KiB) nothing is mapped$'
finds by_pointer 0 'memcpy .*overlap'
finds by_dlsym 0 'memcpy .*overlap'
finds by_handler 0 'memcpy .*overlap'
finds by_thread 0 'memcpy .*overlap'

run "$tmp/cases" again
like "$(cat "$tmp/err")" '^cuaudit: dbgmem: findings: 1000, call sites: 1$' "repeated findings are counted"
is "$(grep -c overlap "$tmp/err")" 1 "and printed once"
for child in forked vforked; do
	run "$tmp/cases" $child
	is "$status" 0 "$child: the child goes on"
	like "$(cat "$tmp/err")" overlap "$child: its finding is reported"
	action=abort run "$tmp/cases" $child
	is "$status" 106 "$child: the child is aborted, not its parent"
done

# stacks, children, threads, cancellation: nothing of ours ends or changes the program
for odd in errno_kept forked_amid small_stack unmapped_amid cancelled; do
	run "$tmp/cases" $odd
	is "$status $(cat "$tmp/out")" "0 came through" "$odd: the program is well"
done
run "$tmp/cases" errno_kept
like "$(cat "$tmp/err")" 'source 0x[0-9a-f]* is memory without access' "errno_kept: a look has failed"
run "$tmp/cases" small_stack
like "$(cat "$tmp/err")" 'memcpy of 100 bytes .*overlap' "small_stack: reported"
run "$tmp/cases" cancelled
like "$(cat "$tmp/err")" 'findings: 2, ' "cancelled: both are counted"

for action in report abort; do
	for case in right write_only; do
		run "$tmp/cases" $case
		is "$status $(cat "$tmp/out" "$tmp/err")" "0 came through" "$action: what is right is silent, $case"
	done
	run "$tmp/model" 100000
	is "$status $(cat "$tmp/out" "$tmp/err")" "0 all as the model says" "$action: 100000 random calls"
done

# however the program binds them
action=report
for flags in "-Wl,-z,lazy" "-Wl,-z,now" "-fno-plt" "-no-pie -fno-pie" "-no-pie -fno-pie -Wl,-z,now"; do
	compile -O1 -fno-builtin -w $flags -o "$tmp/bound" "$top_srcdir/t/dbgmem/cases.c" -pthread \
		-Wl,-rpath,"$simdir" "$simdir/libcuda.so.1" || bail_out "cannot build with $flags"
	for mode in overlap by_pointer by_dlsym; do
		run "$tmp/bound" $mode
		is "$(grep -c overlap "$tmp/err") $status" "1 0" "$flags: $mode"
	done
	run LD_BIND_NOW=1 "$tmp/bound" overlap
	is "$(grep -c overlap "$tmp/err") $status" "1 0" "$flags: with LD_BIND_NOW"
done

# from Python: the address that _ctypes has bound, called by libffi; _ctypes may be in the executable
if "$PYTHON3" -c 'import ctypes, sys; sys.exit(sys.version_info < (3, 9))' 2>"$tmp/none"; then
	python='dbgmem(libraries=_ctypes*:(main))'
	run CUAUDIT_HOOKS="$python" "$PYTHON3" "$top_srcdir/t/dbgmem/moves.py" libcuda.so.1
	is "$status $(cat "$tmp/out")" "134 so far right" "Python: aborted at what is wrong"
	like "$(cat "$tmp/err")" \
		'memmove of 100 bytes by .* at .*moves[.]py:16: source .* is 4 MiB of device memory .*, allocated in cuMemAlloc_v2 by .* at .*moves[.]py:13$' \
		"Python: with both lines"
else
	skip 2 "no python3"
fi

# what is not to be checked
run CUAUDIT_DOMAINS=driver CUAUDIT_HOOKS= "$tmp/cases" overlap
is "$status $(cat "$tmp/out" "$tmp/err")" "0 came through" "off: nothing is checked"
run CUAUDIT_DOMAINS=driver CUAUDIT_HOOKS=stat "$tmp/cases" whose
is "$(cat "$tmp/out")" "libc.so.6 0" "off: memcpy is libc's own, and the core is not there"
run CUAUDIT_HOOKS='dbgmem(libraries=libother*)' "$tmp/cases" whose
is "$(cat "$tmp/out")" "libc.so.6 1" "another library: memcpy is libc's own"
run "$tmp/cases" whose
is "$(cat "$tmp/out")" "libcuaudit.so 1" "chosen: it is a stub"
run CUAUDIT_DOMAINS=driver CUAUDIT_HOOKS=stat "$tmp/model" 10
is "$status $(cat "$tmp/out" "$tmp/err")" "0 all as the model says" "off: nothing is printed"
run CUAUDIT_HOOKS='dbgmem(libraries=libother*)' "$tmp/cases" overlap
is "$status $(cat "$tmp/out")" "0 came through" "another library: nothing is checked"
like "$(cat "$tmp/err")" "dbgmem: nothing was checked: no library that 'libother\*' names" "which is reported"
run CUAUDIT_HOOKS='dbgmem(libraries=libother*)' CUAUDIT_PROVIDERS=libother.so.1 sh -c 'exit 3'
is "$status $(cat "$tmp/out" "$tmp/err")" "3 " "but not by a shell, which loads no driver"
run CUAUDIT_HOOKS='dbgmem(libraries=(main):qqqqqqqqqqqq;action=report)' "$tmp/cases" overlap
is "$(grep -c overlap "$tmp/err") $(grep 'no library' "$tmp/err")" "1 cuaudit: dbgmem: 'qqqqqqqqqqqq' matched no library" \
	"one of two that is not there is reported"

# The same as objects, of which cuaudit report makes functions, files and lines.
compile -O1 -g -fno-builtin -w -Wl,--build-id -o "$tmp/lines" "$top_srcdir/t/dbgmem/cases.c" -pthread \
	-Wl,-rpath,"$simdir" "$simdir/libcuda.so.1" || bail_out "cannot build with -g"
objects='dbgmem(libraries=(main);format=json'
run CUAUDIT_OUTPUT="$tmp/found" CUAUDIT_HOOKS="$objects)" "$tmp/lines" device_freed
is "$status $(grep -c . "$tmp/found.dbgmem")" "134 1" "format=json: an object, though the process is aborted"
like "$(cat "$tmp/err")" 'source 0x[0-9a-f]* is freed' "... and the line"
# line TEXT: of cases.c that has it
line() {
	grep -n -F "$1" "$top_srcdir/t/dbgmem/cases.c" | head -n 1 | cut -d : -f 1
}
if command -v "$PYTHON3" >"$tmp/none" && grep -q '^#define HAVE_LIBDW 1' "$top_builddir/config.h"; then
	"$top_builddir/bin/cuaudit" report --format json "$tmp/found.dbgmem" >"$tmp/completed" 2>"$tmp/err"
	is "$? $(cat "$tmp/err") $("$PYTHON3" -c '
import json, sys
found = json.load(open(sys.argv[1]))
print(found["memory_function"], found["bytes"], found["finding"].split(":")[0])
for site in found, found["source"]["allocated"], found["source"]["freed"]:
    print(site.get("function", ""), site["caller_function"], site["caller_line"])' "$tmp/completed")" \
		"0  memcpy 100 dbgmem
 device_freed $(line 'memcpy(here, (void *)(memory + 64), n);')
cuMemAlloc_v2 device $(line 'cuMemAlloc_v2(&memory, SIZE))')
cuMemFree_v2 device_freed $(line 'cuMemFree_v2(memory);')" "... of the call, the allocation and the free, by line" || diag "$(cat "$tmp/completed")"
else
	skip 1 "no python3 or libdw"
fi
status=0
"$top_builddir/bin/cuaudit" report "$tmp/found.dbgmem" >"$tmp/out" 2>"$tmp/err" || status=$?
is "$status $(cat "$tmp/out" "$tmp/err")" \
	"2 cuaudit: $tmp/found.dbgmem: a report of the dbgmem hook, of which --format json names the call sites" "... as JSON alone"
for odd in errno_kept forked_amid small_stack unmapped_amid cancelled; do
	run CUAUDIT_OUTPUT="$tmp/odd-%p" CUAUDIT_HOOKS="$objects;action=report)" "$tmp/cases" $odd
	is "$status $(cat "$tmp/out")" "0 came through" "format=json, $odd: the program is well"
done
run CUAUDIT_OUTPUT="$tmp/none/such" CUAUDIT_HOOKS="$objects;action=report)" "$tmp/cases" overlap
is "$status $(cat "$tmp/out")" "0 came through" "format=json, no such directory: the program is well"
like "$(cat "$tmp/err")" 'memcpy of 100 bytes .*overlap' "... and the line is there"
run CUAUDIT_OUTPUT= CUAUDIT_HOOKS="$objects)" "$tmp/cases" overlap
is "$status $(cat "$tmp/err")" "85 cuaudit: dbgmem: format=json is for a file of its own; set CUAUDIT_OUTPUT" \
	"format=json without a file's name: refused"

# Who is excluded is not held to what is enforced, as the line says.
for exclude in "CUAUDIT_EXCLUDE=(main)" "CUAUDIT_INCLUDE=libother*"; do
	run "$exclude" "$tmp/cases" overlap
	is "$status $(cat "$tmp/out") $(grep -c overlap "$tmp/err")" "0 came through 0" "$exclude: nothing is checked"
	like "$(cat "$tmp/err")" "^cuaudit: ${exclude%%=*}=.* libraries are not held to: dbgmem" \
		"... and a line says so"
done
run CUAUDIT_EXCLUDE='(main)' "$tmp/cases" whose
is "$(cat "$tmp/out")" "libc.so.6 1" "excluded: memcpy is libc's own"
run CUAUDIT_EXCLUDE='libother*' "$tmp/cases" overlap
is "$(grep -c overlap "$tmp/err")" 1 "another is excluded: it is checked"

# what is not understood: main is not called
refused() {
	what=$1
	shift
	run "$@" "$tmp/cases" overlap
	is "$status $(cat "$tmp/out")" "85 " "refused: $what"
	is "$(grep -c . "$tmp/err")" 1 "$what: in one line"
	like "$(cat "$tmp/err")" "$what" "which says so"
}
refused 'CUAUDIT_DOMAINS does not have libc' CUAUDIT_DOMAINS=driver CUAUDIT_STRICT=1 \
	CUAUDIT_HOOKS='dbgmem(libraries=(main)),stat'
refused 'dbgmem: is given with libraries=.main. and with libraries=libx[*]; give it once' \
	CUAUDIT_HOOKS='dbgmem(libraries=(main)),dbgmem(libraries=libx*)'
refused "action takes abort.report, not 'warn'" CUAUDIT_HOOKS='dbgmem(libraries=(main);action=warn)'
refused 'did you mean action' CUAUDIT_HOOKS='dbgmem(libraries=(main);actoin=abort)'
refused 'libraries' CUAUDIT_HOOKS='dbgmem(libraries=(main):[a)'
refused 'libraries=GLOB.* is missing' CUAUDIT_HOOKS='dbgmem(action=report)'

# a debugger's breakpoint
like "$($NM -D --defined-only "$top_builddir/lib/cuaudit/cuaudit-core.so")" ' T cuaudit_dbg_memcpy' "it is exported"
if ! command -v gdb >"$tmp/none"; then
	skip 1 "no gdb"
elif ! timeout 300 gdb -nx -batch -ex run --args "$tmp/model" >"$tmp/none" 2>&1 ||
     ! grep -q "exited normally" "$tmp/none"; then
	skip 1 "no ptrace here"
else
	timeout 300 gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'set breakpoint pending on' \
		-ex "set environment LD_AUDIT $LIBCUAUDIT" -ex 'set environment CUAUDIT_DRIVER sim' \
		-ex 'set environment CUAUDIT_DOMAINS driver,libc' \
		-ex 'set environment CUAUDIT_HOOKS dbgmem(libraries=cases)' \
		-ex 'break cuaudit_dbg_memcpy' -ex run -ex bt --args "$tmp/cases" overlap \
		</dev/null >"$tmp/gdb" 2>&1
	like "$(cat "$tmp/gdb")" '^#[0-9]+ .* overlap \(\)' "a debugger stops there, in the call"
fi
done_testing
