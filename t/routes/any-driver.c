/* SPDX-License-Identifier: Apache-2.0 */
/* The rest of the driver that any.S is: what programs and the core ask. */
#include <string.h>

#define NAME(symbol, kind, nwords) int symbol(void);
#include "names.h"
#undef NAME

static const struct {
	const char *name;
	void *address;
} functions[] = {
#define NAME(symbol, kind, nwords) { #symbol, (void *)symbol },
#include "names.h"
#undef NAME
};

/* The functions in their order, behind the table's size. */
int cuGetExportTable(const void **answer, const unsigned char *uuid)
{
	enum { COUNT = sizeof(functions) / sizeof(functions[0]) };
	static struct {
		size_t size;
		void *slots[COUNT];
	} table = { sizeof(table), { NULL } };

	(void)uuid;
	for (int i = 0; i < COUNT && !table.slots[COUNT - 1]; i++)
		table.slots[i] = functions[i].address;
	*answer = &table;
	return 0;
}

int cuInit(unsigned int flags)
{
	return (int)flags;
}

int cuDriverGetVersion(int *version)
{
	*version = 13000;
	return 0;
}

int cuGetProcAddress_v2(const char *name, void **answer, int version, unsigned long long flags,
			int *status)
{
	(void)flags;
	*answer = NULL;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]) && version; i++)
		if (!strcmp(functions[i].name, name))
			*answer = functions[i].address;
	if (status)
		*status = *answer ? 0 : 1;
	return 0;
}
