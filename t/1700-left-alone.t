# SPDX-License-Identifier: Apache-2.0
# Processes that are left alone, and strange ones that are not.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
helper routes/simple
LD_LIBRARY_PATH=$tmp
export LD_LIBRARY_PATH

# run WANT-STATUS WANT-ON-3 NAME [VARIABLE=VALUE...] COMMAND...; $tmp/out and $tmp/err are what it said
run() {
	run_want=$1
	run_want3=$2
	run_name=$3
	shift 3
	run_status=0
	audited "$@" >"$tmp/out" 2>"$tmp/err" 3>"$tmp/3" || run_status=$?
	is "$run_status" "$run_want" "$run_name: its status"
	is "$(cat "$tmp/3")" "$run_want3" "$run_name: what it is and does"
}

silent() {
	is "$(cat "$tmp/out" "$tmp/err")" "" "$1: nothing is said"
}

run 0 "auditor core calls=2" "a program" CUAUDIT_HOOKS= "$tmp/simple" 2
silent "a program without hooks"
run 0 "auditor core calls=2" "a program" "$tmp/simple" 2
like "$(cat "$tmp/err")" cuMemAlloc_v2 "its table is on stderr"
is "$(cat "$tmp/out")" "" "and not on stdout"

# programs that never call the driver
run 0 "auditor calls=0" "a program that only opens the driver" CUAUDIT_HOOKS= "$tmp/simple" 0
run 0 "" "a program without a driver" CUAUDIT_NOSUCH=1 true
silent "a program without a driver"
run 3 "" "and its status" sh -c 'exit 3'
silent "and its status"

# a true off switch
run 0 "auditor calls=2" "CUAUDIT_DISABLE=1" CUAUDIT_DISABLE=1 "$tmp/simple" 2
silent "CUAUDIT_DISABLE=1"

# where another driver was meant, the real one is not taken
for driver in smi /nowhere/libcuda.so.1 libnowhere.so; do
	run 2 "auditor no fake driver" "CUAUDIT_DRIVER=$driver" CUAUDIT_DRIVER=$driver "$tmp/simple" 2
done

# no place to say anything
for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
	run 0 "auditor core calls=2" "$closed" sh -c "exec \"$tmp/simple\" 2 $closed"
done
run 0 "auditor core calls=2" "a full device" sh -c "exec \"$tmp/simple\" 2 2>/dev/full"

# started by the loader
loader=$($READELF -lW "$tmp/simple" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
run 0 "auditor core calls=2" "ld.so PROGRAM" CUAUDIT_HOOKS= "$loader" "$tmp/simple" 2
silent "ld.so PROGRAM"
env ROUTES=native "$loader" --audit "$LIBCUAUDIT" "$tmp/simple" 2 3>"$tmp/3" 2>"$tmp/err"
is "$(cat "$tmp/3")" "auditor core calls=2" "ld.so --audit"

# a static program
if compile -static -o "$tmp/static" -x c - 2>"$tmp/static.out" <<-'END'
	#include <stdio.h>

	int main(void)
	{
		dprintf(3, "static\n");
		return 0;
	}
	END
then
	run 0 static "a static program" "$tmp/static"
	silent "a static program"
else
	skip 3 "no static libc"
fi

# a set-uid program of somebody else's: the loader takes no auditor from a path
ok "a copy" cp "$tmp/simple" "$tmp/setuid"
if test "$(id -u)" -ne 0 || ! setpriv --reuid=65534 --clear-groups true 2>"$tmp/setpriv.out"; then
	skip 4 "only root can be somebody else"
else
	chmod 755 "$tmp" "$tmp/libcuda.so.1"
	chmod 4755 "$tmp/setuid"
	: >"$tmp/3"
	chmod 666 "$tmp/3"
	run_status=0
	setpriv --reuid=65534 --clear-groups env LD_AUDIT="$LIBCUAUDIT" "$tmp/setuid" 2 \
		>"$tmp/out" 2>"$tmp/err" 3>"$tmp/3" || run_status=$?
	is "$(cat "$tmp/3")" "no fake driver" "a set-uid program: neither auditor nor LD_LIBRARY_PATH"
	is "$run_status" 2 "a set-uid program: its status"
	unlike "$(cat "$tmp/err")" cuaudit: "a set-uid program: nothing of ours is reported"
	ok "the same program, unprivileged" setpriv --reuid=65534 --clear-groups \
		"$tmp/simple" 0 3>&1
fi

# a core that cannot be loaded: said once, and the program runs on
ok "an auditor of its own" mkdir "$tmp/lonely"
ok "a copy" cp "$LIBCUAUDIT" "$tmp/lonely/libcuaudit.so"
run 0 "auditor calls=2" "no core" LD_AUDIT="$tmp/lonely/libcuaudit.so" "$tmp/simple" 2
is "$(grep -c cuaudit "$tmp/err")" 1 "no core: one line says so"
like "$(cat "$tmp/err")" \
	"^cuaudit: cannot load $tmp/lonely/cuaudit/cuaudit-core\\.so: .*; nothing is audited" \
	"no core: the one beside the auditor, and why"
mkdir "$tmp/lonely/cuaudit" && : >"$tmp/lonely/cuaudit/cuaudit-core.so"
run 0 "auditor calls=2" "a broken core" LD_AUDIT="$tmp/lonely/libcuaudit.so" "$tmp/simple" 2
is "$(grep -c cuaudit "$tmp/err")" 1 "a broken core: one line says so"

done_testing
