# SPDX-License-Identifier: Apache-2.0
# cuaudit doctor: each finding, and that the manual's LIMITATIONS are its messages.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

CUAUDIT_DRIVER=sim
export CUAUDIT_DRIVER
cd "$tmp" || exit 99

# finds STATUS REGEX NAME ARGUMENT...: one line of what doctor prints matches
finds() {
	finds_status=$1
	finds_regex=$2
	finds_name=$3
	shift 3
	tool doctor "$@"
	is "$status $(wc -c <"$tmp/err")" "$finds_status 0" "$finds_name: status $finds_status"
	is "$(grep -c -E -e "$finds_regex" "$tmp/out")" 1 "$finds_name: one line says it" ||
		diag "$(cat "$tmp/out")"
	is "$(grep -c -v -E '^(ok      |warning |problem ) [^ ]' "$tmp/out")" 0 \
		"$finds_name: nothing else is printed"
}

tool doctor
is "$status $(wc -c <"$tmp/err")" "0 0" "all is well"
is "$(grep -c '^ok ' "$tmp/out") $(wc -l <"$tmp/out")" "11 11" "all is well: eleven lines say so" ||
	diag "$(cat "$tmp/out")"
like "$(cat "$tmp/out")" "^ok       the auditor is $(readlink -f "$LIBCUAUDIT")\$" "where the auditor is"
libc=$(getconf GNU_LIBC_VERSION | sed 's/.* //')
like "$(cat "$tmp/out")" "^ok       glibc $libc takes the auditor" "which libc"
like "$(cat "$tmp/out")" "^ok       the driver is $(readlink -f "$simdir")/libcuda.so.1, version 13\\.0\$" \
	"which driver"
TMPDIR=/nowhere tool doctor
is "$status $(wc -l <"$tmp/err")" "2 1" "no room for its files"
mkdir "$tmp/room"
TMPDIR=$tmp/room tool doctor
is "$status $(find "$tmp/room" -mindepth 1)" "0 " "TMPDIR: nothing is left there"
status=0
"$cuaudit" doctor >/dev/full 2>"$tmp/err" || status=$?
is "$status" 2 "a full disk is reported"

# settings
export CUAUDIT_EXLUDE=x
finds 0 '^warning  CUAUDIT_EXLUDE is no variable of cuaudit; did you mean CUAUDIT_EXCLUDE\?$' "a variable"
unset CUAUDIT_EXLUDE
CUAUDIT_LOG=loud finds 0 '^warning  CUAUDIT_LOG takes error\|warn' "a level"
CUAUDIT_DISABLE=yes finds 0 '^warning  CUAUDIT_DISABLE takes 0\|1' "a switch"
CUAUDIT_DISABLE=1 finds 0 '^warning  CUAUDIT_DISABLE is 1, so nothing is audited; unset it' "the off switch"
CUAUDIT_HOOKS=statt finds 0 "^warning  there is no hook module 'statt'; did you mean stat" "a hook"
CUAUDIT_HOOKS='stat(frmat=json)' finds 0 "^warning  stat has no option 'frmat'; did you mean format" "an option"
CUAUDIT_FUNCTIONS=%memroy finds 0 '^warning  .*%memroy.*did you mean %memory' "a class"
CUAUDIT_OUTPUT='x%z' finds 0 "^warning  CUAUDIT_OUTPUT takes PATH with %p %h %e %r %t, not 'x%z'\$" "a field"
CUAUDIT_OUTPUT=/nowhere/x finds 1 '^problem  CUAUDIT_OUTPUT: no file can be made in /nowhere: No such' "a directory"
CUAUDIT_OUTPUT=$(printf %0300d 0) finds 1 \
	'^problem  CUAUDIT_OUTPUT: the path, or a name in it, is too long; give a shorter one$' "a name"
