# SPDX-License-Identifier: Apache-2.0
# CUAUDIT_PROVIDERS: functions of any library go through the hooks, and programs are as without.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

test "$(loader_family)" = new || skip_all "the loader does not report all bindings"

here=$top_srcdir/t/providers
cd "$tmp" || exit 1

# built FILE ARGUMENTS...: with the libraries of this directory.
built() {
	built_as=$1
	shift
	compile -Wno-psabi -O1 -o "$built_as" "$@" -Wl,-rpath,"$tmp" -L"$tmp" -ldl -lm >build.out 2>&1 || {
		sed 's/^/# /' build.out
		bail_out "cannot build $built_as"
	}
}
library() {
	library_name=$1
	shift
	built "$library_name" -shared -fPIC -Wl,-soname,"$library_name" "$@"
}
library libprovided.so.1 -Wl,--version-script="$here/provided.map" "$here/provided.c"
library libmore.so.1 "$here/more.c" -l:libprovided.so.1
library libcuda.so.1 -xc /dev/null

# provided [VARIABLE=VALUE...] COMMAND...: what it prints, in out; stat's counts, in counts; messages, in err
provided() {
	status=0
	rm -f counts*
	audited CUAUDIT_PROVIDERS="${list-libprovided.so.*:libmore.so.1}" CUAUDIT_OUTPUT="$tmp/counts" \
		timeout 300 env "$@" >out 2>err || status=$?
}
# calls: of each function, by name
calls() {
	sed -n '/  Name$/,/^$/p' counts | sed -n 's/^ *[0-9.]* *[^ ]* *\([0-9]*\) .* \([^ ]*:[^ ]*\)$/\2 \1/p' | sort
}

# all ways to come by a function, and all that the ABI has
expected="libmore.so.1:shared_more 1
libprovided.so.1:add 5
libprovided.so.1:chosen 2
libprovided.so.1:mixed 1
libprovided.so.1:take_aligned 1
libprovided.so.1:take_complex 1
libprovided.so.1:take_float_complex 1
libprovided.so.1:take_floats 1
libprovided.so.1:take_large 1
libprovided.so.1:take_long_complex 1
libprovided.so.1:take_long_double 1
libprovided.so.1:take_pair 1
libprovided.so.1:take_small 1
libprovided.so.1:text 1
libprovided.so.1:thirty 1
libprovided.so.1:total 1
libprovided.so.1:versioned 2
libprovided.so.1:versioned@PROVIDED_1 1
libprovided.so.1:with_callback 1"
for how in "lazy -fPIE -pie -Wl,-z,lazy" "now -fPIE -pie -Wl,-z,now" "noplt -fPIE -pie -fno-plt" \
	"fixed -fno-pie -no-pie -Wl,-z,lazy" "fixednow -fno-pie -no-pie -Wl,-z,now"; do
	set -- $how
	name=$1
	shift
	built "$name" "$@" "$here/uses.c" -l:libprovided.so.1 -l:libmore.so.1
	$run_env "./$name" >native
	is "$?" 0 "$name: the program itself"
	for hooks in stat 'stat(clock=no)' 'trace(text=yes)' stat,trace coverage; do
		provided CUAUDIT_HOOKS="$hooks" "./$name"
		is "$status" 0 "$name, $hooks: the program is well"
		ok "$name, $hooks: it prints the same" cmp native out
	done
	provided "./$name"
	ok "$name: it prints the same" cmp native out
	is "$(calls | sed 's/:add_again /:add /')" "$expected" "$name: all calls are counted, none of itself, none twice"
	is "$(cat err)" "cuaudit: not intercepted: $tmp/libprovided.so.1: functions that return twice, that the loader calls, or that have vectors for arguments, have no slot" \
		"$name: what returns twice is left, and that is said"
	provided CUAUDIT_EXCLUDE='(main)' "./$name"
	is "$(calls)" "libprovided.so.1:add 1" "$name: excluded"
done 2>/dev/null
provided LD_BIND_NOW=1 ./lazy
is "$(calls | sed 's/:add_again /:add /')" "$expected" "LD_BIND_NOW"

