# SPDX-License-Identifier: Apache-2.0
# cuaudit convert --to ctf: what babeltrace2 reads is what was in the trace.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

helper trace/synth

# ctf FILE...: converts them to the directory $tmp/ctf.
ctf() {
	rm -rf "$tmp/ctf"
	tool convert --to ctf -o "$tmp/ctf" "$@"
}

alter() {
	"$PERL" "$top_srcdir/t/convert/alter.pl" "$@" || bail_out "alter.pl $*"
}

synth -a -n 5000 -t 3 "$tmp/a.cutrace"
tool convert --to text "$tmp/a.cutrace"
cp "$tmp/out" "$tmp/text"
ctf "$tmp/a.cutrace"
is "$status $(cat "$tmp/err")" "0 " "converts"
is "$(cd "$tmp/ctf" && echo *) $(cd "$tmp/ctf/python3.12-4711" && echo *)" \
	"python3.12-4711 metadata thread_1 thread_2 thread_3" \
	"a directory for the process, a file for each thread"
is "$("$PERL" "$top_srcdir/t/convert/packets.pl" "$tmp/ctf/python3.12-4711" 2>&1)" "packets 3" \
	"packets are sound"
synth -n 30000 -t 1 "$tmp/long.cutrace"
ctf "$tmp/long.cutrace"
like "$("$PERL" "$top_srcdir/t/convert/packets.pl" "$tmp/ctf/python3.12-4711" 2>&1)" '^packets [6-9]$' \
	"... and begun anew when full"
command -v babeltrace2 >/dev/null || {
	skip 1 "no babeltrace2"
	done_testing
	exit
}

# read_back: what babeltrace2 reads, an event a line: time process thread name, fields.
read_back() {
	(cd "$tmp" && babeltrace2 --clock-seconds --no-delta "$tmp/ctf") 2>"$tmp/read.err" |
		sed 's/^\[\([0-9.]*\)\] [^ ]* cuda:\([a-zA-Z0-9_]*\): { vpid = \([0-9]*\), vtid = \([-0-9]*\) },/\1 \3 \4 \2/' \
			>"$tmp/events"
}

read_back
is "$(wc -l <"$tmp/events") $(cat "$tmp/read.err")" "60000 " "babeltrace2 reads many packets"
synth -a -n 5000 -t 3 "$tmp/a.cutrace"
ctf "$tmp/a.cutrace"
read_back
is "$(wc -l <"$tmp/events") $(cat "$tmp/read.err")" "$((2 * $(truth calls))) " \
	"babeltrace2 reads an entry and an exit of each call, and has nothing to say"
is "$(awk '$4 ~ /_entry$/ { sub(/_entry/, "", $4); print $4 }' "$tmp/events" | sort | uniq -c)" \
	"$(awk '{ sub(/\(.*/, "", $4); print $4 }' "$tmp/text" | sort | uniq -c)" "... by function"
# Within a thread each exit is of the entry before it, and time goes on.
is "$(awk '{
	split($1, at, ".")
	now = (at[1] - 1700000000) * 1000000000 + at[2]
	if (now < last[$3])
		print "goes back: " $0
	last[$3] = now
	name = $4
	if (sub(/_entry$/, "", name)) {
		open[$3] = name
		since[$3] = now
	} else {
		sub(/_exit$/, "", name)
		if (open[$3] != name)
			print "no entry: " $0
		total += now - since[$3]
		open[$3] = ""
	}
}
END { printf "%d\n", total }' "$tmp/events" >"$tmp/total"; sed '$d' "$tmp/total")" "" \
	"each exit follows its entry, by time"
off=$(($(tail -n 1 "$tmp/total") - $(truth ns)))
ok "... as much later as it took ($off ns off for 5000)" test "$off" -gt -5000 -a "$off" -lt 5000
is "$(sed -n 's/.*result = ( "\([A-Z_]*\)".*/\1/p' "$tmp/events" | sort | uniq -c)" \
	"$(sed 's/.* = \(CUDA_[A-Z_]*\) <.*/\1/' "$tmp/text" | sort | uniq -c)" "results by name"
is "$(sed -n 's/.*cuMemAlloc_v2_entry.*bytesize = \([0-9]*\).*/\1/p' "$tmp/events" |
	awk '{ sum += $1 } END { printf "%d\n", sum }')" "$(truth allocated)" \
	"arguments that go in are the entry's"
is "$(sed -n 's/.*cuMemAlloc_v2_exit.*dptr = \(0x[0-9A-F]*\).*/\1/p' "$tmp/events" |
	tr A-F a-f | sort)" \
	"$(sed -n 's/.*cuMemAlloc_v2(dptr = \[\(0x[0-9a-f]*\)\].*/\1/p' "$tmp/text" | sort)" \
	"... those that come out the exit's, handles by 16"