CUAUDIT_OUTPUT=x finds 0 '^ok       the CUAUDIT_ variables' "this directory"
CUAUDIT_LOG=error CUAUDIT_HOOKS=statt finds 0 '^warning  there is no hook' "what is hushed is heard"
CUAUDIT_LOG=debug CUAUDIT_INCLUDE='libx*' CUAUDIT_EXCLUDE='*' finds 0 '^ok       the CUAUDIT_ variables' \
	"libraries do not hide it"
CUAUDIT_HOOKS='stat,coverage(fail=escapes)' finds 0 '^ok       glibc .*came through it$' "hooks run"
is "$(find "$tmp" -name 'x*' -o -name '*.part' -o -name '*.coverage')" "" "and write nothing here"

# a limit of a device that is not there
CUAUDIT_HOOKS='limit(device0=1G;device7=1G)' finds 1 \
	'^warning  limit: device7 limits nothing: programs see 2 devices, numbered from 0; name one of these$' "a device" --strict
CUAUDIT_HOOKS='stat,limit(device1=1G)' finds 0 '^ok       hook module limit: device1=1G' "a device that is there" --strict
CUAUDIT_HOOKS='limit(device1=1G;visible=0)' finds 0 '^ok       hook module limit: ' "... where limit chooses, it is not known"

# an output that cannot be written, whose name is stat's own, and only a part of others'
# output NAME WHY [HOOKS]: a problem where stat writes it
output() {
	CUAUDIT_HOOKS=${3-stat} CUAUDIT_OUTPUT=$1 finds 1 "^problem  CUAUDIT_OUTPUT: $1 cannot be written: $2" "an output: $1, ${3-stat}" --strict
}
mkdir -m 755 outputs && mkdir -m 1777 outputs/shared && cd outputs || exit 99
mkdir directory
echo kept >file
ln -s file link
ln -s nothing dangling
ln -s ../file shared/planted
ln -s "$(readlink -f /dev/null)" device
ln file shared/linked
mkfifo fifo
there() {
	find . ! -type d -printf '%p %i %m %n %s %T@ %l\n' | sort
}
there >"$tmp/before"
output "$PWD/directory" 'it names a directory; choose'
output directory 'it names a directory; choose' 'leak,stat(format=json)'
CUAUDIT_OUTPUT=directory finds 1 '^problem  .*directory cannot be written' "an output: without CUAUDIT_HOOKS"
output link 'it is a symbolic link; '
output dangling 'it is a symbolic link; '
output shared/planted '(it is a symbolic link|another user put it there)'
output shared/linked 'another user put it there, or it has another name too; '
output /proc/x '.*[a-z]'
CUAUDIT_HOOKS=leak CUAUDIT_OUTPUT=/proc/x finds 1 '^problem  CUAUDIT_OUTPUT: no file can be made in /proc: ' "an output: /proc/x, leak"
if test -d /sys/kernel; then
	output /sys/x '.*[a-z]'
fi
CUAUDIT_OUTPUT=fifo finds 1 '^warning  CUAUDIT_OUTPUT: fifo is a FIFO, whose reader has to be there' "an output: a FIFO" --strict
for hooks in leak 'stat(print=no)' 'trace'; do
	for where in directory link; do
		CUAUDIT_HOOKS=$hooks CUAUDIT_OUTPUT=$where finds 0 '^ok       the CUAUDIT_ variables' "an output: $where, $hooks" --strict
		unlike "$(cat "$tmp/out")" '^[pw].*CUAUDIT_OUTPUT' "... and nothing more"
	done
done
for where in file new directory/%p-%e device /dev/null /dev/stdout; do
	CUAUDIT_OUTPUT=$where finds 0 '^ok       the CUAUDIT_ variables' "an output: $where" --strict
done
is "$(there)" "$(cat "$tmp/before")" "outputs: nothing is changed, made or left"
if chattr +i file 2>"$tmp/chattr"; then
	output file 'no permission to write there; '
	chattr -i file
else
	skip 3 "no immutable files here"
fi
cd "$tmp" || exit 99

