# SPDX-License-Identifier: Apache-2.0
# Processes of a checked run that are not held to its rules, beside one that is: no check was made.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

mkdir "$tmp/work"
cd "$tmp/work" || exit 99
app="$top_builddir/demo/cudemo"

# checks STATUS SAYS NAME COMMAND [OPTION...]: COMMAND runs the program once more before or behind it.
checks() {
	want=$1
	says=$2
	name=$3
	shift 3
	printf 'never cuMemAllocManaged\n' >held.rules
	status=0
	env TMPDIR="$PWD" APP="$app" CUAUDIT="$cuaudit" "$cuaudit" check -d sim --rules held.rules ${check_option-} -- \
		sh -c '"$APP" dlopen >out && { '"$1"'; } >>out; exit 0' 2>"$tmp/err" || status=$?
	is "$status" "$want" "$name: status $want" || diag "$(head -c 2000 "$tmp/err")"
	like "$(cat "$tmp/err")" "$says" "... what it says"
}

other='echo never cuMemAlloc >held.rules'
not='^check: process [0-9]+ is not checked: '
changed='^check: held\.rules was changed or replaced while the command ran: '
checks 0 '^check: the rule holds$' "twice" '"$APP" dlopen'
checks 89 "$not" "the rules are gone" 'rm held.rules; "$APP" dlopen'
checks 89 "$not" "... and the process goes on" 'rm held.rules; CUAUDIT_STRICT=0 "$APP" dlopen'
checks 89 "$not" "a wrong hook" 'CUAUDIT_HOOKS="$CUAUDIT_HOOKS,limit(x=1)" "$APP" dlopen'
checks 89 "$not" "... and the process goes on" \
	'CUAUDIT_STRICT=0 CUAUDIT_HOOKS="$CUAUDIT_HOOKS,limit(memory=x)" "$APP" dlopen'
checks 89 "$not" "a wrong variable" 'CUAUDIT_STRICT=1 CUAUDIT_LOG=loud "$APP" dlopen'
checks 89 "$not" "switched off" 'CUAUDIT_STRICT=1 CUAUDIT_DISABLE=1 "$APP" dlopen'
checks 0 '^check: the rule holds$' "the rules are gone, and nothing is run" 'rm held.rules'
scope='^check: process [0-9]+ of .* had other values of CUAUDIT_DOMAINS, CUAUDIT_LIBC or CUAUDIT_PROVIDERS than the command: '
for set in DOMAINS=runtime DOMAINS=driver,runtime 'PROVIDERS=libm.so.*'; do
	checks 89 "$scope" "others in a child: $set" "CUAUDIT_$set \"\$APP\" dlopen"
done
CUAUDIT_DOMAINS=driver,tables
export CUAUDIT_DOMAINS
checks 89 "$scope" "none in a child" 'unset CUAUDIT_DOMAINS; "$APP" dlopen'
checks 0 '^check: the rule holds$' "the same in a child" 'CUAUDIT_DOMAINS=driver,tables "$APP" dlopen'
unset CUAUDIT_DOMAINS
replaced='^check: process [0-9]+ is not checked: it has, or cuaudit started it with, other hooks; '
for hooks in 'CUAUDIT_HOOKS=stat' 'CUAUDIT_HOOKS=' 'unset CUAUDIT_HOOKS;' 'CUAUDIT_HOOKS="rules(file=held.rules;save=$PWD/%p)"' \
	'CUAUDIT_HOOKS="${CUAUDIT_HOOKS%check)},stat"' 'CUAUDIT_STRICT=0 CUAUDIT_HOOKS=none'; do
	checks 89 "$replaced" "other hooks in a child: $hooks" "$hooks \"\$APP\" dlopen"
	checks 0 '^check: the rule holds$' "... that has no driver" "( $hooks true )"
done
checks 89 "$not" "... and CUAUDIT_DISABLE=1" 'CUAUDIT_DISABLE=1 CUAUDIT_HOOKS= "$APP" dlopen'
for hooks in '$CUAUDIT_HOOKS,stat' 'stat,$CUAUDIT_HOOKS'; do
	checks 0 '^check: the rule holds$' "hooks beside the check's: $hooks" "CUAUDIT_HOOKS=\"$hooks\" \"\$APP\" dlopen"
