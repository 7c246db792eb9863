# SPDX-License-Identifier: Apache-2.0
# cuaudit convert --to sqlite: what is in the database, read by sqlite3(1).
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

command -v sqlite3 >/dev/null || skip_all "no sqlite3"
tool convert --to sqlite -o "$tmp/none" "$tmp/none"
grep -q 'built without sqlite3' "$tmp/err" && skip_all "built without sqlite3"

# ask SQL: a line a row.
ask() {
	sqlite3 "$tmp/db" "$1" 2>&1
}

helper trace/synth
synth -a -n 40000 -t 5 -s 2 "$tmp/one.cutrace"
ok "there are errors" test "$(truth errors)" -gt 2
tool convert --to sqlite -o "$tmp/db" "$tmp/one.cutrace"
is "$status $(cat "$tmp/out" "$tmp/err")" "0 " "one file"
is "$(ask 'PRAGMA integrity_check; PRAGMA foreign_key_check; PRAGMA user_version')" "ok
2" "it is whole, all references lead somewhere, it has a version"
is "$(ask 'SELECT count(*) FROM call')" "$(truth calls)" "calls"
launches="SELECT (SELECT count(*) FROM launches) +
	(SELECT count(*) FROM calls WHERE function = 'cuLaunchKernel' AND result <> 'CUDA_SUCCESS')"
is "$(ask "$launches")" "$(truth launches)" "launches, each with its kernel, but for failures"
is "$(ask "SELECT sum(number) FROM arguments JOIN calls ON calls.id = call WHERE function = 'cuMemAlloc_v2' AND name = 'bytesize'")" \
	"$(truth allocated)" "bytes allocated"
is "$(ask "SELECT sum(errors) FROM by_function")" "$(truth errors)" "errors"
is "$(ask "SELECT count(*) FROM calls WHERE result <> 'CUDA_SUCCESS' AND NOT (result = 'CUDA_ERROR_NOT_READY' AND function LIKE '%Query%')")" \
	"$(truth errors)" "... by the names of results"
# Each call's ns are rounded down.
is "$(ask "SELECT sum(duration) BETWEEN $(truth ns) - $(truth calls) AND $(truth ns) FROM call")" 1 "ns"
for view in by_function by_library by_process by_class; do
	is "$(ask "SELECT sum(calls), sum(duration) FROM $view")" \
		"$(ask 'SELECT count(*), sum(duration) FROM call')" "$view: the same sums"
done
is "$(ask "SELECT function, calls, errors, not_ready, duration, shortest, longest FROM by_function
	EXCEPT SELECT function, count(*), sum(result <> 'CUDA_SUCCESS' AND NOT (result = 'CUDA_ERROR_NOT_READY' AND function LIKE '%Query%')),
		sum(result = 'CUDA_ERROR_NOT_READY' AND function LIKE '%Query%'), sum(duration), min(duration), max(duration)
		FROM calls GROUP BY function")" "" "by_function is what the calls say"
is "$(ask "SELECT sum(launches), sum(host_duration) FROM by_kernel")" \
	"$(ask 'SELECT count(*), sum(host_duration) FROM launches')" "by_kernel: the same sums"
is "$(ask "SELECT calls, duration FROM thread EXCEPT SELECT count(*), sum(duration) FROM call GROUP BY thread")" \
	"" "thread: the sums of its calls"
is "$(ask "SELECT count(DISTINCT stack), min(n), max(n) FROM (SELECT stack, count(*) AS n FROM frame GROUP BY stack)")" \
	"8|4|11" "stacks"
is "$(ask "SELECT count(*) FROM call WHERE stack IS NULL AND site IN (SELECT site.id FROM site JOIN function ON function.id = function WHERE base = 'cuMemAlloc')")" \
	0 "... of the calls that have one"
is "$(ask "SELECT caller FROM calls WHERE function = 'cuEventQuery' ORDER BY 1 LIMIT 1")" \
	"libtorch_cuda.so+0x4000" "callers as offsets into files"
is "$(ask "SELECT pid, parent, host, rank, program, command, finished, ending, status FROM process")" \
	"4711|1|node017|7|/usr/bin/python3.12|python3 train.py --steps=10|1|exit|" "process"
