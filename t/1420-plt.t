# SPDX-License-Identifier: Apache-2.0
# PLTs are bound as without an auditor: lazily or at once, and each call but the first is direct.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

plt=$top_srcdir/t/plt

# object NAME SOURCE ARGUMENT...
object() {
	object_name=$1
	object_source=$2
	shift 2
	build "$object_name" "$plt/$object_source" -fplt -L"$tmp" -Wl,-rpath,"$tmp" "$@"
}

fake_driver
printf 'V1 { };\nV2 { plt_*; } V1;\n' >"$tmp/map"
shared="-shared -fPIC -Wl,-soname"
object libcallee.so callee.c $shared,libcallee.so -Wl,--version-script="$tmp/map"
for way in lazy now; do
	bound="-Wl,-z,$way -Wl,-z,relro"
	object lib$way.so caller.c $shared,lib$way.so $bound -l:libcallee.so
	object lib$way-nowhere.so caller.c $shared,lib$way-nowhere.so $bound -DNOWHERE \
		-l:libcallee.so -Wl,--unresolved-symbols=ignore-all
	object lib$way-driver.so caller.c $shared,lib$way-driver.so $bound -DDRIVER \
		-l:libcallee.so -l:libcuda.so.1
	object $way main.c -fPIE -pie $bound -l:libcallee.so -pthread -ldl
	object $way-fixed main.c -fno-pie -no-pie $bound -l:libcallee.so -pthread -ldl
done
object lib-norelro.so caller.c $shared,lib-norelro.so -Wl,-z,now -Wl,-z,norelro -l:libcallee.so
build enters.so -shared -fPIC "$plt/enters.c"

# as_alone NAME [VARIABLE=VALUE...] COMMAND...: says the same and ends the same as natively.
as_alone() {
	alone_name=$1
	shift
	alone=$($run_env "$@" 2>&1) || alone="$alone
status $?"
	is "$(audited CUAUDIT_HOOKS= "$@" 2>&1 || echo "status $?")" "$alone" "$alone_name"
}

# says REGEX NAME: what as_alone saw last was not the same nothing.
says() {
	like "$alone" "$1" "$2"
}

for program in lazy lazy-fixed; do
	as_alone "$program: linked" "$tmp/$program" linked
	for function in plain ifunc versioned; do
		says "^main: .* plt_$function bound( |\$)" "$program: $function is bound"
	done
	says '^main: .* plt_unused unbound' "$program: what was not called is not"
	as_alone "$program: in threads" "$tmp/$program" threads
	says '^main: .* plt_plain bound' "$program: bound by threads"
	as_alone "$program: LD_BIND_NOT" LD_BIND_NOT=1 "$tmp/$program" linked
	says '^main: .* plt_plain unbound' "$program: never bound"
	as_alone "$program: LD_BIND_NOW" LD_BIND_NOW=1 "$tmp/$program" linked
	says '^main: .* plt_unused bound' "$program: all bound"
done
for program in now now-fixed; do
	as_alone "$program: linked" "$tmp/$program" linked
	says '^main: read-only:.* plt_unused bound for good' "$program: bound at once, for good"
	as_alone "$program: LD_BIND_NOT" LD_BIND_NOT=1 "$tmp/$program" linked
	as_alone "$program: LD_BIND_NOW" LD_BIND_NOW=1 "$tmp/$program" linked
	says '^main: read-only:.* plt_unused bound for good' "$program: and so with LD_BIND_NOW"
done

for program in lazy now-fixed; do
	for mode in open now; do
		for library in liblazy libnow lib-norelro; do
			as_alone "$program: $mode $library" "$tmp/$program" $mode "$tmp/$library.so"
			says "^$library.so: .* plt_plain bound" "$program: $mode $library is bound"
		done
	done
