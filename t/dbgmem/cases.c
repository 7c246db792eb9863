/* SPDX-License-Identifier: Apache-2.0 */
/* One wrong call of a memory function, or one right call that looks wrong, by its argument. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/api.h"

enum { PAGE = 4096, SIZE = 4 << 20 };

static volatile size_t n = 100;		/* the compiler does not know it */
static char here[PAGE], there[PAGE];
static void *(*volatile pointer)(void *to, const void *from, size_t size) = memcpy;

static CUdeviceptr device(void)
{
	CUcontext context;
	CUdeviceptr memory;

	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
	    cuMemAlloc_v2(&memory, SIZE))
		exit(9);
	return memory;
}

static char *pages(size_t count, int protection)
{
	char *memory = mmap(NULL, count * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* One page, behind which nothing is mapped. */
static char *last_page(void)
{
	char *memory = pages(2, PROT_READ | PROT_WRITE);

	munmap(memory + PAGE, PAGE);
	return memory;
}

static void device_source(void) { memcpy(here, (void *)device(), n); }
static void device_destination(void) { memcpy((void *)device(), here, n); }
static void device_inside(void) { memmove(here, (char *)device() + SIZE - 200, n); }
static void device_set(void) { memset((void *)device(), 0, n); }

static void device_freed(void)
{
	CUdeviceptr memory = device();

	cuMemFree_v2(memory);
	memcpy(here, (void *)(memory + 64), n);
}

static void reserved(void)
{
	CUdeviceptr memory;

	device();
	if (cuMemAddressReserve(&memory, 2 << 20, 0, 0, 0))
		exit(9);
	memcpy(here, (void *)memory, n);
}

/* A page of the host's that the driver knows, behind which nothing is mapped. */
static char *registered(void)
{
	char *memory = last_page();

	device();
	if (cuMemHostRegister_v2(memory, PAGE, 0))
		exit(9);
	return memory;
}

static void registered_past(void) { memcpy(here, registered() + PAGE - 60, n); }

static void registered_read_only(void)
{
	char *memory = registered();

	mprotect(memory, PAGE, PROT_READ);
	memcpy(memory, here, n);
}

/* What the driver forgets is still the program's, who frees it then. */
static void registered_gone(void)
{
	char *memory = registered();

	cuMemHostUnregister(memory);
	munmap(memory, PAGE);
	memcpy(here, memory, n);
}

static void pinned_freed(void)
{
	void *memory;

	device();
	if (cuMemHostAlloc(&memory, SIZE, 0))
		exit(9);
	cuMemFreeHost(memory);
	memcpy(here, memory, n);
}

static char *managed(void)
{
	CUdeviceptr memory;

	device();
	if (cuMemAllocManaged(&memory, SIZE, 1))
		exit(9);
	return (char *)memory;
}

static void managed_freed(void)
{
	char *memory = managed();

	cuMemFree_v2((CUdeviceptr)memory);
	memcpy(here, memory + 64, n);
}

static void managed_overlap(void)
{
	char *memory = managed();

	memcpy(memory + 10, memory, n);
}

static void overlap(void) { memcpy(here + 10, here, n); }
static void overlap_mempcpy(void) { mempcpy(here, here + 10, n); }
static void overlap_strcpy(void)
{
	char *to = here + n - 95;

	memset(here, 0, n);
	memset(here, 'a', n / 10);
	strcpy(to, here);
}

static void past(void) { memcpy(here, last_page() + PAGE - 60, n); }
static void past_set(void) { memset(last_page() + PAGE - 60, 1, n); }
static void past_string(void) { strcpy(here, memset(last_page(), 'a', n + PAGE - 100)); }
static void past_append(void) { strcat(strcpy(last_page() + PAGE - 8, "1234567"), here + 1 + !!memset(here, 'b', n)); }
static void read_only(void) { memcpy(pages(1, PROT_READ), here, n); }

/* What compilers call where they know the size of the destination, and what few programs call. */
void *__memcpy_chk(void *, const void *, size_t, size_t);
void *__memmove_chk(void *, const void *, size_t, size_t);
void *__mempcpy_chk(void *, const void *, size_t, size_t);
void *__memset_chk(void *, int, size_t, size_t);
char *__stpcpy_chk(char *, const char *, size_t);
char *__strcat_chk(char *, const char *, size_t);
char *__strcpy_chk(char *, const char *, size_t);
char *__strncpy_chk(char *, const char *, size_t, size_t);

static char *volatile text;

#define READ_ONLY(name, ...) \
	static void read_only_##name(void) \
	{ \
		memset(here, 'a', 50); \
		text = pages(1, PROT_READ); \
		name(text, __VA_ARGS__); \
	}
READ_ONLY(__memcpy_chk, here, n, PAGE)
READ_ONLY(__memmove_chk, here, n, PAGE)
READ_ONLY(__mempcpy_chk, here, n, PAGE)
READ_ONLY(__memset_chk, 1, n, PAGE)
READ_ONLY(__stpcpy_chk, here, PAGE)
READ_ONLY(__strcat_chk, here, PAGE)
READ_ONLY(__strcpy_chk, here, PAGE)
READ_ONLY(__strncpy_chk, here, n, PAGE)
READ_ONLY(stpcpy, here)
READ_ONLY(strncpy, here, n)

static void no_access(void) { memcpy(here, pages(1, PROT_NONE), n); }

static void read_only_overlap(void)
{
	char *memory = pages(1, PROT_READ);

	memcpy(memory + 10, memory, n);
}

/* Over a page without access, into one that can be written to. */
static void past_guard(void)
{
	char *memory = pages(3, PROT_READ | PROT_WRITE);

	mprotect(memory + PAGE, PAGE, PROT_NONE);
	memset(memory + PAGE - 60, 1, n + PAGE);
}

static void null(void) { memcpy(here, (void *)(n - n), n); }
static void near_null(void) { memcpy((char *)(n - n) + 8, here, n); }
static void wrap(void) { memset(here, 0, n - n - 1); }
static void by_pointer(void) { pointer(here + 10, here, n); }

static void by_dlsym(void)
{
	void *(*found)(void *, const void *, size_t) =
		(void *(*)(void *, const void *, size_t))dlsym(RTLD_DEFAULT, "memcpy");

	found(here + 10, here, n);
}

static void stack_end(void)
{
	char small[16];
	pthread_attr_t attributes;
	void *low;
	size_t size;

	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &low, &size);
	memset(small, 0, n - n + (size_t)((char *)low + size - small) + PAGE * 64);
}

static void in_handler(int number) { (void)number; memcpy(here + 10, here, n); }
static void by_handler(void) { signal(SIGUSR1, in_handler); raise(SIGUSR1); }
static void *in_thread(void *unused) { memcpy(here + 10, here, n); return unused; }

static void by_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
}

