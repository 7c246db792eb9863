/* SPDX-License-Identifier: Apache-2.0 */
/* All kinds of ranges, with driver calls inside and outside of them. Prints what NVTX answered. */
#include <pthread.h>
#include <stdio.h>

#include <cuaudit/cuda_types.h>

#include "t/nvtx/copy.h"

CUresult cuInit(unsigned int flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuDeviceGetCount(int *count);

static uint64_t shared;

static void *thread(void *unused)
{
	int number;

	(void)unused;
	if (nvtx.NameOsThreadA)
		nvtx.NameOsThreadA((uint32_t)0, "nobody");
	copy_push("worker");
	cuDriverGetVersion(&number);
	if (nvtx.RangeEnd)
		nvtx.RangeEnd(shared);
	copy_pop();
	copy_push("never popped");
	cuDeviceGetCount(&number);
	return NULL;
}

int main(void)
{
	int answer = copy_initialize(), number;
	struct nvtx_attributes full = copy_text("step 1");
	pthread_t other;
	void *domain, *text;
	char gone[32] = "freed soon";

	printf("initialized %d\n", answer);
	if (answer <= 0)
		return cuInit(0);
	domain = nvtx.DomainCreateA("app");
	text = nvtx.DomainRegisterStringA(domain, "registered");
	nvtx.DomainNameCategoryA(domain, 7, "loading");
	nvtx.NameCategoryW(3, L"k\u00e4tegory");
	full.category = 3;
	full.colour_type = 1;
	full.colour = 0xff00ff80;
	full.payload_type = 3;
	full.payload.d = 2.5;
	cuInit(0);
	printf("push %d\n", nvtx.RangePushEx(&full));
	cuDriverGetVersion(&number);
	printf("push %d\n", copy_push(gone));
	memset(gone, 'x', sizeof(gone) - 1);
	cuDeviceGetCount(&number);
	full = copy_text(NULL);
	full.text_type = 3;
	full.text = text;
	full.category = 7;
	full.payload_type = 2;
	full.payload.i = -5;
	printf("push %d in a domain\n", nvtx.DomainRangePushEx(domain, &full));
	cuDriverGetVersion(&number);
	/* The default domain's innermost, below the other domain's. */
	printf("pop %d\n", copy_pop());
	cuDriverGetVersion(&number);
	printf("pop %d in a domain\n", nvtx.DomainRangePop(domain));
	nvtx.MarkW(L"m\u00e4rk \U0001f600");
	shared = nvtx.RangeStartA("across threads");
	printf("id %s\n", shared ? "yes" : "no");
	pthread_create(&other, NULL, thread, NULL);
	pthread_join(other, NULL);
	printf("pop %d\n", copy_pop());
	printf("pop %d of none\n", copy_pop());
	nvtx.RangeStartA("never ended");
	copy_push("open at the end");
	cuDriverGetVersion(&number);
	return 0;
}
