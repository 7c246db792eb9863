# SPDX-License-Identifier: Apache-2.0
# Typed views and replacements: what compiles, what does not and what is said then.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
. "$top_srcdir/t/gen/views.sh"

# Two headers made of our own types: the newest, and one that lacks what came after 11.4.
sed -n -e 's/^ENUM(\(.*\))/typedef enum \1_enum {/p' -e 's/^FLAGSET(\(.*\))/typedef enum \1_enum {/p' \
	-e 's/^ENUMERATOR(.*, \(.*\), \(.*\))/	\1 = \2,/p' -e 's/^ENUM_END(\(.*\))/} \1;/p' \
	"$tables/driver_enums.def" >"$tmp/enums"
for age in new old; do
	mkdir "$tmp/$age"
	sed -e '/^#if !defined(CUAUDIT_OWN_TYPES)/,/^#define CUAUDIT_TYPES_OWN 1/d' \
		-e 's/CUAUDIT_CUDA_TYPES_H/T_CUDA_H/' -e '/^#define ENUM(/,/^#undef ENUM_ALIAS/{
			/^#include/r '"$tmp/enums"'
			d
		}' "$tables/cuda_types.h" |
		sed -e '0,/^#endif$/{/^#endif$/d}' >"$tmp/types.h"
	{
		test $age = new && cat "$tmp/types.h" || awk '
		/^typedef struct CU(graphNodeParams|launchConfig|graphEdgeData)_st \{/ ||
		/^typedef enum CUmemcpyFlags_enum/ { skip = 1 }
		!skip { print }
		/^}/ { skip = 0 }' "$tmp/types.h"
		echo "#define __cuda_cuda_h__"
		echo "#define __CUDA_API_VERSION_INTERNAL"
		echo "#define CUDA_VERSION $(test $age = new && echo 13000 || echo 11040)"
	} >"$tmp/$age/cuda.h"
	echo '#include <cuda.h>' >"$tmp/$age/cudaProfiler.h"
done
ok "the old one lacks types" sh -c '! cmp -s "$1" "$2"' sh "$tmp/new/cuda.h" "$tmp/old/cuda.h"

for compiler in gcc clang g++ clang++; do
	if ! command -v $compiler >"$tmp/which"; then
		skip 3 "no $compiler"
		continue
	fi
	compiles 99999 "own types" $compiler -DCUAUDIT_OWN_TYPES
	for age in $(test $compiler = "${compiler#clang}" && echo new) old; do
		compiles $(test $age = new && echo 13000 || echo 11040) "<cuda.h> before, $age" $compiler -DBEFORE -isystem "$tmp/$age"
		compiles $(test $age = new && echo 13000 || echo 11040) "<cuda.h> after, $age" $compiler -DAFTER -isystem "$tmp/$age"
	done
done

# wrong NAME MESSAGE STATEMENT [DECLARATION]: does not compile, in C nor in C++, and that is said.
wrong() {
	printf '#include <cuaudit/replace.h>\nint f(struct cuaudit_call *call);\n%s\n%s\n' \
		"${4-}" "int f(struct cuaudit_call *call) { (void)call; $3; }" >"$tmp/x.c"
	cp "$tmp/x.c" "$tmp/x.cc"
	for language in "$CC -std=c11 $tmp/x.c" "$CXX -std=c++17 $tmp/x.cc"; do
		fails "$1: ${language%% /*}" $language -fsyntax-only -DCUAUDIT_OWN_TYPES \
			-I"$top_srcdir/include"
		like "$(cat "$tmp/tap.out")" "error: .*$2" "$1: and says so"
	done
}

mine='static CUresult mine(CUdeviceptr *p, size_t n) { (void)p; (void)n; return CUDA_SUCCESS; }'
printf '#include <cuaudit/replace.h>\n%s\nint f(void);\n%s\n' "$mine" \
	'int f(void) { return CUAUDIT_REPLACE(cuMemAlloc_v2, mine); }' >"$tmp/x.c"
ok "a right replacement compiles" $CC -std=c11 -fsyntax-only -DCUAUDIT_OWN_TYPES -Wall -Wextra \
	-Werror -I"$top_srcdir/include" "$tmp/x.c"
wrong "no such function" cuMemAllot 'return (int)CUAUDIT_ARGS(call, cuMemAllot)->bytesize'
wrong "no such parameter" 'size' 'return (int)CUAUDIT_ARGS(call, cuMemAlloc_v2)->size'
wrong "of which function" cuMemAlloc_v2 'return (int)CUAUDIT_ARGS(call, cuMemAlloc_v2)->size'
wrong "a wrong type" 'a replacement of cuMemAlloc must have its type' \
	'return CUAUDIT_REPLACE(cuMemAlloc, mine)' "$mine"
wrong "too few parameters" 'a replacement of cuMemFree_v2 must have its type' \
	'return CUAUDIT_REPLACE(cuMemFree_v2, mine)' "$mine"
wrong "a wrong result" 'a replacement of cuCtxSynchronize must have its type' \
	'return CUAUDIT_REPLACE(cuCtxSynchronize, none)' 'static void none(void) {}'
wrong "no such function to replace" cuMemAllot 'return CUAUDIT_REPLACE(cuMemAllot, mine)' "$mine"
wrong "no such function of the driver" cuMemAllot 'return CUAUDIT_REAL(cuMemAllot)(0)'
wrong "wrong arguments for the driver's" 'argument' 'return CUAUDIT_REAL(cuMemAlloc_v2)(0)'
done_testing
