# SPDX-License-Identifier: Apache-2.0
# NVTX ranges: what the program pushes is what the trace has, whatever it does to NVTX.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

injection=$top_builddir/lib/cuaudit/libcuaudit-nvtx.so
helpers nvtx/alone nvtx/ranges nvtx/hostile nvtx/library.so nvtx/second.so
unset NVTX_INJECTION64_PATH

# ranged NAME HOOKS PROGRAM ARGUMENT...: the traces in $tmp/traces, as jsonl in $tmp/lines.
ranged() {
	ranged_name=$1
	ranged_hooks=$2
	shift 2
	rm -rf "$tmp/traces"
	mkdir "$tmp/traces"
	status=0
	audited NVTX_INJECTION64_PATH="$injection" CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/traces/%p" \
		CUAUDIT_HOOKS="$ranged_hooks" "$@" >"$tmp/said" 2>"$tmp/err" || status=$?
	: >"$tmp/lines"
	: >"$tmp/decoded"
	for ranged_file in "$tmp"/traces/*.cutrace; do
		test -e "$ranged_file" || continue
		"$cuaudit" convert --to jsonl --demangle no --symbols no "$ranged_file" >"$tmp/one" 2>"$tmp/complaint" || :
		cat "$tmp/one" >>"$tmp/lines"
		command -v "$PYTHON3" >"$tmp/which" || continue
		"$PYTHON3" -B "$top_srcdir/t/trace/decode.py" "$top_srcdir/include/cuaudit" "$ranged_file" \
			"$tmp/one" >>"$tmp/decoded" 2>&1 || :
	done
	is "$(grep -v '^[0-9]* calls' "$tmp/decoded" | head -n 5)" "" "$ranged_name: as cuaudit-trace(5) has it"
}

# named TEXT: how many ranges of that text there are; unfinished TEXT: of them that have not ended.
named() {
	grep '"type":"range"' "$tmp/lines" | grep -c "\"text\":\"$1\"" || :
}

unfinished() {
	grep '"type":"range"' "$tmp/lines" | grep "\"text\":\"$1\"" | grep -c '"unfinished":true' || :
}

# lost REASON: what the file says is missing for that.
lost() {
	sed -n "s/.*\"type\":\"loss\".*\"reason\":\"$1\",\"count\":\([0-9]*\)}/\1/p" "$tmp/lines"
}

ranged "all kinds" trace "$tmp/ranges"
is "$(cat "$tmp/said")" "initialized 1
push 0
push 1
push 0 in a domain
pop 1
pop 0 in a domain
id yes
pop 0
pop -2 of none" "NVTX's answers: levels of each domain"
like "$(cat "$tmp/lines")" '"text":"step 1","category":3,"category_name":"kätegory","colour":"#ff00ff80","payload":"2.5"}' \
	"category, colour, payload of a double"
like "$(cat "$tmp/lines")" '"depth":2,"text":"registered","domain":"app","category":7,"category_name":"loading","payload":"-5"}' \
	"a domain, its category, a registered text, a signed payload"
is "$(named 'freed soon')" 1 "the text as it was when it was pushed"
like "$(cat "$tmp/lines")" '"event":"mark".*"text":"märk ' "a mark of wchar_t is UTF-8"
like "$(cat "$tmp/lines")" '"event":"start","thread":1,.*"end_thread":2,"text":"across threads"}' \
	"a range that ends on another thread"
is "$(unfinished 'never popped') $(unfinished 'never ended') $(unfinished 'open at the end') $(unfinished '.*')" \
	"1 1 1 3" "what is open when its thread or the process ends is unfinished"
is "$(lost 'ends of ranges that are not open')" 1 "a pop too many is counted"

ranged "texts" trace "$tmp/hostile" texts
is "$status" 0 "hostile texts: the program lives"
is "$(grep -c '"text":"b\{943\}".*"cut":true' "$tmp/lines")" 1 "10 MiB of text are cut, and that is said"
is "$(named 'of an old header')" 0 "attributes of fewer bytes than have a text"
is "$(named '.* not UTF-8 .*')" 1 "what is no UTF-8"
is "$(grep -c '"text":"��x' "$tmp/lines")" 1 "what is no character"

ranged "pops" trace "$tmp/hostile" pops
is "$(cat "$tmp/said")" "wrong levels: 0" "levels are right beyond what is recorded"
is "$(named deep) $(lost 'ranges inside of too many others') $(lost 'ends of ranges that are not open')" \
	"128 872 1001" "deep ranges and pops of nothing are counted"

ranged "domains" trace "$tmp/hostile" domains 1000
is "$status" 0 "garbage handles: the program lives"
is "$(grep -c '"domain":"(unknown domain)"' "$tmp/lines")" 5 "a domain of a handle that was not given"
is "$(named '(unregistered)')" 5 "a text of a handle that was not given"
ranged "too many domains" trace "$tmp/hostile" domains 70000
is "$(lost 'names of ranges, as there are too many' | awk '{ print ($1 > 4400) }')" 1 "too many domains are counted"

ranged "names" trace "$tmp/hostile" names
like "$(cat "$tmp/lines")" '"text":"of a","domain":"a","category":7,"category_name":"seven of a"' "a category of a domain"
like "$(cat "$tmp/lines")" '"text":"of b","domain":"b","category":7,"category_name":"seven of b","payload":"5"}' \
	"... of the same number in another; a payload of 32 bits"
like "$(cat "$tmp/lines")" '"category":9,"category_name":"first"' "the name that was given last, though not first"

tool convert --to chrome "$tmp/traces"
like "$(cat "$tmp/out")" '"name":"of a nameless category","args":\{"event":"mark","category":"4294967295"\}' \
	"a category without a name is its number, also where it is a text"

ok "a name that no event follows" grep -q '"thread_name":"named at the end"' "$tmp/lines"

ranged "crossing" trace "$tmp/hostile" crossing
is "$(grep -c '"text":"of a domain","domain":"app"' "$tmp/lines") $(named 'in its place') $(named around)" "2 2 1" \
	"a range that another domain's was popped in has its text in the child, too"

ranged "pointers" trace "$tmp/hostile" pointers
is "$status $(cat "$tmp/said")" "0 alive" "pointers that lead nowhere: the program lives"
is "$(named '(unreadable)') $(named 'the end') $(named w)" "26 1 1" "... and that is what their texts are"

ranged "signals" "trace(size=2M;when-full=ring)" "$tmp/hostile" signals
is "$(cat "$tmp/said")" "wrong: 0" "handlers that push and pop: levels and errno are right"
is "$(unfinished '.*')" 0 "... and nothing stays open"

ranged "siglongjmp" "trace(size=2M;when-full=ring)" "$tmp/hostile" leaves
is "$status" 0 "siglongjmp out of pushes and pops: the program lives"
is "$(named 'after all') $(unfinished 'after all')" "1 0" "... and is recorded afterwards"

ranged "longjmp" trace "$tmp/hostile" jump
is "$(named 'left by longjmp') $(unfinished '.*')" "1 0" "longjmp across a push"

ranged "forks" trace "$tmp/hostile" forks
is "$(find "$tmp/traces" -name '*.cutrace' | wc -l)" 2 "a forked child has a file of its own"
is "$(named 'of the parent') $(named 'of the child') $(unfinished '.*')" "2 1 0" \
	"what was open when it forked is open in the child"
is "$(lost 'ends of ranges that are not open')" 1 "... and what its parent lost is not its own loss"

ranged "vfork" trace "$tmp/hostile" vforks
is "$(cat "$tmp/said")" "pop 1, pop 0" "vfork: the child's range is its parent's"
is "$(named 'of the child') $(unfinished '.*')" "1 0" "... and in the trace"

ranged "two copies" trace "$tmp/hostile" libraries "$tmp/library.so"
is "$status $(cat "$tmp/said")" "0 wrong: 0" "two copies of NVTX, one of which is closed and opened again"
is "$(named 'pushed by the program') $(named 'pushed by the library') $(named 'left by the library') $(unfinished '.*')" \
	"100 100 100 0" "... what one pushes the other pops"

ranged "threads" trace "$tmp/hostile" threads 20
is "$(named 'left open') $(unfinished 'left open')" "1000 1000" "threads that end with open ranges"

ranged "starts" trace "$tmp/hostile" starts
is "$(tr '\n' ' ' <"$tmp/said")$(named many) $(lost 'ranges while too many were open')" "given 4096 again 5000 4096 904" \
	"5000 ranges that are open at once"
is "$(lost 'ends of ranges that are not open')" 1 "... of whose ends one is the program's mistake"

ranged "a killed process" trace "$tmp/hostile" killed
is "$(unfinished outer) $(unfinished inner) $(unfinished started)" "1 1 1" "SIGKILL leaves what was open"

ranged "a ring" "trace(size=1M;when-full=ring)" "$tmp/hostile" ring 50000
is "$(named outer) $(unfinished '.*')" "1 0" "a ring has the outer range, whose push is written over"
ok "... and the newest inner ones" test "$(named inner)" -gt 1000

ranged "started and stopped" "trace(start=cuDriverGetVersion:10;stop=cuDriverGetVersion:20)" "$tmp/hostile" ring 30
is "$(named outer) $(named inner)" "1 11" "ranges of the time that is recorded, with those that were open before"

ranged "no driver call before" trace "$tmp/hostile" late 3
is "$(named inner) $(unfinished '.*')" "3 0" "the core is loaded for the ranges"

# Nothing when no module wants it.
ranged "nobody asks" stat "$tmp/ranges"
is "$(cat "$tmp/said")" "initialized 0" "without a module that asks, NVTX is given no functions"
ranged "ranges=no" "trace(ranges=no)" "$tmp/ranges"
is "$(cat "$tmp/said") $(named '.*')" "initialized 0 0" "... nor with ranges=no"
is "$(NVTX_INJECTION64_PATH=$injection "$tmp/ranges")" "initialized 0" "nor where nothing is audited"
ranged_bad=$(audited NVTX_INJECTION64_PATH=/nonexistent CUAUDIT_DRIVER=sim CUAUDIT_HOOKS=trace CUAUDIT_OUTPUT="$tmp/x" "$tmp/ranges")
is "$ranged_bad" "initialized -1" "a file that is not there"

audited NVTX_INJECTION64_PATH="$tmp/no/libcuaudit-nvtx.so" CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(file=$tmp/lost.cutrace)" \
	"$tmp/ranges" >"$tmp/said" 2>"$tmp/err"
is "$(grep -v ' calls\? in ' "$tmp/err")" "cuaudit: no NVTX range is seen: NVTX_INJECTION64_PATH is $tmp/no/libcuaudit-nvtx.so, which cannot be read: No such file or directory" \
	"an injection that is not there is said"
audited NVTX_INJECTION64_PATH="$tmp/no/libcuaudit-nvtx.so" CUAUDIT_DRIVER=sim CUAUDIT_HOOKS=stat "$tmp/ranges" >"$tmp/said" 2>"$tmp/err"
unlike "$(cat "$tmp/err")" NVTX "... where ranges are wanted"

# Beside another tool.
second="second: 5 pushes, 5 pops, 2 starts, 1 ends, 1 marks, 0 wrong"
for who in audited plain; do
	run=$run_env
	test $who = plain || run="$run_env LD_AUDIT=$LIBCUAUDIT"
	rm -rf "$tmp/x"*
	$run NVTX_INJECTION64_PATH="$injection" CUAUDIT_NVTX="$tmp/second.so" CUAUDIT_DRIVER=sim \
		CUAUDIT_HOOKS=trace CUAUDIT_OUTPUT="$tmp/x" "$tmp/ranges" >"$tmp/said" 2>"$tmp/err"
	is "$(tail -n 1 "$tmp/said")" "$second" "another tool gets all, $who"
	is "$(sed -n 3p "$tmp/said")" "push 100" "... and the program its answers"
	test $who = plain || is "$("$cuaudit" convert --to jsonl "$tmp/x.cutrace" | grep -c '"type":"range"')" 9 \
		"... and the trace has all"
done
SECOND_FAILS=1
export SECOND_FAILS
audited NVTX_INJECTION64_PATH="$injection" CUAUDIT_NVTX="$tmp/second.so" CUAUDIT_DRIVER=sim CUAUDIT_HOOKS=trace \
	CUAUDIT_OUTPUT="$tmp/y" "$tmp/ranges" >"$tmp/said" 2>"$tmp/err"
is "$(sed -n 2p "$tmp/said")" "push 0" "another tool that fails leaves ours alone"
unset SECOND_FAILS

# One that is an injection of ours, too, or none at all.
cp "$injection" "$tmp/copy.so"
mkfifo "$tmp/fifo"
while IFS='|' read -r other says; do
	rm -f "$tmp/v"*
	audited NVTX_INJECTION64_PATH="$injection" CUAUDIT_NVTX="$other" CUAUDIT_DRIVER=sim CUAUDIT_HOOKS=trace \
		CUAUDIT_OUTPUT="$tmp/v" "$tmp/ranges" >"$tmp/said" 2>"$tmp/err"
	is "$("$cuaudit" convert --to jsonl "$tmp/v.cutrace" | grep -c '"type":"range"')" 9 \
		"CUAUDIT_NVTX=${other##*/}: each range once"
	is "$(sed 's|: [^ ]*: cannot open.*|: WHY|; s|Nvtx2: .*|Nvtx2: PATH|; s|FIFO: .*|FIFO: PATH|' "$tmp/err")" "$says" "... what is said"
