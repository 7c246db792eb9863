# SPDX-License-Identifier: Apache-2.0
# A process that goes on behind the command and does not show its environment: that it still runs is said.
. "${top_srcdir:-$(dirname "$0")/..}/t/rules/lib.sh"

helper tool/hides
chmod a+rx "$tmp"
# Others' checks see none of these, and all end with the first one.
if test "$(id -u)" != 0 || ! unshare -p -f --mount-proc --propagation unchanged true 2>"$tmp/none"; then
	skip_all "no PID namespace here"
fi

# apart USER COMMAND...: with the status in $status, what is said in err.
apart() {
	apart_user=$1
	shift
	status=0
	unshare -p -f --mount-proc --propagation unchanged timeout 60 setpriv --reuid="$apart_user" --clear-groups sh -c '"$@"; exit $?' sh "$@" \
		>out 2>err || status=$?
}

chmod a+w "$tmp"
rules 'at-most 1 cuInit'
# Where the build lies in a directory of root's, it is nobody else's to run.
users=0
! setpriv --reuid=65534 --clear-groups test -x "$cuaudit" || users="0 65534"
for user in $users; do
	for way in shown title undumpable; do
		apart "$user" "$cuaudit" check -d sim --rules rules -- "$tmp/hides" "$way"
		ends 89 "$way, user $user: not made"
		says '^check: 1 process of the command still runs' "... which is said"
		apart "$user" "$cuaudit" check -d sim --rules rules -- sh -c '"$1" "$2"; sleep .3' sh "$tmp/hides" "$way"
		ends 89 "$way, user $user: behind a command that goes on"
		apart "$user" "$cuaudit" stat -d sim -o report -- "$tmp/hides" "$way"
		says '^cuaudit: 1 process of hides still runs' "$way, user $user: stat" || diag "$(cat err)"
		apart "$user" "$cuaudit" manifest -d sim -o manifest -- "$tmp/hides" "$way"
		says '^cuaudit: processes of .*hides still run' "$way, user $user: manifest"
	done
	rm -f report manifest
done
# One that began before, and hides, is nobody's.
apart "${users#* }" sh -c '"$2" undumpable; sleep .1; "$1" check -d sim --rules rules -- true' sh "$cuaudit" "$tmp/hides"
says '^check: no process' "what began before is not of the command" || diag "$(cat err)"

done_testing
