# SPDX-License-Identifier: Apache-2.0
# Outputs in a directory that others may write to: what they have put there is neither followed,
# written over nor waited for; the program runs on and a line says so.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

demo=$top_builddir/demo/cudemo
cuaudit=$top_builddir/bin/cuaudit
shared=$tmp/shared
ok "directories" mkdir "$shared" "$tmp/own"
ok "a FIFO" mkfifo "$tmp/hold"
chmod 755 "$tmp"
chmod 1777 "$shared"
cd "$tmp" || exit 99
CUAUDIT_DRIVER=sim
export CUAUDIT_DRIVER

# other COMMAND...: as another user
other() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# each FUNCTION ARGUMENT...: for each output, with MODULE and SUFFIX before the arguments
each() {
	each_function=$1
	shift
	for each_output in stat: 'stat(format=prometheus):' coverage:.coverage leak:.leak \
		'trace(text):.trace' 'limit(memory=1G):.limit' \
		'fault(inject=cuInit:delay_enter=1us):.fault'; do
		"$each_function" "${each_output%:*}" "${each_output##*:}" "$@"
	done
}

# run MODULE DIRECTORY: the program's status in $status, what is said in $tmp/err
run() {
	status=0
	audited CUAUDIT_HOOKS="$1" CUAUDIT_OUTPUT="$2/out" timeout 300 \
		"$demo" dlopen >"$tmp/out" 2>"$tmp/err" || status=$?
}