# no providers: nothing of it
status=0
audited CUAUDIT_OUTPUT="$tmp/none" ./lazy >out 2>err || status=$?
is "$status $(cat err)$(ls none 2>&1 | grep -c 'No such')" "0 1" "unset: nothing is reported"

# which functions: selectors
provided CUAUDIT_FUNCTIONS='libprovided.so.*:take_*,!libprovided.so.*:*complex' ./lazy
is "$(calls | sed 's/.*://; s/ .*//' | tr '\n' ' ')" "take_aligned take_floats take_large take_long_double take_pair take_small " "a glob"
provided CUAUDIT_FUNCTIONS='=libprovided.so.1:thirty' ./lazy
is "$(calls)" "libprovided.so.1:thirty 1" "a name"
provided CUAUDIT_FUNCTIONS='/total$/' ./lazy
like "$(cat err)" "'/total\\$/' names no function" "a regex that names none yet"
provided CUAUDIT_FUNCTIONS='%providers' ./lazy
is "$(calls | sed 's/:add_again /:add /')" "$expected" "%providers"
provided CUAUDIT_FUNCTIONS='%driver' ./lazy
is "$(cat counts 2>/dev/null)" "" "%driver"
provided CUAUDIT_FUNCTIONS='thirty' ./lazy
like "$(cat err)" "CUAUDIT_FUNCTIONS: 'thirty' names no function" "a name without its library"
provided CUAUDIT_FUNCTIONS='libprovided.so.1:thirty,libprovided.so.1:fourty,libmor.so.1:*' ./lazy
like "$(cat err)" "CUAUDIT_FUNCTIONS: 'libprovided.so.1:fourty' and 1 more named no function that the program bound" \
	"names of functions that were not bound"
for hooks in '' 'fault(inject=libprovided.so.1:add:error=2)' coverage stat; do
	provided CUAUDIT_HOOKS="$hooks" CUAUDIT_FUNCTIONS='libprovided.so.1:add,libprovided.so.1:add_again,libprovided.so.1:thirty' ./lazy
	unlike "$(cat err)" "named no function" "hooks '$hooks': names of functions that were bound"
	provided CUAUDIT_HOOKS="$hooks" CUAUDIT_FUNCTIONS='libprovided.so.1:add,libprovided.so.1:thirt' ./lazy
	like "$(cat err)" "CUAUDIT_FUNCTIONS: 'libprovided.so.1:thirt' named no function" "hooks '$hooks': and one that was not"
done
status=0
CUAUDIT_FUNCTIONS='libprovided.so.1:thirty' "$top_builddir/bin/cuaudit" run ./lazy >out 2>err || status=$?
is "$status" 2 "no providers: such a name is refused before the program starts"
like "$(cat err)" "'libprovided.so.1:thirty' names no function" "and named"