is "$(ask "SELECT value, number FROM arguments JOIN calls ON calls.id = call WHERE function = 'cuLaunchKernel' AND name = 'gridDimX' LIMIT 1")" \
	"64|64" "arguments as text and as numbers"

is "$(ask "SELECT DISTINCT class FROM calls WHERE function IN ('cuLaunchKernel', 'cuStreamSynchronize') ORDER BY 1")" \
	"launch
sync" "classes"
is "$(ask 'SELECT count(*) FROM calls WHERE "end" = start + duration AND host = '"'node017'"' AND process = 1')" \
	"$(truth calls)" "calls: end, process and host"
is "$(ask 'SELECT DISTINCT grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream FROM launches')" \
	"64|2|3|128|1|1|0|30464" "launches: grid, block and stream"
copied="$(ask "SELECT count(*), sum(number) FROM arguments JOIN calls ON calls.id = call WHERE function LIKE 'cuMemcpy%' AND name = 'ByteCount'")"
is "$(ask 'SELECT count(*), sum(bytes), direction FROM copies GROUP BY direction')" "$copied|Host-to-Device" \
	"copies: bytes and direction"
is "$(ask 'SELECT count(*), sum(duration) FROM waits')" \
	"$(ask "SELECT calls, duration FROM by_function WHERE function = 'cuStreamSynchronize'")" "waits"