# each setting as it was understood
listed() {
	"$cuaudit" doctor | sed -n 's/^ok       \(CUAUDIT_\|hook module\|enforced\|nothing is\|no hook\)/\1/p'
}
export CUAUDIT_FUNCTIONS=cuInit CUAUDIT_INCLUDE='(main)' CUAUDIT_LOG=error CUAUDIT_OUTPUT=x-%e CUAUDIT_FOLLOW=1
export CUAUDIT_HOOKS='coverage(fail=escapes),limit(memory=1G)'
is "$(listed)" "CUAUDIT_DRIVER=sim: the driver to load instead of libcuda.so.1
CUAUDIT_FOLLOW=1: whether child processes are audited
CUAUDIT_FUNCTIONS=cuInit: functions that are hooked: 1 of the $("$cuaudit" list functions %driver | wc -l) that are known
CUAUDIT_INCLUDE=(main): libraries whose calls are intercepted, empty for all
CUAUDIT_LOG=error: the messages printed on stderr
CUAUDIT_OUTPUT=$PWD/x-%e: where hooks write, stderr if empty: $PWD/x-cuaudit
hook module coverage: fail=escapes; by default format=text
hook module limit: memory=1G; by default count=auto, on-error=exit, dry-run=no, format=text
enforced, by CUAUDIT_HOOKS: coverage, limit" "variables and hooks"
finds 0 '^warning  CUAUDIT_INCLUDE=\(main\): other libraries are not held to: coverage, limit$' \
	"where what is enforced does not hold"
unset CUAUDIT_FUNCTIONS CUAUDIT_INCLUDE CUAUDIT_LOG CUAUDIT_OUTPUT CUAUDIT_FOLLOW CUAUDIT_HOOKS
is "$(listed | sed 's/; by default.*//')" "CUAUDIT_DRIVER=sim: the driver to load instead of libcuda.so.1
hook module stat, as CUAUDIT_HOOKS is not set
nothing is enforced" "none but the driver"
CUAUDIT_HOOKS= finds 0 '^ok       no hook module is to start$' "no hooks"
CUAUDIT_HOOKS='stat(fail=errors)' finds 0 '^ok       enforced, by CUAUDIT_HOOKS: stat$' "a policy of stat"
CUAUDIT_INCLUDE='a,b' finds 0 "^warning  CUAUDIT_INCLUDE takes GLOB.*'a,b'" "what the trial does not use"
CUAUDIT_INCLUDE='a,b' finds 0 '^warning  the settings are not listed, since not all' "... is not listed"
CUAUDIT_INCLUDE='a,b' finds 0 '^ok       glibc .*came through it$' "... and no other line is lost"
CUAUDIT_HOOKS=statt finds 0 '^warning  the settings are not listed, since not all' "nor are hooks"
CUAUDIT_STRICT=0 CUAUDIT_HOOKS='limit(memory=1Q)' finds 0 '^warning  the settings are not listed' "STRICT=0: as they are"
CUAUDIT_STRICT=0 CUAUDIT_HOOKS='limit(memory=1G)' finds 0 '^ok       enforced, by CUAUDIT_HOOKS: limit$' "STRICT=0: what is enforced"
unlike "$(CUAUDIT_HOOKS=statt "$cuaudit" doctor)" 'are understood$' "a mistake: not all is understood"
is "$(find "$tmp" -name 'x-*' -o -name '*.part')" "" "nothing is written here"

