# SPDX-License-Identifier: Apache-2.0
# The examples, built as they say against an installed tree, do what they say.
. "${top_srcdir:-$(dirname "$0")/..}/t/plugins/lib.sh"

install_tree
examples=$root$(setting docdir)/examples
is "$(cd "$examples" && ls)" "$(cd "$top_srcdir/examples" && ls)" "they are installed"
ok "hello.c has at most ten lines of code" test \
	"$(grep -c '^[^/]' "$examples/hello.c")" -le 12

warnings="-Wall -Wextra -Werror"
cd "$tmp" || exit 99
ok "hello.c builds" $CC $warnings -shared -fPIC -o hello.so "$examples/hello.c" $flags
ok "vmm_log.c builds" $CC $warnings -shared -fPIC -o vmm_log.so "$examples/vmm_log.c" $flags
ok "fakeoom.cc builds" $CXX $warnings -shared -fPIC -o fakeoom.so "$examples/fakeoom.cc" $flags
compile -o vmm "$top_srcdir/t/plugins/vmm.c" "$simdir/libcuda.so.1" >build.out 2>&1 ||
	bail_out "$(cat build.out)"

# run VARIABLE=VALUE... PROGRAM...: its output, and the status
run() {
	run_status=0
	audited CUAUDIT_DRIVER=sim "$@" >out 2>&1 || run_status=$?
	run_out=$(cat out)
}

run CUAUDIT_HOOKS=./hello.so "$top_builddir/demo/cudemo" dlopen
like "$run_out" '^cuaudit: hello, cudemo!$' "hello.c says who calls"
mkdir -p "$libdir/cuaudit/hooks"
cp hello.so "$libdir/cuaudit/hooks"
run CUAUDIT_HOOKS=hello "$top_builddir/demo/cudemo" dlopen
like "$run_out" '^cuaudit: hello, cudemo!$' "and is found in the installed tree"

run CUAUDIT_HOOKS=./vmm_log.so CUAUDIT_OUTPUT=log ./vmm
is "$run_status" 0 "the program under vmm_log.c"
is "$(sed 's/0x[0-9a-f]*/N/g' log.vmm)" "cuMemAddressReserve address N size 4194304
cuMemCreate size 2097152 handle N
cuMemMap address N size 2097152 handle N
cuMemSetAccess address N size 2097152
cuMemMap address N size 1 handle N error 1
cuMemUnmap address N size 2097152
cuMemRelease handle N
cuMemAddressFree address N size 4194304" "vmm_log.c writes what it did"
is "$(sed -n 's/^cuMemCreate.*handle //p' log.vmm)" "$(sed -n 's/^cuMemRelease.*handle //p' log.vmm)" \
	"with the handles that were"

run CUAUDIT_HOOKS='./fakeoom.so(every=2)' "$top_builddir/demo/cudemo" dlopen
like "$run_out" '^cudemo: cuMemAlloc_v2: error 2$' "fakeoom.cc fails an allocation"
like "$run_out" '^cuaudit: fakeoom: 1 allocations failed$' "and says so"
run CUAUDIT_HOOKS='./fakeoom.so(above=262143)' "$top_builddir/demo/cudemo" dlopen
like "$run_out" '^cudemo: cuMemAlloc_v2: error 2$' "a large one"
run CUAUDIT_HOOKS='./fakeoom.so(above=262144;every=3)' "$top_builddir/demo/cudemo" dlopen
like "$run_out" ' 0 wrong$' "not one that is not larger"
run CUAUDIT_HOOKS='./fakeoom.so(every=1;library=libother*)' "$top_builddir/demo/cudemo" dlopen
like "$run_out" ' 0 wrong$' "not another library's"
done_testing
