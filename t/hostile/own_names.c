/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that defines what the C library has too, exported: NAMES has OWN(name) for each. It ends
 * with 66 where anybody calls one. The driver binds the C library's own, by RTLD_DEEPBIND.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef NAMES
static void called(const char *name, size_t size)
{
	if (write(2, name, size) < 0)
		_Exit(65);
	_Exit(66);
}

#define OWN(name) \
	void own_##name(void) __asm__(#name); \
	void own_##name(void) { called(#name "\n", sizeof(#name)); }
#include NAMES
#endif

/* C leaves these to the program. */
#ifdef LIST
struct node { struct node *before, *behind; };
void remove_node(struct node *node) __asm__("unlink");
void remove_node(struct node *node)
{
	node->before->behind = node->behind;
	node->behind->before = node->before;
}

int own_strsep[2] __asm__("strsep") = { 1, 2 };
#endif

/* As what a sanitizer intercepts. */
#ifdef WEAK
pid_t __attribute__((weak)) getpid(void)
{
	static const char text[] = "seen\n";

	return write(2, text, sizeof(text) - 1) < 0 ? -1 : (pid_t)syscall(SYS_getpid);
}
#endif

/* The driver is to know all memory. */
#ifdef MAPS
static int (*host_register)(void *, size_t, unsigned int);

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
	void *memory = (void *)syscall(SYS_mmap, at, size, protection, flags, file, offset);

	if (host_register && memory != MAP_FAILED && protection & PROT_WRITE)
		host_register(memory, size, 0);
	return memory;
}
#endif

typedef int (*init_fn)(unsigned int);
typedef int (*create_fn)(void **, unsigned int, int);
typedef int (*alloc_fn)(uint64_t *, size_t);
typedef int (*copy_fn)(uint64_t, const void *, size_t);
typedef int (*free_fn)(uint64_t);

static void *driver;

static void *function(const char *name)
{
	void *found = dlsym(driver, name);

	if (!found)
		_Exit(64);
	return found;
}

/* The argument: how many allocations are to fail. */
int main(int argc, char **argv)
{
	int fail = argc > 1 ? argv[1][0] - '0' : 0;
	uint64_t memory, left;
	int failed;
	void *context;

	driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_DEEPBIND);
	if (!driver)
		return 63;
	failed = ((init_fn)function("cuInit"))(0);
	failed |= ((create_fn)function("cuCtxCreate_v2"))(&context, 0, 0);
	failed |= ((alloc_fn)function("cuMemAlloc_v2"))(&left, 64);
#ifdef MAPS
	host_register = (int (*)(void *, size_t, unsigned int))function("cuMemHostRegister_v2");
	mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#endif
	for (int i = 0; i < 100; i++) {
		if (((alloc_fn)function("cuMemAlloc_v2"))(&memory, sizeof(memory))) {
			fail--;
			continue;
		}
		failed |= ((copy_fn)function("cuMemcpyHtoD_v2"))(memory, &memory, sizeof(memory));
		failed |= ((free_fn)function("cuMemFree_v2"))(memory);
	}
	return failed || fail ? 62 : 7;
}
