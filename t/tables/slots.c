/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that call through the driver's export tables, and do what must not be changed by hooks there. */
#include "t/tables/tables.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

/* What a runtime computes of what it was handed; 103 where the driver says another number. */
static int integrity(const struct interface *interface, const struct check *check)
{
	uint64_t words[] = {
		(uintptr_t)interface, (uintptr_t)check, (uintptr_t)check->integrity, check->other, check->size
	}, seed = 42;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		seed = (seed ^ words[i]) * 0x100000001b3;
	return seed == check->integrity(42) ? 0 : 103;
}

/* One call of each slot. */
static int calls(void)
{
	const struct interface *interface = table_of(interface_uuid);
	const struct storage *storage = table_of(storage_uuid);
	const struct check *check = table_of(check_uuid);
	const struct any *any = table_of(any_uuid);
	struct large large = { { 1 } };
	struct mixed mixed;
	void *got = NULL;

	if (!interface || !storage || !check || !any) {
		puts("no tables");
		return 0;
	}
	printf("integrity %d\n", integrity(interface, check));
	printf("first %d primary %d %d\n", interface->first(), interface->primary(&got, 1),
	       interface->primary(&got, 99));
	printf("put %d", storage->put(&large, &mixed));
	printf(" get %d", storage->get(&got, &large));
	printf(" %d", got == &mixed);
	printf(" delete %d", storage->delete(&large));
	printf(" get %d\n", storage->get(&got, &large));
	printf("doubles %g\n", any->sum_doubles(9, 1., 2., 3., 4., 5., 6., 7., 8., .5));
	printf("words %llu\n", (unsigned long long)any->sum_words(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
	large.words[MANY - 1] = 5;
	large = any->fill(large, 7);
	printf("large %llu %llu\n", (unsigned long long)large.words[0],
	       (unsigned long long)large.words[MANY - 1]);
	mixed = any->mix(1.25f, 0x123456789abcull);
	printf("mixed %g %llx\n", mixed.number, (unsigned long long)mixed.word);
	printf("wide %llx\n", (unsigned long long)(any->integrity(0) != 0));
	printf("integrity %d\n", integrity(interface, check));
	return 0;
}

/* The protection of an address, as the kernel says. */
static void protection(const void *at, char text[5])
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long low, high;
	char line[4352];

	strcpy(text, "none");
	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %4s", &low, &high, text) == 3 && (uintptr_t)at >= low && (uintptr_t)at < high)
			break;
	if (maps)
		fclose(maps);
}

/* That by which runtimes report calls. */
static const unsigned char reports_uuid[16] = {
	0xa0, 0x94, 0x79, 0x8c, 0x2e, 0x74, 0x2e, 0x74, 0x93, 0xf2, 0x08, 0x00, 0x20, 0x0c, 0x0a, 0x66
};

/* Tables that were asked for, and how many words they have. */
static struct asked {
	const unsigned char *uuid;
	uint32_t count;
	const uint64_t *table;
} asked[] = {
	{ interface_uuid, 13, NULL }, { storage_uuid, 4, NULL }, { check_uuid, 3, NULL }, { any_uuid, 9, NULL },
	{ reports_uuid, 7, NULL },
};

enum { ASKED = sizeof(asked) / sizeof(asked[0]) };

/* Of each word, whether it is an address within the driver, or another; and how the table is protected. */
__attribute__((visibility("default"))) void slots_print(void)
{
	char protected[5];
	Dl_info driver, info;

	for (int i = 0; i < ASKED; i++) {
		const uint64_t *table = asked[i].table;

		if (!table)
			continue;
		dladdr(table, &driver);
		protection(table, protected);
		printf("%02x%02x %s ", asked[i].uuid[0], asked[i].uuid[1], protected);
		for (uint32_t k = 0; k < asked[i].count; k++)
			putchar(table[k] < 4096 ? '0' : dladdr((void *)table[k], &info) &&
				info.dli_fbase == driver.dli_fbase ? 'd' : 's');
		putchar('\n');
	}
	fflush(stdout);
}

static int words(void)
{
	for (int i = 0; i < ASKED; i++)
		asked[i].table = table_of(asked[i].uuid);
	slots_print();
	return 0;
}

/* The table is asked for twice; what was read first is compared. */
static int compares(void)
{
	const struct interface *interface = table_of(interface_uuid), first = *interface;

	interface->first();
	interface = table_of(interface_uuid);
	printf("same %d\n", !memcmp(&first, interface, sizeof(first)));
	return 0;
}

static int ours(void)
{
	return 77;
}

static struct any *table;

static void at_end(void)
{
	printf("mine %d\n", table->nothing == ours);
}

/* Another tool puts its function into a slot: it stays there. */
static int taken(void)
{
	static void *got;
	uintptr_t page;

	table = (struct any *)table_of(any_uuid);
	page = (uintptr_t)table & ~(uintptr_t)4095;
	if (mprotect((void *)page, 4096 * 2, PROT_READ | PROT_WRITE))
		return 1;
	table->nothing = ours;
	printf("nothing %d\n", table->nothing());
	got = (void *)table_of(any_uuid);
	printf("again %d %d\n", got == table, table->nothing());
	atexit(at_end);
	return 0;
}

/* The program protects the table itself, all the time. */
static void *protects(void *data)
{
	uintptr_t page = (uintptr_t)data & ~(uintptr_t)4095;

	for (int i = 0; i < 2000; i++)
		mprotect((void *)page, 4096, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE);
	return NULL;
}

static int protect(void)
{
	const struct interface *interface = table_of(interface_uuid);
	pthread_t thread;
	int sum = 0;

	pthread_create(&thread, NULL, protects, (void *)interface);
	for (int i = 0; i < 2000; i++) {
		interface = table_of(interface_uuid);
		sum += interface->first();
	}
	pthread_join(thread, NULL);
	printf("sum %d\n", sum);
	return 0;
}

static void *works(void *data)
{
	(void)data;
	for (int i = 0; i < 200; i++) {
		const struct any *any = table_of(any_uuid);
		const struct interface *interface = table_of(interface_uuid);

		if (any->nothing() || interface->first() || any->sum_words(1, 1, 1, 1, 1, 1, 1, 1, 1, 1) != 55)
			abort();
	}
	return NULL;
}

static int threads(void)
{
	pthread_t thread[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&thread[i], NULL, works, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
	puts("threads");
	return 0;
}

static void child(void)
{
	const struct storage *storage = table_of(storage_uuid);
	const struct any *any = table_of(any_uuid);

	_exit(storage->put(&any, NULL) || any->nothing() || any->sum_doubles(2, 1., 2.) != 3.);
}

static int forks(void)
{
	const struct any *any = table_of(any_uuid);
	int status = -1, other = -1;
	pid_t pid = fork();

	if (!pid)
		child();
	waitpid(pid, &status, 0);
	pid = vfork();
	if (!pid) {
		const struct interface *interface = table_of(interface_uuid);

		_exit(interface->first() || any->nothing());
	}
	waitpid(pid, &other, 0);
	printf("fork %d vfork %d then %d\n", status, other,
	       ((const struct interface *)table_of(interface_uuid))->first());
	return 0;
}

static int execs(char **argv)
{
	const struct any *any = table_of(any_uuid);

	any->nothing();
	execl("/proc/self/exe", argv[0], "calls", NULL);
	return 1;
}

static const struct any *in_handler;

static void handler(int number)
{
	(void)number;
	in_handler->nothing();
}

static void raise_here(void *data)
{
	(void)data;
	raise(SIGUSR1);
}

static int signals(void)
{
	struct sigaction action = { .sa_handler = handler };

	sigaction(SIGUSR1, &action, NULL);
	in_handler = table_of(any_uuid);
	in_handler->call_back(raise_here, NULL);
	raise(SIGUSR1);
	puts("signals");
	return 0;
}

static sigjmp_buf back;

static void jump(void *data)
{
	(void)data;
	siglongjmp(back, 1);
}

static int jumps(void)
{
	const struct any *any = table_of(any_uuid);

	for (volatile int i = 0; i < 100; i++)
		if (!sigsetjmp(back, 1))
			any->call_back(jump, NULL);
	printf("jumps %d\n", any->nothing());
	return 0;
}

static void *tiny_thread(void *data)
{
	const struct any *any = table_of(any_uuid);

	(void)data;
	return (void *)(uintptr_t)(any->nothing() + ((const struct interface *)table_of(interface_uuid))->first());
}

/* The least stack that threads can have. */
static int tiny(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	void *result = (void *)1;

	cuInit(0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN));
	if (pthread_create(&thread, &attr, tiny_thread, NULL))
		return 1;
	pthread_join(thread, &result);
	printf("tiny %d\n", (int)(uintptr_t)result);
	return 0;
}

/* The driver comes and goes, each time at another place. */
static int closes(void)
{
	for (int i = 0; i < 200; i++) {
		void *driver = dlmopen(LM_ID_BASE, getenv("DRIVER_COPY"), RTLD_NOW | RTLD_LOCAL);
		int (*ask)(const void **, const unsigned char *) =
			driver ? (int (*)(const void **, const unsigned char *))dlsym(driver, "cuGetExportTable") : NULL;
		const void *got = NULL;

		if (!ask || ask(&got, any_uuid)) {
			printf("none %s\n", dlerror());
			return 1;
		}
		if (((const struct any *)got)->nothing() || ((const struct any *)got)->sum_doubles(1, 2.) != 2.)
			return 1;
		dlclose(driver);
		mmap((void *)((uintptr_t)got & ~(uintptr_t)4095), 4096, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	}
	puts("closes");
	return 0;
}

/* The driver calls through its table itself. */
static int own(void)
{
	const struct any *any = table_of(any_uuid);

	printf("own %d\n", any->last());
	return 0;
}

/* Tables that are not hooked. */
static int left(void)
{
	const struct absurd *absurd = table_of(absurd_uuid), *code = table_of(code_uuid);

	printf("absurd %d code %d\n", absurd->nothing(), code ? code->nothing() : 0);
	absurd = table_of(absurd_uuid);
	code = table_of(code_uuid);
	return absurd->nothing() + (code ? code->nothing() : 0);
}

static int refuse(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	cuInit(0);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int mdwe(void)
{
	cuInit(0);
	return prctl(PR_SET_MDWE, 1, 0, 0, 0);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "calls";
	static const struct {
		const char *name;
		int (*run)(void);
	} modes[] = {
		{ "calls", calls }, { "words", words }, { "compares", compares }, { "taken", taken },
		{ "protect", protect }, { "threads", threads }, { "forks", forks }, { "signals", signals },
		{ "jumps", jumps }, { "tiny", tiny }, { "closes", closes }, { "left", left }, { "own", own },
	};

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(mode, "execs"))
		return execs(argv);
	if (!strcmp(mode, "refused"))
		return refuse() ? 77 : calls();
	if (!strcmp(mode, "mdwe"))
		return mdwe() ? 77 : calls();
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(modes[i].name, mode))
			return modes[i].run();
	return 2;
}
