/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver with two versions of one name, and names that are one function;
 * OTHER: a later one, in which other names are.
 */
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define SAME(name, as) EXPORT int name(unsigned int) __attribute__((alias(#as)))

int old_init(unsigned int flags);
int new_init(unsigned int flags);

int old_init(unsigned int flags)
{
	return (int)flags + 100;
}

int new_init(unsigned int flags)
{
	return (int)flags + 200;
}

__asm__(".symver old_init, cuInit@V1");
__asm__(".symver new_init, cuInit@@V2");

EXPORT int cuDriverGetVersion(int *version);
EXPORT int cuNewFirst(unsigned int flags);
EXPORT int cuCtxSynchronize(unsigned int flags);
EXPORT int cuNewAlone(unsigned int flags);
EXPORT int cuGetProcAddress_v2(const char *name, void **answer, int version, unsigned long flags,
			       int *status);

int cuDriverGetVersion(int *version)
{
	*version = 13000;
	return 0;
}

/* The table knows none of these, */
int cuNewFirst(unsigned int flags)
{
	return (int)flags + 300;
}
SAME(cuNewSecond, cuNewFirst);

/* and of these the second. */
int cuCtxSynchronize(unsigned int flags)
{
	return (int)flags + 400;
}
SAME(cuANewName, cuCtxSynchronize);

int cuNewAlone(unsigned int flags)
{
	return (int)flags + 500;
}
#ifdef OTHER
SAME(cuNewThird, cuNewAlone);
#else
SAME(cuNewThird, cuNewFirst);
#endif

/*
 * The table knows the first of each two, with fewer parameters than the second may have. Which
 * of the names is found first depends on their order, in the file and in the alphabet.
 */
#define MANY long a, long b, long c, long d, long e, long f, long g, long h, double x
#define KNOWN(name) \
	EXPORT int name(MANY); \
	int name(MANY) \
	{ \
		return a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 && g == 7 && \
		       h == 8 && x == 9 ? 600 : 601; \
	}
#define ALIAS(name, as) EXPORT int name(MANY) __attribute__((alias(#as)));
KNOWN(cuCtxGetCacheConfig)
ALIAS(cuAMany, cuCtxGetCacheConfig)
KNOWN(cuCtxGetFlags)
ALIAS(cuZMany, cuCtxGetFlags)
/* It knows both of these, with one parameter and with two. */
KNOWN(cuCtxGetDevice)
ALIAS(cuArray3DCreate_v2, cuCtxGetDevice)
KNOWN(cuCtxGetId)
ALIAS(cuStreamSynchronize, cuCtxGetId)

int cuGetProcAddress_v2(const char *name, void **answer, int version, unsigned long flags,
			int *status)
{
	static const struct {
		const char *name;
		int (*function)(unsigned int);
	} all[] = {
		{ "cuInit", new_init }, { "cuNewFirst", cuNewFirst }, { "cuNewSecond", cuNewSecond },
		{ "cuCtxSynchronize", cuCtxSynchronize }, { "cuANewName", cuANewName },
	};

	(void)version, (void)flags, (void)status;
	*answer = NULL;
	for (unsigned int i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].name, name))
			*answer = (void *)all[i].function;
	return *answer ? 0 : 500;
}