done <<END
$injection|
$tmp/copy.so|
$tmp/fifo|cuaudit: no other tool gets ranges: CUAUDIT_NVTX is a FIFO: PATH
/nonexistent.so|cuaudit: no other tool gets ranges: CUAUDIT_NVTX: WHY
$LIBCUAUDIT|cuaudit: no other tool gets ranges: CUAUDIT_NVTX has no InitializeInjectionNvtx2: PATH
END

# A process that gained privileges: neither ours nor the other tool's acts.
if test "$(id -u)" = 0; then
	cp "$tmp/hostile" "$tmp/secure"
	chown nobody "$tmp/secure" && chmod 4755 "$tmp/secure" && chmod 711 "$tmp"
	NVTX_INJECTION64_PATH="$injection" CUAUDIT_NVTX="$tmp/second.so" LD_AUDIT=$LIBCUAUDIT CUAUDIT_HOOKS=trace \
		CUAUDIT_OUTPUT="$tmp/w" "$tmp/secure" secure >"$tmp/said" 2>&1
	case $(cat "$tmp/said") in
	"secure 0"*) skip 1 "no set-user-ID programs here" ;;
	*) is "$(cat "$tmp/said")" "secure 1, initialized 0" "AT_SECURE: NVTX is given no functions" ;;
	esac