# fault, trace, rules
provided CUAUDIT_HOOKS='fault(inject=libprovided.so.1:add:error=2)' ./lazy
is "$(sed -n 1p out)" "2 6167910" "fault: answers for the function"
like "$(cat counts*)" 'fault: rule 1, call 1, .*: libprovided.so.1:add(_again)?\(0x1, 0x2, .*\) is not called but returns 2$' "fault: says so"
provided CUAUDIT_HOOKS='fault(inject=libprovided.so.1:chosen:result=5)' ./lazy
is "$(sed -n 14p out)" "5 5 5 42" "fault: another result"
provided CUAUDIT_HOOKS='fault(inject=libprovided.so.1:add:lib=libmore.so.1:error=2)' ./lazy
is "$(sed -n 1p out)" "3 6167910" "fault: by caller, not for another one"
provided CUAUDIT_HOOKS='fault(inject=libprovided.so.1:add:lib=(main):error=2)' ./lazy
is "$(sed -n 1p out)" "2 6167910" "fault: by caller, for that one"
provided CUAUDIT_INCLUDE='libmore.so.1' ./lazy
is "$(calls | sed 's/ .*//' | grep -v ':add' | tr '\n' ' ')" "" "included: calls of other libraries are not seen"
provided CUAUDIT_INCLUDE='(main)' ./lazy
like "$(calls)" 'libprovided.so.1:chosen 2' "included: its own are"
provided CUAUDIT_HOOKS='fault(inject=libprovided.so.1:ad:error=1)' ./lazy
like "$(cat err)" "fault: 'libprovided.so.1:ad' named no function that the program bound" "fault: a name that is none"
provided CUAUDIT_HOOKS='trace(text=yes)' ./lazy
like "$(cat counts*)" 'libprovided.so.1:add(_again)?\(0x1, 0x2(, 0x[0-9a-f]*){4}, ...\) = 0x3 <' "trace: raw words"
provided CUAUDIT_HOOKS="trace(file=$tmp/a.cutrace)" ./lazy
rm -rf a.ctf
"$top_builddir/bin/cuaudit" convert --to ctf -o a.ctf a.cutrace >out.ctf 2>&1
if command -v babeltrace2 >babel; then
	is "$(babeltrace2 a.ctf | sed -n 's/.*libprovided.so.1:add[^ ]*_exit: .*result = ( "\([^"]*\)" .*/\1/p' | sort -u)" returned \
		"trace: in CTF a function whose results are not known has returned"
else
	skip 1 "no babeltrace2"
fi
"$top_builddir/bin/cuaudit" report --format json a.cutrace >report.json
is "$($PYTHON3 -c '
import json
for row in json.load(open("report.json"))["functions"]:
    if row["name"].endswith("thirty") or "versioned@" in row["name"]:
        print(row["name"], row["calls"], row["errors"])' | sort)" \
"libprovided.so.1:thirty 1 0
libprovided.so.1:versioned@PROVIDED_1 1 0" "trace: names, no errors"
for format in text jsonl csv chrome; do
	"$top_builddir/bin/cuaudit" convert --to $format --symbols no a.cutrace >converted
	is "$(grep -c 'CUDA_SUCCESS\|CUDA_ERROR' converted) $(grep -c 'returned' converted | sed 's/[1-9][0-9]*/some/')" "0 some" \
		"$format: no results of the driver's"
done
"$top_builddir/bin/cuaudit" convert --to text a.cutrace >converted
like "$(cat converted)" 'libprovided.so.1:thirty\(0x1, 0x2, 0x3, 0x4, 0x5, 0x6, ...\) = returned' "text: raw words"
# converted_to SELECTOR: of how many calls, and of how many of them of provided libraries
converted_to() {
	"$top_builddir/bin/cuaudit" convert --to jsonl --symbols no --functions "$1" a.cutrace >converted 2>convert.err
	echo "$(grep -c '"function":' converted) $(grep -c '"function":"lib[a-z]*.so.1:' converted)"
}
provided_calls=$("$top_builddir/bin/cuaudit" convert --to jsonl --symbols no a.cutrace | grep -c '"function":"lib')
like "$provided_calls" "^[1-9]" "convert: there are such calls"
is "$(converted_to %providers)" "$provided_calls $provided_calls" "convert: %providers"
is "$(converted_to '!%providers' | sed 's/.* //') $(converted_to %driver | sed 's/.* //')" "0 0" \
	"convert: !%providers and %driver have none of them"
printf 'at-most 1 libprovided.so.1:chosen\n' >some.rules
status=0
CUAUDIT_PROVIDERS='libprovided.so.*' "$top_builddir/bin/cuaudit" check --rules some.rules ./lazy >out 2>&1 || status=$?
is "$status" 88 "rules: a broken one"
for name in add add_again; do
	printf "at-most 3 libprovided.so.1:$name\n" >some.rules
	status=0
	CUAUDIT_PROVIDERS='libprovided.so.*' "$top_builddir/bin/cuaudit" check --rules some.rules ./lazy >out 2>&1 || status=$?
	is "$status" 88 "rules: by either name, $name"
done
provided CUAUDIT_HOOKS='leak,limit(memory=1G)' ./lazy
is "$status $(grep -v 'not intercepted' err)" "0 " "hooks of driver calls have none of them"

# the stack that a call has as long as it is open: the manual says 2 KiB
built deep "$here/deep.c" -l:libprovided.so.1
alone=$($run_env ./deep)
provided ./deep
ok "a call takes $(($(cat out) - alone)) bytes of stack, 2048 at most" test "$(cat out)" -gt "$alone" -a \
	"$(($(cat out) - alone))" -le 2048

# who is refused, who never came
for refused in libcuda.so.1 'lib*' libc.so.6 'ld-linux*' libcuaudit.so cuaudit-core.so libpthread.so.0 linux-vdso.so.1 'linux-*' '*' libcu*; do
	status=0
	CUAUDIT_PROVIDERS="libm.so.6:$refused" "$top_builddir/bin/cuaudit" run ./lazy >out 2>err || status=$?
	is "$status $(cat out)" "2 " "$refused: the program is not started"
	like "$(cat err)" "CUAUDIT_PROVIDERS: 'libm.so.6:.*' takes [^ ]*, which .*; name other libraries" "$refused: and why"
done
status=0
CUAUDIT_PROVIDERS='lib[' "$top_builddir/bin/cuaudit" run ./lazy >out 2>err || status=$?
is "$status" 2 "an unfinished glob"
list="libprovided.so.*:libprovided.so.2"
provided ./lazy
like "$(cat err)" "CUAUDIT_PROVIDERS: 'libprovided.so.2' is not watched: no such library was loaded; did you mean libprovided.so.1" \
	"one that was never loaded"
is "$(grep -c 'not watched' err)" 1 "and that alone"
for program in lazy '(main)'; do
	list="libprovided.so.*:$program"
	provided ./lazy
	is "$(grep 'not watched' err)" \
		"cuaudit: CUAUDIT_PROVIDERS: '$program' is not watched: that is the program itself; name libraries" \
		"the program itself: $program"
done
list="libprovided.so.*:lazi"
provided ./lazy
like "$(cat err)" "'lazi' is not watched: no such library was loaded\$" "the program is no library to have been meant"
list="libprovided.so.*:libq.so.1"
provided ./lazy
like "$(cat err)" "'libq.so.1' is not watched: no such library was loaded\$" "nor is libc, for another library of one letter"

# what loads none of them: the command tells, a process by itself is silent, as its settings are inherited
for command in stat 'check --rules none.rules' 'manifest --'; do
	echo 'at-most 1 libnone.so.2:f' >none.rules
	# shellcheck disable=SC2086 # a command and its options
	CUAUDIT_PROVIDERS=libnone.so.2:libother.so "$top_builddir/bin/cuaudit" $command true >out 2>err
	is "$(grep -c "CUAUDIT_PROVIDERS: 'libnone.so.2:libother.so': no process of true called a function of any such" err)" 1 \
		"${command%% *}: no process called a function of theirs"
	"$top_builddir/bin/cuaudit" $command true >out 2>err
	is "$(grep -c CUAUDIT_PROVIDERS err)" 0 "${command%% *}: nothing of none"
done
CUAUDIT_PROVIDERS='libprovided.so.*:libnone.so.2' "$top_builddir/bin/cuaudit" stat ./lazy >out 2>err
is "$(grep -c 'no process of' err) $(grep -c "'libnone.so.2' is not watched" err)" "0 1" "stat: a process that has one says it itself"
list=libnone.so.2
provided true
is "$status $(cat out err; ls counts* 2>&1 | grep -c 'No such')" "0 1" "LD_AUDIT alone: silent"

# a numerical program
list=libm.so.6
built numeric -fno-builtin -frounding-math "$here/numeric.c"
$run_env ./numeric >native
provided ./numeric
ok "libm: the bits of results and flags are the same" cmp native out
is "$(calls | grep -c '^libm.so.6:.* [1-9]00$') $(calls | awk '$2 % 400' | wc -l)" "$(calls | wc -l) 0" "libm: all calls are counted"
ok "libm: there are many" test "$(calls | wc -l)" -gt 40

# C++
if $CXX -shared -fPIC -o libthrown.so.1 -Wl,-soname,libthrown.so.1 "$here/thrown.cc" 2>build.out &&
	$CXX -o throws "$here/throws.cc" -Wl,-rpath,"$tmp" -L. -l:libthrown.so.1 2>build.out; then
	$run_env ./throws >native
	for list in libthrown.so.1 'libthrown.so.1:libstdc++.so.6:libgcc_s.so.1'; do
		for hooks in stat 'stat(clock=no)' stat,trace; do
			provided CUAUDIT_HOOKS="$hooks" ./throws
			is "$status" 0 "$list, $hooks: the program is well"
			ok "$list, $hooks: exceptions go through" cmp native out
		done
	done
	list=libthrown.so.1
	provided CUAUDIT_HOOKS="trace(file=$tmp/thrown.cutrace)" ./throws
	"$top_builddir/bin/cuaudit" report --format json thrown.cutrace >report.json
	is "$($PYTHON3 -c '
import json
print(*sorted(row["name"] for row in json.load(open("report.json"))["functions"]), sep="\n")')" \
"libthrown.so.1:provided::Thing::Thing
libthrown.so.1:provided::Thing::name
libthrown.so.1:provided::Thing::~Thing" "names of C++ in reports"
	provided ./throws
	like "$(cat counts)" ' libthrown.so.1:_ZNK?8provided5Thing' "statistics have their symbols"
	like "$(cat counts)" 'unwound  *15 calls left' "calls that an exception left are counted apart"
else
	skip 16 "no C++ compiler"
fi

# threads, handlers and children that bind at once
list="libmany*"
seq 0 499 | sed 's/.*/MANY_FUNCTION(&)/' >many.h
library libmany.so.1 -I. -DLIBRARY "$here/many.c"
built many -I. -pthread -fPIE -pie -Wl,-z,lazy "$here/many.c" -l:libmany.so.1
for turn in 1 2 3 4 5; do
	provided ./many
	is "$status $(cat out err)" "0 0 wrong of 500" "$turn: bound by threads, handlers and children at once"
	is "$(calls | wc -l) $(calls | awk '{ sum += $2 } END { print sum }')" "500 4753" \
		"$turn: each function once, all of its calls"
done

# more functions than there are slots
seq 0 17999 | sed 's/.*/MANY_FUNCTION(&)/' >many.h
library libmany.so.1 -I. -O0 -DLIBRARY "$here/many.c"
built many -I. -O0 -pthread -fPIE -pie -Wl,-z,now "$here/many.c" -l:libmany.so.1
provided CUAUDIT_HOOKS='coverage(format=json)' ./many
is "$status $(cat out)" "0 0 wrong of 18000" "more than there are slots: the program is well"
like "$(cat err)" 'libmany.so.1: no slot was left for some of its functions' "and what is not watched is said"
is "$($PYTHON3 -c '
import json
for row in json.load(open("counts.coverage"))["providers"]:
    print(len(row["functions"]) + row["without_slot"], row["without_slot"] > 0)')" "18000 True" "they are counted"

# vectors of more than 16 bytes, hooked and left out, of the first call and later ones
case $(arch) in
x86_64)
	list=libwide.so.1
	library libwide.so.1 -DLIBRARY "$here/wide.c"
	library fills.so -DPLUGIN "$here/wide.c" -L"$top_builddir/lib/cuaudit" -l:cuaudit-core.so
	for how in "lazy -Wl,-z,lazy" "now -Wl,-z,now -fno-plt"; do
		set -- $how
		name=wide_$1
		shift
		built "$name" "$@" "$here/wide.c" -l:libwide.so.1
		$run_env "./$name" >native
		for hooks in stat 'stat(clock=no)' stat,trace coverage "$tmp/fills.so" "stat,$tmp/fills.so" \
			'fault(inject=libwide.so.1:*:delay_exit=1ns)' ''; do
			for functions in '*,%providers' '!libwide.so.1:mix_*'; do
				provided CUAUDIT_HOOKS="$hooks" CUAUDIT_FUNCTIONS="$functions" "./$name"
				is "$status" 0 "$name, $hooks, $functions: the program is well"
				ok "$name, $hooks, $functions: all bytes are the same" cmp native out
				unlike "$(cat err)" 'left out' "... with these hooks"
			done
		done
	done
	for hooks in stat coverage "$tmp/fills.so" stat,trace; do
		provided CUAUDIT_HOOKS="$hooks" ./wide_now 8192
		is "$status" 0 "8192 bytes of stack, $hooks: the program is well"
		ok "8192 bytes of stack, $hooks: all bytes are the same" cmp native out
	done
	;;
*)
	skip 104 "no such vectors in registers"
	;;
