# SPDX-License-Identifier: Apache-2.0
# Programs that change what they run in: their output and status are what they are without us.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
ulimit -c 0

compile -Wall -Wextra -pthread -o "$tmp/odd" "$top_srcdir/t/hostile/odd.c" -ldl || exit 99
"$tmp/odd" >"$tmp/programs" || exit 99
ok "there are programs" test "$(wc -l <"$tmp/programs")" -gt 30

# one DIRECTORY NAME [VARIABLE=VALUE...]: in a directory of its own; "STATUS, OUTPUT".
one() {
	place=$tmp/$1.$2
	name=$2
	shift 2
	mkdir "$place"
	(cd "$place" && $run_env LD_LIBRARY_PATH="$simdir" "$@" timeout 60 "$tmp/odd" "$name") \
		>"$place.out" 2>"$place.err" </dev/null
	echo "$?,$(cat "$place.out")"
}

while read -r name counted; do
	without=$(one without "$name")
	is "$(one with "$name" LD_AUDIT="$LIBCUAUDIT")" "$without" "$name: as without us"
	is "$(one every "$name" LD_AUDIT="$LIBCUAUDIT" CUAUDIT_OUTPUT="$tmp/every.%p" \
		CUAUDIT_HOOKS='coverage,leak,limit(memory=1GiB),stat(interval=1),trace')" \
		"$without" "$name: with all hooks too"
	test "$counted" != -1 || continue
	is "$(awk '$NF == "cuDeviceGetCount" { print $3; exit }' "$tmp/with.$name.err")" "$counted" \
		"$name: and all is counted"
done <"$tmp/programs"
done_testing
