/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of the process, as the loader reports them. */
#include "audit/object.h"

#include <limits.h>

#include "audit/escape.h"
#include "audit/filter.h"
#include "audit/provider.h"
#include "audit/sys.h"

enum { BUCKETS = 4096 };

const char *object_program = "";
bool object_by_kernel, object_secure = true;

static const ElfW(Phdr) *main_phdr;
static unsigned int main_phnum;
static bool main_seen;
static struct link_object *buckets[BUCKETS];	/* all records, by path */

void object_start(char **envp)
{
	const ElfW(auxv_t) *entry;

	while (*envp)
		envp++;
	/* Where the loader has removed variables, as of a secure process, more than one NULL is left. */
	while (!*envp)
		envp++;
	for (entry = (const ElfW(auxv_t) *)envp; entry->a_type != AT_NULL; entry++) {
		if (entry->a_type == AT_PHDR)
			main_phdr = (const ElfW(Phdr) *)entry->a_un.a_val;
		else if (entry->a_type == AT_PHNUM)
			main_phnum = (unsigned int)entry->a_un.a_val;
		else if (entry->a_type == AT_PAGESZ)
			sys_page = entry->a_un.a_val;
		else if (entry->a_type == AT_BASE)
			object_by_kernel = entry->a_un.a_val;
		else if (entry->a_type == AT_EXECFN)
			object_program = (const char *)entry->a_un.a_val;
		else if (entry->a_type == AT_SECURE)
			object_secure = entry->a_un.a_val;
	}
}

/* A name that is a script's, or that means something else in who reads it later, is not the executable's. */
static const char *main_path(void)
{
	static char path[PATH_MAX];

	return sys_program(object_program, path, sizeof(path)) ? path : object_program;
}

/* Of a library that dlopen was given by a relative path: where it lies, as long as the program is in this directory. */
static const char *library_path(const char *name)
{
	static char path[2 * PATH_MAX];
	const char *from = name;
	size_t length;

	if (name[0] == '/' || sys_basename(name) == name || !sys_directory(path, PATH_MAX))
		return name;
	length = sys_strlen(path);
	while (sys_starts(from, "./"))
		from += 2;
	if (length + 1 + sys_strlen(from) >= sizeof(path))
		return name;
	path[length++] = '/';
	while ((path[length++] = *from++))
		;
	return path;
}

/* FNV-1a. */
static uint32_t hash_of(const char *path)
{
	uint32_t hash = 2166136261u;

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 16777619u;
	return hash;
}

static bool is_open(const struct link_object *object)
{
	return atomic_load_explicit(&object->hi, memory_order_relaxed);
}

static struct link_object *closed_record(const char *path)
{
	uint32_t hash = hash_of(path);
	struct link_object *object = buckets[hash % BUCKETS];

	while (object && (is_open(object) || object->hash != hash ||
			  !sys_equal(object->path, path)))
		object = object->next;
	return object;
}

static struct link_object *new_record(const char *path)
{
	uint32_t index = atomic_load_explicit(&object_table.nobjects, memory_order_relaxed);
	uint32_t chunk = index / LINK_CHUNK;
	struct link_object *object;

	if (chunk == LINK_CHUNKS)
		return NULL;
	if (index % LINK_CHUNK == 0) {
		object = sys_alloc(LINK_CHUNK * sizeof(*object));
		if (!object)
			return NULL;
		/* Pairs with link_object. */
		atomic_store_explicit(&object_table.chunks[chunk], object, memory_order_release);
	}
	object = link_object(&object_table, index);
	object->index = index;
	object->path = sys_copy(path, sys_strlen(path));
	if (!object->path)
		return NULL;
	object->name = sys_basename(object->path);
	object->hash = hash_of(path);
	object->next = buckets[object->hash % BUCKETS];
	buckets[object->hash % BUCKETS] = object;
	/* Pairs with the core's look-up by address. */
	atomic_store_explicit(&object_table.nobjects, index + 1, memory_order_release);
	return object;
}

