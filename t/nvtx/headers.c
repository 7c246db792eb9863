/* SPDX-License-Identifier: Apache-2.0 */
/* The toolkit's own NVTX headers, and two copies of them in one process. */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <stdio.h>

int cuInit(unsigned int flags);

int main(void)
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("headers");
	nvtxEventAttributes_t attributes = { 0 };

	cuInit(0);
	attributes.version = NVTX_VERSION;
	attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	attributes.colorType = NVTX_COLOR_ARGB;
	attributes.color = 0xff112233;
	attributes.payloadType = NVTX_PAYLOAD_TYPE_FLOAT;
	attributes.payload.fValue = 1.5f;
	attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	attributes.message.registered = nvtxDomainRegisterStringW(domain, L"w\u00edde");
	printf("push %d\n", nvtxDomainRangePushEx(domain, &attributes));
	cuInit(0);
	printf("pop %d\n", nvtxDomainRangePop(domain));
	printf("enabled %d\n", nvtxDomainIsEnabled(domain));
	/* As NCCL ends its ranges. */
	attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
	attributes.message.ascii = "popped with a payload";
	printf("push %d\n", nvtxDomainRangePushEx(domain, &attributes));
	printf("pop %d\n", nvtxRangePopPayload(domain, NULL, 0));
	nvtxRangeEnd(nvtxRangeStartA("started"));
	nvtxMarkA("mark");
	nvtxNameOsThreadA(1, "one");
	nvtxDomainDestroy(domain);
	attributes.message.ascii = "destroyed";
	nvtxDomainRangePushEx(domain, &attributes);
	nvtxDomainRangePop(domain);
	return 0;
}
