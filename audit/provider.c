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

static const struct {
	const char *name, *why;
} refused[] = {
	{ "libcuda.so.1", "is the driver, whose functions are hooked already" },
	{ "libcuda.so", "is the driver, whose functions are hooked already" },
	{ "libcudadebugger.so.1", "belongs to the driver" },
	{ "libnvidia-ptxjitcompiler.so.1", "belongs to the driver" },
	{ "libnvidia-nvvm.so.4", "belongs to the driver" },
	{ "libcuaudit.so", "is cuaudit" },
	{ "cuaudit-core.so", "is cuaudit" },
	{ "libcuaudit-nvtx.so", "is cuaudit" },
	{ "ld-linux-x86-64.so.2", "is the loader, which hooks need to run" },
	{ "ld-linux-aarch64.so.1", "is the loader, which hooks need to run" },
	{ "libc.so.6", "is the C library, whose functions return twice or look at who calls them, and which hooks need to run" },
	{ "linux-vdso.so.1", "is the kernel's, which no library binds: the C library calls it by itself" },
	{ "libpthread.so.0", "is part of the C library" },
	{ "libdl.so.2", "is part of the C library" },
	{ "librt.so.1", "is part of the C library" },
};

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

const char *provider_refused(const char *globs, const char **why)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (filter_list(globs, refused[i].name, false)) {
			*why = refused[i].why;
			return refused[i].name;
		}
	return NULL;
}

bool provider_is_file(const char *name)
{
	const char *base = sys_basename(name);

	return sys_equal(base, soname) || sys_equal(base, "libcuda.so");
}
