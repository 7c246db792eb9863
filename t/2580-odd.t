# SPDX-License-Identifier: Apache-2.0
# Programs that change what they run in: their output and status are what they are without us.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
ulimit -c 0

helper hostile/odd
"$tmp/odd" >"$tmp/programs" || exit 99
ok "there are programs" test "$(wc -l <"$tmp/programs")" -gt 30

# one DIRECTORY NAME [VARIABLE=VALUE...]: in a directory of its own; "STATUS, OUTPUT".
one() {
	place=$tmp/$1.$2
	name=$2
	shift 2
	mkdir "$place"
	(cd "$place" && $run_env LD_LIBRARY_PATH="$simdir" "$@" timeout 300 "$tmp/odd" "$name") \
		>"$place.out" 2>"$place.err" </dev/null
	echo "$?,$(cat "$place.out")"
}

# Where the build directory is not open to all, another user has no core either.
core=$top_builddir/lib/cuaudit/cuaudit-core.so
closed=
test "$(id -u)" -ne 0 || setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$core" ||
	closed=other_user
hooks='coverage,leak,stat(interval=1),trace'
while read -r name counted; do
	without=$(one without "$name")
	is "$(one with "$name" LD_AUDIT="$LIBCUAUDIT")" "$without" "$name: as without us"
	is "$(one every "$name" LD_AUDIT="$LIBCUAUDIT" CUAUDIT_OUTPUT="$tmp/every.%p" \
		CUAUDIT_HOOKS="$hooks")" "$without" "$name: with all hooks too"
	# What enforces something does not let a program call where the core cannot be loaded.
	case $name in
	$closed | new_root | no_descriptors | no_keys | no_memory | sandbox_no_files) limited=85, ;;
	*) limited=$without ;;
	esac
	is "$(one limited "$name" LD_AUDIT="$LIBCUAUDIT" CUAUDIT_OUTPUT="$tmp/limited.%p" \
		CUAUDIT_HOOKS="$hooks,limit(memory=1GiB)")" "$limited" "$name: and with a limit"
	test "$limited" != 85, || like "$(cat "$tmp/limited.$name.err")" '^cuaudit: (cannot load .*cuaudit-core|cuaudit-core.so did not start)' \
		"$name: why the process ends"
	test "$counted" != -1 || continue
	is "$(awk '$NF == "cuDeviceGetCount" { print $3; exit }' "$tmp/with.$name.err")" "$counted" \
		"$name: and all is counted"
done <"$tmp/programs"
like "$(LD_LIBRARY_PATH="$simdir" LD_AUDIT="$LIBCUAUDIT" CUAUDIT_HOOKS='limit(memory=1GiB)' \
	"$tmp/odd" no_descriptors 2>&1 >"$tmp/none" | cat)" '^cuaudit: cannot load .*status 85' \
	"no_descriptors: standard error is a pipe"
like "$(cat "$tmp/with.shared_memory_first.err")" \
	'^cuaudit: the calls of process [0-9]+ are not reported: ' "shared_memory_first: is reported"
is "$(grep -l 'are not reported' "$tmp"/with.*.err | sed 's/.*with\.//' | xargs)" shared_memory_first.err "... and of no other"
done_testing
