# SPDX-License-Identifier: Apache-2.0
# Sizes that no device has: refused in the name of a limit that there is.
. "${top_srcdir:-$(dirname "$0")/..}/t/limit/lib.sh"

compile -o "$tmp/sizes" -x c - -x none "$simdir/libcuda.so.1" -Wl,-rpath,"$simdir" <<'END_OF_C' ||
#include <stddef.h>
#include <stdint.h>

int cuInit(unsigned int flags);
int cuCtxCreate_v2(void **context, unsigned int flags, int device);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemAllocPitch_v2(uint64_t *address, size_t *pitch, size_t width, size_t height, unsigned int element);

int main(void)
{
	size_t pitch;
	uint64_t address;
	void *context;

	return cuInit(0) || cuCtxCreate_v2(&context, 0, 0) ||
	       cuMemAlloc_v2(&address, (size_t)1 << 47) != 2 ||
	       cuMemAlloc_v2(&address, SIZE_MAX) != 2 ||
	       cuMemAllocPitch_v2(&address, &pitch, 64, SIZE_MAX, 4) != 2;
}
END_OF_C
	bail_out "cannot build"

# refused OPTIONS WHO REPORT: three calls are, by the limit of WHO, which is REPORT of the report.
refused() {
	limited "$1" "$1;format=json" "$tmp/sizes"
	is "$(reported "$3['refused']")" 3 "the limit of the $2 refuses"
	like "$(cat "$tmp/err")" ": the $2 has 1048576 of 1048576 left\$" "as the message says"
}
refused "memory=1MiB" process "r['process']"
refused "device=1MiB" device "r['devices'][0]"
refused "memory=2MiB;device=1MiB" device "r['devices'][0]"
refused "memory=2MiB;user=1MiB;file=$tmp/share" user "r['user']"
done_testing
