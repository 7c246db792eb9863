# SPDX-License-Identifier: Apache-2.0
# Files that declare more than they hold, calls that have not ended.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

helper tool/sparse

# small NAME STATUS ARGUMENT...: a run of the tool that ends so and takes less than 200 MiB.
small() {
	small_name=$1
	small_status=$2
	shift 2
	timeout 300 "$tmp/sparse" run "$cuaudit" "$@" >"$tmp/out" 2>"$tmp/err"
	# shellcheck disable=SC2046 # two words
	set -- $(tail -n 1 "$tmp/err")
	is "$1" "$small_status" "$small_name: ends with status $small_status"
	ok "$small_name: ... and does not take what was declared" test "${2:-9999999}" -lt 200000
}

# 60 chunks of 64 MiB, then four TiB of nothing.
if "$tmp/sparse" trace "$tmp/sparse.cutrace" 67108864 60 &&
	test "$(du -k "$tmp/sparse.cutrace" | cut -f1)" -lt 10000; then
	small "a sparse trace, report" 2 report "$tmp/sparse.cutrace"
	small "a sparse trace, convert" 2 convert --to text "$tmp/sparse.cutrace"
	small "a sparse trace, the page" 2 report --html "$tmp/page" "$tmp/sparse.cutrace"
else
	skip 6 "no sparse files here"
fi
if "$tmp/sparse" stat "$tmp/sparse.part" 4294967296 &&
	test "$(du -k "$tmp/sparse.part" | cut -f1)" -lt 10000; then
	small "sparse statistics" 0 report "$tmp/sparse.part"
else
	skip 2 "no sparse files here"
fi

# A call that began after the last record: its time was below zero.
helper trace/synth
synth -a -k -o -n 300 -t 2 "$tmp/open.cutrace"
for to in text csv folded otlp; do
	tool convert --to $to --from 0.000001 "$tmp/open.cutrace"
	case $to in
	text) opens=$(grep -c '<unfinished> <\(0ns\|[0-9.]*[mu]s\)>' "$tmp/out") ;;
	csv) opens=$(grep -c ',[0-9]\{1,7\},,0,cuStreamSynchronize,' "$tmp/out") ;;
	folded) opens=$(grep -c ';cuStreamSynchronize [0-9]\{4,7\}$' "$tmp/out") ;;
	otlp) opens=$(grep -o '"cuda.unfinished"' "$tmp/out" | wc -l) ;;
	esac
	is "$status $opens" "0 2" "convert --to $to: each thread's, with a time that can be"
done
tool report --by thread "$tmp/open.cutrace"
is "$(grep -c ' cuStreamSynchronize, python3.12 (pid 4711, rank 7)$' "$tmp/out")" 2 "report: both"

# Of a process that lives it is to now, of one that was killed to its last record.
helper tool/waits
mkfifo "$tmp/told" "$tmp/wait"
$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim \
	CUAUDIT_HOOKS="trace(open=cuLaunchHostFunc;file=$tmp/waits.cutrace)" \
	"$tmp/waits" "$tmp/told" "$tmp/wait" >"$tmp/waits.err" 2>&1 &
waits=$!
cat "$tmp/told" >"$tmp/none"
# for_ns: of the one call
for_ns() {
	"$cuaudit" report --format json "$tmp/waits.cutrace" 2>"$tmp/err" |
		sed -n 's/.*"open_calls":\[{"name":"cuLaunchHostFunc"[^}]*"for_ns":\([0-9]*\).*/\1/p'
}
first=$(for_ns)
second=$(for_ns)
ok "a call of a process that lives lasts ($first, $second ns)" test "$second" -gt "$first"
like "$("$cuaudit" convert --to csv "$tmp/waits.cutrace" | grep -c ',[0-9]\{6,15\},,0,cuLaunchHostFunc,')" \
	'^1$' "convert: so it does"
kill -9 $waits
wait $waits 2>"$tmp/none" || :
first=$(for_ns)
is "$first" "$(for_ns)" "one of a process that was killed does not"
ok "... and has a time that can be" test "$first" -lt 3600000000000

# Beside files that are none, the others are taken.
mkdir "$tmp/mixed"
synth -n 50 "$tmp/mixed/a.cutrace"
synth -n 70 -p 12 "$tmp/mixed/d.cutrace.1"
: >"$tmp/mixed/b.cutrace"
echo foreign >"$tmp/mixed/c.cutrace"
printf 'cuatrace' >"$tmp/mixed/e.cutrace"
tool convert --to text -o "$tmp/to" "$tmp/mixed"
is "$status $(wc -l <"$tmp/to") $(wc -l <"$tmp/err")" "2 120 3" \
	"convert: a directory with files that are none, each reported, the others converted"
is "$(sed "s,.*/mixed/\([a-z]\).*,\1," "$tmp/err" | sort | tr -d '\n')" bce "... by name"
mkdir "$tmp/none.d"
: >"$tmp/none.d/b.cutrace"
printf 'cuatrace' >"$tmp/none.d/e.cutrace"
tool convert --to text -o "$tmp/none.txt" "$tmp/none.d"
is "$status $(ls "$tmp" | grep -c 'none.txt')" "2 0" "... and no output where there is none"

# A file that is given again is the same file.
ln -s a.cutrace "$tmp/mixed/link"
for way in "$tmp/mixed/a.cutrace" "$tmp/mixed/../mixed/a.cutrace" "$tmp/mixed/link"; do
	tool report "$tmp/mixed/a.cutrace" "$way"
	like "$(head -n 1 "$tmp/out")" ': 50 calls of' "report: a file by $(basename "$way"), too, once"
done
tool convert --to text "$tmp/mixed/a.cutrace" "$tmp/mixed/link" "$tmp/mixed/a.cutrace"
is "$status $(wc -l <"$tmp/out")" "0 50" "convert: once"

# More files at one time than descriptors.
mkdir "$tmp/many"
for i in $(seq 1 90); do
	synth -n 20 -s "$i" -p "$i" "$tmp/many/$i.cutrace"
done
(
	ulimit -n 60
	tool convert --to text "$tmp/many"
	echo "$status $(wc -l <"$tmp/out") $(cat "$tmp/err")"
) >"$tmp/said"
is "$(cat "$tmp/said")" "0 1800 " "convert: 90 files by 60 descriptors"

# Functions without parameters have none.
synth -n 400 "$tmp/bare.cutrace"
tool convert --to text "$tmp/bare.cutrace"
like "$(cat "$tmp/out")" 'cuLaunchKernel\(\.\.\.\) = ' "text: arguments that were not recorded"
done_testing