static bool excluded(const char *path, bool is_main)
{
	const struct link_environment *environment = &object_table.environment;

	if (filter_list(environment->exclude, path, is_main))
		return true;
	return environment->include[0] && !filter_list(environment->include, path, is_main);
}

void object_tell_generation(uint32_t from, uint32_t end)
{
	uint32_t generation = atomic_load_explicit(&object_table.generation, memory_order_relaxed);

	if (!object_table.mirror_generation)
		return;
	/* Pairs with who goes by an entry's. */
	for (uint32_t i = from; i < end; i++)
		atomic_store_explicit((_Atomic uint32_t *)((char *)object_table.mirror_generation +
				      (size_t)i * object_table.mirror_stride),
				      generation, memory_order_release);
}

/* A child of fork may find a change half made by another thread: `| 1` begins the next one. */
static void set_extent(struct link_object *object, uintptr_t lo, uintptr_t hi)
{
	uint32_t changes = atomic_load_explicit(&object->changes, memory_order_relaxed) | 1;
	_Atomic uint32_t *live = &object_table.live[object->index / LINK_CHUNK];

	atomic_fetch_add_explicit(live, (uint32_t)(hi != 0) - (uint32_t)is_open(object),
				  memory_order_relaxed);
	/* Both pair with link_extent. */
	atomic_store_explicit(&object->changes, changes, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&object->lo, lo, memory_order_relaxed);
	atomic_store_explicit(&object->hi, hi, memory_order_relaxed);
	atomic_store_explicit(&object->changes, changes + 1, memory_order_release);
	/* The core's cache goes by the generation. */
	atomic_fetch_add_explicit(&object_table.generation, 1, memory_order_release);
	object_tell_generation(0, atomic_load_explicit(&object_table.nslots,
						       memory_order_relaxed));
}

struct link_object *object_open(const struct link_map *map, Lmid_t space,
				struct elf_image *image)
{
	bool is_main = !main_seen && space == LM_ID_BASE;
	const char *path = is_main ? main_path() : library_path(map->l_name);
	struct link_object *object;

	main_seen |= is_main;
	if (!elf_read(image, map, is_main ? main_phdr : NULL, main_phnum))
		image->symbols = NULL;
	object = closed_record(path);
	if (!object)
		object = new_record(path);
	if (!object) {
		escape_record(CUAUDIT_ESCAPE_FULL, path, NULL, 1);
		return NULL;
	}
	object->flags = is_main ? LINK_OBJECT_MAIN : 0;
	if (provider_is_driver_private(image))
		object->flags |= LINK_OBJECT_DRIVER_PRIVATE;
	if (excluded(path, is_main))
		object->flags |= LINK_OBJECT_EXCLUDED;
	/* An object of unknown extent must not look closed. */
	set_extent(object, image->symbols ? image->lo : 1, image->symbols ? image->hi : 1);
	return object;
}

void object_close(struct link_object *object)
{
	/* The program is closed as the process ends, before its libraries and threads, and stays. */
	if (!(object->flags & LINK_OBJECT_MAIN))
		set_extent(object, 0, 0);
	if (object->detail)
		object->detail->nslots = object->detail->npending = object->detail->nleft = 0;
}

/* The loader's own cookie is a link map's address, which is none in our table. */
uintptr_t object_cookie(const struct link_object *object)
{
	return object ? (uintptr_t)&object_table + object->index : 0;
}

struct link_object *object_of(const uintptr_t *cookie)
{
	uint32_t count = atomic_load_explicit(&object_table.nobjects, memory_order_acquire);
	uintptr_t index = cookie ? *cookie - (uintptr_t)&object_table : count;

	return index < count ? link_object(&object_table, (uint32_t)index) : NULL;
}

struct object_detail *object_detail(struct link_object *object)
{
	if (!object->detail)
		object->detail = sys_alloc(sizeof(*object->detail));
	return object->detail;
}