# what becomes of a mistake, and who has programs audited
finds 0 '^ok       a setting that is not understood ends .* CUAUDIT_STRICT is not set$' "STRICT not set"
CUAUDIT_STRICT=1 finds 0 '^ok       a setting that is not understood ends .* CUAUDIT_STRICT is 1$' "STRICT=1"
CUAUDIT_STRICT=0 finds 0 '^warning  a setting that is not understood ends no program, .* unset it$' "STRICT=0"
CUAUDIT_STRICT=check finds 0 '^warning  CUAUDIT_STRICT is check, .* unset it$' "STRICT=check"
finds 0 '^ok       this process has gained no privileges' "privileges"
finds 0 '^ok       LD_AUDIT does not hold libcuaudit.so' "LD_AUDIT without us"
LD_AUDIT=:$LIBCUAUDIT finds 0 "^ok       LD_AUDIT of the environment begins with $LIBCUAUDIT," "LD_AUDIT with us"
mkdir elsewhere
cp "$LIBCUAUDIT" elsewhere
LD_AUDIT=$tmp/elsewhere/libcuaudit.so finds 0 \
	"^warning  LD_AUDIT of the environment holds $tmp/elsewhere/libcuaudit.so, which is not the auditor" "another one"
LD_AUDIT=/nowhere/libcuaudit.so "$cuaudit" doctor >"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/out")" '^warning  LD_AUDIT of the environment holds /nowhere/libcuaudit.so, which is not' "one that is not there"
LD_AUDIT=libcuaudit.so "$cuaudit" doctor --strict >"$tmp/out" 2>"$tmp/err"
is "$? $(grep -c '^warning  LD_AUDIT of the environment holds libcuaudit.so, which the loader does not find' "$tmp/out")" \
	"1 1" "a name that the loader does not find"
LD_LIBRARY_PATH=${LIBCUAUDIT%/*} LD_AUDIT=libcuaudit.so finds 0 \
	'^ok       LD_AUDIT of the environment begins with libcuaudit.so' "a name that it finds"
CUAUDIT_HOOKS='leak(fail=x)' finds 1 '^problem  a program audited for a trial ended by status 85' \
	"a setting of what enforces"
unlike "$(cat "$tmp/out")" 'install cuaudit' "... is no reason to install anything"

# --strict
finds 0 '^ok       nothing is enforced' "--strict: nothing to warn of" --strict
CUAUDIT_LOG=loud finds 1 '^warning  CUAUDIT_LOG takes error' "--strict: a warning" --strict
CUAUDIT_DISABLE=1 finds 1 '^warning  CUAUDIT_DISABLE is 1' "-v: a warning" -v "$demo"
CUAUDIT_OUTPUT=/nowhere/x finds 1 '^problem  CUAUDIT_OUTPUT' "--strict: a problem" --strict
refused 2 "--strict takes no value" "--strict with a value" doctor --strict=yes

# auditors
echo 'unsigned int la_version(unsigned int version) { return version; }' |
	compile -shared -fPIC -nostdlib -o "$tmp/other.so" -x c - || bail_out "no auditor"
LD_AUDIT=$tmp/other.so finds 0 \
	'^warning  LD_AUDIT holds /.*/other\.so too; .*; unset it' \
	"another auditor"
LD_AUDIT=$tmp/other.so:$LIBCUAUDIT finds 0 \
	"^warning  LD_AUDIT of the environment holds $LIBCUAUDIT behind another auditor; name it first\$" "ourselves behind it"
LD_AUDIT=$LIBCUAUDIT:$tmp/other.so finds 0 "^ok       LD_AUDIT of the environment begins with $LIBCUAUDIT" "... and before"
LD_AUDIT=/nowhere/a.so "$cuaudit" doctor >"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/out")" "^warning  ERROR: ld\\.so: object '/nowhere/a\\.so'" \
	"one that is not there: what the loader says of it"
LD_AUDIT=$LIBCUAUDIT finds 0 '^ok       no other auditor is set' "ourselves"

# drivers
CUAUDIT_DRIVER=/nowhere/libcuda.so finds 1 '^problem  no driver: /nowhere/libcuda\.so: cannot open.*; install' \
	"no driver"
echo 'int x;' | compile -shared -fPIC -o "$tmp/none.so" -x c -
CUAUDIT_DRIVER=$tmp/none.so finds 1 '^problem  .*/none\.so does not tell its version' "none that is one"
printf 'int x; void __attribute__((constructor)) f(void) { __builtin_trap(); }' |
	compile -shared -fPIC -o "$tmp/traps.so" -x c -
