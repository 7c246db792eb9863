/* SPDX-License-Identifier: Apache-2.0 */
/* The callbacks of rtld-audit(7): the auditor's only entry points. */
/* Its prototypes of the callbacks are what the version script may export. */
#pragma GCC visibility push(default)
#include <link.h>
#pragma GCC visibility pop
#include <stddef.h>

#include "arch.h"
#include "audit/bind.h"
#include "audit/calloc.h"
#include "audit/chosen.h"
#include "audit/compat.h"
#include "audit/core_libc.h"
#include "audit/core_loader.h"
#include "audit/driver.h"
#include "audit/env.h"
#include "audit/escape.h"
#include "audit/exit.h"
#include "audit/filter.h"
#include "audit/judge.h"
#include "audit/libc.h"
#include "audit/object.h"
#include "audit/peer.h"
#include "audit/provider.h"
#include "audit/relocate.h"
#include "audit/slot_lock.h"
#include "audit/stub.h"
#include "audit/sys.h"
#include "util/check_mark.h"

static struct link_slot slots[LINK_SLOTS];
static struct link_binding bindings[LINK_BINDINGS];
static char driver_path[4096];
static unsigned int loader_version;
static struct env_loader loader;
static bool aside;	/* another instance of this auditor was there first; or the process is secure */
static bool program_seen;

extern _Atomic(void *) stub_routes[LINK_SLOTS];

/* The loader hands every constructor main's arguments; there is no libc to ask. */
static void __attribute__((constructor)) start(int argc, char **argv, char **envp)
{
	object_start(envp);
	aside = object_secure || peer_is_first();
	if (aside)
		return;
	object_table.version = LINK_VERSION;
	object_table.size = sizeof(object_table);
	object_table.slots = slots;
	object_table.bindings = bindings;
	object_table.routes = stub_routes;
	object_table.stubs = stub_address(0);
	object_table.stub_size = ARCH_STUB_SIZE;
	object_table.resolver = stub_resolver();
	object_table.envp = envp;
	sys_start();
	object_table.stderr_usable = sys_stderr_usable;
	object_table.load_core = core_load_early;
	object_table.library_matches = filter_list;
	object_table.lock_slots = slot_lock_take;
	object_table.unlock_slots = slot_lock_release;
	core_loader_start();
	env_read_loader(&loader, envp, object_program);
	env_read(&object_table.environment, envp);
	judge_start(&object_table, argc > 1 && sys_equal(argv[1], CHECK_TRIAL_WORD));
	if (!env_disabled)
		libc_start(&object_table.environment);
}

/*
 * Destructors of auditors run last of all: every call of the program is in. Where
 * none was intercepted the core is loaded now, to report what was not, and where a
 * misspelt CUAUDIT_INCLUDE is the reason. A child of fork need not say that again.
 */
static void __attribute__((destructor)) stop(void)
{
	void (*finish)(void);

	if (!atomic_load_explicit(&object_table.finish, memory_order_relaxed) &&
	    (escape_any() || (!sys_is_child() && judge_unmatched())))
		core_load(0);
	finish = atomic_load_explicit(&object_table.finish, memory_order_acquire);
	if (finish)
		finish();
}

/* 0 has the loader unload us: in a secure process nothing of ours acts, see SECURITY.md. */
unsigned int la_version(unsigned int version)
{
	if (object_secure)
		return 0;
	loader_version = version;
	return version;
}

/*
 * glibc calls it between the program's constructors and main. What is to be checked before the
 * first call of the driver has the core loaded now: earlier, older loaders cannot.
 */
void la_preinit(uintptr_t *cookie)
{
	(void)cookie;
	atomic_store_explicit(&object_table.main_called, true, memory_order_relaxed);
	if (!aside && libc_wanted())
		core_load_early();
}

/*
 * A path at which the loader does not wait for a FIFO's writer, but says that it
 * is no directory: it may not be told that there is none.
 */
static char *openable(const char *driver)
{
	size_t length = sys_strlen(driver);

	if (!sys_is_fifo(driver) || length + 2 > sizeof(driver_path))
		return (char *)driver;
	for (size_t i = 0; i < length; i++)
		driver_path[i] = driver[i];
	driver_path[length] = '/';
	driver_path[length + 1] = '\0';
	return driver_path;
}

/* The library that limit opens itself: the program would not have waited for who writes to a FIFO of its name. */
static bool is_in_the_way(const char *name)
{
	return sys_equal(sys_basename(name), "libnvidia-ml.so.1") && sys_is_fifo(name);
}