# link MODULE SUFFIX NAME COMMAND DIRECTORY: the link is made by COMMAND
link() {
	rm -rf "$shared"/* "$tmp"/own/*
	echo precious >"$tmp/victim"
	$4 ln -s "$tmp/victim" "$5/out$2" || return
	run "$1" "$5"
	is "$(cat "$tmp/victim")" precious "$1, $3: what it leads to"
	like "$(cat "$tmp/err")" "cannot write .*: (it is a symbolic link|another user)" "$1, $3: why"
}

own() { "$@"; }

each link "the user's own link" own "$tmp/own"
each link "in a shared directory" own "$shared"
rm -f "$tmp"/own/*
ln -s "$tmp/nothing" "$tmp/own/out"
run stat "$tmp/own"
like "$(cat "$tmp/err")" "cannot write .*symbolic link" "a link to nothing: why"
ok "a link to nothing: nothing is made" test ! -e "$tmp/nothing"
audited CUAUDIT_OUTPUT=/dev/stdout "$demo" dlopen >"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/out")" cuInit "/dev/stdout is followed"
is "$(cat "$tmp/err")" "" "and nothing said"

# A value of the environment leads nowhere else.
mkdir "$tmp/own/in"
audited RANK=../../escaped CUAUDIT_OUTPUT="$tmp/own/in/%r" "$demo" dlopen >"$tmp/out" 2>"$tmp/err"
is "$(ls "$tmp/own/in")" "_._.._escaped" "%r stays in its directory"
audited RANK=.. CUAUDIT_OUTPUT="$tmp/own/in/%r%r" "$demo" dlopen >"$tmp/out" 2>"$tmp/err"
ok "%r is not the directory above" test -f "$tmp/own/in/_._."
RANK=../../escaped "$cuaudit" stat -o "$tmp/own/in/t-%r" "$demo" dlopen \
	>"$tmp/out" 2>"$tmp/err"
ok "cuaudit stat: %r stays there" test -f "$tmp/own/in/t-_._.._escaped"

# Nobody else may write to files that are mapped, whatever the umask.
(umask 0 && audited CUAUDIT_HOOKS='stat(print=no),trace' CUAUDIT_OUTPUT="$tmp/own/mode" \
	"$demo" dlopen) >"$tmp/out" 2>"$tmp/err"
is "$(stat -c %a "$tmp/own/mode.part" "$tmp/own/mode.cutrace" | sort -u)" 644 "umask 0: their mode"

# planted MODULE SUFFIX WHAT COMMAND...: by COMMAND SUFFIX
planted() {
	planted_module=$1
	planted_suffix=$2
	planted_what=$3
	shift 3
	rm -rf "$shared"/* "$tmp"/own/*
	echo precious >"$tmp/victim"
	"$@" "$planted_suffix" || return
	planted_before=$(stat -c '%i %s %a' "$shared/out$planted_suffix")
	run "$planted_module" "$shared"
	case $planted_module in
	# It takes the place of a file, as rename(2) does.
	*prometheus*) test "$planted_what" = "a FIFO" || return 0 ;;
	esac
	is "$(stat -c '%i %s %a' "$shared/out$planted_suffix") $(cat "$tmp/victim")" \
		"$planted_before precious" "$planted_module, $planted_what: it is as it was"
	like "$(cat "$tmp/err")" "cannot write .*another user put it there" \
		"$planted_module, $planted_what: why"
}

hard_link() {
	ln "$tmp/victim" "$shared/out$1"
}

each planted "a hard link" hard_link

# replaced NAME COMMAND...: an output of the command, of which a hard link to the victim is there
refused() {
	refused_name=$1
	shift
	echo precious >"$tmp/victim"
	refused_status=0
	timeout 300 "$@" >"$tmp/out" 2>"$tmp/err" || refused_status=$?
	is "$refused_status $(cat "$tmp/victim")" "2 precious" "$refused_name: refused"
	like "$(cat "$tmp/err")" "^cuaudit: .*another user put it there" "$refused_name: why"
}

rm -rf "$shared"/* "$tmp"/own/*
audited CUAUDIT_HOOKS='trace,stat(print=no)' CUAUDIT_OUTPUT="$tmp/saved" "$demo" \
	dlopen >"$tmp/out" 2>"$tmp/err"
# commands WHAT
commands() {
	refused "cuaudit convert -o, $1" "$cuaudit" convert --to text -o "$shared/out" \
		"$tmp/saved.cutrace"
	refused "cuaudit report --html, $1" "$cuaudit" report --html "$shared/out" \
		"$tmp/saved.cutrace"
	refused "cuaudit stat -o, $1" "$cuaudit" stat -o "$shared/out" \
		"$demo" dlopen
}
ln "$tmp/victim" "$shared/out"
commands "a hard link"

if test "$(id -u)" != 0 || ! command -v setpriv >"$tmp/none"; then
	skip 1 "only root can be somebody else"
	done_testing
fi

# other COMMAND...: as another user
other() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

fifo() {
	other mkfifo -m 666 "$shared/out$1"
}

# With somebody who would read it, and so have the writer wait for him.
read_fifo() {
	fifo "$1" || return
	exec 7<>"$shared/out$1"
}

file() {
	other sh -c "umask 0; echo kept open >'$shared/out$1'"
}

# A directory for the files of a run.
rm -rf "$shared"/*
other mkdir -m 777 "$shared/run"
for command in "trace -o" "stat -K"; do
	status=0
	"$cuaudit" $command "$shared/run" "$demo" dlopen >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status $(ls "$shared/run")" "2 " "cuaudit $command, another user's directory: refused"
	like "$(cat "$tmp/err")" "belongs to another user" "cuaudit $command: why"
done

each link "another user's link" other "$shared"
each planted "a FIFO" fifo
each planted "a FIFO that is read" read_fifo
exec 7>&-
each planted "another user's file" file
for what in "other ln -s $tmp/victim $shared/out" fifo file; do
	rm -rf "$shared"/*
	case $what in
	other*) $what ;;
	*) $what "" ;;
	esac
	commands "$what"
done

# The file of limit(user=), squatted before its first process: no lock of his is waited for.
rm -rf "$shared"/*
other sh -c "umask 0; : >'$shared/limit'"
helper limit/lock
other "$tmp/lock" "$shared/limit" <"$tmp/hold" >"$tmp/locked" &
exec 8>"$tmp/hold"
until test -s "$tmp/locked"; do
	kill -0 $! || bail_out "the file cannot be locked"
done
for error in exit run; do
	status=0
	audited CUAUDIT_HOOKS="limit(user=1G;file=$shared/limit;on-error=$error)" timeout 300 "$demo" \
		dlopen >"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status" "$(test $error = run && echo 0 || echo 85)" "a shared file of another's, $error"
	like "$(sed -n 1p "$tmp/err")" "cannot share $shared/limit: it belongs to another user" \
		"a shared file of another's, $error: why"
done
exec 8>&-
wait
is "$(wc -c <"$shared/limit")" 0 "a shared file of another's: it is as it was"

# In a directory of the other's own he may have put anything as well.
ok "another user's directory" chown 65534 "$tmp/own"
rm -rf "$tmp"/own/*
echo precious >"$tmp/victim"
other ln -s "$tmp/victim" "$tmp/own/out"
run stat "$tmp/own"
is "$(cat "$tmp/victim")" precious "another user's directory: what his link leads to"
done_testing
