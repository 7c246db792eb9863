# SPDX-License-Identifier: Apache-2.0
# cuaudit report: files that are none, or nobody can read.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

# A record file of a process that did not come to its end.
helper tool/aborts killed
(ulimit -c 0 && audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/good" "$tmp/killed") 2>"$tmp/err"
good=$tmp/good.part
ok "a good file is printed" "$cuaudit" report "$good"
like "$(cat "$tmp/tap.out")" ' cuInit$' "a good file: its call"

refused 2 'report: no file given' "nothing" report
refused 2 "$tmp/missing: No such file" "missing" report "$tmp/missing"
: >"$tmp/empty"
refused 2 "$tmp/empty: empty" "empty" report "$tmp/empty"
mkdir "$tmp/nothing"
refused 2 "$tmp/nothing: no trace or saved statistics in this directory" "a directory" \
	report "$tmp/nothing"
head -c 3 "$good" >"$tmp/three"
refused 2 "$tmp/three: neither a trace nor a stat record file" "three bytes" report "$tmp/three"
head -c 100 "$good" >"$tmp/truncated"
refused 2 "$tmp/truncated: cut short" "truncated in the header" report "$tmp/truncated"
refused 2 ".*killed: neither a trace nor a stat record file" "foreign" report "$tmp/killed"
head -c 300000 /dev/zero >"$tmp/zeros"
refused 2 "$tmp/zeros: neither a trace nor a stat record file" "zeros" report "$tmp/zeros"
{ cat "$tmp/zeros" && cat "$good"; } >"$tmp/behind"
refused 2 "$tmp/behind: neither a trace nor a stat record file" "a good one behind zeros" report "$tmp/behind"
cp "$good" "$tmp/huge"
truncate -s 1T "$tmp/huge" 2>"$tmp/truncate.out" || : >"$tmp/huge"
refused 2 "$tmp/huge: larger than a record file gets" "huge, for the most part a hole" \
	report "$tmp/huge"
mkfifo "$tmp/pipe"
refused 2 "$tmp/pipe: a pipe cannot be read twice" "a pipe nobody writes" report "$tmp/pipe"
status=0
echo x | "$cuaudit" report /dev/fd/0 >"$tmp/out" 2>"$tmp/err" || status=$?
is "$status $(cat "$tmp/err")" \
	"2 cuaudit: /dev/fd/0: a pipe cannot be read twice; save it to a file" "a pipe"
refused 2 "/dev/zero: not a file" "a device" report /dev/zero
refused 2 "$good/x: Not a directory" "below a file" report "$good/x"
long=$(printf '%05000d' 0)
refused 2 "$long: File name too long" "a name too long" report "$long"

if test "$(id -u)" -eq 0 && setpriv --reuid=65534 --clear-groups true 2>"$tmp/setpriv.out"; then
	chmod 755 "$tmp"
	chmod 000 "$good"
	status=0
	setpriv --reuid=65534 --clear-groups "$cuaudit" report "$good" >"$tmp/out" 2>"$tmp/err" ||
		status=$?
	is "$status $(cat "$tmp/err")" "2 cuaudit: $good: Permission denied" "unreadable"
	chmod 644 "$good"
elif test "$(id -u)" -ne 0; then
	chmod 000 "$good"
	tool report "$good"
	is "$status $(cat "$tmp/err")" "2 cuaudit: $good: Permission denied" "unreadable"
	chmod 644 "$good"
else
	skip 1 "only root can be somebody else"
fi

# The good one among them is printed all the same.
tool report "$tmp/empty" "$good" "$tmp/missing"
is "$status $(wc -l <"$tmp/err") $(grep -c ' cuInit$' "$tmp/out")" "2 2 2" "bad, good, bad"
status=0
"$cuaudit" report "$good" >/dev/full 2>"$tmp/err" || status=$?
is "$status $(wc -l <"$tmp/err")" "2 1" "a full disk"
done_testing