esac

# a call that is the first on its stack, up to where that ends
library libfew.so -DLIBRARY "$here/edge.c"
built edge "$here/edge.c" "$top_srcdir/t/routes/edge.S" -l:libfew.so
list=libfew.so
for hooks in stat trace coverage stat,trace; do
	provided CUAUDIT_HOOKS="$hooks" ./edge
	is "$status $(cat out)" "0 37 of 37 are right" "at the end of a stack, and fifty parameters, $hooks: the program is well"
done
provided CUAUDIT_HOOKS=stat ./edge
like "$(calls)" 'libfew.so:few 36' "at the end of a stack: each call is counted"

# functions that end in a jump to another hooked one: they leave no address of their own, and all have one caller
set -- -O2 -fno-omit-frame-pointer
library libinner.so.1 "$@" -DINNER "$here/jumps.c"
library libmiddle.so.1 "$@" -DMIDDLE "$here/jumps.c" -l:libinner.so.1
library libouter.so.1 "$@" -DOUTER "$here/jumps.c" -l:libmiddle.so.1
built jumps "$@" -rdynamic "$here/jumps.c" -l:libouter.so.1 -l:libmiddle.so.1 -l:libinner.so.1
built jumps.so "$@" -shared -fPIC -DHOOK "$here/jumps.c" "$top_builddir/lib/cuaudit/cuaudit-core.so"
$run_env ./jumps >native
list=libinner.so.1:libmiddle.so.1:libouter.so.1
provided CUAUDIT_HOOKS="$tmp/jumps.so" ./jumps
is "$status $(grep -v '^[0-9]' out | sort | uniq -c | sed 's/^ *//')" "0 9 jumps: call main call main" "jumps: who calls, by frame pointers and the unwinder"
for hooks in stat stat,coverage; do
	provided CUAUDIT_HOOKS="$hooks" ./jumps
	ok "jumps, $hooks: it prints the same" cmp native out
	is "$(calls | tr '\n' ' ')" "libinner.so.1:inner 3 libmiddle.so.1:middle 3 libouter.so.1:outer 3 " "... each call is counted"
	is "$(grep -c 'cuaudit-core' counts)" 0 "... and none is ours"
