# SPDX-License-Identifier: Apache-2.0
# What the tests of the routes share: building their programs, running them with and without us.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

routes=$top_srcdir/t/routes
# A call that is a jump is not its library's: the return address lies elsewhere.
routes_flags="-O1 -g -Wall -Wextra -fno-optimize-sibling-calls"

# build NAME ARGUMENT...: $tmp/NAME, or the whole test fails.
build() {
	build_name=$1
	shift
	compile $routes_flags -o "$tmp/$build_name" "$@" -ldl >"$tmp/build.out" 2>&1 && return
	sed 's/^/# /' "$tmp/build.out"
	bail_out "cannot build $build_name"
}

# fake_driver [PATH]: the fake driver, $tmp/libcuda.so.1.
fake_driver() {
	helper fake/libcuda.so.1 "${1-libcuda.so.1}"
}

# program NAME SOURCE [FLAG...]: with observe.c.
program() {
	program_name=$1
	program_source=$2
	shift 2
	test -f "$tmp/observe.o" || build observe.o -c -fPIE "$routes/observe.c"
	build "$program_name" "$routes/$program_source" "$tmp/observe.o" "$@" -pthread -ldl
}

# library NAME SOURCE [FLAG...]
library() {
	library_name=$1
	library_source=$2
	shift 2
	build "$library_name" -shared -fPIC -Wl,-soname,"$library_name" \
		"$routes/$library_source" "$@"
}

# other_auditor: $tmp/told.so, which is told of bindings as ours is, and does nothing.
other_auditor() {
	test -f "$tmp/told.so" || helper routes/told.so
}

# with_other [VARIABLE=VALUE...] COMMAND...: whether it runs next to another auditor.
with_other() {
	other_auditor
	$run_env LD_AUDIT="$tmp/told.so" LD_LIBRARY_PATH="$tmp" "$@" >"$tmp/other.out" 2>&1
}

# know_loader: tells observe.c, by LOADER, what bindings it can expect to see.
know_loader() {
	LOADER=$(loader_family) || bail_out "no loader tells its version"
	export LOADER
}

# native NAME [VARIABLE=VALUE...] COMMAND...
native() {
	native_name=$1
	shift
	ok "natively: $native_name" $run_env ROUTES=native LD_LIBRARY_PATH="$tmp" "$@"
}

# routed NAME [VARIABLE=VALUE...] COMMAND...
routed() {
	routed_name=$1
	shift
	ok "$routed_name" audited ROUTES=routed LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS= "$@"
}

# both NAME [VARIABLE=VALUE...] COMMAND...: what holds natively holds audited.
both() {
	native "$@"
	routed "$@"
}
