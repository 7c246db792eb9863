/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An auditor with a libc of its own, which writes each callback it was given
 * to $AUDITOR_OUT at the end. VERSION is what la_version answers, FLAGS what
 * la_objopen does; CALLS is told of PLT calls too, CLEARS assigns its flags as
 * if nobody else had any, REPLACES puts a function of its own in the place of
 * cuInit.
 */
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef VERSION
#define VERSION version
#endif
#ifndef FLAGS
#define FLAGS (LA_FLG_BINDTO | LA_FLG_BINDFROM)
#endif

enum { OBJECTS = 256, ROOM = 1 << 20 };

static char names[OBJECTS][64];
static int nobjects;
static char text[ROOM];
static _Atomic size_t used;

static void __attribute__((format(printf, 1, 2))) note(const char *format, ...)
{
	char line[512];
	size_t length, at;
	va_list list;

	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	length = strlen(line);
	at = atomic_fetch_add(&used, length);
	if (at + length <= ROOM)
		memcpy(text + at, line, length);
}

/*
 * A cookie is the object's name. Next to another auditor old loaders (2.31)
 * point into an object that is not there.
 */
static const char *name_of(const uintptr_t *cookie)
{
	uintptr_t at;

	if ((uintptr_t)cookie < 4096)
		return "?";
	at = *cookie - (uintptr_t)names;
	return at < sizeof(names) && at % sizeof(names[0]) == 0 ? (const char *)*cookie : "?";
}

unsigned int la_version(unsigned int version)
{
	(void)version;
	return VERSION;
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag)
{
	note("search %s %s %#x\n", name_of(cookie), name, flag);
	return (char *)name;
}

void la_activity(uintptr_t *cookie, unsigned int flag)
{
	note("activity %s %u\n", name_of(cookie), flag);
}

unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	const char *slash = strrchr(map->l_name, '/');
	char *name = names[nobjects++ % OBJECTS];

	snprintf(name, sizeof(names[0]), "%s",
		 !*map->l_name ? "(main)" : slash ? slash + 1 : map->l_name);
	*cookie = (uintptr_t)name;
	note("open %s%s\n", name, space == LM_ID_BASE ? "" : " elsewhere");
	return FLAGS;
}

unsigned int la_objclose(uintptr_t *cookie)
{
	note("close %s\n", name_of(cookie));
	return 0;
}

void la_preinit(uintptr_t *cookie)
{
	note("preinit %s\n", name_of(cookie));
}

#ifdef REPLACES
static int (*real_init)(unsigned int flags);

static int replaced_init(unsigned int flags)
{
	note("replaced\n");
	return real_init(flags);
}
#endif

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to,
		       unsigned int *flags, const char *name)
{
	(void)index;
	note("bind %s %s %s%s\n", name_of(from), name_of(to), name,
	     *flags & LA_SYMB_DLSYM ? " dlsym" : "");
#ifdef CLEARS
	*flags = LA_SYMB_NOPLTEXIT;
#endif
#ifdef REPLACES
	if (!strcmp(name, "cuInit")) {
		real_init = (int (*)(unsigned int))symbol->st_value;
		return (uintptr_t)replaced_init;
	}
#endif
	return symbol->st_value;
}

#ifdef CALLS
#ifdef __aarch64__
#define ENTER la_aarch64_gnu_pltenter
#define EXIT la_aarch64_gnu_pltexit
typedef La_aarch64_regs registers_type;
typedef La_aarch64_retval result_type;
#else
#define ENTER la_x86_64_gnu_pltenter
#define EXIT la_x86_64_gnu_pltexit
typedef La_x86_64_regs registers_type;
typedef La_x86_64_retval result_type;
#endif

Elf64_Addr ENTER(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to,
		 registers_type *registers, unsigned int *flags, const char *name, long *frame)
{
	(void)index;
	(void)registers;
	(void)flags;
	note("enter %s %s %s\n", name_of(from), name_of(to), name);
	*frame = 256;	/* of stack arguments, without which there is no exit */
	return symbol->st_value;
}

unsigned int EXIT(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to,
		  const registers_type *registers, result_type *result, const char *name)
{
	(void)symbol;
	(void)index;
	(void)registers;
	(void)result;
	note("exit %s %s %s\n", name_of(from), name_of(to), name);
	return 0;
}
#endif

static void __attribute__((destructor)) end(void)
{
	const char *path = getenv("AUDITOR_OUT");
	int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;

	if (file < 0 || used > ROOM || write(file, text, used) != (ssize_t)used)
		_exit(99);
}
