/* SPDX-License-Identifier: Apache-2.0 */
/* An auditor that wants to see calls: says at the end how many of plt_ functions it saw. */
#include <link.h>
#include <string.h>
#include <unistd.h>

static unsigned int seen;

unsigned int la_version(unsigned int version)
{
	return version;
}

unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	(void)map, (void)space, (void)cookie;
	return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

static void count(const char *name)
{
	if (!strncmp(name, "plt_", 4))
		__atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
}

#ifdef __x86_64__
Elf64_Addr la_x86_64_gnu_pltenter(Elf64_Sym *symbol, unsigned int index, uintptr_t *from,
				  uintptr_t *to, La_x86_64_regs *registers, unsigned int *flags,
				  const char *name, long int *size)
{
	(void)index, (void)from, (void)to, (void)registers, (void)flags, (void)size;
	count(name);
	return symbol->st_value;
}
#endif

#ifdef __aarch64__
Elf64_Addr la_aarch64_gnu_pltenter(Elf64_Sym *symbol, unsigned int index, uintptr_t *from,
				   uintptr_t *to, La_aarch64_regs *registers, unsigned int *flags,
				   const char *name, long int *size)
{
	(void)index, (void)from, (void)to, (void)registers, (void)flags, (void)size;
	count(name);
	return symbol->st_value;
}
#endif

static void __attribute__((destructor)) stop(void)
{
	char line[] = "seen: 00\n";

	line[6] += (char)(seen / 10 % 10);
	line[7] += (char)(seen % 10);
	if (write(2, line, sizeof(line) - 1) < 0)
		return;
}
