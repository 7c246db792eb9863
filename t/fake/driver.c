/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver for tests of the routes: a few functions of the API, some that are
 * newer than any table, and a count of the calls that reached each.
 */
#include "t/fake/driver.h"
#include "t/fake/tools.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

struct counter {
	_Atomic(const char *) name;
	_Atomic int calls;
};

static struct counter counters[64];

static int arrive(const char *name)
{
	for (int i = 0; i < 64; i++) {
		const char *none = NULL;

		if (counters[i].name == name ||
		    __atomic_compare_exchange_n((const char **)&counters[i].name, &none, name,
						0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ||
		    none == name) {
			counters[i].calls++;
			return 0;
		}
	}
	return 999;
}

EXPORT int cuaudit_fake_calls(const char *name)
{
	for (int i = 0; i < 64 && counters[i].name; i++)
		if (!strcmp(counters[i].name, name))
			return counters[i].calls;
	return 0;
}

EXPORT int cuInit(unsigned int flags)
{
	arrive(__func__);
	return flags ? 1 : 0;
}

EXPORT int cuDriverGetVersion(int *version)
{
	arrive(__func__);
	*version = FAKE_VERSION;
	return 0;
}

EXPORT int cuCtxGetCurrent(void **context)
{
	arrive(__func__);
	*context = NULL;
	return 0;
}

EXPORT int cuMemAlloc_v2(unsigned long long *pointer, size_t size)
{
	arrive(__func__);
	*pointer = size;
	return 0;
}

EXPORT int cuStreamQuery(void *stream)
{
	arrive(__func__);
	return stream ? 600 : 0;
}

EXPORT int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
	arrive(__func__);
	(void)stream;
	function(data);
	return 0;
}

/* Ten integers; the function is called back at once. */
EXPORT int cuLaunchCooperativeKernel(void (*f)(void *), unsigned int gx, unsigned int gy,
				     unsigned int gz, unsigned int bx, unsigned int by,
				     unsigned int bz, unsigned int shared, void *stream,
				     void *params)
{
	arrive(__func__);
	f(params);
	return gx == 2 && gy == 3 && gz == 4 && bx == 5 && by == 6 && bz == 7 && shared == 8 &&
	       stream == (void *)9 ? 0 : 1;
}

/* Eleven integers, five of them on the stack. With 12 for extra, params is called back at once. */
EXPORT int cuLaunchKernel(void *f, unsigned int gx, unsigned int gy, unsigned int gz,
			  unsigned int bx, unsigned int by, unsigned int bz,
			  unsigned int shared, void *stream, void **params, void **extra)
{
	arrive(__func__);
	if (extra == (void *)12)
		((struct fake_callback *)params)->function(((struct fake_callback *)params)->data);
	return f == (void *)1 && gx == 2 && gy == 3 && gz == 4 && bx == 5 && by == 6 &&
	       bz == 7 && shared == 8 && stream == (void *)9 &&
	       (extra == (void *)12 || (params == (void *)10 && extra == (void *)11)) ? 0 : 1;
}

/* Seven integers, one of them on the stack. */
EXPORT int cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, void *f,
						     size_t (*memory)(int), size_t fixed, int limit,
						     unsigned int flags)
{
	(void)grid, (void)block, (void)f, (void)memory, (void)fixed, (void)limit;
	arrive(__func__);
	return (int)flags;
}

/* A structure of 64 bytes by value, between two words. */
EXPORT int cuIpcOpenMemHandle_v2(unsigned long long *pointer, struct fake_handle handle,
				 unsigned int flags)
{
	arrive(__func__);
	for (int i = 0; i < 64; i++)
		if (handle.bytes[i] != (unsigned char)(i + 1))
			return 1;
	*pointer = flags;
	return 0;
}

EXPORT int cuTexRefSetMipmapLevelClamp(void *texture, float low, float high)
{
	arrive(__func__);
	return texture == (void *)7 && low == 1.5f && high == -2.25f ? 0 : 1;
}

EXPORT int cuNewIntegers(long a, long b, long c, long d, long e, long f, long g, long h,
			 long i, long j, long k, long l, long m, long n, long o, long p)
{
	long words[] = { a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p };

	arrive(__func__);
	for (int at = 0; at < 16; at++)
		if (words[at] != at * 0x0101010101010101l)
			return at + 1;
	return 0;
}

EXPORT int cuNewStructure(int before, struct fake_handle handle, int after)
{
	arrive(__func__);
	for (int i = 0; i < 64; i++)
		if (handle.bytes[i] != (unsigned char)(i + 1))
			return 1;
	return before == -1 && after == -2 ? 0 : 2;
}