/* The driver the user asked for, in whatever directory the loader looks first. */
char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag)
{
	const char *driver = object_table.environment.driver;

	(void)cookie;
	if (!aside && env_disabled && provider_is_file(name))
		judge_disabled();
	if (!aside && !env_disabled && flag != LA_SER_ORIG && is_in_the_way(name))
		return NULL;	/* the next directory */
	if (aside || env_disabled || flag != LA_SER_ORIG || !driver[0] || !provider_is_file(name))
		return (char *)name;
	if (!sys_equal(driver, "sim"))
		return openable(driver);
	core_path(driver_path, sizeof(driver_path), "sim/libcuda.so.1");
	return driver_path;
}

/*
 * LA_FLG_BINDFROM for whatever it is: glibc 2.35 and later hides a look-up by
 * dlsym from all auditors behind one that flagged neither side of it.
 */
unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	struct link_object *object;
	struct elf_image image;
	bool is_libc;

	if (aside)
		return LA_FLG_BINDFROM;
	if (space == LM_ID_BASE && !program_seen) {
		program_seen = true;
		if (object_table.environment.follow[0] == '0')
			env_unfollow(object_table.envp);
	}
	calloc_open(space == LM_ID_BASE, cookie);
	if (env_disabled)
		return LA_FLG_BINDFROM;
	object = object_open(map, space, &image);
	*cookie = object_cookie(object);
	if (!object)
		return LA_FLG_BINDFROM;
	/* All auditors have been loaded before it. */
	if (object->flags & LINK_OBJECT_MAIN) {
		compat_start(loader_version, &loader);
		chosen_start();
	}
	if (!image.symbols) {
		escape_record(CUAUDIT_ESCAPE_OBJECT, object->path, object, 1);
		return LA_FLG_BINDFROM;
	}
	if (space != LM_ID_BASE)
		peer_open(&image);
	core_loader_note(map, space, &image);
	if (space == LM_ID_BASE)
		core_libc_note(&image, object->flags & LINK_OBJECT_MAIN);
	if (provider_is_driver(&image)) {
		judge_replaced();
		driver_open(object, &image);
		compat_open(object, &image, map);
		return LA_FLG_BINDTO | LA_FLG_BINDFROM;
	}
	if (object->flags & LINK_OBJECT_MAIN)
		relocate_note_main(&image, space);
	if (core_loader_is_core(&image)) {
		object->flags |= LINK_OBJECT_CORE;
		core_libc_open(&image, map);
	}
	core_loader_meet_nvtx(&image);
	if (chosen_takes(object, &image)) {
		judge_replaced();
		chosen_open(object, &image);
	}
	compat_open(object, &image, map);
	is_libc = loader_version >= COMPAT_REPORTS && libc_open(object, space, &image);
	/* An excluded one too: what it is given is counted. */
	if (loader_version >= COMPAT_REPORTS && !(object->flags & LINK_OBJECT_DRIVER_PRIVATE) &&
	    (!(object->flags & LINK_OBJECT_CORE) || image.spares_libc))
		relocate_rewrite(object, &image, map, space);
	is_libc |= exit_open(object, space, &image);
	return LA_FLG_BINDFROM | (is_libc || object->flags & LINK_OBJECT_PROVIDER ? LA_FLG_BINDTO : 0);
}

void la_activity(uintptr_t *cookie, unsigned int flag)
{
	if (flag == LA_ACT_CONSISTENT)
		calloc_settle(cookie);
	compat_settle(flag == LA_ACT_CONSISTENT);
}

unsigned int la_objclose(uintptr_t *cookie)
{
	struct link_object *object = object_of(cookie);

	if (!object)
		return 0;
	if (object->flags & LINK_OBJECT_DRIVER)
		driver_close(object);
	if (object->flags & LINK_OBJECT_PROVIDER)
		chosen_close(object);
	relocate_close(object);
	compat_close(object);
	object_close(object);
	return 0;
}

/*
 * The flags are left as they are: the next auditor, and the loader's record of
 * who wants to see calls, would take a bit of ours for everyone's.
 */
uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to,
		       unsigned int *flags, const char *name)
{
	bool by_dlsym = *flags & LA_SYMB_DLSYM;
	struct link_object *object = object_of(from);
	uintptr_t value = symbol->st_value;

	if (aside)
		return value;
	if (by_dlsym)
		value = calloc_bind(from, value, name);
	/* What an auditor before us put there knows the stub by our symbol table. */
	if (*flags & LA_SYMB_ALTVALUE)
		return value;
	value = bind_symbol(object, object_of(to), index, value, by_dlsym, name);
	compat_bound(object, name, value, by_dlsym);
	return by_dlsym ? value : exit_bind(object_of(to), value, name);
}
