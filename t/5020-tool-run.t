# SPDX-License-Identifier: Apache-2.0
# cuaudit run and stat: what the program gets, how it ends, what is refused.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

# got NAME: the variable's value in the environment that was printed to $tmp/out.
got() {
	sed -n "s/^$1=//p" "$tmp/out"
}

# the environment
cd "$tmp" || exit 99
tool run -k stat -k 'coverage(format=json)' -l 'libx*' -l '(main)' -x a -x b -f %memory \
	-f '!cuMemGetInfo*' -o 'out-%p' -d sim env
is "$status $(wc -c <"$tmp/err")" "0 0" "run with every option"
is "$(got CUAUDIT_HOOKS)" 'stat,coverage(format=json)' "hooks"
is "$(got CUAUDIT_INCLUDE)" 'libx*:(main)' "libraries"
is "$(got CUAUDIT_EXCLUDE)" a:b "excluded ones"
is "$(got CUAUDIT_FUNCTIONS)" '%memory,!cuMemGetInfo*' "functions"
is "$(got CUAUDIT_OUTPUT)" "$(pwd -P)/out-%p" "the output's directory"
is "$(got CUAUDIT_DRIVER)" sim "the driver"
is "$(got LD_AUDIT)" "$(readlink -f "$LIBCUAUDIT")" "the auditor"
is "$(got GLIBC_TUNABLES)" glibc.rtld.optional_static_tls=4096 "the tunable"
mkdir 'a%p' && cp "$simdir/libcuda.so.1" 'a%p/mine.so'
cd 'a%p' && tool run -o x -d ./mine.so env
is "$(got CUAUDIT_OUTPUT)" "$(pwd -P | sed 's/%/%%/g')/x" "a directory with a percent sign"
is "$(got CUAUDIT_DRIVER)" "$(pwd -P)/./mine.so" "a driver's path"
cd "$tmp" || exit 99
tool run -o /x/%e env
is "$(got CUAUDIT_OUTPUT)" "/x/%e" "an absolute path stays"
is "$(env -i PATH="$PATH" A= B='two words' "$cuaudit" run -o /x env | sort)" \
	"$(env -i PATH="$PATH" A= B='two words' LD_AUDIT="$(readlink -f "$LIBCUAUDIT")" \
	CUAUDIT_OUTPUT=/x GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096 \
	NVTX_INJECTION64_PATH="$(dirname "$(readlink -f "$LIBCUAUDIT")")/cuaudit/libcuaudit-nvtx.so" env | sort)" \
	"everything else stays"
CUAUDIT_HOOKS=coverage CUAUDIT_LOG=info tool run env
is "$(got CUAUDIT_HOOKS) $(got CUAUDIT_LOG)" "coverage info" "what is not given is not changed"
CUAUDIT_HOOKS=coverage tool run -k stat env
is "$(got CUAUDIT_HOOKS)" stat "what is given wins"

# other auditors, tunables
LD_AUDIT=/x/a.so:/y/libcuaudit.so::/z/b.so tool run env
is "$(got LD_AUDIT)" "$(readlink -f "$LIBCUAUDIT"):/x/a.so:/z/b.so" \
	"we come first, and once; the others stay"
LD_AUDIT=/y/libcuaudit.so.other:/z/nolibcuaudit.so tool run env
is "$(got LD_AUDIT)" "$(readlink -f "$LIBCUAUDIT"):/y/libcuaudit.so.other:/z/nolibcuaudit.so" \
	"names that end or begin like ours"
LD_AUDIT= GLIBC_TUNABLES= tool run env
is "$(got LD_AUDIT) $(got GLIBC_TUNABLES)" \
	"$(readlink -f "$LIBCUAUDIT") glibc.rtld.optional_static_tls=4096" "empty ones"
GLIBC_TUNABLES=glibc.malloc.perturb=7 tool run env
is "$(got GLIBC_TUNABLES)" glibc.malloc.perturb=7:glibc.rtld.optional_static_tls=4096 \
	"another tunable stays"
GLIBC_TUNABLES=glibc.rtld.optional_static_tls=600:glibc.malloc.perturb=7 tool run env
is "$(got GLIBC_TUNABLES)" glibc.rtld.optional_static_tls=600:glibc.malloc.perturb=7 \
	"the user's own number wins"

