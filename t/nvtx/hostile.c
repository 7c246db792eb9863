/* SPDX-License-Identifier: Apache-2.0 */
/* What programs do to NVTX that no tool likes, a way each. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/nvtx/copy.h"

int cuInit(unsigned int flags);
int cuDriverGetVersion(int *version);

static void call(void)
{
	int version;

	cuDriverGetVersion(&version);
}

static int texts(void)
{
	enum { BIG = 10 << 20 };
	char *big = malloc(BIG + 1);
	struct nvtx_attributes attributes = copy_text(NULL);
	static const wchar_t wide[] = { 0xd800, 0x110000, L'x', 0xffff, 0x10ffff, 0 };

	memset(big, 'b', BIG);
	big[BIG] = '\0';
	copy_push(NULL);
	nvtx.RangePushEx(NULL);
	nvtx.RangePushEx(&attributes);
	copy_push(big);
	free(big);
	copy_push("\xff\xfe not UTF-8 \x80");
	nvtx.RangePushW(wide);
	nvtx.RangePushW(NULL);
	call();
	for (uint16_t size = 0; size < 48; size += 4) {
		attributes = copy_text("of an old header");
		attributes.size = size;
		nvtx.RangePushEx(&attributes);
		copy_pop();
	}
	attributes = copy_text("of a new header");
	attributes.size = 65535;
	attributes.payload_type = 0x7fffffff;
	attributes.colour_type = 77;
	nvtx.MarkEx(&attributes);
	attributes.text_type = 99;
	nvtx.MarkEx(&attributes);
	while (copy_pop() >= 0)
		;
	return 0;
}

static int pops(void)
{
	int wrong = 0;

	for (int i = 0; i < 1000; i++)
		copy_pop();
	for (int i = 0; i < 1000; i++)
		wrong += copy_push("deep") != i;
	call();
	for (int i = 999; i >= 0; i--)
		wrong += copy_pop() != i;
	call();
	wrong += copy_pop() != -2;
	printf("wrong levels: %d\n", wrong);
	return 0;
}

static int domains(int count)
{
	struct nvtx_attributes attributes = copy_text("in a domain");
	void *garbage[] = { (void *)1, (void *)0xdeadbeef, (void *)-1L, (void *)0x6375616400ffffffL };
	void *domain = NULL;
	char name[32];

	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "domain %d", i);
		domain = nvtx.DomainCreateA(name);
	}
	for (int i = 0; i < count; i++)
		domain = nvtx.DomainCreateA("the same");
	for (int i = 0; i < 4; i++) {
		nvtx.DomainRangePushEx(garbage[i], &attributes);
		attributes.text_type = 3;
		attributes.text = garbage[i];
		nvtx.DomainRangePushEx(domain, &attributes);
		call();
		nvtx.DomainRangePop(domain);
		nvtx.DomainRangePop(garbage[i]);
		nvtx.RangeEnd((uint64_t)(uintptr_t)garbage[i]);
		attributes = copy_text("in a domain");
	}
	/* A handle of a domain for a text, and the other way round. */
	attributes.text_type = 3;
	attributes.text = domain;
	nvtx.DomainRangePushEx(nvtx.DomainRegisterStringA(domain, "text"), &attributes);
	return 0;
}

/* Equal texts, and names of one number, in two domains; one that is named again. */
static int names(void)
{
	void *a = nvtx.DomainCreateA("a"), *b = nvtx.DomainCreateW(L"b");
	struct nvtx_attributes attributes = copy_text("of a");

	nvtx.DomainNameCategoryA(a, 7, "seven of a");
	nvtx.DomainNameCategoryA(b, 7, "seven of b");
	nvtx.NameCategoryA(9, "first");
	nvtx.NameCategoryA(9, "second");
	nvtx.NameCategoryA(9, "first");
	attributes.category = 7;
	nvtx.DomainMarkEx(a, &attributes);
	attributes.text = "of b";
	attributes.payload_type = 4;
	attributes.payload.u = 0xffffffff00000005;
	nvtx.DomainMarkEx(b, &attributes);
	attributes = copy_text("of none");
	attributes.category = 9;
	nvtx.MarkEx(&attributes);
	attributes = copy_text("of a nameless category");
	attributes.category = UINT32_MAX;
	nvtx.MarkEx(&attributes);
	nvtx.NameOsThreadA((uint32_t)getpid(), "named at the end");
	return 0;
}