done
echo 'never libinner.so.1:inner in (main)' >rules
echo 'at-most 3 libouter.so.1:outer' >>rules
provided CUAUDIT_HOOKS="rules(file=rules)" ./jumps
is "$status" 88 "jumps: a rule of the calling library is broken"

# Jumps without end take no stack, and so they do where they are hooked.
for hooks in stat 'stat(clock=no)' "trace(file=$tmp/deep.%p.cutrace)" stat,coverage; do
	provided CUAUDIT_HOOKS="$hooks" ./jumps 1000000
	is "$status $(head -n 1 out)" "0 7" "a million jumps, $hooks: the program is well"
done
provided CUAUDIT_HOOKS="stat(format=json)" ./jumps 10
is "$("$PYTHON3" -c 'import json
print(*((library["path"].split("/")[-1], *sorted((f["name"], f["calls"]) for f in library["functions"]))
	for library in json.load(open("counts"))["libraries"]))')" \
	"('jumps', ('libinner.so.1:down', 11), ('libouter.so.1:again', 10))" "ten there and back: all of them, of the program"
printf 'at-most 9999 %s\n' libinner.so.1:down libouter.so.1:again >rules
provided CUAUDIT_HOOKS="rules(file=rules)" ./jumps 1000
is "$status $(grep -c 'rules: calls were lost' err)" "89 1" "a thousand: a check says that it has not seen all"