else
	skip 1 "only root can make programs that gain privileges"
fi

# The command sets it, and hands on to one that was set.
unset SECOND_FAILS
for option in "" "$tmp/second.so"; do
	rm -rf "$tmp/z"
	NVTX_INJECTION64_PATH=$option "$cuaudit" trace --driver sim -o "$tmp/z" "$tmp/ranges" >"$tmp/said" 2>"$tmp/err"
	ranged_want="pop -2 of none"
	test -z "$option" || ranged_want=$second
	is "$(tail -n 1 "$tmp/said")" "$ranged_want" "cuaudit trace, with '${option##*/}'"
done

# Selectors of hooks.
in_range() {
	audited NVTX_INJECTION64_PATH="$injection" CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="$1" "$tmp/ranges" \
		2>&1 >"$tmp/said" | grep "$2"
}
like "$(in_range 'stat(in-range=step*)' 'calls')" '4 calls of 2 driver' "stat(in-range=): calls of a range and those in it"
is "$(in_range 'trace(text=yes;in-range=regis*)' '' | grep -c 'cu[A-Z]')" 2 "trace(in-range=)"
like "$(in_range 'fault(inject=cuDriverGetVersion:range=work*:error=2)' injected)" 'cuDriverGetVersion' "fault: range="
like "$(in_range 'stat(in-range=nobody)' 'NVTX range nobody')" 'pushed no range of such a name' "a selector that takes no range is reported"
like "$(NVTX_INJECTION64_PATH='' audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS='stat(in-range=x)' "$tmp/ranges" 2>&1)" \
	'NVTX_INJECTION64_PATH is not' "... and where nobody sets the injection"
