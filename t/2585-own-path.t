# SPDX-License-Identifier: Apache-2.0
# Where /proc does not tell where the auditor is, the loader does.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

helper hostile/odd
helper routes/spaces
$run_env LD_AUDIT="$LIBCUAUDIT" "$tmp/spaces" || skip_all "this loader does not list namespaces"
cd "$tmp" || exit 99

# said PROGRAM: of the file of the core, after what was said
said() {
	$run_env LD_LIBRARY_PATH="$simdir" LD_AUDIT="$LIBCUAUDIT" "$tmp/odd" "$1" >out 2>err || exit 99
	sed -n 's/^cuaudit: cannot load \([^:]*\): .*; nothing is audited$/\1/p' err
}

core=${LIBCUAUDIT%/*}/cuaudit/cuaudit-core.so
is "$(said no_descriptors)" "$core" "without a descriptor to read /proc by"
is "$(said sandbox_no_files)" "$core" "in a sandbox"
done_testing