# it audits
tool run -d sim -- "$demo" dlopen
like "$(cat "$tmp/err")" ' 10 .* cuLaunchKernel$' "run: the stat table"
tool stat -d sim "$demo" dlopen
like "$(cat "$tmp/err")" ' 10 .* cuLaunchKernel$' "stat: the same"
CUAUDIT_HOOKS=coverage tool stat -J -i 100 -d sim "$demo" dlopen
is "$(grep -c '^{"version":1' "$tmp/err") $(wc -l <"$tmp/err")" "1 1" "stat --json, alone"
CUAUDIT_HOOKS=coverage tool stat -i 0.5 env
like "$(got CUAUDIT_HOOKS)" '^stat\(print=no;run=[0-9]+\)$' "stat: what the program gets"
like "$(got CUAUDIT_OUTPUT)" '^/.*/cuaudit-stat-[A-Za-z0-9]{6}/%h-%p$' "... and where it saves"
is "$(find "$(dirname "$(got CUAUDIT_OUTPUT)")" 2>/dev/null)" "" "... which is gone afterwards"
tool stat -f %launch -o table -d sim "$demo" dlopen
is "$(wc -c <"$tmp/err") $(awk '/ Name$/ { on = 1; next } !NF { on = 0 } on { print $3, $NF }' \
	"$tmp/table")" "0 10 cuLaunchKernel" "stat --functions --output"

# how it ends
tool run sh -c 'exit 7'
is "$status" 7 "the program's status"
tool run sh -c 'exit 2'
is "$status $(cat "$tmp/err")" "2 " "2 of its own, without a word"
tool run sh -c 'kill -TERM $$'
is "$status" 143 "a signal ends it"
is "$(sh -c 'echo $$; exec "$0" run sh -c "echo \$\$"' "$cuaudit" | uniq | wc -l)" 1 \
	"it is the same process"
is "$(echo line | "$cuaudit" run cat)" line "its input is ours"
tool run -- printf '%s|' --help -t '' 'a b'
is "$(cat "$tmp/out")" '--help|-t||a b|' "its arguments are its own"
tool run printf '%s|' -x
is "$(cat "$tmp/out")" '-x|' "without -- too"
is "$("$cuaudit" run sh -c 'echo "$0"' zero)" zero "argv[0]"

# what is refused
refused 2 'run: no program given; see cuaudit run --help' "no program" run
refused 2 'stat: no program given' "no program behind --" stat -J --
refused 2 "--functions: '%memroy' is no selector; did you mean %memory" "a class" \
	run -f %memroy env
refused 2 "--output: '%z' is none of %p %h %e %r %t %%" "a field" run -o 'x%z' env
refused 2 "--driver takes sim or the path of a driver; /nowhere: No such" "a driver" \
	run -d /nowhere env
for driver in simm SIM smi; do
	refused 2 "--driver takes sim or .*; $driver: No such file or directory; did you mean sim\?\$" "sim misspelt" \
		check -d $driver env
