# SPDX-License-Identifier: Apache-2.0
# cuaudit check reads whatever is in its directory: damaged, cut, planted. None of it is 0.
. "${top_srcdir:-$(dirname "$0")/..}/t/check/lib.sh"

full='rule one broken 1 mark m 1 allow a 0 0 finding 0 1 call c note n native /l 1 f 2'

# bad REGEX NAME WORD...: status 89, and what is said.
bad() {
	bad_regex=$1
	bad_name=$2
	shift 2
	check --json json --junit junit --sarif sarif -- "$@"
	is "$status $(left)" "89 " "$bad_name: status 89" || diag "$(cat "$tmp/err")"
	says "^check: [^ ]*\\.check, a process's file, is $bad_regex" "$bad_name: what it says"
}

for what in nrules nmarks nallows kind unit id_size finding-rule nframes call note frame-library \
	frame-function frame-file; do
	bad damaged "$what" $full damage $what
done
bad damaged "one frame too much" $full nframes 49
for what in rule mark allow command rules library finding; do
	bad damaged "a text without end: $what" $full fill $what
done
bad 'not a file of the rules hook' "another magic" $full damage magic
bad 'written by another version' "another version" $full damage version
for size in 0 1 11; do
	bad 'without a header' "$size bytes" $full cut $size
done
for size in 10000 1000000; do
	bad 'cut short' "$size bytes" $full cut $size
done
bad 'no regular file' "a FIFO" rule one fifo
bad 'no regular file' "a link" rule one link /etc/passwd
bad 'no regular file' "a link to a file of a process" rule one link host-90000001.check
check -- rule one directory
is "$status" 89 "a directory: status 89"
says 'planted.check, a process.s file, is no regular file' "a directory: what it says"
rm -rf cuaudit-check-*

# Those that are whole are judged all the same.
check -- $full -- $full cut 10000
verdict 88 "check: 1 of 1 rule is broken" "one damaged of two: a broken rule"
says 'cut short' "... and both are said"

# More than there is room for.
check -- $full damage nfindings
verdict 88 "check: 1 of 1 rule is broken" "more findings than there is room for"
says 'more call stacks than there is room for' "... is a loss"
check -- rule one damage nlibraries
verdict 0 "check: the rule holds" "more libraries"

# Any byte of a file at random: it ends, by a status of ours.
cat >"$tmp/flip.py" <<'END'
import os, random, sys
seed = int(sys.argv[1])
random.seed(seed)
path = os.path.join(sys.argv[2], "host-1.check")
data = bytearray(open(sys.argv[3], "rb").read())
places = [(0, 4600)] * 4 + [(4600, 5300)] + [(len(data) - 256 * 7776, len(data) - 255 * 7776)] * 3
for _ in range(random.randrange(1, 20)):
    low, high = random.choice(places)
    data[random.randrange(max(low, 0), high)] = random.choice([0, 1, 0x7f, 0xff, random.randrange(256)])
open(path, "wb").write(data)
END
if command -v "$PYTHON3" >"$tmp/none"; then
	check --keep kept -- $full
	cat >flip <<-'END'
		#!/bin/sh
		directory=${CUAUDIT_HOOKS#*save=}
		exec "$PYTHON3" "$tmp/flip.py" "$1" "${directory%/*}" kept/host-90000001.check
	END
	chmod 755 flip
	export tmp PYTHON3
	wrong=
	seed=1
	while test $seed -le 60; do
		status=0
		env CUAUDIT_DRIVER=sim timeout 300 "$cuaudit" check --json json --sarif sarif \
			--junit junit -- ./flip $seed >"$tmp/out" 2>"$tmp/err" || status=$?
		case $status in
		88 | 89) "$PYTHON3" -m json.tool json "$tmp/none" && "$PYTHON3" -m json.tool sarif "$tmp/none" ||
			wrong="$wrong $seed:json" ;;
		0) grep -q holds "$tmp/err" || wrong="$wrong $seed:0" ;;
		*) wrong="$wrong $seed:$status" ;;
		esac
		seed=$((seed + 1))
	done
	is "$wrong" "" "bytes at random"
else
	skip 1 "no python3"
fi
done_testing
