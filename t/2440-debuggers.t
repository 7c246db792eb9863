# SPDX-License-Identifier: Apache-2.0
# Under gdb and valgrind.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

hostile mixed_callers
hostile waits
LD_LIBRARY_PATH=$tmp
export LD_LIBRARY_PATH

# gdb ARGUMENT...: what it prints goes to $tmp/gdb; it does not audit itself
debug() {
	timeout 300 gdb -nx -batch -ex 'set debuginfod enabled off' \
		-ex 'set startup-with-shell off' -ex 'set confirm off' \
		-ex "set environment LD_AUDIT $LIBCUAUDIT" \
		-ex "set environment CUAUDIT_OUTPUT $tmp/report" \
		-ex "set environment CUAUDIT_HOOKS stat(format=json)" "$@" >"$tmp/gdb" 2>&1 &&
		cat "$tmp/gdb"
}

if ! command -v gdb >"$tmp/out"; then
	skip 7 "no gdb"
elif ! timeout 300 gdb -nx -batch -ex run --args "$tmp/mixed_callers" >"$tmp/out" 2>&1 ||
     ! grep -q 'exited normally' "$tmp/out"; then
	skip 7 "no ptrace here"
else
	ok "gdb stops in the driver" debug -ex 'set breakpoint pending on' \
		-ex 'break cuMemAlloc_v2' -ex run -ex backtrace -ex delete -ex continue \
		--args "$tmp/mixed_callers" 10
	like "$(cat "$tmp/gdb")" '^Breakpoint 1,? .*cuMemAlloc_v2' "it is the driver's function"
	like "$(cat "$tmp/gdb")" '^#[0-9]+ .* main ' "its stack ends in main, through us"
	like "$(cat "$tmp/gdb")" 'exited normally' "the program goes on"
	is "$(calls cuInit "$tmp/report")" 30 "all calls are counted"

	# attached to one that is in the driver, waiting
	mkfifo "$tmp/fifo" "$tmp/ready"
	audited CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/attached" \
		"$tmp/waits" "$tmp/ready" "$tmp/fifo" &
	read -r pid <"$tmp/ready"
	timeout 300 gdb -nx -batch -ex 'set debuginfod enabled off' -ex backtrace \
		-p "$pid" >"$tmp/gdb" 2>&1
	echo >"$tmp/fifo"
	ok "attached and left" wait $!
	if grep -q 'ptrace: Operation not permitted' "$tmp/gdb"; then
		skip 1 "no ptrace here"
	else
		like "$(cat "$tmp/gdb")" '^#[0-9]+ .* main ' "the stack ends in main"
	fi
fi

# Of any auditor valgrind says that libc frees what it may not, when asked to at the end.
if ! command -v valgrind >"$tmp/out"; then
	skip 5 "no valgrind"
elif ! timeout 300 valgrind -q --run-libc-freeres=no "$tmp/mixed_callers" 1 >"$tmp/out" 2>&1; then
	skip 5 "no working valgrind"
elif ! audited timeout 300 valgrind -q --run-libc-freeres=no "$tmp/mixed_callers" 1 >"$tmp/out" 2>&1 &&
	grep -q 'debuginfo reader' "$tmp/out"; then
	skip 5 "valgrind cannot read this compiler's debug information"
else
	# valgrind itself is a static program; the one it runs is audited
	counted "valgrind" timeout 300 valgrind -q --run-libc-freeres=no --error-exitcode=9 \
		--log-file="$tmp/valgrind" "$tmp/mixed_callers" 10 2
	grep '^==' "$tmp/valgrind" >"$tmp/errors"
	is "$(cat "$tmp/errors")" "" "it finds no error"
	is "$(calls cuInit) $(calls cuMemAlloc_v2)" "90 90" "all calls are counted"
	# Where pages end is what counts: what lies behind the arguments may never have been written.
	for pad in $(seq 0 128 3968); do
		PAD=$(printf "%${pad}s" x)
		export PAD
		audited CUAUDIT_HOOKS=stat CUAUDIT_OUTPUT="$tmp/padded" timeout 300 valgrind -q \
			--run-libc-freeres=no --log-file="$tmp/valgrind" "$tmp/mixed_callers" 1 2 >"$tmp/out"
		echo "$? $(grep -c '^==' "$tmp/valgrind")"
	done | sort | uniq -c >"$tmp/ends"
	is "$(awk '{ print $1, $2, $3 }' "$tmp/ends")" "32 0 0" "nor does it wherever the stack is"
	ok "valgrind, the demonstration" audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/demo" \
		timeout 300 valgrind -q --run-libc-freeres=no --error-exitcode=9 \
		--log-file="$tmp/valgrind" "$top_builddir/demo/cudemo" procaddr
fi

done_testing
