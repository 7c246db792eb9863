# SPDX-License-Identifier: Apache-2.0
# What hooks may do; attaching, detaching, what is refused.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
helpers plugins/hooks plugins/libone.so
ok "not audited" $run_env LD_LIBRARY_PATH="$tmp" "$tmp/hooks" "$tmp/libone.so" none
routed "hooks" timeout 300 "$tmp/hooks" "$tmp/libone.so"
cp "$tmp/tap.out" "$tmp/out"
case $run_env in
*LD_PRELOAD*) skip 1 "the runtime of a sanitizer reads the processor's counter" ;;
*)
	routed "hooks, without the processor's counter" HOOKS_NO_COUNTER=1 timeout 300 \
		"$tmp/hooks" "$tmp/libone.so"
	;;
esac
like "$(cat "$tmp/out")" "^cuaudit: wrong: 'cuStreamQurey' names no function; did you mean cuStreamQuery, " \
	"the nearest functions are named"
like "$(cat "$tmp/out")" "^cuaudit: wrong: '%straem' is no selector; did you mean %stream\\?" \
	"so is the nearest class"
like "$(cat "$tmp/out")" "^cuaudit: a hook: 'cuStreamQurey' names no function; " \
	"a hook without a name is called a hook"
like "$(cat "$tmp/out")" "^cuaudit: attached: 'libonn\\*' matched no library; did you mean libone.so" \
	"the libraries of a hook that was attached"
is "$(grep -c '^cuaudit' "$tmp/out")" 5 "one line for each that is refused"
done_testing