done
refused 2 "--interval takes seconds, 10 or 0\\.5, not '-1'" "an interval" stat -i -1 env
strange_programs
PATH=$tmp:$PATH
export PATH
refused 127 'nosuch: no such program; give its path' "no such program" run nosuch
refused 127 './nosuch: no such program' "no such path" run ./nosuch
refused 127 'plain/x: no such program' "a path below a file" run plain/x
refused 126 './private cannot be run: Permission denied' "not executable" run ./private
refused 126 'private cannot be run: Permission denied' "not executable, in PATH" run private
refused 126 '/ cannot be run: Is a directory' "a directory" run /
refused 126 '.*/static is a static program: ' "a static program" run static
refused 126 '.*/static-pie is a static program: ' "a static PIE" run static-pie
refused 126 '.*/musl is linked with musl' "musl" run musl
refused 126 '.*/android is started by /system/bin/linker64' "another loader" run android
refused 126 '.*/lost wants the loader /nowhere/' "a loader that is not there" run lost
refused 126 '.*/machine is of another architecture' "another architecture" run machine
refused 126 '.*/short is cut short or damaged' "half an ELF header" run short
refused 126 '.*/shorter is cut short or damaged' "half the program headers" run shorter
refused 126 '.*/empty is neither a program nor a script' "an empty file" run empty
refused 126 '.*/text is neither a program nor a script' "a text" run text
refused 126 "$tmp/static is a static program" "a script of a static program" run script-static
refused 126 "$tmp/static is a static program" "a script of a script of it" run script-twice
refused 126 "$tmp/static is a static program" "a script by env" run script-env
refused 126 "$tmp/static is a static program" "... whose option and argument are one word" run script-env-joined
refused 126 ".*/script-env-option gives env an option" "... which takes the auditor away" run script-env-option
# The kernel looks for an interpreter by its path alone.
mkdir elsewhere
printf '#!inner\n' >elsewhere/outer
printf '#!/bin/sh\necho ran "$0"\n' >elsewhere/inner
chmod +x elsewhere/outer elsewhere/inner
cd elsewhere
tool run ./outer
is "$status $(cat "$tmp/out")" "0 $(./outer)" "an interpreter in the current directory"
cd ..
PATH=$PATH:$tmp/elsewhere
refused 126 'inner cannot be run: No such file' "... which is not searched for" run elsewhere/outer
PATH=${PATH%:*}
refused 126 '/nowhere/interpreter cannot be run: No such file' "a script of nothing" run script-lost
refused 126 '.*script-loop is a script of a script' "a script of itself" run script-loop
tool run script x
is "$status $(cat "$tmp/out")" "0 ran x" "a script"
tool run plain
is "$status $(cat "$tmp/out")" "0 ran" "a plain program"
loader=$($READELF -lW plain | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
tool run -d sim "$loader" "$demo" dlopen
like "$(cat "$tmp/err")" ' cuLaunchKernel$' "the loader, with a program"
tool run --force text
is "$status $(cat "$tmp/out")" "0 ran" "--force: a text, by the shell"
refused 127 '.*nosuch: no such program' "--force: what is not there" run -F nosuch
refused 126 'cannot run .*/machine: ' "--force: what the kernel refuses" run -F machine

if test "$(id -u)" -eq 0 && setpriv --reuid=65534 --clear-groups true 2>"$tmp/setpriv.out"; then
	cp plain setuid && chmod 4755 setuid
	cp plain setgid && chmod 2755 setgid
	chmod 755 "$tmp"
	tool run setuid
	is "$status" 0 "a set-user-ID program of our own"
	for kind in setuid setgid; do
		status=0
		setpriv --reuid=65534 --regid=65534 --clear-groups "$cuaudit" run $kind \
			>"$tmp/out" 2>"$tmp/err" || status=$?
		is "$status $(sed 's/;.*//' "$tmp/err")" \
			"126 cuaudit: $tmp/$kind gains privileges when it starts, and the loader then ignores LD_AUDIT" \
			"a $kind program of somebody else's"
		status=0
		setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs "$cuaudit" run $kind \
			>"$tmp/out" 2>"$tmp/err" || status=$?
		# Who that is may have no access to the auditor.
		like "$status $(cat "$tmp/err")" '^(0 |2 cuaudit: libcuaudit.so is neither .*)$' \
			"... where no program may gain anything"
	done
else
	skip 5 "only root can be somebody else"
fi

# installed, and moved as a whole
mkdir root
env MAKEFLAGS= MFLAGS= MAKELEVEL= $MAKE -s -C "$top_builddir" install DESTDIR="$tmp/root" \
	>"$tmp/install.out" 2>&1
installed=$(find "$tmp/root" -name cuaudit -path '*/bin/cuaudit')
ok "an installed one" test -x "$installed"
library=$(find "$tmp/root" -name libcuaudit.so)
"$installed" run env >"$tmp/out" 2>"$tmp/err"
is "$(got LD_AUDIT)" "$(readlink -f "$library")" "it finds the auditor that belongs to it"
ln -s "$installed" link
./link run env >"$tmp/out" 2>"$tmp/err"
is "$(got LD_AUDIT)" "$(readlink -f "$library")" "by a link too"
mv "$library" "$library.away"
if test -e "$(sed -n 's/^prefix = //p' "$top_builddir/Makefile")/lib/libcuaudit.so"; then
	skip 1 "another cuaudit is installed"
else
	status=0
	"$installed" run env >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status $(sed 's/ in .*;/ in ;/' "$tmp/err")" \
		"2 cuaudit: libcuaudit.so is neither beside this command nor in ; install cuaudit again" \
		"without an auditor"
fi
mkdir 'a:b' && cp -r "$(dirname "$(dirname "$installed")")" 'a:b/root'
mv "$library.away" "$library"
cp -r "$(dirname "$library")" 'a:b/root' 2>"$tmp/cp.out"
status=0
'a:b/root/bin/cuaudit' run env >"$tmp/out" 2>"$tmp/err" || status=$?
like "$status $(cat "$tmp/err")" "^2 cuaudit: the auditor is .*a:b.*colon; install" "a path with a colon"
done_testing