CUAUDIT_DRIVER=$tmp/traps.so finds 1 "^problem  no driver: .*/traps\\.so; install" "one that crashes"

# programs
strange_programs
PATH=$tmp:$PATH
export PATH
finds 0 '^ok       .*/plain is a program that can be audited' "a program" plain
like "$(cat "$tmp/out")" '^ok       the static TLS of its libraries fits' "a program: its TLS"
finds 0 '^ok       .*/plain is a program' "a program behind --" -- plain --help
finds 0 '^ok       .*/script is run by /bin/sh, which can be audited' "a script" script
finds 1 '^problem  nosuch: no such program' "no program" nosuch
finds 1 '^problem  .*/private cannot be run: Permission denied' "not executable" ./private
finds 1 '^problem  .*/lost wants the loader /nowhere/' "a loader that is not there" lost
finds 1 '^problem  .*/short is cut short' "a program cut short" short
finds 1 '^problem  .*/text is neither' "a text" text
printf '#include <stdio.h>\nint main(void) { return !puts("/dev/nvidiactl"); }' |
	compile -o "$tmp/device" -x c - || bail_out "no program"

# The manual's LIMITATIONS: each message of a program of that kind, and no other.
limits() {
	sed -n '/^\.Sh LIMITATIONS/,/^\.Sh SEE ALSO/s/^\.It "\(.*\)"$/\1/p' \
		"$top_srcdir/man/libcuaudit.7"
}
for kind in static musl android machine device; do
	"$cuaudit" doctor "$tmp/$kind" | sed -n "s|^[a-z]* *$tmp/$kind |PROGRAM |p" |
		sed 's| /system/bin/linker64,| LOADER,|; /can be audited$/d'
done >"$tmp/messages"
is "$(wc -l <"$tmp/messages")" 5 "doctor has a message for each kind" || diag "$(cat "$tmp/messages")"
if test "$(id -u)" -eq 0 && setpriv --reuid=65534 --clear-groups true 2>"$tmp/setpriv.out"; then
	cp plain setuid
	chmod 4755 setuid
	chmod 755 "$tmp"
	chmod 777 "$tmp/room"
	TMPDIR=$tmp/room setpriv --reuid=65534 --clear-groups "$cuaudit" doctor "$tmp/setuid" |
		sed -n "s|^problem  $tmp/setuid |PROGRAM |p" >>"$tmp/messages"
	is "$(sort "$tmp/messages")" "$(limits | sort)" "libcuaudit(7), LIMITATIONS: the same messages"
else
	skip 1 "only root can be somebody else"
fi
is "$(limits | wc -l)" "$(grep -c '^LIMIT(' "$top_srcdir/tools/findings.def")" \
	"libcuaudit(7), LIMITATIONS: as many as the table has"

# Python: files that look like interpreters, and those that are there
for python in newer unlocked pypy; do
	helper python/$python.so
	echo 'int main(void) { return 0; }' |
		compile -Wl,--no-as-needed -Wl,-rpath,"$tmp" -o "with-$python" -x c - -L"$tmp" -x none \
			-l:$python.so || bail_out "no program"
done
finds 0 "^warning  the Python frames of $tmp/newer.so cannot be read: it is Python 3.99, newer than" \
	"a newer Python" with-newer
finds 0 '^warning  the Python frames of .*/unlocked.so cannot be read: it is Python 3.13 .*without GIL' \
	"one without its lock" with-unlocked
finds 0 '^warning  the Python frames of .*/pypy.so cannot be read: it is not CPython 3.9' "PyPy" with-pypy
unlike "$("$cuaudit" doctor plain)" Python "a program without Python"
for python in ${CUAUDIT_TEST_PYTHONS-} "$(command -v python3)"; do
	version=$($python -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
	python=$($python -c 'import sys; print(sys.executable)')
	case $version in
	3.9 | 3.1[0-2]) table="by cuaudit's table of $version" ;;
	*) table="by the table that it has itself" ;;
	esac
	finds 0 "^ok       the Python frames of .* can be read: CPython $version, $table" "Python $version" "$python"
