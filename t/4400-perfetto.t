# SPDX-License-Identifier: Apache-2.0
# cuaudit convert --to perfetto: what is in it is what was in the trace.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

: >"$tmp/empty"
tool convert --to perfetto "$tmp/empty"
! grep -q 'built without protobuf-c' "$tmp/err" || skip_all "no protobuf-c"
helper trace/synth

# perfetto FILE...: converts them to $tmp/pftrace; what is in it in $tmp/is.
perfetto() {
	tool convert --to perfetto -o "$tmp/pftrace" "$@"
	"$PERL" "$top_srcdir/t/convert/perfetto.pl" "$tmp/pftrace" >"$tmp/is" 2>"$tmp/walk.err" ||
		diag "$(cat "$tmp/walk.err")"
}

found() {
	sed -n "s/^$1 //p" "$tmp/is"
}

alter() {
	"$PERL" "$top_srcdir/t/convert/alter.pl" "$@" || bail_out "alter.pl $*"
}

synth -a -n 5000 -t 3 "$tmp/a.cutrace"
tool convert --to text "$tmp/a.cutrace"
cp "$tmp/out" "$tmp/text"
perfetto "$tmp/a.cutrace"
ok "stacks, the innermost frame first" grep -a -q 'libcudart.so.13+0x0 < python3.12+0x400 < ' "$tmp/pftrace"
is "$status $(cat "$tmp/err")" "0 " "converts"
is "$(found begins) $(found ends) $(found unfinished)" "$(truth calls) $(truth calls) 0" \
	"a slice for each call, with an end"
is "$(found slice)" "$(awk '{ sub(/\(.*/, "", $4); print $4 }' "$tmp/text" | sort | uniq -c |
	awk '{ print $2, $1 }')" "... by its function's name"
is "$(found result)" "$(sed 's/.* = \(CUDA_[A-Z_]*\) <.*/\1/' "$tmp/text" | sort | uniq -c |
	awk '{ print $2, $1 }')" "... with its result"
off=$(($(found ns) - $(truth ns)))
ok "... as long as it took ($off ns off for 5000)" test "$off" -gt -5000 -a "$off" -lt 5000
is "$(found wrong) $(found unresolved)" "0 0" \
	"library, caller and correlation are there, all names are interned"
is "$(found processes) $(found threads)" "1 3" "tracks for the process and its threads"
is "$(found process)" \
	"4711 python3.12 (rank 7): python3 train.py --steps=10; host node017, rank 7" \
	"... with names, command, host and rank"
is "$(found clocks)" "1" "the clock is named"
launched=$(grep -c 'cuLaunchKernel(.*) = CUDA_SUCCESS' "$tmp/text")
is "$(found flows) $(found launches) $(found unpaired)" "$launched $launched 0" \
	"each launch has an arrow to its kernel"
is "$(found track)" "launches into stream 0x7700
device memory" "... on a track of the stream"
is "$(found held)" "$(truth held)" "the counter ends with what is held"
ok "... and was as high as it or higher" test "$(found peak)" -ge "$(truth held)"
is "$(found argument | sed -n '/gridDimX/p;/dptr/p')" \
	"arguments.dptr $(grep -c ' cuMem\(Alloc_v2\|Free_v2\)(' "$tmp/text")
arguments.gridDimX $(truth launches)" "arguments are there"

synth -n 4000 -t 3 "$tmp/b.cutrace"
perfetto "$tmp/b.cutrace"
is "$(found begins) $(found ends) $(found counters) $(found argument)" "4000 4000 0 " \
	"without arguments: neither them nor a counter"

# Three processes, of which two say they are the same.
for seed in 1 2 3; do
	synth -a -n 1000 -p $((seed == 3 ? 51 : 50)) -s $seed -t 2 "$tmp/p$seed.cutrace"
done
perfetto "$tmp/p1.cutrace" "$tmp/p2.cutrace" "$tmp/p3.cutrace"
is "$(found begins) $(found ends) $(found unpaired) $(found unresolved) $(found threads)" \
	"3000 3000 0 0 6" "several processes in one"
is "$(found process | cut -d' ' -f1,2,6- | sort)" "50 python3.12 train.py --steps=10; host node017, rank 2
51 python3.12 train.py --steps=10; host node017, rank 3
8388608 python3.12 train.py --steps=10; host node017, rank 2, pid 50" \
	"... of which two with one pid stay two"

synth -a -k -n 3000 -t 2 "$tmp/killed.cutrace"
alter "$tmp/killed.cutrace" open 24 2000009000000
alter "$tmp/killed.cutrace" lost 77
alter "$tmp/killed.cutrace" mark 2000000500000 1 "$(printf 'started \377 "here"')"
perfetto "$tmp/killed.cutrace"
is "$(found begins) $(found ends) $(found unfinished)" "3001 3000 1" \
	"of a killed process: a call that had not ended has a beginning"
is "$(found text)" 'started � "here"
calls are missing: 77 beyond its size' "... marks are there, and what was lost"
like "$(cat "$tmp/err")" 'killed.cutrace: calls are missing: 77 beyond its size' "... which is said"
head -c 524388 "$tmp/killed.cutrace" >"$tmp/torn.cutrace"
perfetto "$tmp/torn.cutrace"
ok "of a torn file: what is there" test "$(found ends)" -gt 500 -a "$(found ends)" -lt 3000
is "$(found unresolved) $(found text | tail -n 1)" \
	"0 calls are missing: 77 beyond its size; 100 bytes at its end are no whole chunk; 262044 bytes of it were cut off" \
	"... and what is not"

if "$PYTHON3" -c 'import perfetto.protos.perfetto.trace.perfetto_trace_pb2' 2>"$tmp/err"; then
	perfetto "$tmp/a.cutrace"
	"$PYTHON3" "$top_srcdir/t/convert/published.py" "$tmp/pftrace" >"$tmp/published" 2>&1 ||
		diag "$(cat "$tmp/published")"
	is "$(cat "$tmp/published")" "begins 5000
ends 5000
instants $launched
counters $(found counters)
flows $launched
threads 3
clock True" "the published schema knows all of it, and reads the same"
else
	skip 1 "no perfetto for Python"
fi
done_testing