/* A range that is popped inside of another domain's, what comes in its place, and a child. */
static int crossing(void)
{
	void *domain = nvtx.DomainCreateA("app");
	struct nvtx_attributes attributes = copy_text("of a domain");

	copy_push("around");
	nvtx.DomainRangePushEx(domain, &attributes);
	copy_pop();
	copy_pop();
	copy_push("in its place");
	call();
	if (!fork()) {
		call();
		exit(0);
	}
	wait(NULL);
	copy_pop();
	nvtx.DomainRangePop(domain);
	return 0;
}

/* Nothing, a page that cannot be read, the end of one that can. */
static int pointers(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = two + page;
	const void *bad[] = { (void *)1, (void *)0xdeadbeef000, (void *)-1L, (void *)(1UL << 63), end };
	struct nvtx_attributes attributes = copy_text(NULL);
	struct nvtx_resource resource = { .version = 3, .size = sizeof(resource), .type = 1 << 16 | 3,
					  .text_type = 1 };

	mprotect(end, page, PROT_NONE);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 12345;
		copy_push(bad[i]);
		call();
		copy_pop();
		nvtx.RangePushW(bad[i]);
		nvtx.RangePushEx(bad[i]);
		attributes.text = bad[i];
		attributes.text_type = 1;
		nvtx.DomainRangePushEx(NULL, &attributes);
		attributes.text_type = 2;
		nvtx.MarkEx(&attributes);
		nvtx.RangeEnd(nvtx.RangeStartA(bad[i]));
		nvtx.DomainRegisterStringA(NULL, bad[i]);
		nvtx.DomainRegisterStringW(nvtx.DomainCreateA(bad[i]), bad[i]);
		nvtx.NameOsThreadW(1, bad[i]);
		nvtx.DomainResourceCreate(NULL, bad[i]);
		resource.text = bad[i];
		nvtx.DomainResourceCreate(NULL, &resource);
		while (copy_pop() >= 0)
			;
		if (errno != 12345)
			printf("errno is lost\n");
	}
	memcpy(end - 8, "the end", 8);
	copy_push(end - 8);
	memset(end - 100, 'x', 100);
	copy_push(end - 100);
	((wchar_t *)end)[-1] = 0;
	((wchar_t *)end)[-2] = L'w';
	nvtx.RangePushW((wchar_t *)end - 2);
	/* The header's size alone is in the page. */
	memset(end - 4, 0, 4);
	nvtx.RangePushEx((const void *)(end - 4));
	while (copy_pop() >= 0)
		;
	puts("alive");
	return 0;
}

static volatile sig_atomic_t handled;

static void on_signal(int number)
{
	int error = errno;

	(void)number;
	copy_push("in a handler");
	call();
	copy_pop();
	handled++;
	errno = error;
}

static void start_timer(long microseconds)
{
	struct itimerval every = { { 0, microseconds }, { 0, microseconds } };

	setitimer(ITIMER_REAL, &every, NULL);
}

static int signals(void)
{
	long wrong = 0;

	signal(SIGALRM, on_signal);
	start_timer(100);
	while (handled < 2000) {
		errno = 12345;
		wrong += copy_push("interrupted") != 0;
		call();
		wrong += copy_pop() != 0;
		wrong += errno != 12345;
	}
	start_timer(0);
	printf("wrong: %ld\n", wrong);
	return 0;
}

static sigjmp_buf back;
static volatile sig_atomic_t jumps;

static void on_jump(int number)
{
	(void)number;
	jumps++;
	siglongjmp(back, 1);
}

/* Out of pushes, pops and records at any moment. */
static int leaves(void)
{
	signal(SIGALRM, on_jump);
	if (sigsetjmp(back, 1))
		while (copy_pop() >= 0)
			;
	if (jumps < 500) {
		start_timer(150);
		for (;;) {
			copy_push("left");
			call();
			copy_pop();
		}
	}
	start_timer(0);
	copy_push("after all");
	call();
	copy_pop();
	return 0;
}

static int jump(void)
{
	jmp_buf own;

	copy_push("around");
	if (!setjmp(own)) {
		copy_push("left by longjmp");
		longjmp(own, 1);
	}
	call();
	copy_pop();
	copy_pop();
	return 0;
}

static int forks(void)
{
	copy_pop();
	copy_push("of the parent");
	call();
	if (!fork()) {
		copy_push("of the child");
		call();
		copy_pop();
		copy_pop();
		exit(0);
	}
	wait(NULL);
	if (!vfork()) {
		copy_push("of vfork");
		copy_pop();
		_exit(0);
	}
	wait(NULL);
	call();
	copy_pop();
	return 0;
}

static void *begin_many(void *unused)
{
	for (int i = 0; i < 50; i++)
		copy_push("left open");
	call();
	return unused;
}