tool stat --driver sim --in-range 'step*' "$tmp/ranges"
like "$(cat "$tmp/err")" ' 4 calls of 2 driver' "cuaudit stat --in-range"
tool trace --driver sim --in-range 'regis*' -o "$tmp/some" "$tmp/ranges"
tool convert --to csv "$tmp/some"
is "$(sed -n 's/.*,\(cuDriverGetVersion\|cuInit\),.*,/\1 /p' "$tmp/out" | tr -d '\r')" "cuDriverGetVersion registered
cuDriverGetVersion registered" "cuaudit trace --in-range, and csv's column"
for ranged_command in stat trace; do
	refused 2 "$ranged_command: in-range takes a glob" "$ranged_command: an empty glob" \
		$ranged_command --driver sim --in-range '' "$tmp/ranges"
	refused 2 "--in-range: no ';' and no bracket" "$ranged_command: another option" \
		$ranged_command --driver sim --in-range 'x;print=yes' "$tmp/ranges"
	refused 2 "--in-range: no ';' and no bracket" "$ranged_command: a bracket" \
		$ranged_command --driver sim --in-range 'x)' "$tmp/ranges"
done

# Formats and reports; the trace of all kinds.
rm -rf "$tmp/traces"
audited NVTX_INJECTION64_PATH="$injection" CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/all" CUAUDIT_HOOKS=trace \
	"$tmp/ranges" >"$tmp/said" 2>"$tmp/err"
