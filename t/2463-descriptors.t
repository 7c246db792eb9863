# SPDX-License-Identifier: Apache-2.0
# Outputs whose name stands for a descriptor, as /dev/stdout does: written through it, whatever it is of.
# The links are ones of our own: a fault would replace those of /dev.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

demo=$top_builddir/demo/cudemo
cuaudit=$top_builddir/bin/cuaudit
cd "$tmp" || exit 99
mkdir d && chmod 755 . d || bail_out "no directory"
CUAUDIT_DRIVER=sim
export CUAUDIT_DRIVER
links="stdout:/proc/self/fd/1 chain:stdout twice:../d/chain slashes:/proc//self///fd/1"
echo 'never cuProfilerStart' >rules
audited CUAUDIT_HOOKS=trace CUAUDIT_OUTPUT=saved "$demo" dlopen >out 2>&1

make_links() {
	rm -rf d/*
	for link in $links; do
		ln -s "${link#*:}" "d/${link%%:*}"
	done
}

# kept WHAT: the links are what they were, and nothing is beside them
kept() {
	is "$(for link in $links; do echo "$(readlink "d/${link%%:*}")"; done; ls d)" \
		"$(for link in $links; do echo "${link#*:}"; done
		for link in $links; do echo "${link%%:*}"; done | sort)" "$1: the links stay"
}

# hook MODULE OUTPUT: a program audited
hook() {
	CUAUDIT_OUTPUT=$2 $run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_HOOKS="$1" timeout 300 "$demo" dlopen
}

# through WHAT REGEX COMMAND...: its output, where that matches, in a file between other lines, in a pipe, and nowhere
through() {
	through_what=$1
	through_regex=$2
	shift 2
	make_links
	{
		echo before
		"$@" 2>err
		echo after
	} >log
	is "$(sed -n '1p;$p' log)" "before${newline}after" "$through_what, a file: what was there and what follows"
	like "$(sed '1d;$d' log)" "$through_regex" "$through_what, a file: the output is between" || diag "$(cat err)"
	kept "$through_what, a file"
	"$@" 2>err | cat >piped
	like "$(cat piped)" "$through_regex" "$through_what, a pipe"
	status=0
	"$@" >&- 2>err || status=$?
	like "$(cat err)" "closed or not open for this" "$through_what, closed: why"
	kept "$through_what, closed"
}
newline='
'

for name in stdout chain twice slashes; do
	through "convert, $name" 'cuInit\(' "$cuaudit" convert --to text -o d/$name saved.cutrace
	is "$status" 2 "convert, $name, closed: the status"
done
for name in /proc/self/fd/1 /dev/fd/1 /proc/thread-self//fd/1; do
	through "convert, $name" 'cuInit\(' "$cuaudit" convert --to text -o $name saved.cutrace
done
name=d/stdout
while read -r regex command; do
	through "${command%%" $demo"*}" "$regex" "$cuaudit" $command </dev/null
	is "$status" 2 "${command%%" $demo"*}, closed: the status"
done <<END
</html> report --html $name saved.cutrace
cuInit manifest -o $name saved.cutrace
</testsuites> check -d sim --rules rules --junit $name -- $demo dlopen
"verdict":"holds" check -d sim --rules rules --json $name -- $demo dlopen
"runs": check -d sim --rules rules --sarif $name -- $demo dlopen
^cuaudit-lock check -d sim --runs 1 --write-baseline $name -- $demo dlopen
cuInit$ stat -d sim -o $name $demo dlopen
^cuaudit_calls_total stat -d sim -m prometheus -o $name $demo dlopen
END
for module in stat 'stat(format=json)' 'stat(format=prometheus)' 'stat(format=openmetrics)' \
	'stat(format=prometheus;interval=0.01)'; do
	through "$module" '(cuInit$|"cuInit"|^cuaudit_calls_total)' hook "$module" d/stdout
	is "$status" 0 "$module, closed: the program"
done

# A number that was closed is no descriptor of the command's own either.
for number in 3 4 5 6 7 8 9; do
	status=0
	(eval "exec $number>&-" && exec "$cuaudit" report --html /dev/fd/$number saved.cutrace) >out 2>err || status=$?
	is "$status $(cat err)" "2 cuaudit: /dev/fd/$number: The descriptor is closed or not open for this" "/dev/fd/$number, closed"
done

# A link to nothing is not replaced either, nor one to a file by a hook.
ln -s nothing d/none
for command in "convert --to text -o d/none saved.cutrace" "report --html d/none saved.cutrace" \
	"stat -d sim -o d/none $demo dlopen" "check -d sim --rules rules --json d/none -- $demo dlopen"; do
	status=0
	"$cuaudit" $command >out 2>err || status=$?
	is "$status $(readlink d/none) $(find d -name nothing)" "2 nothing " "${command%%" $demo"*}: refused"
	like "$(cat err)" "symbolic link" "${command%%" $demo"*}: why"
done
for module in stat 'stat(format=prometheus)'; do
	hook "$module" d/none >out 2>err
	is "$(readlink d/none) $(find d -name nothing)" "nothing " "$module, a link to nothing: it stays"
	like "$(cat err)" "symbolic link" "$module, a link to nothing: why"
done

# Beside a device, or a descriptor's name, nothing is made, and it is no file for a trace.
for name in null:/dev/null stdout:/proc/self/fd/1; do
	rm -rf d/*
	ln -s "${name#*:}" "d/${name%:*}"
	name=${name%:*}
	hook 'stat,leak,coverage,trace(text),limit(memory=1G;count=allocations),fault(inject=cuInit:delay_enter=1us)' d/$name >out 2>err
	is "$? $(ls d) $(cat err)" "0 $name " "all modules, $name: nothing beside it"
	for module in trace "trace(file=$tmp/d/$name)" "stat(save=$tmp/d/$name)" 'stat(print=no)'; do
		status=0
		CUAUDIT_OUTPUT=d/$name "$cuaudit" run -d sim -k "$module" "$demo" dlopen >out 2>err || status=$?
		is "$status $(ls d) $(cat out)" "2 $name " "$module, $name: refused before anything is started"
		like "$(cat err)" "^cuaudit: (trace: .* has to be a file|stat: .*save)" "$module, $name: why"
	done
done
rm -rf d/*
ln -s /proc/self/fd/1 d/stdout
{
	sed -n 's/^flags://p' /proc/$$/fdinfo/1 >flags
	hook 'leak,coverage,trace(text),limit(memory=1G;count=allocations),fault(inject=cuInit:delay_enter=1us)' d/stdout
	sed -n 's/^flags://p' /proc/$$/fdinfo/1 >>flags
} >out
is "$(uniq flags | wc -l)" 1 "all modules, a descriptor's name: its flags stay"
for what in 'cuInit\(' 'bound' 'fault'; do
	like "$(cat out)" "$what" "all modules, a descriptor's name: what they write is there"
done
done_testing
