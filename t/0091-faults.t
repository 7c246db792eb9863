# SPDX-License-Identifier: Apache-2.0
# t/faults draws the same faults for the same seed, and says which no test notices.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

command -v "$PYTHON3" >"$tmp/which" || skip_all "no python3"

# faults ARGUMENT...: what it prints, and its status
faults() {
	faults_status=0
	"$PYTHON3" "$top_srcdir/t/faults" "$@" >"$tmp/out" 2>&1 || faults_status=$?
}

faults --list --seed 7 --count 9 util/globs.c audit/filter.c
cp "$tmp/out" "$tmp/first"
is "$faults_status $(grep -cE '^(util/globs|audit/filter)\.c:[0-9]+: .* => ' "$tmp/out")" "0 9" "faults of two files"
faults --list --seed 7 --count 9 util/globs.c audit/filter.c
ok "the same again" cmp "$tmp/first" "$tmp/out"
faults --list --seed 8 --count 9 util/globs.c audit/filter.c
fails "others by another seed" cmp -s "$tmp/first" "$tmp/out"
faults util/none.c
is "$faults_status $(sed -n '$ s/.*error: //p' "$tmp/out")" "2 no such file: util/none.c" "no such file"
faults --tests 'none*' -- util/globs.c
is "$faults_status $(sed -n '$ s/.*error: //p' "$tmp/out")" "2 no such tests" "no such tests"

if test -z "${LONG_TESTS-}"; then
	skip 2 "long; make check-all runs it"
elif ! git -C "$top_srcdir" rev-parse --is-inside-work-tree >"$tmp/none" 2>&1; then
	skip 2 "no git checkout"
else
	faults --jobs 1 --count 6 --tests '2556-*' -- util/globs.c
	ok "a test that notices: $(tail -n 1 "$tmp/out")" test "$(grep -c 'noticed by 2556-parts.c$' "$tmp/out")" -ge 4
	faults --jobs 1 --count 2 --tests '0000-*' -- util/globs.c
	is "$faults_status $(grep -c 'NOTICED BY NO TEST$' "$tmp/out")" "1 2" "one that does not"
fi
done_testing
