# SPDX-License-Identifier: Apache-2.0
# What viewers read, of 10,000,000 calls, of 1,000 files and of 5,000 threads, in 128 MiB.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"
long_test

# bounded ARGUMENT...: cuaudit convert with 128 MiB of address space.
bounded() {
	status=0
	rm -rf "$big/out"
	(
		ulimit -v 131072
		exec "$cuaudit" convert -o "$big/out" --to "$@"
	) 2>"$tmp/err" || status=$?
}

# events: how many packets of $big/out begin with a time.
events() {
	"$PERL" -e '
	open my $in, "<:raw", $ARGV[0] or die;
	my ($events, $head) = (0);
	while (read $in, $head, 1) {
		my ($size, $shift) = (0, 0);
		die "no packet" if ord($head) != 10;
		do {
			read $in, $head, 1 or die "cut off";
			$size |= (ord($head) & 127) << $shift;
			$shift += 7;
		} while ord($head) > 127;
		read($in, my $packet, $size) == $size or die "cut off";
		$events++ if ord($packet) == 64;
	}
	print "$events\n"' "$big/out" 2>&1
}

helper trace/synth
# Beside the build, not in /tmp: 4 GB.
big=$top_builddir/t/4490-big
mkdir -p "$big/traces"
trap 'rm -rf "$big" "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# read_back WHAT THREADS: all formats of what is in $big/traces, $calls in all.
read_back() {
	bounded perfetto "$big/traces"
	if grep -q 'built without' "$tmp/err"; then
		skip 1 "no protobuf-c"
	else
		is "$status $(cat "$tmp/err")" "0 " "perfetto of $1"
		is "$(events)" "$((2 * calls))" "... all of them"
	fi
	bounded chrome "$big/traces"
	is "$status $(cat "$tmp/err")" "0 " "chrome of $1"
	is "$(grep -c '^{"ph":"X"' "$big/out")" "$calls" "... all of them"
	bounded ctf "$big/traces"
	is "$status $(cat "$tmp/err")" "0 " "ctf of $1"
	is "$(find "$big/out" -name 'thread_*' | wc -l)" "$2" "... a file for each thread"
	# It looks at all files for each event, so it gets few.
	if test "$2" -gt 100; then
		:
	elif ! command -v babeltrace2 >"$tmp/which"; then
		skip 1 "no babeltrace2"
	else
		(cd "$tmp" && babeltrace2 -c sink.utils.counter -p step=+0 "$big/out") >"$tmp/counted" 2>&1
		like "$(tr -d , <"$tmp/counted")" "(^| )$((2 * calls)) Event messages" "... all of them"
	fi
	rm -rf "$big/traces" "$big/out"
	mkdir "$big/traces"
}

calls=10000000
synth -n $calls -t 16 "$big/traces/a.cutrace"
read_back "10,000,000 calls" 16
calls=1000000
for i in $(seq 1000); do
	synth -n 1000 -p "$i" -s "$i" "$big/traces/$i.cutrace"
done
read_back "1,000 files" 4000
synth -n $calls -t 5000 "$big/traces/a.cutrace"
read_back "5,000 threads" 5000
done_testing
