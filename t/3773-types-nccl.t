# SPDX-License-Identifier: Apache-2.0
# NCCL by its header: all its functions are read, and bytes by type and communicator are a query, as docs say.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

test "$(loader_family)" = new || skip_all "the loader does not report all bindings"
test -n "$PERL" || skip_all "no perl"
for include in ${CUAUDIT_TEST_NCCL:-} /usr/include /usr/local/include "$CUDA_HOME/include"; do
	test -r "$include/nccl.h" && break
done
test -r "$include/nccl.h" -a -r "$CUDA_HOME/include/cuda_runtime.h" || skip_all "no nccl.h"

cuaudit=$top_builddir/bin/cuaudit
export CC
cd "$tmp" || exit 1

"$cuaudit" types --from "$include/nccl.h" --include "$CUDA_HOME/include" --output nccl.types 2>err
is "$(cat err)" "" "nccl.h is read without a word"
ok "and its file is understood" env CUAUDIT_TYPES=nccl.types "$cuaudit" run true
echo '#include <nccl.h>' >all.c
if $CC -w -std=gnu11 -fsyntax-only -aux-info aux -I"$include" -I"$CUDA_HOME/include" all.c 2>build.out && test -s aux; then
	sed -n 's|^/\* .*/nccl\.h:[0-9]*:[NO]C \*/ extern ncclResult_t \([A-Za-z0-9_]*\) .*|\1|p' aux | sort -u >declared
	sed -n 's/^function	\([^	]*\)	e4 ncclResult_t.*/\1/p' nccl.types | sort >written
	ok "each function of ncclResult_t that the compiler has read is there" cmp declared written
	ok "they are many" test "$(grep -c . written)" -gt 40
else
	skip 2 "$CC has no -aux-info"
fi

# A library of NCCL's prototypes, which does nothing.
cat >nccl.c <<'EOF'
#include <nccl.h>
ncclResult_t ncclAllReduce(const void *sent, void *got, size_t count, ncclDataType_t type, ncclRedOp_t op,
			   ncclComm_t comm, cudaStream_t stream)
{
	return count ? ncclSuccess : ncclInvalidArgument;
}
ncclResult_t ncclReduceScatter(const void *sent, void *got, size_t count, ncclDataType_t type, ncclRedOp_t op,
			       ncclComm_t comm, cudaStream_t stream)
{
	return ncclSuccess;
}
ncclResult_t ncclAllGather(const void *sent, void *got, size_t count, ncclDataType_t type, ncclComm_t comm,
			   cudaStream_t stream)
{
	return ncclSuccess;
}
ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank)
{
	return ranks == 2 && rank == 1 && id.internal[127] == 5 ? ncclSuccess : ncclInvalidUsage;
}
EOF
cat >calls.c <<'EOF'
#include <nccl.h>
int main(void)
{
	ncclUniqueId id = { { [127] = 5 } };
	ncclComm_t one = (ncclComm_t)0xc01, two = (ncclComm_t)0xc02;

	for (int i = 0; i < 10; i++)
		ncclAllReduce((void *)0x1000, (void *)0x2000, 1 << 20, ncclFloat32, ncclSum, one, 0);
	ncclAllReduce((void *)0x1000, (void *)0x2000, 1000, ncclFloat64, ncclMax, one, 0);
	ncclAllReduce((void *)0x1000, (void *)0x2000, 7, ncclBfloat16, ncclSum, two, 0);
	ncclAllReduce((void *)0x1000, (void *)0x2000, 0, ncclFloat32, ncclSum, one, 0);
	ncclReduceScatter((void *)0x1000, (void *)0x2000, 5000000000, ncclUint8, ncclSum, two, 0);
	ncclAllGather((void *)0x1000, (void *)0x2000, 3, ncclInt32, two, 0);
	return ncclCommInitRank(0, 2, id, 1);
}
EOF
compile -w -shared -fPIC -I"$include" -I"$CUDA_HOME/include" -Wl,-soname,libnccl.so.2 -o libnccl.so.2 nccl.c &&
	compile -w -I"$include" -I"$CUDA_HOME/include" -o calls calls.c -L. -l:libnccl.so.2 -Wl,-rpath,"$tmp" ||
	bail_out "cannot build"
status=0
audited CUAUDIT_PROVIDERS=libnccl.so.2 CUAUDIT_TYPES=nccl.types CUAUDIT_HOOKS="trace(file=$tmp/a.cutrace)" \
	./calls >out 2>err || status=$?
is "$status $(cat err)" "0 " "the program is well"
"$cuaudit" convert --symbols no --to text a.cutrace >lines
like "$(cat lines)" 'ncclAllReduce\(sendbuff = 0x1000, recvbuff = 0x2000, count = 1000, datatype = ncclFloat64, op = ncclMax, comm = 0xc01, stream = NULL\) = ncclSuccess' \
	"a collective"
like "$(cat lines)" 'count = 0, .* = ncclInvalidArgument' "one that is refused"
like "$(cat lines)" 'ncclCommInitRank\(comm = NULL, nranks = 2, commId = \{...\}, rank = 1\) = ncclSuccess' "what is behind a structure"

sed -n '/^<!-- collectives.sql/,/^<!-- end/{s/^    //p;}' "$top_srcdir/docs/providers.md" >collectives.sql
if "$cuaudit" convert --symbols no --to sqlite -o a.sqlite a.cutrace 2>err && "$PYTHON3" -c 'import sqlite3' 2>>err; then
	is "$("$PYTHON3" -c 'import sqlite3
for row in sqlite3.connect("a.sqlite").execute(open("collectives.sql").read()):
    print(*row)')" "libnccl.so.2:ncclAllGather ncclInt32 0xc02 1 12
libnccl.so.2:ncclAllReduce ncclBfloat16 0xc02 1 14
libnccl.so.2:ncclAllReduce ncclFloat32 0xc01 10 41943040
libnccl.so.2:ncclAllReduce ncclFloat64 0xc01 1 8000
libnccl.so.2:ncclReduceScatter ncclUint8 0xc02 1 5000000000" "the query of docs/providers.md: calls and bytes"
else
	skip 1 "no sqlite3"
fi
done_testing
