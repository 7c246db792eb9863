# SPDX-License-Identifier: Apache-2.0
# A trace that is full, in any way, ends, and the program does not.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

# sums: calls in the file, and lost by size, disk, memory, handlers and the ring
sums() {
	checked "$tmp"/traces/*.cutrace >"$tmp/text"
	awk '/^check failed/ || /^bad/
	/^lost/ { lost = $2 " " $3 " " $4 " " $5 " " $6; n = $2 + $3 + $4 + $5 + $6 }
	/^total/ { print $2 + n ": " ($2 > 0) ", " lost }' "$tmp/text"
}

size() {
	wc -c <"$(echo "$tmp"/traces/*.cutrace)"
}

# A size.
traced "size=1M;args=no" "$tmp/app" call 200000
is "$status" 0 "size=1M: the program's status"
ok "the file's size" test "$(size)" -le 1048576
like "$(sums)" '^200001: 1, [1-9][0-9]* 0 0 0 0$' "all calls are written or counted"
like "$(cat "$tmp/err")" 'cutrace has its full size, 1024 KiB; .*
.*: the file has its full size$' "and it is reported"
is "$(grep '^call ' "$tmp/text" | sed -n '$s/.* id \([0-9]*\) .*/\1/p')" \
	$((1099511627776 + $(grep -c '^call ' "$tmp/text"))) "the first ones are kept"

traced "size=1.5mib;args=no" "$tmp/app" call 200000
ok "size=1.5mib: as much" test "$(size)" -gt 1048576 -a "$(size)" -le 1572864

# A ring.
traced "size=1M;when-full=ring;args=no" "$tmp/app" call 200000
ok "a ring: the file's size" test "$(size)" -le 1048576
like "$(sums)" '^200001: 1, 0 0 0 0 [1-9][0-9]*$' "a ring: all calls are written or counted"
is "$(cat "$tmp/err")" "" "a ring: nothing to say"
is "$(sed -n 's/^call .* id \([0-9]*\) .*/\1/p' "$tmp/text" | tail -n 1)" \
	$((1099511627776 + 200001)) "a ring: the last call is in it"
is "$(sed -n 's/^call .* id \([0-9]*\) .*/\1/p' "$tmp/text" | head -n 1)" \
	$((1099511627776 + 200001 - $(grep -c '^call ' "$tmp/text") + 1)) "a ring: and those before it"
traced "size=1M;when-full=ring" "$tmp/app" mixed 100000
like "$(sums)" '^100001: 1, 0 0 0 0 [1-9][0-9]*$' "a ring of records of several sizes"
traced "size=4M;when-full=ring;args=no" "$tmp/app" threads 8 50000
like "$(sums)" '^400001: 1, 0 0 0 0 [1-9][0-9]*$' "a ring of 8 threads"
traced "size=1M;when-full=ring;args=no" "$tmp/app" threads 20 50
like "$(sums)" '^1001: 1, [1-9][0-9]* 0 0 0 0$' "a ring with less room than threads"
traced "size=4M;when-full=ring;args=no" "$tmp/app" short 4000 200
like "$(sums)" '^800001: 1, 0 0 0 0 [1-9][0-9]*$' "a ring of threads that end"

# A limit on the size of files.
traced "args=no" "$tmp/app" limited 1000000 200000
is "$status" 0 "RLIMIT_FSIZE: the program's status"
like "$(sums)" '^200001: 1, 0 [1-9][0-9]* 0 0 0$' "RLIMIT_FSIZE: written or counted"
like "$(cat "$tmp/err")" 'cannot grow: the limit on the size of files is too low; .*; ' "RLIMIT_FSIZE: and said"
like "$(cat "$tmp/text")" '^process .* error 27$' "RLIMIT_FSIZE: also in the file"
traced "args=no" "$tmp/app" limited 100000 2000
is "$status" 0 "no file at all: the program's status"
is "$(ls "$tmp/traces")" "" "no file at all"
like "$(cat "$tmp/err")" 'cannot be written: the limit on the size of files is too low; .*; ' \
	"no file at all: it is reported"
like "$(cat "$tmp/err")" ': 2001 calls are not in any file: it cannot be written$' \
	"no file at all: what is missing"
traced "args=no;when-full=ring" "$tmp/app" limited 1000000 200000
like "$(sums)" '^200001: 1, 0 0 0 0 [1-9][0-9]*$' "RLIMIT_FSIZE and a ring: a smaller ring"
like "$(cat "$tmp/err")" 'it is a ring of 768 KiB' "and it is said"

# Disks.
if test "$(id -u)" = 0 && unshare -m true 2>/dev/null; then
	mkdir "$tmp/there"
	for options in size=1000k,mode=755 ro; do
		unshare -m sh -c "mount -t tmpfs -o $options none '$tmp/there' &&
			$run_env LD_AUDIT='$LIBCUAUDIT' CUAUDIT_DRIVER=sim \
			CUAUDIT_HOOKS='trace(args=no;file=$tmp/there/x)' '$tmp/app' call 200000
			echo \$? >'$tmp/status'
			rm -rf '$tmp/traces'; mkdir '$tmp/traces'
			cp '$tmp/there/x' '$tmp/traces/x.cutrace' 2>/dev/null" 2>"$tmp/err"
		is "$(cat "$tmp/status")" 0 "a file system of $options: the program's status"
		like "$(cat "$tmp/err")" 'cannot (grow|be written), error (28|30); .*
.* [0-9]+ calls are not in ' "a file system of $options: it is reported"
		test "$options" = ro ||
			like "$(sums)" '^200001: 1, 0 [1-9][0-9]* 0 0 0$' "written or counted"
	done
else
	skip 5 "no mounting here"
fi

# Kernels whose names have no room in it, and whose handles were others' before.
helper trace/renames
for options in "" args=kernel "when-full=ring"; do
	traced "size=1M;$options" "$tmp/renames" 3000
	"$top_builddir/bin/cuaudit" convert --to text -o - "$tmp"/traces/*.cutrace 2>"$tmp/none" |
		sed -n 's/.*<n*_\([0-9]*\)>, gridDim = (\([0-9]*\).*/\1 \2/p' >"$tmp/named"
	is "$(awk '$1 != $2' "$tmp/named" | head -n 3)" "" "$options: no launch has another kernel's name"
	is "$status $(sums | sed 's/:.*//')" "0 12002" "... each call is written or counted"
done

# The file is taken away, its descriptor is closed and is another file's then.
traced "args=no" "$tmp/app" removed 200000
is "$status" 0 "a file that is removed: the program's status"
traced "args=no" "$tmp/app" closed 200000 "$tmp/mine"
is "$status" 0 "a descriptor that is closed: the program's status"
is "$(sums)" '200001: 1, 0 0 0 0 0' "a descriptor that is closed: nothing is lost"
is "$(cat "$tmp/mine")" "mine" "and the file that has its number is untouched"
done_testing
