# SPDX-License-Identifier: Apache-2.0
# Which libraries are routed: CUAUDIT_INCLUDE and CUAUDIT_EXCLUDE.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

know_loader
fake_driver
helpers routes/libasker.so routes/who

native "nobody" "$tmp/who" - -
routed "all callers" "$tmp/who" main library

# who MAIN LIBRARY [VARIABLE=VALUE...]
who() {
	who_main=$1
	who_library=$2
	shift 2
	routed "$*" "$@" "$tmp/who" "$who_main" "$who_library"
}

who main - CUAUDIT_EXCLUDE=libasker.so
who main - CUAUDIT_EXCLUDE='libother.so:libasker.so'
who main - CUAUDIT_EXCLUDE=':libasker.so:'
who main - CUAUDIT_EXCLUDE='lib[a-c]sk?r.*'
who main - CUAUDIT_EXCLUDE='lib[!b]sker.so'
who main library CUAUDIT_EXCLUDE='lib[!a]sker.so'
who main - CUAUDIT_EXCLUDE='lib[^b]sker.so'
who main library CUAUDIT_EXCLUDE='lib[^a]sker.so'
who main - CUAUDIT_EXCLUDE='*/libasker.so'
who main - CUAUDIT_EXCLUDE="$tmp/lib*.so"
who main library CUAUDIT_EXCLUDE='/nowhere/libasker.so'
who main library CUAUDIT_EXCLUDE=libasker
who main library CUAUDIT_EXCLUDE=asker.so
who main library CUAUDIT_EXCLUDE=
who - library CUAUDIT_EXCLUDE='(main)'
who - library CUAUDIT_EXCLUDE=who
who - library CUAUDIT_EXCLUDE="$tmp/who"
who - - CUAUDIT_EXCLUDE='*'
who - - CUAUDIT_EXCLUDE='/*'
who - - CUAUDIT_EXCLUDE='(main):libasker.so'

who main library CUAUDIT_INCLUDE=
who main library CUAUDIT_INCLUDE='*'
who main - CUAUDIT_INCLUDE='(main)'
who - library CUAUDIT_INCLUDE=libasker.so
who main library CUAUDIT_INCLUDE='(main):libasker.so'
who - - CUAUDIT_INCLUDE=libother.so
who main - CUAUDIT_INCLUDE='*' CUAUDIT_EXCLUDE=libasker.so
who - - CUAUDIT_INCLUDE=libasker.so CUAUDIT_EXCLUDE=libasker.so
# The executable has its own name, not that of a script that it runs, or of a descriptor; and that of a link.
printf '#!%s main\n' "$tmp/who" >"$tmp/script"
chmod +x "$tmp/script"
ln -s who "$tmp/link"
for include in who "$tmp/who"; do
	routed "a script, $include" CUAUDIT_INCLUDE="$include" "$tmp/script"
	routed "a descriptor, $include" CUAUDIT_INCLUDE="$include" "$PYTHON3" -c '
import os, sys
os.execv(f"/proc/self/fd/{os.open(sys.argv[1], os.O_RDONLY)}", ["who", "main", "-"])' "$tmp/who"
done
routed "a link" CUAUDIT_INCLUDE=link "$tmp/link" main -
who - - CUAUDIT_DISABLE=1
who main library CUAUDIT_DISABLE=0

# A namespace that the program opens is no other auditor's: the driver's own libraries are not
# given stubs from then on either.
helper routes/library-noplt.so libany.so
helper routes/libnvidia-nvvm.so.4
helper routes/namespace late
# given NAME WANT LIBRARY
given() {
	is "$(audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS= "$tmp/late" "$tmp/$3")" "$2" \
		"behind a namespace of the program's, $1"
}
if test "$LOADER" = new; then
	given "a library" "a stub" libany.so
	given "one of the driver's" "the driver's own" libnvidia-nvvm.so.4
else
	skip 2 "this loader opens no namespace under an auditor"
fi

done_testing
