# SPDX-License-Identifier: Apache-2.0
# A driver call in the handler of a signal that interrupts malloc(): no hook allocates memory in a call, but
# that limit starts a thread when a device whose time is shared is used for the first time.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

helper hostile/amid
printf 'at-most 100 cuLaunchKernel\nno-unchecked-error\n' >"$tmp/rules"
amid() {
	amid_mode=$1
	status=0
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="$2" CUAUDIT_OUTPUT="$tmp/report" timeout 300 "$tmp/amid" "$amid_mode" \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	is "$status $(cat "$tmp/out")" "0 0" "$amid_mode, $2: the call is made" || diag "$(head -c 1000 "$tmp/err")"
}

for mode in first later; do
	for hooks in '' stat 'stat(clock=no)' coverage leak "trace(file=$tmp/a.cutrace)" \
		"trace(file=$tmp/a.cutrace;backtrace=cuLaunchKernel;args=kernel),stat" 'trace(text=yes)' \
		'fault(inject=cuLaunchKernel:delay_exit=1ns)' 'limit(memory=512M)' "limit(user=512M;file=$tmp/user)" \
		"rules(file=$tmp/rules)" "stat,leak,coverage,trace(file=$tmp/a.cutrace),limit(memory=512M)"; do
		amid $mode "$hooks"
	done
done
amid later "limit(share=1;share-dir=$tmp)"
amid later "limit(time=50%;share-dir=$tmp),stat,trace(file=$tmp/a.cutrace)"
done_testing