static int threads(int count)
{
	pthread_t thread;

	for (int i = 0; i < count; i++) {
		pthread_create(&thread, NULL, begin_many, NULL);
		pthread_join(thread, NULL);
	}
	return 0;
}

static int starts(void)
{
	enum { MANY = 5000 };
	static uint64_t ids[MANY];
	int given = 0;

	for (int i = 0; i < MANY; i++) {
		ids[i] = nvtx.RangeStartA("many");
		given += ids[i] != 0;
	}
	call();
	for (int i = 0; i < MANY; i++)
		nvtx.RangeEnd(ids[i]);
	nvtx.RangeEnd(ids[0]);
	printf("given %d\n", given);
	for (int i = 0, again = 0; i < MANY; i++) {
		ids[i] = nvtx.RangeStartA("again");
		again += ids[i] != 0;
		nvtx.RangeEnd(ids[i]);
		if (i + 1 == MANY)
			printf("again %d\n", again);
	}
	return 0;
}

static int killed(void)
{
	copy_push("outer");
	nvtx.RangeStartA("started");
	call();
	copy_push("inner");
	raise(SIGKILL);
	return 0;
}

static struct {
	int (*initialize)(void);
	int (*push)(const char *text);
	int (*pop)(void);
	void *(*domain)(const char *name);
} library;

static void *library_function(void *handle, const char *name)
{
	void *found = dlsym(handle, name);

	if (!found)
		abort();
	return found;
}

static void *open_library(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW);

	if (!handle)
		abort();
	library.initialize = (int (*)(void))library_function(handle, "library_initialize");
	library.push = (int (*)(const char *))library_function(handle, "library_push");
	library.pop = (int (*)(void))library_function(handle, "library_pop");
	library.domain = (void *(*)(const char *))library_function(handle, "library_domain");
	return handle;
}

/* Another copy of NVTX, which goes away with open ranges and comes back; ranges are the thread's. */
static int libraries(const char *path, int count)
{
	int wrong = 0;
	void *domain = nvtx.DomainCreateA("of both"), *handle;

	for (int i = 0; i < count; i++) {
		handle = open_library(path);
		wrong += library.initialize() != 1;
		wrong += copy_push("pushed by the program") != 0;
		call();
		wrong += library.pop() != 0;
		wrong += library.push("pushed by the library") != 0;
		call();
		wrong += copy_pop() != 0;
		wrong += library.domain("of both") != domain;
		wrong += library.push("left by the library") != 0;
		dlclose(handle);
		wrong += dlopen(path, RTLD_NOLOAD | RTLD_NOW) != NULL;
		call();
		wrong += copy_pop() != 0;
	}
	printf("wrong: %d\n", wrong);
	return 0;
}

/* The child has the parent's memory, and leaves a range open. */
static int vforks(void)
{
	copy_push("of the parent");
	if (!vfork()) {
		copy_push("of the child");
		call();
		_exit(0);
	}
	wait(NULL);
	call();
	printf("pop %d, ", copy_pop());
	printf("pop %d\n", copy_pop());
	return 0;
}

/* A ring that is written over again and again inside of an outer range. */
static int ring(int count)
{
	copy_push("outer");
	for (int i = 0; i < count; i++) {
		copy_push("inner");
		call();
		copy_pop();
	}
	copy_pop();
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argv[1];
	int count = argc > 2 ? atoi(argv[2]) : 0;

	if (strcmp(how, "late") != 0)
		cuInit(0);
	if (!strcmp(how, "secure")) {
		printf("secure %lu, initialized %d\n", getauxval(AT_SECURE), copy_initialize());
		return 0;
	}
	if (copy_initialize() <= 0)
		return 2;
	if (!strcmp(how, "texts"))
		return texts();
	if (!strcmp(how, "pops"))
		return pops();
	if (!strcmp(how, "domains"))
		return domains(count);
	if (!strcmp(how, "signals"))
		return signals();
	if (!strcmp(how, "leaves"))
		return leaves();
	if (!strcmp(how, "jump"))
		return jump();
	if (!strcmp(how, "forks"))
		return forks();
	if (!strcmp(how, "names"))
		return names();
	if (!strcmp(how, "crossing"))
		return crossing();
	if (!strcmp(how, "pointers"))
		return pointers();
	if (!strcmp(how, "vforks"))
		return vforks();
	if (!strcmp(how, "libraries"))
		return libraries(argv[2], 100);
	if (!strcmp(how, "threads"))
		return threads(count);
	if (!strcmp(how, "starts"))
		return starts();
	if (!strcmp(how, "killed"))
		return killed();
	if (!strcmp(how, "ring") || !strcmp(how, "late"))
		return ring(count);
	return 3;
}