is "$(sed -n 's/.*cuLaunchKernel_entry.* kernel = ( "\([^"]*\)".*/\1/p' "$tmp/events" | sort | uniq -c |
	awk '{ n += $1 } END { print n, NR }')" "$(truth launches) 24" \
	"launches have their kernel's name, or none"
is "$(sed -n 's/.*library = ( "\([^"]*\)".* caller = ( "\([^"+]*\)+0x.*/\1 \2/p' "$tmp/events" |
	awk '$1 == $2' | wc -l)" "$(truth calls)" "library and caller"
is "$(cd "$tmp" && babeltrace2 -c sink.text.details "$tmp/ctf" 2>&1 |
	sed -n '/Environment/,/Stream class/s/^ *\(hostname\|procname\|tracer_name\|vpid\|rank\|command\): //p' |
	sort -u)" "$(sort <<'END'
cuaudit
node017
python3 train.py --steps=10
python3.12
4711
7
END
)" "the environment"

for seed in 1 2 3; do
	synth -n 1000 -p $((seed == 3 ? 51 : 50)) -s $seed -t 2 "$tmp/p$seed.cutrace"
done
ctf "$tmp/p1.cutrace" "$tmp/p2.cutrace" "$tmp/p3.cutrace"
read_back
is "$(cd "$tmp/ctf" && echo *): $(awk '{ print $2 }' "$tmp/events" | sort | uniq -c | tr -s ' \n' ' ')" \
	"python3.12-50 python3.12-50-2 python3.12-51:  4000 50 2000 51 " "several processes"
is "$(awk '{ split($1, at, "."); now = (at[1] - 1700000000) * 1e9 + at[2]
	if (now < last) print; last = now }' "$tmp/events")$(cat "$tmp/read.err")" "" "... in one time"

synth -a -k -n 3000 -t 2 "$tmp/killed.cutrace"
alter "$tmp/killed.cutrace" open 24 2000009000000
alter "$tmp/killed.cutrace" lost 77
alter "$tmp/killed.cutrace" mark 2000000500000 1 "$(printf 'started \377 "here"')"
ctf "$tmp/killed.cutrace"
read_back
is "$(grep -c '_entry ' "$tmp/events") $(grep -c '_exit ' "$tmp/events")" "3001 3000" \
	"of a killed process: a call that had not ended has an entry"
is "$(sed -n 's/.* \(mark\|lost\) { text = "\(.*\)" }$/\1 \2/p' "$tmp/events")" \
	'mark started � \"here\"
lost calls are missing: 77 beyond its size' "... marks are there, and what was lost"
like "$(cat "$tmp/read.err")" 'WARNING: Tracer discarded 77 events' "... of which babeltrace2 warns"
alter "$tmp/killed.cutrace" lost 18446744073709551615
ctf "$tmp/killed.cutrace"
read_back
is "$(grep -c '_exit ' "$tmp/events")" 3000 "... however many it says"
head -c 524388 "$tmp/killed.cutrace" >"$tmp/torn.cutrace"
ctf "$tmp/torn.cutrace"
read_back
ok "of a torn file: what is there" test "$(grep -c _exit "$tmp/events")" -gt 500

# A name of C++ has no bound.
long=cu$(printf %01500d 0)
synth -n 1000 -t 1 "$tmp/name.cutrace"
alter "$tmp/name.cutrace" name "$long"
tool convert --to jsonl -o "$tmp/name.jsonl" "$tmp/name.cutrace"
ctf "$tmp/name.cutrace"
read_back
ok "another name is read" grep -q "$long" "$tmp/name.jsonl"
is "$(grep -c " ${long}_entry " "$tmp/events") $(grep -c " ${long}_exit " "$tmp/events")" \
	"$(grep -c "$long" "$tmp/name.jsonl") $(grep -c "$long" "$tmp/name.jsonl")" \
	"a long name: entries are told from exits"

# What a process had written at some time, beside what it wrote in all.
helper trace/later
mkdir "$tmp/two"
audited CUAUDIT_DRIVER=sim CUAUDIT_FOLLOW=0 FILE="$tmp/two/b.cutrace" CUAUDIT_HOOKS="trace(start=cuInit;file=$tmp/two/b.cutrace)" \
	"$tmp/later" || bail_out "no trace"
ctf "$tmp/two"
read_back
is "$status $(cat "$tmp/err" "$tmp/read.err")" \
	"2 cuaudit: $tmp/two/b.cutrace: of the same recording as $tmp/two/a.cutrace, which counts once" \
	"a process and what it had written before: no call is there twice"

rm -rf "$tmp/ctf"
(ulimit -f 8 && tool convert --to ctf -o "$tmp/ctf" "$tmp/a.cutrace" && echo "$status" >"$tmp/status")
is "$(cat "$tmp/status" "$tmp/err")" "2
cuaudit: $tmp/ctf: File too large" "a description that cannot be written: why"
tool convert --to ctf "$tmp/a.cutrace"
is "$status $(cat "$tmp/err")" "2 cuaudit: ctf needs --output, and a name" "wants a directory"
done_testing
