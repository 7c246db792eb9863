# SPDX-License-Identifier: Apache-2.0
# What the tests of the routes share: building their programs, running them with and without us.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

routes=$top_srcdir/t/routes
routes_flags="-O1 -g -Wall -Wextra"

# build NAME ARGUMENT...: $tmp/NAME, or the whole test fails.
build() {
	build_name=$1
	shift
	compile $routes_flags -o "$tmp/$build_name" "$@" >"$tmp/build.out" 2>&1 && return
	sed 's/^/# /' "$tmp/build.out"
	bail_out "cannot build $build_name"
}

# fake_driver [PATH]: the fake driver, $tmp/libcuda.so.1.
fake_driver() {
	build "${1-libcuda.so.1}" -shared -fPIC -fexceptions -Wl,-soname,libcuda.so.1 \
		"$top_srcdir/t/fake/driver.c" "$top_srcdir/t/fake/record.S" -ldl
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
