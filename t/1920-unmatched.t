# SPDX-License-Identifier: Apache-2.0
# Patterns that matched nothing by the end: one line each, with what is near.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
helpers fault/calls fault/libasker.so
helper routes/forks
program=$tmp/calls

# said LINES NAME VARIABLE=VALUE...: what is on stderr
said() {
	said_lines=$1
	said_name=$2
	shift 2
	status=0
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS= "$@" "$program" alloc 1 lib 2 >"$tmp/out" \
		2>"$tmp/err" || status=$?
	is "$status $(cat "$tmp/err")" "0 $said_lines" "$said_name"
}

said "" "what matches" CUAUDIT_INCLUDE='(main):libask*' CUAUDIT_EXCLUDE='libc.so*'
said "" "a library that asks for nothing matches" CUAUDIT_EXCLUDE='libc.so.6'
said "" "by the path" CUAUDIT_EXCLUDE="$tmp/libask*"
said "cuaudit: CUAUDIT_EXCLUDE: 'libaksre*' matched no library; did you mean libasker.so?" \
	"EXCLUDE" CUAUDIT_EXCLUDE='libaksre*'
said "cuaudit: CUAUDIT_INCLUDE: 'libaskr.so' matched no library; did you mean libasker.so?" \
	"INCLUDE, beside what matches" CUAUDIT_INCLUDE='(main):libaskr.so'
said "cuaudit: CUAUDIT_EXCLUDE: 'libasker.so.1234*' matched no library; did you mean libasker.so?" \
	"of another version" CUAUDIT_EXCLUDE='libasker.so.1234*'
said "cuaudit: CUAUDIT_EXCLUDE: 'libasker.so.12.34.5678.90.1234*' matched no library; did you mean libasker.so?" \
	"... however long it is" CUAUDIT_EXCLUDE='libasker.so.12.34.5678.90.1234*'
said "cuaudit: CUAUDIT_INCLUDE: 'libaskr.so' matched no library; did you mean libasker.so?" \
	"INCLUDE, which keeps all out" CUAUDIT_INCLUDE='libaskr.so'
said "" "... by errors alone" CUAUDIT_INCLUDE='libaskr.so' CUAUDIT_LOG=error
said "cuaudit: CUAUDIT_EXCLUDE: '/nowhere/libaskr.so' matched no library; did you mean libasker.so?" \
	"a path" CUAUDIT_EXCLUDE='/nowhere/libaskr.so'
said "cuaudit: CUAUDIT_EXCLUDE: 'qqqqqqqqqqqqqqqqqq' and 2 more matched no library" \
	"more than one, near to nothing" CUAUDIT_EXCLUDE='qqqqqqqqqqqqqqqqqq:::x:libask*:y'
directory=$(basename "$tmp")
said "cuaudit: CUAUDIT_EXCLUDE: '*$directory*' matched no library; did you mean */*$directory*/*?" \
	"a directory's name" CUAUDIT_EXCLUDE="*$directory*"
long=$(printf 'x%0300d' 0)
said "cuaudit: CUAUDIT_EXCLUDE: '$(echo "$long" | cut -c1-256)...' matched no library" "a long one" \
	CUAUDIT_EXCLUDE="$long:libask*"
said "cuaudit: CUAUDIT_INCLUDE: '$(echo "$long" | cut -c1-256)...' matched no library" \
	"a long one that keeps all out" CUAUDIT_INCLUDE="$long"
said "" "by errors alone, when what enforces something has started" CUAUDIT_EXCLUDE='libaksre*' \
	CUAUDIT_LOG=error CUAUDIT_HOOKS='coverage(fail=escapes)' CUAUDIT_OUTPUT="$tmp/report"
said "" "by errors alone" CUAUDIT_EXCLUDE='libaksre*' CUAUDIT_LOG=error
said "cuaudit: CUAUDIT_FUNCTIONS: 'cuMemAlok*' names no function; did you mean cuMemAlloc, cuMemFree, cuMemMap?; all functions are hooked" \
	"FUNCTIONS" CUAUDIT_FUNCTIONS='cuMemAlok*'
said "" "a function that is never called is one" CUAUDIT_FUNCTIONS='cuMemAllocManaged'

audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS='fault(inject=cuMemAlloc:error=2:lib=libaksre*;log=0)' \
	"$program" alloc 1 lib 2 >"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/err")" "^cuaudit: fault: 'libaksre.' matched no library; did you mean libasker.so" \
	"a hook's libraries"
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="trace(file=$tmp/t;library=libaksre*)" "$program" alloc 1 \
	>"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/err")" "^cuaudit: trace: 'libaksre.' matched no library" "trace's"
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="trace(file=$tmp/t;thread=cals)" "$program" alloc 1 \
	>"$tmp/out" 2>"$tmp/err"
is "$(cat "$tmp/err")" "cuaudit: trace: thread=cals matched no thread; did you mean calls?" "trace's threads"
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="trace(file=$tmp/t;thread=zzzzzzzzzz*)" "$program" alloc 1 \
	>"$tmp/out" 2>"$tmp/err"
is "$(cat "$tmp/err")" "cuaudit: trace: thread=zzzzzzzzzz* matched no thread; the first was called calls" \
	"like no thread"
audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="trace(file=$tmp/t;thread=c*)" "$program" alloc 1 \
	>"$tmp/out" 2>"$tmp/err"
is "$(cat "$tmp/err")" "" "one that matches"

program=$tmp/forks
said "cuaudit: CUAUDIT_EXCLUDE: 'qqqqqqqqqqqq*' matched no library" "a child of fork says nothing again" \
	CUAUDIT_EXCLUDE='qqqqqqqqqqqq*'
said "cuaudit: CUAUDIT_INCLUDE: 'qqqqqqqqqqqq*' matched no library" "... nor where it keeps all out" \
	CUAUDIT_INCLUDE='qqqqqqqqqqqq*'
done_testing