trace=$tmp/all.cutrace
tool convert --to text "$trace"
like "$(cat "$tmp/out")" '\{ registered, loading = -5 \} <.*> app$' "text: name, category, payload, domain"
like "$(cat "$tmp/out")" '\{ never popped \} <unfinished>' "text: unfinished"
tool convert --to text --in-range 'regis*' "$trace"
is "$(grep -c 'cuDriverGetVersion' "$tmp/out") $(grep -c 'cuInit' "$tmp/out")" "2 0" "convert --in-range"
tool convert --to chrome "$trace"
is "$(grep -c '"cat":"nvtx"' "$tmp/out") $(grep -c '"ph":"[XB]".*"cat":"nvtx"' "$tmp/out")" "12 5" \
	"chrome: pushed ranges on their thread's row, others apart"
if command -v "$PYTHON3" >"$tmp/which"; then
	ok "chrome: JSON" "$PYTHON3" -c 'import json, sys; json.load(open(sys.argv[1]))' "$tmp/out"
fi
tool convert --to perfetto -o "$tmp/pftrace" "$trace"
if ! grep -q 'built without' "$tmp/err"; then
	"$PERL" "$top_srcdir/t/convert/perfetto.pl" "$tmp/pftrace" >"$tmp/is" 2>"$tmp/walk.err"
	is "$(sed -n 's/^slice \(worker\|step 1\|registered\|never popped\) /\1 /p' "$tmp/is" | LC_ALL=C sort)" \
		"never popped 1
registered 1
step 1 1
worker 1" "perfetto: a slice for each range"
	is "$(sed -n 's/^unfinished //p' "$tmp/is")" 3 "perfetto: those that have not ended have no end"
fi
# What belongs to a range is with it wherever it is a slice: "step 1", of a category, a colour and a payload.
attributes='event push category kätegory colour #ff00ff80 payload 2.5'
tool convert --to chrome "$trace"
is "$(sed -n 's/.*"name":"step 1","args":{\("event".*\)}},*$/\1/p' "$tmp/out" | tr -d '":' | sed 's/eventpush/event push/; s/,category/ category /; s/,colour/ colour /; s/,payload/ payload /')" \
	"$attributes" "chrome: category, colour and payload"