EXPORT int cuNewFloats(double a, int one, float b, double c, double d, double e, double f,
		       double g, double h, double i, long two)
{
	arrive(__func__);
	return a == 1 && one == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 && g == 7 &&
	       h == 8 && i == 9 && two == 2 ? 0 : 1;
}

EXPORT double cuNewReal(double x)
{
	arrive(__func__);
	return x / 4;
}

EXPORT struct fake_pair cuNewPair(long x)
{
	arrive(__func__);
	return (struct fake_pair){ x + 1, x + 2 };
}

/* The same, when function was called back. */
EXPORT struct fake_pair cuNewPairAfter(void (*function)(void *), void *data)
{
	arrive(__func__);
	function(data);
	return (struct fake_pair){ 1l << 40 | 3, 2l << 40 | 5 };
}

EXPORT int cuNewVariadic(int count, ...)
{
	va_list arguments;
	double sum = 0;

	arrive(__func__);
	va_start(arguments, count);
	while (count--)
		sum += va_arg(arguments, double);
	va_end(arguments);
	return (int)sum;
}

EXPORT int cuCtxSetCurrent(struct fake_callback *callback)
{
	arrive(__func__);
	callback->function(callback->data);
	return 0;
}

EXPORT int cuNewCallback(void (*function)(void *), void *data)
{
	arrive(__func__);
	function(data);
	return 0;
}

/* Leaves a value in errno, as a driver's system calls may. */
EXPORT int cuNewErrno(int value)
{
	arrive(__func__);
	errno = value;
	return 0;
}

/* Behind no symbol, as a driver could answer. */
static int hidden(void)
{
	return arrive(__func__);
}

static void *find(const char *name, int version);

EXPORT void *cuaudit_fake_address(const char *name)
{
	return find(name, FAKE_VERSION);
}

EXPORT void *cuaudit_fake_dlsym(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

EXPORT int cuGetProcAddress(const char *name, void **answer, int version,
			    unsigned long long flags)
{
	void *found = find(name, version);

	arrive(__func__);
	(void)flags;
	if (version > FAKE_VERSION)
		return 1;
	if (!found)
		return 500;
	*answer = found;
	return 0;
}

EXPORT int cuGetProcAddress_v2(const char *name, void **answer, int version,
			       unsigned long long flags, int *status)
{
	arrive(__func__);
	(void)flags;
	if (version > FAKE_VERSION)
		return 1;
	*answer = find(name, version);
	if (status)
		*status = *answer ? 0 : 1;
	return 0;
}

EXPORT int cuGetExportTable(const void **table, const unsigned char *uuid)
{
	static const unsigned long words[3] = { sizeof(words), 1, 2 };
	static const unsigned long large[511] = { sizeof(large) };
	static const void *const functions[2] = { functions, NULL };
	static const void *const tables[] = { NULL, words, large, functions };

	arrive(__func__);
	/* As the real one, which does not look at the UUID then. */
	if (!table || !uuid || uuid[0] == 10)
		return 1;
	if (!memcmp(uuid, tools_uuid, sizeof(tools_uuid)))
		*table = tools_table();
	else
		*table = uuid[0] < sizeof(tables) / sizeof(tables[0]) ? tables[uuid[0]] : NULL;
	return *table ? 0 : 500;
}

/* A call of the driver to itself, by its own exported name. */
EXPORT int cuNewSelf(void)
{
	arrive(__func__);
	return cuInit(0);
}

/* The driver's own functions, whoever else defines these names; what is answered for each, and since when. */
#define ANSWERS(each) \
	each("cuGetProcAddress", 12000, cuGetProcAddress_v2) \
	each("cuGetProcAddress", 11030, cuGetProcAddress) \
	each("cuInit", 2000, cuInit) \
	each("cuDriverGetVersion", 2020, cuDriverGetVersion) \
	each("cuCtxGetCurrent", 4000, cuCtxGetCurrent) \
	each("cuMemAlloc", 3020, cuMemAlloc_v2) \
	each("cuStreamQuery", 2000, cuStreamQuery) \
	each("cuNewIntegers", 13000, cuNewIntegers) \
	each("cuHidden", 13000, hidden)
#define OWN(base, since, symbol) \
	extern __typeof__(symbol) own_##symbol __attribute__((alias(#symbol), visibility("hidden")));
ANSWERS(OWN)

static void *find(const char *name, int version)
{
#define ANSWER(base, since, symbol) { base, since, (void *)own_##symbol },
	static const struct {
		const char *base;
		int since;
		void *address;
	} answers[] = { ANSWERS(ANSWER) };

	for (size_t i = 0; name && version <= FAKE_VERSION && i < sizeof(answers) / sizeof(*answers); i++)
		if (!strcmp(name, answers[i].base) && version >= answers[i].since)
			return answers[i].address;
	return NULL;
}
