# SPDX-License-Identifier: Apache-2.0
# What kernels are launched with, where args=kernel asks: each value of each launch, or that it is not known.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"
. "$top_srcdir/t/trace/live.sh"

ln -sf "$simdir/libcuda.so.1" "$tmp/libcuda.so.1"
helper trace/parameters

# launched OPTIONS WHAT: $tmp/text has what the launches of all processes were given
launched() {
	traced "$1" env CUAUDIT_DRIVER= LD_LIBRARY_PATH="$simdir" timeout -k 5 300 "$tmp/parameters" "$2"
	is "$status$(cat "$tmp/out")$(checked "$tmp"/traces/*.cutrace | grep 'failed')" 0 "$2: as without"
	tool convert --to text "$tmp"/traces/*.cutrace
	sed -n 's/.*cu\(Launch[A-Za-z]*\)(.*<\([a-z0-9]*\)>.*kernelParams = \(.*\)) = \([A-Z_]*\) \((.*) \)\{0,1\}<.*/\1 \2 \3 \4/p' "$tmp/out" |
		sed 's/CUDA_SUCCESS/0/' >"$tmp/text"
}

few="0x123456789abcdef0, 0x3f800000, 0xfe, 0x1234"
launched "args=kernel" ways
is "$(cat "$tmp/text")" "LaunchKernel few [$few, 0xffffffff], extra = NULL 0
LaunchKernel few NULL, extra = [0x123456789abcdef0, 0x40000000, 0x1, 0x2, 0x3] 0
LaunchKernel packed [0x010000000200000003000000, 0x123456789abcdef0], extra = NULL 0
LaunchKernelEx few [$few, 0xffffffff], extra = NULL 0
LaunchCooperativeKernel few [$few, 0xffffffff] 0
LaunchKernel few [$few, 0x7], extra = NULL 0" "by each way"

launched "args=kernel" sizes
is "$(sed -n 1,2p "$tmp/text")" "LaunchKernel none [], extra = NULL 0
LaunchKernel none NULL, extra = NULL 0" "no parameters, and no array of them"
tool convert --to jsonl "$tmp"/traces/*.cutrace
many=
for number in $(seq 0 219); do
	many="$many\"0x$(printf %x $((0x1000 + number)))\","
done
is "$(sed -n 's/.*"kernel":"many".*"kernelParams":\[\(.*\)\].*/\1/p' "$tmp/out")" "$many\"...\"" \
	"as many as there is room for"
is "$(sed -n 4,1003p "$tmp/text" | sort -u) $(wc -l <"$tmp/text")" \
	"LaunchKernel large [0xffffffff, ...], extra = NULL 0 1003" "one that is larger than the room, many times"
is "$(sed -n 's/.*"kernel":"large".*"kernelParams":\[\(.*\)\].*/\1/p' "$tmp/out" | sort -u)" '"0xffffffff","..."' \
	"one that is larger than the room"

launched "args=kernel" edges
is "$(cat "$tmp/text")" "LaunchKernel few [$few, 0xffffffff], extra = NULL 0
LaunchKernel few [$few, 0xffffffff], extra = NULL 0
LaunchKernel few NULL, extra = [0x1111111111111111, 0x11111111, 0x11, 0x1111, 0x11111111] 0
LaunchKernel few ?, extra = NULL 0" "at a page's end, and where nothing can be read"

launched "args=kernel" refused
refused="LaunchKernel few ?, extra = ? CUDA_ERROR_INVALID_VALUE"
is "$(cat "$tmp/text")" "$refused
LaunchKernel few [$few, 0xffffffff], extra = NULL 0
LaunchKernel few [$few, 0xffffffff], extra = NULL CUDA_ERROR_INVALID_VALUE
$refused
$refused
$refused
LaunchKernel few NULL, extra = [0x200000001, 0x3, ...] CUDA_ERROR_INVALID_VALUE" "launches that fail: what can be read, if anything is known"
is "$(grep -c 'f = 0x8, .*kernelParams = ?' "$tmp/out")" 1 "a handle that nobody handed out"

launched "args=kernel" threads
is "$(wc -l <"$tmp/text")" 48000 "of threads: all launches"
is "$(sort "$tmp/text" | uniq -c | awk '$1 > 1' | sed 's/^ *//')" "16000 LaunchKernel none NULL, extra = NULL 0" \
	"no two are the same, but those without"
is "$(grep -c 'few \[0x[1-8]00000[0-9a-f]*, 0x40400000, 0xfe, 0x1234, 0xffffffff\]' "$tmp/text")" 16000 "each has its own"
is "$(checked "$tmp"/traces/*.cutrace | grep -c '^layout')" 3 "kernels of the same parameters share what describes them"