# a function that the unwinder calls, too: what is hooked of it would be unwound again
echo 'unsigned long strlen(const char *t); unsigned long strlen(const char *t) { unsigned long n = 0; while (t[n]) n++; return n; }' |
	library libfast.so.1 -fno-builtin -xc -
list=libfast.so.1:libinner.so.1:libouter.so.1
printf '%s\n' no-unchecked-error 'at-most 100 libfast.so.1:strlen' 'at-most 3 libinner.so.1:inner' >rules
for hooks in stat "trace(file=$tmp/fast.%p.cutrace;backtrace=*)" "rules(file=rules)"; do
	provided LD_PRELOAD="$tmp/libfast.so.1" CUAUDIT_HOOKS="$hooks" ./jumps
	is "$status $(cmp native out 2>&1)" "0 " "of the unwinder's, ${hooks%%(*}: the program is well" || diag "$(cat err)"
done

# an allocator, which the loader calls itself, also while it loads the core
library libtally.so.1 -DTALLY "$here/allocates.c"
library liballocates.so.1 -DALLOCATOR "$here/allocates.c" -l:libtally.so.1
built allocates -pthread "$here/allocates.c" -l:liballocates.so.1 -l:libtally.so.1
$run_env ./allocates >native
for list in liballocates.so.1 libtally.so.1 'liballocates.so.1:libtally.so.1'; do
	for hooks in stat stat,trace coverage; do
		provided CUAUDIT_HOOKS="$hooks" ./allocates
		is "$status" 0 "$list, $hooks: the program is well"
		ok "$list, $hooks: it prints the same" cmp native out
	done
	provided ./allocates
	is "$(grep -c 'liballocates.so.1: functions .* that the loader calls,' err)" "$(echo "$list" | grep -c '^libal')" \
		"$list: that these are left is said"
