# SPDX-License-Identifier: Apache-2.0
# What each module does when it cannot do its work is what libcuaudit(7)'s table says.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

core=$top_builddir/lib/cuaudit
fake_driver
helper hostile/failure
helper plugins/filler.so
build own.so -w -shared -fPIC "$top_srcdir/t/plugins/good.c" -L"$core" -l:cuaudit-core.so

# run HOOKS OUTPUT: $status, $tmp/out, $tmp/err
run() {
	status=0
	rm -f "$tmp"/o "$tmp"/o.*
	case $1 in
	*dbgmem*) domains=driver,libc ;;
	*) domains=driver ;;
	esac
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_DOMAINS=$domains CUAUDIT_HOOKS="$1" CUAUDIT_OUTPUT="$2" "$tmp/failure" \
		>"$tmp/out" 2>"$tmp/err" || status=$?
}

# happened MODULE: in the words of the table's first two columns; a message there is in any case
happened() {
	if test "$status" -eq 85; then
		what="status 85"
	elif grep -q '^good: ' "$tmp/out" || test -e "$tmp/o" ||
		ls "$tmp"/o.* >"$tmp/ls" 2>&1; then
		what=default
	elif test "$status $(cat "$tmp/out")" = "0 memory 0"; then
		what="left out"
	else
		what="status $status"
	fi
	test -s "$tmp/err" || what="$what in silence"
	echo "$what"
}

# of_output: in those of the third
of_output() {
	what=
	grep -q "^cuaudit: .*/nowhere/o" "$tmp/err" && what=message
	case "$status $(head -n 1 "$tmp/out")" in
	"0 memory 0") ;;
	"0 memory 2") what="$what, injects" ;;
	"0 memory 800") what="$what, limits" ;;
	*) what="$what, status $status" ;;
	esac
	grep -q '^good: ' "$tmp/out" && what="its own"
	echo "${what:-none}"
}

# The page's rows: module, then its three answers, by tabs.
rows=$(awk '
	/^\.Bl -column "coverage, fail"/ { on = 1 }
	/^\.El/ { on = 0 }
	on && sub(/^\.It /, "") && !/^Sy/ { gsub(/ Ta /, "\t"); print }' "$top_srcdir/man/libcuaudit.7")
is "$(echo "$rows" | wc -l)" 12 "the table has twelve rows"

# row MODULE WRONG RIGHT: hooks with a wrong option, and without
row() {
	run "$2" "$tmp/o"
	row_wrong=$(happened)
	cp "$tmp/err" "$tmp/first"
	run "$tmp/filler.so,$3" "$tmp/o"
	row_start=$(happened)
	like "$(cat "$tmp/err")" "^cuaudit: .* does not start: .*(there is no room for its hooks|answered error)" \
		"$1: why it does not start"
	run "$3" /nowhere/o
	is "$1	$row_wrong	$row_start	$(of_output)" "$(echo "$rows" | grep "^$1	")" "$1"
	is "$(wc -l <"$tmp/first")" 1 "$1: one line on a wrong option"
	CUAUDIT_STRICT=1
	export CUAUDIT_STRICT
	run "$2" "$tmp/o"
	row_wrong=$(happened)
	run "$tmp/filler.so,$3" "$tmp/o"
	is "$row_wrong $(happened)" "status 85 status 85" "$1: strict"
	CUAUDIT_STRICT=0
	run "$2" "$tmp/o"
	row_wrong=$status
	run "$tmp/filler.so,$3" "$tmp/o"
	ok "$1: not strict, $row_wrong $status" test "$row_wrong" -ne 85 -a "$status" -ne 85
	unset CUAUDIT_STRICT
}
row coverage 'coverage(format=x)' coverage
row "coverage, fail" 'coverage(format=x;fail=escapes)' 'coverage(fail=escapes)'
test "$(loader_family)" = old || row dbgmem 'dbgmem(library=(main))' 'dbgmem(libraries=(main))'
row fault 'fault(inject=cuMemAlloc:eror=2)' 'fault(inject=cuMemAlloc:error=2)'
row leak 'leak(format=x)' leak
row "leak, fail" 'leak(format=x;fail=any)' 'leak(fail=any)'
row limit 'limit(deny=cuMemAloc)' 'limit(deny=cuMemAlloc)'
echo 'never cuMemAlloc' >"$tmp/no.rules"
row rules "rules(flie=$tmp/no.rules)" "rules(file=$tmp/no.rules)"
row stat 'stat(threads=x)' stat
row "stat, fail" 'stat(threads=x;fail=errors)' 'stat(fail=errors)'
row trace 'trace(size=x)' trace
row plug-ins "$tmp/own.so(wrod=x)" "$tmp/own.so"

# More modules than there is room for: nobody knows what the last one would enforce.
many=
for number in $(seq 17); do
	cp "$tmp/own.so" "$tmp/own$number.so"
	many="$many,$tmp/own$number.so"
done
run "${many#,}" "$tmp/o"
is "$status $(sed 's/.*own17/own17/' "$tmp/err")" "85 own17.so: only 16 modules at once" "17 modules"

# Room for one hook more, but not on every function: as above, when the core is loaded.
run "$tmp/filler.so(hooks=16),stat" "$tmp/o"
is "$status" 0 "17 hooks of a function: the program runs on"
like "$(cat "$tmp/err")" "1 functions have more than 16 hooks, .*; none of their hooks is called" \
	"which is reported"
run "$tmp/filler.so(hooks=16),limit(deny=cuMemAlloc)" "$tmp/o"
is "$status $(cat "$tmp/out")" "85 " "with one that enforces it does not"
run "$tmp/filler.so(hooks=15),limit(deny=cuInit)" "$tmp/o"
is "$status" 0 "16 hooks of a function"
CUAUDIT_STRICT=1
export CUAUDIT_STRICT
run "$tmp/filler.so(hooks=16),stat" "$tmp/o"
is "$status" 85 "17 hooks, strict"
done_testing