# As an export of Nsight Systems.
is "$(ask "WITH summary AS (SELECT nameId, count(*) AS num, sum(\"end\" - start) AS total, min(\"end\" - start) AS least,
	max(\"end\" - start) AS most FROM CUPTI_ACTIVITY_KIND_RUNTIME GROUP BY nameId)
	SELECT value, num, total, least, most FROM summary JOIN StringIds ON id = nameId
	EXCEPT SELECT function, calls, duration, shortest, longest FROM by_function")" "" "nsys: the sums of the API"
is "$(ask "SELECT count(*), count(DISTINCT globalTid / 0x1000000 % 0x1000000), min(start) >= 0 FROM CUPTI_ACTIVITY_KIND_RUNTIME
	LEFT JOIN ThreadNames USING (globalTid) JOIN StringIds ON id = ThreadNames.nameId WHERE eventClass = 1")" \
	"$(truth calls)|1|1" "... each call of a thread with a name, of one process"
is "$(ask "SELECT count(*), sum(bytes), label FROM CUPTI_ACTIVITY_KIND_MEMCPY
	JOIN ENUM_CUDA_MEMCPY_OPER ON ENUM_CUDA_MEMCPY_OPER.id = copyKind GROUP BY copyKind")" "$copied|Host-to-Device" \
	"... sizes of copies"
is "$(ask "SELECT count(*), count(k.start), count(k.\"end\"), sum(r.start = hostStart), sum(r.\"end\" = hostEnd)
	FROM CUPTI_ACTIVITY_KIND_KERNEL AS k JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r USING (correlationId)
	JOIN StringIds AS s ON s.id = k.shortName AND s.value LIKE '%kernel_%' AND gridX = 64")" \
	"$(ask 'SELECT count(*) FROM launches')|0|0|$(ask 'SELECT count(*) FROM launches')|$(ask 'SELECT count(*) FROM launches')" \
	"... kernels, their times those of the host alone"

# Each call's arguments are what another format says; the same ones are there once.
agree() {
	tool convert --to csv -o "$tmp/csv" "$1"
	sqlite3 "$tmp/db" >"$tmp/disagree" 2>&1 <<-END
		.mode csv
		.import $tmp/csv csv
		CREATE TEMP TABLE texts AS SELECT list, group_concat(name || ' = ' || value, ', ') AS text FROM
			(SELECT * FROM argument ORDER BY list, position) GROUP BY list;
		CREATE INDEX temp.texts_list ON texts (list);
		SELECT count(*) FROM (SELECT pid, calls.correlation, coalesce(text, ''), coalesce(calls.kernel, '') FROM calls
			JOIN call ON call.id = calls.id LEFT JOIN texts ON list = call.arguments
			INTERSECT SELECT CAST(pid AS INT), CAST(correlation AS INT), arguments, kernel FROM csv);
	END
	is "$(cat "$tmp/disagree")" "$2" "$3"
}
agree "$tmp/one.cutrace" "$(truth calls)" "all calls have the arguments and kernels that csv has"
ok "... few lists of them, in each of which something differs" test "$(ask 'SELECT count(DISTINCT list) FROM argument')" \
	-lt "$(($(truth calls) / 2))"
is "$(ask "SELECT count(*) FROM call WHERE arguments IS NOT NULL AND arguments NOT IN (SELECT list FROM argument)")" 0 \
	"... that are there"

# Indexes are there to be used.
query_plan() {
	ask "EXPLAIN QUERY PLAN $1"
}
like "$(query_plan "SELECT * FROM calls WHERE function = 'cuMemAlloc_v2'")" \
	'SEARCH call USING INDEX call_site' "by function: an index"
like "$(query_plan "SELECT * FROM call WHERE thread = 2 AND start BETWEEN 1 AND 2")" \
	'SEARCH call USING INDEX call_thread_start \(thread=\? AND start>\? AND start<\?\)' \
	"by thread and time: an index"
like "$(query_plan "SELECT * FROM call WHERE result <> 0")" 'USING INDEX call_error' "errors: an index"
like "$(query_plan "SELECT * FROM launches WHERE kernel = 'x'")" 'SEARCH call USING INDEX call_kernel' \
	"by kernel: an index"
like "$(query_plan "SELECT * FROM arguments WHERE call = 7")" 'SEARCH argument USING PRIMARY KEY' \
	"arguments of a call: an index"

tool convert --to sqlite -N -o "$tmp/db" "$tmp/one.cutrace"
is "$(ask "SELECT count(*) FROM argument; $launches")" "0
$(truth launches)" "--bare: kernels stay"

# Threads that end, and others that take over what room they left.
synth -n 20000 -t 3 -e 50 "$tmp/short.cutrace"
tool convert --to sqlite -o "$tmp/db" "$tmp/short.cutrace"
is "$status $(ask 'SELECT count(*), count(DISTINCT thread) FROM call; PRAGMA foreign_key_check')" \
	"0 $(truth calls)|$(truth threads)" "short threads"
ok "... are many" test "$(truth threads)" -gt 300

# Several files, one of a killed process, one torn.
mkdir "$tmp/many"
synth -k -n 5000 -p 1 -s 3 "$tmp/many/a.cutrace"
errors=$(truth errors)
synth -n 5000 -p 2 -s 4 "$tmp/many/b.cutrace"
errors=$((errors + $(truth errors)))
tool convert --to sqlite -o "$tmp/db" "$tmp/many"
is "$status $(ask 'SELECT count(*), count(DISTINCT thread) FROM call; SELECT group_concat(pid), group_concat(finished) FROM process')" \
	"0 10000|8
1,2|0,1" "several files"
is "$(ask 'SELECT sum(errors) FROM by_function')" "$errors" "... errors of both"
is "$(ask 'SELECT count(*) FROM function; SELECT max(n) FROM (SELECT count(*) AS n FROM function GROUP BY name)')" \
	"10
1" "... functions once"
is "$(ask 'PRAGMA integrity_check; PRAGMA foreign_key_check')" "ok" "... whole"
head -c 524388 "$tmp/many/a.cutrace" >"$tmp/torn.cutrace"
tool convert --to sqlite -o "$tmp/db" "$tmp/torn.cutrace"
is "$status $(ask 'SELECT reason, count FROM loss')" "2 bytes of a torn chunk|100
bytes that were cut off|262044" "a torn file: losses"

mkdir "$tmp/two"
synth -a -n 5000 -p 1 -s 3 "$tmp/two/a.cutrace"
synth -a -n 5000 -p 2 -s 4 "$tmp/two/b.cutrace"
tool convert --to sqlite -o "$tmp/db" "$tmp/two"
agree "$tmp/two" 10000 "arguments of two files"
# The same arguments are another kernel's in another file, of another process.
"$PERL" -0777 -pe 's/kernel_/kermel_/g; substr($_, 40, 1) = "\002"' "$tmp/two/a.cutrace" >"$tmp/two/b.cutrace"
tool convert --to sqlite -o "$tmp/db" "$tmp/two"
is "$(ask 'SELECT process.file LIKE "%a.cutrace", kernel.name LIKE "%kernel%", count(*) > 1000 FROM call
	JOIN thread ON call.thread = thread.id JOIN process ON thread.process = process.id
	JOIN kernel ON call.kernel = kernel.id GROUP BY 1, 2')" "0|0|1
1|1|1" "each file's kernels are its own"
# A copy in the directory, or another name of a file, is not converted as well.
tool convert --to sqlite -o "$tmp/db" "$tmp/two/a.cutrace"
once=$(ask 'SELECT count(*), sum(host_duration) FROM launches')
mkdir "$tmp/again"
cp "$tmp/two/a.cutrace" "$tmp/again/a.cutrace"
cp "$tmp/two/a.cutrace" "$tmp/again/b.cutrace"
ln "$tmp/again/a.cutrace" "$tmp/again/c.cutrace"
tool convert --to sqlite -o "$tmp/db" "$tmp/again"
is "$status $(cat "$tmp/err") $(ask 'SELECT count(*), sum(host_duration) FROM launches')" \
	"2 cuaudit: $tmp/again/b.cutrace: of the same recording as $tmp/again/a.cutrace, which counts once $once" \
	"a copy in a directory counts once, which is reported"
synth -a -n 200000 "$tmp/lists.cutrace"
tool convert --to sqlite -o "$tmp/db" "$tmp/lists.cutrace"
agree "$tmp/lists.cutrace" 200000 "... and of many calls"
ok "... in $(ask 'SELECT count(*) FROM argument') rows" test "$(ask 'SELECT count(*) FROM argument')" -gt 10000
rm "$tmp/lists.cutrace" "$tmp/csv"

# A handle that is one kernel's, then another's.
helpers trace/libcuda.so.1 trace/kernels
(
	unset CUAUDIT_DRIVER
	audited CUAUDIT_OUTPUT="$tmp/ran" CUAUDIT_HOOKS="trace(file=$tmp/ran.cutrace)" "$tmp/kernels"
) >"$tmp/ran.out" 2>&1
tool convert --to sqlite -o "$tmp/db" "$tmp/ran.cutrace"
is "$(ask "SELECT kernel, count(*) FROM launches GROUP BY 1; SELECT value, count(*) FROM arguments JOIN launches ON launches.id = call
	WHERE name = 'f' GROUP BY 1")" "first|2
second|4
0x40<first>|2
0x40<second>|4" "a handle that comes back for another kernel"

# What structures say.
helpers trace/libcuda.so.1 trace/copies
audited CUAUDIT_OUTPUT="$tmp/copied" CUAUDIT_HOOKS="trace(file=$tmp/copied.cutrace)" "$tmp/copies"
tool convert --to sqlite -o "$tmp/db" "$tmp/copied.cutrace"
is "$(ask "SELECT function, bytes, direction FROM copies ORDER BY id;
	SELECT kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream FROM launches")" \
	"cuMemcpy2D_v2|1000|Device-to-Host
cuMemcpyBatchAsync_v2|60|Unknown
cuMemcpyBatchAsync_v2||Unknown
cuMemcpyAsync|3|Unknown
cuMemcpy2D_v2|1000|Unknown
kernel|7|6|5|4|3|2|99|8" "copies and a launch by structures"

before=$(cksum "$tmp/db")
tool convert --to sqlite -o "$tmp/db" "$tmp/one.cutrace" "$tmp/build.out"
is "$status $(cksum "$tmp/db") $(ls -A "$tmp" | grep -c db)" "2 $before 1" \
	"a file that is none: the database stays, nothing is beside it"
(
	trap '' XFSZ
	ulimit -f 200
	"$cuaudit" convert --to sqlite -o "$tmp/db" "$tmp/one.cutrace" 2>"$tmp/err"
)
is "$? $(wc -l <"$tmp/err") $(cksum "$tmp/db") $(ls -A "$tmp" | grep -c db)" "2 1 $before 1" \
	"no room for all: the same"
refused 2 "sqlite needs --output" "standard output" convert --to sqlite "$tmp/one.cutrace"
for output in /dev/stdout /proc/self/fd/1; do
	refused 2 "$output: a descriptor; sqlite needs a file with a name" "what stands for standard output, $output" \
		convert --to sqlite -o $output "$tmp/one.cutrace"
done
refused 2 "sqlite cannot be compressed" "compression" \
	convert --to sqlite -o "$tmp/db.zst" "$tmp/one.cutrace"

# cuaudit-sqlite(5) has each table, view and column, and no other.
page=$top_srcdir/man/cuaudit-sqlite.5
tool convert --to sqlite -o "$tmp/db" "$tmp/one.cutrace"
ask "SELECT m.name || '.' || c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
	WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite_%'" | sort >"$tmp/there"
sed -n -e 's/^\.It Fa \([A-Za-z_]*\)$/\1/; t table' -e 's/^\.Fa \([A-Za-z_ ]* [A-Za-z_ ]*\) \.$/\1/; t columns' -e d \
	-e ':table' -e 's/^/table /p; d' -e ':columns' -e 's/^/columns /p' "$page" |
	awk '$1 == "table" { table = $2 } $1 == "columns" { for (i = 2; i <= NF; i++) print table "." $i }' |
	sort >"$tmp/told"
is "$(diff "$tmp/there" "$tmp/told")" "" "the page has every table, view and column"
ok "... which are many" test "$(wc -l <"$tmp/there")" -gt 90
sed -n '/^\.Bd/,/^\.Ed/{/^\./d;p}' "$page" >"$tmp/examples"
is "$(grep -c ';$' "$tmp/examples") $(sqlite3 "$tmp/db" <"$tmp/examples" 2>&1 >"$tmp/rows")" "5 " \
	"its examples run"
ok "... and find something" test "$(wc -l <"$tmp/rows")" -gt 12
# Numbers that SQLite's integers do not have; a failed call, so that no memory is asked for.
cat >"$tmp/large.py" <<'END'
import ctypes, sys

driver, at = ctypes.CDLL("libcuda.so.1"), ctypes.c_uint64()
context = ctypes.c_void_p()
driver.cuInit(0)
driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
driver.cuCtxSetCurrent(context)
for size in (2**64 - 1, 2**63, 5):
    driver.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(size))
driver.cuMemcpyDtoD_v2(at, at, ctypes.c_size_t(2**64 - 1))
driver.cuDeviceGet(ctypes.byref(ctypes.c_int()), -1)
END
tool trace -d sim -o "$tmp/large" -- "$PYTHON3" "$tmp/large.py"
tool convert --to sqlite -o "$tmp/db" "$tmp/large"
is "$status $(ask "SELECT group_concat(number) FROM (SELECT number FROM arguments JOIN calls ON calls.id = call
	WHERE name = 'bytesize' ORDER BY calls.start)")" "0 1.84467440737096e+19,9.22337203685478e+18,5" \
	"numbers of 2^63 and more are real ones"
is "$(ask 'SELECT bytes FROM copies')" "1.84467440737096e+19" "... of copies, too"
is "$(ask "SELECT number FROM arguments JOIN calls ON calls.id = call WHERE function = 'cuDeviceGet' AND name = 'ordinal'")" \
	-1 "... and -1 is -1"

# What SQLite keeps beside a database would be applied to the new one.
for suffix in journal wal; do
	ln -s "$tmp/db" "$tmp/link"
	echo old >"$tmp/db-$suffix"
	cp "$tmp/db" "$tmp/before"
	for output in "$tmp/db" "$tmp/link"; do
		refused 2 "$tmp/db-$suffix is there, of a database that is in use, or was when its program ended" \
			"$(basename "$output"): a $suffix" convert --to sqlite -o "$output" "$tmp/large"
	done
	ok "... the database stays" cmp "$tmp/before" "$tmp/db"
	rm "$tmp/db-$suffix" "$tmp/link"
done
done_testing