tool convert --to otlp "$trace"
for attribute in 'nvtx.category kätegory' 'nvtx.colour #ff00ff80' 'nvtx.payload 2.5'; do
	is "$(grep -o '"name":"step 1","kind".*' "$tmp/out" | sed 's/"traceId".*//' |
		grep -c "\"${attribute% *}\",\"value\":{\"stringValue\":\"${attribute#* }\"}")" 1 "otlp: ${attribute% *}"
done
tool convert --to perfetto -o "$tmp/pftrace" "$trace"
if ! grep -q 'built without' "$tmp/err"; then
	for attribute in colour '#ff00ff80' 'kätegory' 2.5; do
		is "$(LC_ALL=C grep -a -c -F "$attribute" "$tmp/pftrace" | sed 's/[1-9][0-9]*/some/')" some "perfetto: $attribute"
	done
fi
tool convert --to ctf -o "$tmp/ctf" "$trace"
if command -v babeltrace2 >"$tmp/which"; then
	babeltrace2 "$tmp/ctf" >"$tmp/events" 2>"$tmp/read.err"
	like "$(cat "$tmp/events")" 'nvtx:push: .*text = "step 1", domain = "", category = "kätegory", colour = "#ff00ff80", payload = "2.5"' \
		"ctf: category, colour and payload"
else
	skip 1 "no babeltrace2"
fi
tool report --html "$tmp/page.html" "$trace"
like "$(cat "$tmp/page.html")" ',65408[],]' "the page: colour of a range"
tool convert --to sqlite -o "$tmp/db" "$trace"
if ! grep -q 'built without' "$tmp/err" && "$PYTHON3" -c 'import sqlite3' 2>"$tmp/which"; then
	is "$("$PYTHON3" -c '
import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
print(base.execute("SELECT domain, category_name, payload, depth FROM range WHERE text = ?", ("registered",)).fetchall())
print(base.execute("SELECT category_name, colour FROM range WHERE text = ?", ("step 1",)).fetchall())
print(base.execute("SELECT count(*), count(\"end\") FROM NVTX_EVENTS").fetchall())
print(base.execute("SELECT ranges, unfinished FROM by_range WHERE range = ?", ("worker",)).fetchall())' "$tmp/db")" \
		"[('app', 'loading', '-5', 2)]
[('kätegory', 4278255488)]
[(9, 5)]
[(1, 0)]" "sqlite: the table, and the views"
fi
tool report --by range "$trace"
like "$(cat "$tmp/out")" ' 2 +0 +0 .*  registered$' "report --by range: calls by their innermost range"
like "$(cat "$tmp/out")" ' 1 +0 +0 .*  \(outside of all\)$' "... and those outside"
tool report --by function --in-range 'st*' "$trace"
like "$(cat "$tmp/out")" ': 4 calls of 2 driver functions on 1 thread' "report --in-range"
tool report --by function --in-range 'freed*' "$trace"
like "$(cat "$tmp/out")" ': 2 calls of 2 driver functions' "... not once it was popped in another domain's"
refused 2 "--in-range takes a glob" "an unfinished set" convert --to text --in-range 'a[b' "$trace"
refused 2 "--in-range takes a glob" "an empty glob" convert --to text --in-range '' "$trace"
refused 2 "stat: in-range takes a glob" "an unfinished set" run --hooks 'stat(in-range=[a)' true
refused 2 "fault: range takes a glob" "an unfinished set of a rule" run --hooks 'fault(inject=*:range=[a:error=1)' true

# Without a driver call, ranges alone make a file.
ranged "a library that is ready to use NVTX" trace "$tmp/alone" name domain pop
is "$status $(ls "$tmp/traces") $(cat "$tmp/err")" "0  " "... and names no range: no file, and no line"
ranged "a range and no call" trace "$tmp/alone" push pop
is "$status $(ls "$tmp/traces" | wc -l) $(named alone) $(unfinished alone)" "0 1 1 0" "... is in a file"
is "$(grep -c '"type":"call"' "$tmp/lines")" 0 "... which has no call"
ranged "ranges=no" "trace(ranges=no)" "$tmp/alone" push pop
is "$status $(ls "$tmp/traces")" "0 " "... has none"
done_testing