static void forked(void)
{
	int status;

	if (!fork()) {
		overlap();
		_exit(0);
	}
	wait(&status);
	exit(WIFSIGNALED(status) ? 100 + WTERMSIG(status) : WEXITSTATUS(status));
}

static void vforked(void)
{
	int status;

	if (!vfork()) {
		overlap();
		_exit(0);
	}
	wait(&status);
	exit(WIFSIGNALED(status) ? 100 + WTERMSIG(status) : WEXITSTATUS(status));
}

static void again(void)
{
	for (int i = 0; i < 1000; i++)
		overlap();
}

static sigjmp_buf back;

static void go_back(int number) { (void)number; siglongjmp(back, 1); }

/* A look that fails, and the copy that then faults: errno is as it was before both. */
static void errno_kept(void)
{
	char *none = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	signal(SIGSEGV, go_back);
	errno = 77;
	if (!sigsetjmp(back, 1))
		memcpy(here, none, n);
	if (errno != 77)
		exit(8);
}

static atomic_int stops;

static void *reports(void *unused)
{
	while (!atomic_load(&stops))
		memcpy(here + 10, here, n);
	return unused;
}

/* Children of a process whose threads are in reports nearly always. */
static void forked_amid(void)
{
	enum { THREADS = 3, CHILDREN = 100 };
	pthread_t threads[THREADS];
	int status, bad = 0;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, reports, NULL);
	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (!child) {
			memcpy(here + 10, here, n);
			_exit(0);
		}
		bad |= waitpid(child, &status, 0) != child || status;
	}
	atomic_store(&stops, 1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (bad)
		exit(8);
}

/* The least stack that a thread may have. */
static void small_stack(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN));
	if (pthread_create(&thread, &attributes, in_thread, NULL))
		exit(9);
	pthread_join(thread, NULL);
}

static char *moving;

