# SPDX-License-Identifier: Apache-2.0
# First calls at bad moments: in handlers, while others load, in forks, on small stacks.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

fake_driver
hostile setup
helper hostile/keys.so
set --
for n in 1 2 3 4 5 6 7 8; do
	cp "$tmp/libcuda.so.1" "$tmp/copy$n.so" || bail_out "no copy"
	set -- "$@" "$tmp/copy$n.so"
done
# Nothing but what the modules below report, which goes to a file.
modules="stat coverage leak limit(memory=1GiB) fault(inject=cuMemAlloc_v2:error=2) trace(file=$tmp/%p.cutrace) trace(text=yes)"

# quiet NAME TIMES ARGUMENT...: each run succeeds and says nothing.
quiet() {
	quiet_name=$1
	quiet_times=$2
	shift 2
	quiet_bad=0
	for quiet_run in $(seq "$quiet_times"); do
		audited LD_LIBRARY_PATH="$tmp" CUAUDIT_OUTPUT="$tmp/report" CUAUDIT_HOOKS="${hooks-stat}" \
			timeout 300 "$tmp/setup" "$@" 2>"$tmp/err" || quiet_bad=$((quiet_bad + 1))
		if test -s "$tmp/err"; then
			sed 's/^/# /' "$tmp/err"
			quiet_bad=$((quiet_bad + 1))
		fi
	done
	is "$quiet_bad" 0 "$quiet_name"
}

for how in handler thread coroutine signal-stack; do
	ok "natively: $how" $run_env LD_LIBRARY_PATH="$tmp" timeout 300 "$tmp/setup" $how
done
quiet "a handler calls while the core is loaded" 20 handler
quiet "a handler calls copies of the driver first" 5 copies "$@"
quiet "fork handlers call copies of the driver first" 5 fork "$@"
quiet "first calls keep the mask of signals" 1 mask "$@"
quiet "first calls of copies of the driver leave no stack behind" 1 gives-back "$@"
for hooks in $modules; do
	for how in thread coroutine signal-stack; do
		quiet "first call, $hooks: $how" 1 $how
	done
done
unset hooks

# midway LINE HOOKS: what a child that has half a core is told, and how it ends
midway() {
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_OUTPUT="$tmp/report" CUAUDIT_HOOKS="$2" \
		timeout 300 "$tmp/midway" >"$tmp/out" 2>"$tmp/err"
	is "$? $(cat "$tmp/out" "$tmp/err")" "0 $1" "forked while another thread loaded the core, $2"
}

hostile midway
message="cuaudit: forked while another thread loaded cuaudit-core.so; in this child"
midway "1 0
$message nothing is audited" stat
midway "1 85
$message nothing is audited, and what CUAUDIT_HOOKS enforces would not hold: \
the process ends with status 85; CUAUDIT_STRICT=0 would let it run" "limit(memory=1GiB)"

if test "$(loader_family)" = new; then
	quiet "keys of another namespace's libc" 1 keys "$tmp/keys.so"
else
	skip 1 "this loader opens no namespace under an auditor"
fi
done_testing