done
list=liballocates.so.1
provided ./allocates
is "$(calls | awk '{ print $1 }')" "liballocates.so.1:allocated" "its other functions are seen"

# functions that return twice: those that are known by any name, and those that are left out by any
library libtwice.so.1 -DLIBRARY "$here/twice.c"
built twice "$here/twice.c" -l:libtwice.so.1
list=libtwice.so.1
for hooks in stat 'stat(clock=no)' coverage trace\(text=yes\) stat,coverage "fault(inject=$list:beside:result=3)" ''; do
	for functions in '!libtwice.so.1:twice' '!libtwice.so.1:twice_too' '*,%providers,!libtwice.so.1:*_too' \
		'libtwice.so.1:beside' '%driver'; do
		provided CUAUDIT_HOOKS="$hooks" CUAUDIT_FUNCTIONS="$functions" ./twice
		is "$status $(cat out)" "0 45" "$hooks, $functions: returns twice"
	done
	provided CUAUDIT_HOOKS="$hooks" ./twice hidden
	is "$status $(cat out)" "0 45" "$hooks: returns twice, known by another name than it is bound by"
	is "$(grep -c 'libtwice.so.1: functions that return twice' err)" 1 "$hooks: which is reported"
done
provided CUAUDIT_FUNCTIONS='!libtwice.so.1:twice_too' ./twice
is "$(calls)" "libtwice.so.1:beside 10" "all others are counted"
provided CUAUDIT_FUNCTIONS='libtwice.so.1:twice_too,!*:twice_too,libtwice.so.1:b*' ./twice
is "$status $(cat out) $(calls)" "0 45 libtwice.so.1:beside 10" "the last part that has one of the names decides"
unlike "$(cat err)" "named no function" "... and both names were bound"
provided CUAUDIT_FUNCTIONS='!libtwice.so.1:savectx' ./twice hidden
like "$(cat err)" "'libtwice.so.1:savectx' named no function that the program bound and that has a slot;" "one without a slot"

# opened again and again
list=libprovided.so.1
built reopens "$here/reopens.c"
for unbound in 0 1 3; do
	provided ./reopens ./libprovided.so.1 $unbound
	is "$status $(cat out err)" "0 1275" "opened again and again, $unbound times with nothing bound at first"
	is "$(calls)" "libprovided.so.1:add 50" "... one function all the time"
done
done_testing
