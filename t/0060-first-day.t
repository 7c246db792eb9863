# SPDX-License-Identifier: Apache-2.0
# What HACKING says of adding things, done step by step on a copy of the tree: each builds and passes.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

for program in autoreconf pkg-config "$PERL"; do
	command -v "$program" >"$tmp/found" || skip_all "no ${program##*/}"
done
# Makes of its own, not of the suite's.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
tree=$tmp/tree
mkdir "$tree"
tar -C "$top_srcdir" --exclude=./.git --exclude=./build --exclude=./autom4te.cache -cf - . | tar -C "$tree" -xf -
chmod -R u+w "$tree"
rm -f "$tree/config.status" "$tree/config.h"
mkdir -p "$tree/build"
cd "$tree" || exit 99

# block SECTION NUMBER FILE: the n-th block of code of a section, for $name as NAME, into FILE.
block() {
	awk -v section="## $1" -v number="$2" '
	/^## / { on = $0 == section }
	!on { next }
	/^ *$/ { inside && blank++; next }
	{ match($0, /^ */) }
	/^(    |       )[^ ]/ && !inside { n++; inside = RLENGTH }
	inside && RLENGTH < inside { inside = blank = 0 }
	inside && n == number {
		while (blank-- > 0)
			print ""
		line = substr($0, inside + 1)
		while (match(line, /^\t*        /))
			sub(/        /, "\t", line)
		print line
	}
	inside { blank = 0 }' "$top_srcdir/HACKING.md" | sed "s/NAME/$name/g" >"$3"
	ok "$1, block $2: $3" test -s "$3"
}

# after FILE LINE TEXT...: puts lines behind the first line that is LINE. Not all awks take a backslash at the end by -v.
after() {
	LINE=$2 TEXT=$3 awk '{ print } $0 == ENVIRON["LINE"] && !done { print ENVIRON["TEXT"]; done = 1 } END { exit !done }' \
		"$1" >"$tmp/after" && cp "$tmp/after" "$1" || bail_out "$1 has no such line: $2"
}

built() {
	ok "$1: it builds" "$MAKE" -s -C build
}

# passes NAME TEST...
passes() {
	passes_name=$1
	shift
	for passes_test; do
		passes_file=$(echo t/"$passes_test"-*.t)
		passes_status=0
		(cd build && top_srcdir=$tree top_builddir=$tree/build LIBCUAUDIT=$tree/build/lib/libcuaudit.so \
			sh "../$passes_file") >"$tmp/passed" 2>&1 || passes_status=$?
		is "$passes_status $(grep '^not ok' "$tmp/passed")" "0 " "$passes_name: $passes_file"
	done
}

ok "configure is made" autoreconf -fi
ok "and runs" sh -c 'cd build && ../configure -q --enable-werror'
built "the tree"

# A hook.
name=day
mkdir hooks/modules/day
block "Add a hook" 1 hooks/modules/day/day.c
echo 'MODULE(day)' >>hooks/builtin.def
LC_ALL=C sort -o "$tmp/sorted" hooks/builtin.def && grep -v '^MODULE' hooks/builtin.def >"$tmp/def" &&
	grep '^MODULE' "$tmp/sorted" >>"$tmp/def" && cp "$tmp/def" hooks/builtin.def
after hooks/sources.am '# The modules in the box.' "day_module_sources = \\
	hooks/modules/day/day.c
"
sed 's/^modules_sources = /&$(day_module_sources) /' hooks/sources.am >"$tmp/am" && cp "$tmp/am" hooks/sources.am
built "a hook"
CUAUDIT_DRIVER=sim LD_AUDIT=$tree/build/lib/libcuaudit.so CUAUDIT_HOOKS='day(most=1)' \
	build/demo/cudemo dlopen >"$tmp/out" 2>&1
like "$(cat "$tmp/out")" 'cuMemAlloc' "it refuses"
CUAUDIT_DRIVER=sim LD_AUDIT=$tree/build/lib/libcuaudit.so CUAUDIT_HOOKS='day(most=x)' \
	build/demo/cudemo dlopen >"$tmp/out" 2>&1
is "$?" 85 "a wrong option ends the program"
like "$(cat "$tmp/out")" "day: most takes a size such as 1GiB, not 'x'" "as it says"
passes "a hook" 0020 0022