launched "args=kernel" reloads
for number in $(seq 0 49); do
	last=0xffffffff
	test $((number % 2)) = 1 || last=0x$(printf %x "$number")
	echo "LaunchKernel few [0x$(printf %x "$number"), 0x3f800000, 0xfe, 0x1234, $last], extra = NULL 0"
done | sed 's/0x0\([],]\)/0x0\1/g' >"$tmp/expected"
is "$(diff "$tmp/expected" "$tmp/text")" "" "modules that come again with other parameters"

launched "args=kernel" kernels
for number in $(seq 200); do
	hex=0x$(printf %x "$number")
	all=$hex
	for more in $(seq $(((number - 1) % 5))); do
		all="$all, $hex"
	done
	echo "8 LaunchKernel few$((number - 1)) [$all], extra = NULL 0"
done | sort >"$tmp/expected"
is "$(sort "$tmp/text" | uniq -c | sed 's/^ *//' | sort | diff "$tmp/expected" -)" "" "many kernels, in turns"
launched "args=kernel" handler
is "$(sort "$tmp/text" | uniq -c | sed 's/^ *//')" "2 LaunchKernel few [$few, 0xffffffff], extra = NULL 0" \
	"on a signal's stack of 8 KiB"
launched "args=kernel" forks
is "$(sort "$tmp/text" | uniq -c | sed 's/^ *//')" "1 LaunchKernel few ?, extra = ? CUDA_ERROR_NOT_INITIALIZED
2 LaunchKernel few [$few, 0xffffffff], extra = NULL 0" \
	"a child of fork, where launches fail: the name is known, the parameters are not"
launched "args=kernel;size=1MiB;when-full=ring" threads
is "$(grep -v 'few \[0x[1-8]00000[0-9a-f]*, 0x4\|packed \[0x0100000002\|none NULL' "$tmp/text")" "" "in a ring"

launched "args=kernel" ways
for format in jsonl csv chrome otlp; do
	tool convert --to "$format" "$tmp"/traces/*.cutrace
	is "$(grep -o '0x123456789abcdef0[", ]*0x3f800000[", ]*0xfe[", ]*0x1234[", ]*0xffffffff' "$tmp/out" | wc -l)" 3 \
		"$format"
done
tool convert --to perfetto -o "$tmp/to" "$tmp"/traces/*.cutrace
if grep -q 'built without protobuf-c' "$tmp/err"; then
	skip 1 "no protobuf-c"
else
	like "$(grep -a -o '\[0x123456789abcdef0, 0x3f800000, 0xfe, 0x1234, 0xffffffff\]' "$tmp/to")" . "perfetto"
fi
rm -rf "$tmp/to"
tool convert --to ctf -o "$tmp/to" "$tmp"/traces/*.cutrace
is "$(find "$tmp/to" -name 'thread*' -exec cat {} \; | tr '\0' '\n' | grep -a -c '^\[0x123456789abcdef0, 0x3f800000')" 4 "ctf"
rm -rf "$tmp/to"
if ! command -v sqlite3 >/dev/null; then
	skip 1 "no sqlite3"
else
	tool convert --to sqlite -o "$tmp/to" "$tmp"/traces/*.cutrace
	is "$(sqlite3 "$tmp/to" "SELECT count(*) FROM arguments WHERE name = 'kernelParams' AND value LIKE '[0x123456789abcdef0, 0x3f800000, 0xfe, %'")" \
		4 "sqlite"
fi

launched "" ways
is "$(grep -vc '= ?\|<few> ?\|few ? 0\|, extra = ? 0' "$tmp/text")" 0 "without the option nothing of them is known"
rm -rf "$tmp/traces"
LD_LIBRARY_PATH=$simdir tool trace --args kernel -f '%launch' -o "$tmp/traces" "$tmp/parameters" ways
tool convert --to text "$tmp/traces"
is "$(grep -c '0x[0-9a-f]*<few>, .*kernelParams = \[0x123456789abcdef0, 0x3f800000, 0xfe' "$tmp/out") $(grep -vc cuLaunch "$tmp/out")" \
	"4 0" "where launches alone are written"
traced "args=kernel;text=yes" "$tmp/app" calls
like "$status $(cat "$tmp/err")" '^2 .*args=kernel needs a file' "text=yes refuses it"
tool trace --args kernels "$tmp/app"
like "$status $(cat "$tmp/err" "$tmp/out")" "^[1-9].*'kernels'" "another word is refused"
done_testing