done
checks 89 "$replaced" "cuaudit stat inside" '"$CUAUDIT" stat -o stats "$APP" dlopen'
checks 89 "$replaced" "... of what ends at once" '"$CUAUDIT" stat -o stats true'
checks 89 "$replaced" "cuaudit run --hooks inside" '"$CUAUDIT" run --hooks coverage "$APP" dlopen'
checks 89 "$replaced" "cuaudit check inside" 'echo never cuMemAllocManaged >in.rules; "$CUAUDIT" check --rules in.rules -- "$APP" dlopen'
checks 0 '^check: the rule holds$' "cuaudit run inside, without hooks" '"$CUAUDIT" run "$APP" dlopen'
checks 0 '^check: the rule holds$' "cuaudit run --hooks with those that were there" \
	'"$CUAUDIT" run --hooks "$CUAUDIT_HOOKS,coverage(format=json)" "$APP" dlopen'
checks 89 "$changed" "the rules are others" "$other"
checks 89 "$changed" "... and are as before" "cp -p held.rules was; $other; cp -p was held.rules"
checks 89 "$changed" "... or another file" 'cp -p held.rules new; mv new held.rules'

# The settings are judged in the place of the program: only the trial of a cuaudit inside may be.
trial=$not
checks 89 "$trial" "CUAUDIT_STRICT=check in a child" 'CUAUDIT_STRICT=check "$APP" dlopen'
checks 0 '^check: the rule holds$' "... that does not call the driver" 'CUAUDIT_STRICT=check true'
checks 89 "$trial" "... whose settings are wrong" 'CUAUDIT_STRICT=check CUAUDIT_HOOKS="$CUAUDIT_HOOKS,limit(x=1)" "$APP" dlopen'
checks 89 "$trial" "... in front of cuaudit run" 'CUAUDIT_STRICT=check "$CUAUDIT" run "$APP" dlopen'
for option in '' "--keep $PWD/kept"; do
	rm -rf kept
	check_option=$option
	checks 0 '^check: the rule holds$' "cuaudit run${option:+, the directory is kept}" '"$CUAUDIT" run "$APP" dlopen'
	rm -rf kept
	checks 0 '^check: the rule holds$' "... without a program" '"$CUAUDIT" run ./none; "$CUAUDIT" doctor >/dev/null'
	rm -rf kept
	checks 0 '^check: the rule holds$' "... of wrong settings" 'CUAUDIT_LOG=loud "$CUAUDIT" run "$APP" dlopen'
done
rm -rf kept
check_option=
printf '%s\n' 'optional calls' 'never cuMemAllocManaged' >idle.rules
status=0
env CUAUDIT_STRICT=check "$cuaudit" check -d sim --rules idle.rules -- "$app" dlopen >out 2>"$tmp/err" || status=$?
is "$status" 89 "CUAUDIT_STRICT=check for all" || diag "$(head -c 2000 "$tmp/err")"

# The first process has them so: the rules that were judged are no process's.
printf 'never cuMemAlloc\n' >held.rules
status=0
env "$cuaudit" check -d sim --rules held.rules -- \
	sh -c 'echo never cuMemAllocManaged >held.rules; exec "$0" dlopen' "$app" >out 2>"$tmp/err" || status=$?
is "$status" 89 "rules that are changed before any process reads them"
like "$(cat "$tmp/err")" "$changed" "... what it says"

# A process that can leave no file, as one of another user: its status is all that is known.
printf 'optional calls\nno-errors\n' >idle.rules
ended='^check: the command ended with status 85, as a process does that cannot be held to the rules, '
status=0
"$cuaudit" check -d sim --rules idle.rules -- sh -c 'exit 85' 2>"$tmp/err" || status=$?
is "$status" 89 "ended by status 85, no calls are allowed"
like "$(cat "$tmp/err")" "$ended" "... what it says"
status=0
"$cuaudit" check -d sim --rules held.rules -- sh -c 'exit 85' 2>"$tmp/err" || status=$?
is "$status $(grep -c 'no process called' "$tmp/err")" "89 0" "... and where they are not"
like "$(cat "$tmp/err")" "$ended" "... what it says"
status=0
"$cuaudit" check -d sim --rules held.rules -- sh -c '"$0" dlopen >out; exit 85' "$app" 2>"$tmp/err" || status=$?
is "$status $(cat "$tmp/err")" "85 check: the rule holds" "a status 85 of a command that was checked is its own"

# Settings that are wrong from the start: nothing is left where processes' files are kept.
mkdir kept
printf 'never cuMemAllocManaged\n' >held.rules
refused 2 "limit has no option 'x'" "a wrong hook from the start" check -d sim --rules held.rules --keep kept -k 'limit(x=1)' -- true
is "$(ls kept)" "" "... leaves nothing"
done_testing