# An option.
block "Add an option to the command" 1 option
line=$(grep -n '^OPTION(" list "' tools/commands.def | tail -n 1 | cut -d : -f 1)
cat option >>tools/commands.def
sed "s/listing.names = true;/{ if (option == 'z') puts(\"zero\"); else listing.names = true; }/" tools/list.c \
	>"$tmp/list.c" && cp "$tmp/list.c" tools/list.c
built "an option"
is "$(build/bin/cuaudit list --zero functions cuInit | sed -n 1p)" zero "it is known"
like "$(build/bin/cuaudit list --help)" 'end the lines of names with a zero byte' "it is in the help"
like "$(cat build/man/cuaudit.1)" 'zero byte' "it is in the page"
rm option

# A subcommand.
name=dusk
block "Add a subcommand to the command" 1 command
after tools/commands.def "$(grep '^COMMAND(doctor' tools/commands.def)" "$(cat command)"
block "Add a subcommand to the command" 2 tools/dusk.c
after tools/sources.am '	tools/doctor.c \' '	tools/dusk.c \'
block "Add a subcommand to the command" 3 section
awk 'NR == FNR { text = text $0 "\n"; next } $0 == ".Ss cuaudit list" { printf "%s", text } { print }' \
	section man/cuaudit.1.in >"$tmp/page" && cp "$tmp/page" man/cuaudit.1.in
rm command section
built "a subcommand"
is "$(build/bin/cuaudit dusk one two)" 2 "it runs"
status=0
build/bin/cuaudit dusk >"$tmp/out" 2>&1 || status=$?
is "$status $(cat "$tmp/out")" "2 cuaudit: dusk: no file given" "it refuses"
like "$(cat build/man/cuaudit.1)" 'Prints how many files were named' "it is in the page"

# An output format.
name=dawn
block "Add an output format" 1 export/dawn.c
after export/sources.am '	export/csv.c \' '	export/dawn.c \'
after export/formats.h 'extern const struct convert_format convert_ctf;' 'extern const struct convert_format convert_dawn;'
after export/formats.c '	&convert_ctf,' '	&convert_dawn,'
sed 's/"chrome|csv|ctf|folded/"chrome|csv|ctf|dawn|folded/' tools/commands.def >"$tmp/def" && cp "$tmp/def" tools/commands.def
built "a format"
CUAUDIT_DRIVER=sim LD_AUDIT=$tree/build/lib/libcuaudit.so CUAUDIT_HOOKS="trace(file=$tmp/a.cutrace)" \
	build/demo/cudemo dlopen >"$tmp/out" 2>&1
is "$(build/bin/cuaudit convert --to dawn "$tmp/a.cutrace" | grep -c '^cuInit$')" 1 "it writes"
passes "all of it" 0020 0022

# A test.
block "Add a test" 1 t/0999-day.t
after t/tests.am "$(grep -n 't/0310' t/tests.am | head -n 1 | cut -d : -f 2)" '	t/0999-day.t \'
passes "a test" 0999
sed 's/cuInit\$/cuNever$/' t/0999-day.t >"$tmp/wrong" && cp "$tmp/wrong" t/0999-day.t
status=0
"$MAKE" -s -C build t/0999-day.log >"$tmp/out" 2>&1 || status=$?
like "$(cat "$tmp/out")" '^FAIL: t/0999-day\.t 1 - cuInit is counted' "is seen"

# Driver functions.
if test -r "${CUDA_HOME:-/usr/local/cuda}/include/cuda.h"; then
	mkdir toolkit
	cp "${CUDA_HOME:-/usr/local/cuda}"/include/cuda*.h toolkit/
	awk '/^CUresult CUDAAPI cuInit\(/ { print "CUresult CUDAAPI cuDayQuery(unsigned int Flags);" } { print }' \
		toolkit/cuda.h >"$tmp/cuda.h" && cp "$tmp/cuda.h" toolkit/cuda.h
	echo 'DEVICE		cuDayQuery' >>maint/classes
	ok "the generator reads a newer toolkit" "$PERL" maint/driver-api.pl --cc "$CC" --cuda toolkit --out include/cuaudit
	built "a driver function"
	like "$(build/bin/cuaudit list functions cuDayQuery)" '^cuDayQuery .*Flags' "it is in the table"
else
	skip 3 "no CUDA headers"
fi
done_testing
