# SPDX-License-Identifier: Apache-2.0
# Texts of any length from the driver and the program: cut where they enter the trace, and told.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

helpers trace/libcuda.so.1 trace/long

# named OPTIONS COMMAND...: of the driver that the program is linked with, whatever the machine has
named() {
	named_options=$1
	shift
	traced "$named_options" env CUAUDIT_DRIVER= LD_LIBRARY_PATH="$tmp" timeout -k 5 300 "$@"
	checked "$tmp"/traces/*.cutrace >"$tmp/text"
}

for size in 0 1 1024 32767 32768 65536 300000 5000000; do
	named "" "$tmp/long" $size
	is "$status $(cat "$tmp/err")" "0 " "names of $size bytes: the program ends well, nothing is printed"
	is "$(number '^call ' <"$tmp/text") $(number '^bad|check failed' <"$tmp/text")" "37 0" \
		"$size: all calls, and a whole file"
	most=$size end=k
	test "$size" -le 32767 || most=32767 end='\.\.\.'
	test "$size" -gt 1 || end=
	is "$(awk '/^kernel/ { print length($3) }' "$tmp/text" | sort -u)" "$most" "$size: kernels' names"
	is "$(number "^kernel .*$end\$" <"$tmp/text")" "$(test "$size" -gt 0 && echo 12 || echo 1)" \
		"$size: each of them, and how it ends"
	"$top_builddir/bin/cuaudit" convert --to text -o "$tmp/to" "$tmp"/traces/*.cutrace 2>"$tmp/err"
	is "$? $(cat "$tmp/err") $(number cuLaunchKernel <"$tmp/to")" "0  12" "$size: it converts"
done

# Arguments and the environment, as long as the kernel takes them.
zeros=$(printf '%0100000d' 0)
set --
while test $# -lt 10; do
	set -- "$@" "$zeros"
done
named "" env BIG="$zeros" "$tmp/long" 10 "$@"
is "$status $(cat "$tmp/err")" "0 " "arguments of a million bytes"
is "$(grep -a -o '0\{500,\}\.\.\.' "$tmp"/traces/*.cutrace | wc -l)" 1 "are cut, and end so"

# Paths.
deep=$tmp/deep
part=$(printf 'd%.0s' $(seq 200))
while test ${#deep} -lt 3700; do
	deep=$deep/$part
done
if mkdir -p "$deep" 2>/dev/null && cp "$tmp/long" "$tmp/libcuda.so.1" "$deep/"; then
	audited LD_LIBRARY_PATH="$deep" CUAUDIT_OUTPUT="$tmp/deep/%p" CUAUDIT_HOOKS=trace "$deep/long" 1 \
		>"$tmp/out" 2>"$tmp/err"
	is "$? $(cat "$tmp/err")" "0 " "a program and a driver with paths of ${#deep} bytes"
	checked "$tmp"/deep/*.cutrace >"$tmp/text"
	like "$(grep '^process' "$tmp/text")" 'dd\.\.\. ' "the program's is cut, and ends so"
	is "$(number "^driver .* $deep/libcuda.so.1\$" <"$tmp/text")" 1 "the driver's is whole"
	(cd "$deep" && audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="trace(file=$part$part$part)" "$tmp/long" 1 2>"$tmp/err")
	is "$?" 0 "a file whose path is too long: the program runs"
	like "$(cat "$tmp/err")" "cannot be written: the path is too long; choose a shorter one" \
		"and it is reported"
else
	skip 5 "no such paths here"
fi
done_testing
