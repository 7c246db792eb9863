/* SPDX-License-Identifier: Apache-2.0 */
/* What is special to the provider of functions: the CUDA driver. */
#include "audit/provider.h"

#include "audit/filter.h"
#include "audit/sys.h"

static const char soname[] = "libcuda.so.1";

/* Loaded by the driver, or by a loader of it (WSL2), to work for it. */
static const char companions[] =
	"libcuda.so.*"
	":libcudadebugger.so.*"
	":libnvidia-gpucomp.so.*"
	":libnvidia-nvvm.so.*"
	":libnvidia-nvvm70.so.*"
	":libnvidia-opticalflow.so.*"
	":libnvidia-ptxjitcompiler.so.*"
	":libnvidia-sandboxutils.so.*"
	":libnvidia-tileiras.so.*";

bool provider_may_export(const char *name)
{
	return name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z';
}

bool provider_is_driver(struct elf_image *image)
{
	if (!image->soname || !sys_equal(image->soname, soname) || !elf_count(image))
		return false;
	for (uint32_t i = 1; i < image->nsymbols; i++) {
		const ElfW(Sym) *symbol = &image->symbols[i];

		if (symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
		    provider_may_export(elf_name(image, symbol)))
			return true;
	}
	return false;
}

bool provider_is_driver_private(const struct elf_image *image)
{
	return image->soname && filter_list(companions, image->soname, false);
}

bool provider_is_file(const char *name)
{
	const char *base = sys_basename(name);

	return sys_equal(base, soname) || sys_equal(base, "libcuda.so");
}