done

# a program's own auditor
if printf 'int main(void) { return 0; }' |
	compile -Wl,--audit,/x/own.so -o "$tmp/own" -x c - >"$tmp/build.out" 2>&1; then
	finds 0 '^warning  .*/own names an auditor of its own, /x/own\.so' "an auditor of its own" own
else
	skip 3 "no linker that knows --audit"
fi

# a call that hooks refuse came through all the same
export CUAUDIT_HOOKS='fault(inject=*:error=2)'
finds 0 '^ok       glibc .*came through it$' "hooks that refuse each call"
unset CUAUDIT_HOOKS

# a tree that is broken
mkdir -p tree/bin tree/lib/cuaudit/sim
cp "$cuaudit" tree/bin
cp "$LIBCUAUDIT" tree/lib
cp "$simdir/libcuda.so.1" tree/lib/cuaudit/sim
: >tree/lib/cuaudit/cuaudit-core.so
cuaudit=$tmp/tree/bin/cuaudit
finds 1 '^problem  the auditor is loaded and its core is not' "a broken core"
like "$(cat "$tmp/out")" '^warning  cannot load .*cuaudit-core\.so: .*; nothing is audited' "what is said of it"
tool list hooks
is "$status $(wc -l <"$tmp/err")" "2 1" "list hooks, without the core"
cp "$top_builddir/lib/cuaudit/cuaudit-core.so" tree/lib/cuaudit
finds 0 '^ok       glibc .*came through it$' "a whole one"
: >tree/lib/libcuaudit.so
finds 1 '^problem  glibc .* did not take the auditor' "a broken auditor"
like "$(cat "$tmp/out")" "^warning  ERROR: ld\\.so: object '.*/libcuaudit\\.so' cannot be loaded as audit" \
	"what the loader says of it"
like "$(cat "$top_srcdir/man/libcuaudit.7")" \
	"^\\.It \"ERROR: ld\\.so: object 'PATH' cannot be loaded as audit interface: REASON; ignored\\.\"" \
	"libcuaudit(7) explains it"

# A file may name anything as its loader: what is not this system's own is not run.
# It is static, as LD_TRACE_LOADED_OBJECTS keeps others from running.
compile -static -DFILE="\"$tmp/executed\"" -o "$tmp/ld-linux-evil.so.2" -x c - 2>"$tmp/build.out" <<'END' ||
#include <fcntl.h>

int main(void)
{
	return creat(FILE, 0666) < 0;
}
END
	skip_static=yes
compile -o "$tmp/evil" -Wl,--dynamic-linker,"$tmp/ld-linux-evil.so.2" -x c - <<'END'
int main(void) { return 0; }
END
status=0
"$cuaudit" doctor "$tmp/evil" >"$tmp/out" 2>"$tmp/err" || status=$?
if test -n "${skip_static-}"; then
	skip 1 "no static libc"
else
	ok "doctor runs no loader that a file names" test ! -e "$tmp/executed"
fi
like "$(cat "$tmp/out")" "is not known: its loader, $tmp/ld-linux-evil.so.2, is not the one of this system" \
	"doctor says so"
tool doctor "$demo"
like "$(cat "$tmp/out")" "static TLS of its libraries fits" "the system's own is asked"

# Where /proc is not there.
if test "$(loader_family)" = old; then
	skip 1 "this loader does not list namespaces"
elif test "$(id -u)" = 0 && unshare -m sh -c 'umount -l /proc' 2>/dev/null; then
	status=0
	unshare -m sh -c 'umount -l /proc && exec "$0" doctor' "$top_builddir/bin/cuaudit" >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status $(grep -c -v '^ok ' "$tmp/out")" "0 0" "without /proc all is well" || diag "$(cat "$tmp/out" "$tmp/err")"
else
	skip 1 "no mounting here"
fi
done_testing