static void *unmaps(void *unused)
{
	while (!atomic_load(&stops)) {
		munmap(moving, PAGE);
		mmap(moving, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
	return unused;
}

/* Memory that comes and goes while it is looked at: a copy faults or does not, and no more happens. */
static void unmapped_amid(void)
{
	pthread_t thread;

	moving = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	signal(SIGSEGV, go_back);
	pthread_create(&thread, NULL, unmaps, NULL);
	for (volatile int i = 0; i < 5000; i++)
		if (!sigsetjmp(back, 1)) {
			memcpy(moving, here, n);
			strncpy(here, moving, n);
		}
	atomic_store(&stops, 1);
	pthread_join(thread, NULL);
}

static atomic_int went_on;

static void *is_cancelled(void *unused)
{
	pthread_cancel(pthread_self());
	memcpy(here + 10, here, n);
	atomic_store(&went_on, 1);
	pthread_testcancel();
	return unused;
}

/* A thread whose cancellation is pending is not ended by a report, which another can make then. */
static void cancelled(void)
{
	pthread_t thread;
	void *answer;

	pthread_create(&thread, NULL, is_cancelled, NULL);
	pthread_join(thread, &answer);
	if (answer != PTHREAD_CANCELED || !atomic_load(&went_on))
		exit(8);
	overlap();
}

/* In which object memcpy is, and whether the core is there. */
static void whose(void)
{
	char line[4096];
	FILE *maps = fopen("/proc/self/maps", "r");
	int core = 0;
	Dl_info info = { .dli_fname = "none" };

	while (maps && fgets(line, sizeof(line), maps))
		core |= !!strstr(line, "cuaudit-core.so");
	dladdr((void *)pointer, &info);
	printf("%s %d\n", strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname, core);
	exit(0);
}

/* Nothing of this is wrong. */
static void right(void)
{
	CUdeviceptr managed;
	void *pinned;

	device();
	if (cuMemAllocManaged(&managed, PAGE, 1) || cuMemHostAlloc(&pinned, PAGE, 0))
		exit(9);
	errno = 77;
	memcpy((void *)managed, pinned, n);
	memcpy(pinned, (void *)managed, n);
	memcpy((void *)(n - n), (void *)(n - n), n - n);
	memset((void *)device(), 0, n - n);
	memcpy(here, here + n - 100, n);
	memmove(here + 1, here, n);
	memcpy(last_page() + PAGE - n, last_page() + PAGE - n, n);
	strcpy(last_page() + PAGE - 5, strcpy(last_page() + PAGE - 5, "four"));
	strncpy(here, memset(last_page() + PAGE - n, 'a', n), n);
	if (errno != 77)
		exit(8);
}

/* The processor reads what can be written to; an emulator says that it does not, and does. */
static void write_only(void)
{
	errno = 77;
	memcpy(here, pages(2, PROT_WRITE) + PAGE - n / 2, n);
	if (errno != 77)
		exit(8);
}

#define CASE(name) { #name, name }
static const struct {
	const char *name;
	void (*function)(void);
} cases[] = {
	CASE(again), CASE(cancelled), CASE(errno_kept), CASE(forked_amid), CASE(small_stack),
	CASE(unmapped_amid), CASE(by_dlsym), CASE(by_handler), CASE(by_pointer), CASE(by_thread),
	CASE(device_destination), CASE(device_freed), CASE(device_inside), CASE(device_set),
	CASE(device_source), CASE(forked), CASE(managed_freed), CASE(managed_overlap), CASE(near_null),
	CASE(no_access), CASE(null), CASE(overlap),
	CASE(overlap_mempcpy), CASE(overlap_strcpy), CASE(past), CASE(past_append), CASE(past_set),
	CASE(past_guard), CASE(past_string), CASE(pinned_freed), CASE(read_only),
	CASE(read_only___memcpy_chk), CASE(read_only___memmove_chk), CASE(read_only___mempcpy_chk),
	CASE(read_only___memset_chk), CASE(read_only___stpcpy_chk), CASE(read_only___strcat_chk),
	CASE(read_only___strcpy_chk), CASE(read_only___strncpy_chk), CASE(read_only_stpcpy),
	CASE(read_only_strncpy),
	CASE(read_only_overlap), CASE(registered_gone), CASE(registered_past),
	CASE(registered_read_only), CASE(reserved), CASE(right), CASE(stack_end),
	CASE(vforked), CASE(whose), CASE(wrap), CASE(write_only),
};

int main(int argc, char **argv)
{
	(void)there;
	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].function();
			puts("came through");
			return 0;
		}
	return 7;
}