done
for library in liblazy-driver libnow-driver; do
	as_alone "$library" "$tmp/lazy" open "$tmp/$library.so"
	says '^lib.* cuInit bound' "$library: bound to a function of the driver"
	as_alone "$library, excluded" CUAUDIT_EXCLUDE="$library.so" \
		"$tmp/lazy" where open "$tmp/$library.so"
	like "$(audited CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/json" \
		"$tmp/lazy" where open "$tmp/$library.so" 2>&1)" 'cuInit in libcuaudit\.so' \
		"$library, not excluded: to the stub"
	like "$(cat "$tmp/json")" '"plt":3,"dlsym":0,' "and counted, once each time it is opened"
	as_alone "$library: LD_BIND_NOT" LD_BIND_NOT=1 "$tmp/lazy" open "$tmp/$library.so"
done
as_alone "opened at start-up" LD_PRELOAD="$tmp/libnow.so:$tmp/liblazy.so" "$tmp/lazy" \
	open "$tmp/libnow.so" open "$tmp/liblazy.so"
says '^libnow.so: read-only:.* plt_unused bound for good' "a library bound now is"
says '^liblazy.so: .* plt_unused unbound' "a library bound lazily is not bound at once"

as_alone "an undefined function" "$tmp/lazy" open "$tmp/liblazy-nowhere.so" \
	fail "$tmp/libnow-nowhere.so" open "$tmp/libnow.so" fail "$tmp/libnow-nowhere.so"
says '^liblazy-nowhere.so: .* plt_nowhere unbound' "it does no harm where it is not called"
says '^libnow-nowhere.so: does not open' "and does where it is bound at once"
as_alone "an undefined function at start-up" LD_PRELOAD="$tmp/libnow-nowhere.so" "$tmp/lazy" linked
says '^status 127' "the program does not start"

# Whoever wants to see the calls sees them.
seen() {
	sed -n 's/^seen: //p' "$tmp/err"
}

enters=$tmp/enters.so
ours=$LIBCUAUDIT
for program in lazy now; do
	$run_env LD_AUDIT="$enters" "$tmp/$program" linked >"$tmp/out" 2>"$tmp/err"
	is "$(seen)" 09 "$program: an auditor of calls, alone"
	for list in "$ours:$enters" "$enters:$ours"; do
		$run_env LD_AUDIT="$list" "$tmp/$program" linked >"$tmp/out" 2>"$tmp/err"
		is "$(seen)" 09 "$program: LD_AUDIT=$(echo "$list" | sed 's,[^:]*/,,g')"
	done
	CUAUDIT_FOLLOW=0 $run_env LD_AUDIT="$enters:$ours" "$tmp/$program" linked \
		>"$tmp/out" 2>"$tmp/err"
	is "$(seen)" 09 "$program: with CUAUDIT_FOLLOW=0"
	loader=$($READELF -lW "$tmp/$program" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
	audited LAST=1 "$loader" --audit "$enters" "$tmp/$program" linked >"$tmp/out" 2>"$tmp/err"
	is "$(seen)" 09 "$program: ld.so --audit"
	as_alone "$program: LD_PROFILE" LD_PROFILE=libcallee.so LD_PROFILE_OUTPUT="$tmp" \
		"$tmp/$program" linked
	says '^main: .* plt_plain unbound' "$program: LD_PROFILE goes on"
done
# Named twice, ours is still alone.
ln -s "$ours" "$tmp/alias.so"
for program in lazy now; do
	alone=$($run_env "$tmp/$program" linked)
	says '^main: .* plt_plain bound' "$program: bound"
	for list in "$ours:$ours" "$ours:$tmp/alias.so" "$tmp/alias.so"; do
		is "$(audited LD_AUDIT="$list" "$tmp/$program" linked 2>&1)" "$alone" \
			"$program: LD_AUDIT=$(echo "$list" | sed 's,[^:]*/,,g')"
	done
done
object asks main.c -fPIE -pie -Wl,-z,lazy -Wl,--audit="$enters" -l:libcallee.so -pthread -ldl
$run_env "$tmp/asks" linked >"$tmp/out" 2>"$tmp/err"
alone=$(seen)
audited "$tmp/asks" linked >"$tmp/out" 2>"$tmp/err"
is "$(seen)" "$alone" "DT_AUDIT"

done_testing
