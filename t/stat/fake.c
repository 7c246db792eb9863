/* SPDX-License-Identifier: Apache-2.0 */
/* A core of a few lines, for tests of the stat module alone. */
#include "t/stat/fake.h"

#include "hooks/call_site.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cuaudit/clock.h>
#include <cuaudit/coverage.h>
#include <cuaudit/range.h>

#include "hooks/modules/stat/stat_fast_path.h"

struct cuaudit_options {
	char text[512];
};

#define FUNCTION(n, text) [n] = { .name = text, .base = text, .id = n, .slot = n }
const struct cuaudit_function fake_functions[FAKE_FUNCTIONS] = {
	FUNCTION(0, "fake0"), FUNCTION(1, "fake1"), FUNCTION(2, "fake2"), FUNCTION(3, "fake3"),
	FUNCTION(4, "fake4"), FUNCTION(5, "fake5"), FUNCTION(6, "fake6"), FUNCTION(7, "fake7"),
	FUNCTION(8, "fake8"), FUNCTION(9, "fake9"), FUNCTION(10, "fake10"),
	FUNCTION(11, "fake11"), FUNCTION(12, "fake12"), FUNCTION(13, "fake13"),
	FUNCTION(14, "fake14"), FUNCTION(15, "fake15"), FUNCTION(16, "fake16"),
	FUNCTION(17, "fake17"), FUNCTION(18, "fake18"), FUNCTION(19, "fake19"),
	FUNCTION(20, "fake20"), FUNCTION(21, "fake21"), FUNCTION(22, "fake22"),
	FUNCTION(FAKE_QUERY, "fakeStreamQuery")
};

#define LIBRARY(n, text) [n] = { .path = "/lib/" text, .name = text, .index = n }
const struct cuaudit_library fake_libraries[FAKE_LIBRARIES] = {
	LIBRARY(0, "main"), LIBRARY(1, "liba.so"), LIBRARY(2, "lib\"b\\.so"),
	LIBRARY(3, "libc\xff\x01\xc3\xa9.so")
};

struct cuaudit_clock_state cuaudit_clock = { .mult = 1, .hz = 1000000000u };
char fake_output[4096];
int fake_escapes;
int fake_rank = -1;

static const struct cuaudit_module *module;
static struct cuaudit_hook hooks[8];
static int nhooks;
static size_t block_size;
static pthread_key_t key;
static __thread void *blocks[1] __attribute__((tls_model("initial-exec")));

uint64_t cuaudit_clock_monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* As in the core: blocks of threads that ended serve new ones. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct free_block {
	struct free_block *next;
	void *block;
} *free_blocks, spare_nodes[64];
static int nspare;

int cuaudit_hook_add(const struct cuaudit_hook *hook)
{
	hooks[nhooks++] = *hook;
	return 0;
}

const char *cuaudit_option_get(const struct cuaudit_options *options, const char *name)
{
	static char values[16][128];
	static int used;
	size_t length = strlen(name);

	for (const char *at = options->text; *at; at += strcspn(at, ";"), at += *at == ';')
		if (!strncmp(at, name, length) && at[length] == '=') {
			char *value = values[used++ % 16];

			snprintf(value, sizeof(values[0]), "%.*s",
				 (int)strcspn(at + length + 1, ";"), at + length + 1);
			return value;
		}
	for (const struct cuaudit_option *option = module->options; option->key; option++)
		if (!strcmp(option->key, name))
			return option->fallback;
	return NULL;
}

int cuaudit_thread_key(size_t size, const struct cuaudit_module *owner)
{
	(void)owner;
	block_size = size;
	return 0;
}

void *cuaudit_pages(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

void *cuaudit_thread_block(uint32_t number)
{
	sigset_t all, saved;

	(void)number;
	if (blocks[0])
		return blocks[0];
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &saved);
	pthread_mutex_lock(&lock);
	if (!blocks[0] && free_blocks) {
		blocks[0] = free_blocks->block;
		free_blocks = free_blocks->next;
		nspare--;
	}
	if (!blocks[0])
		blocks[0] = cuaudit_pages(block_size);
	pthread_mutex_unlock(&lock);
	pthread_setspecific(key, blocks[0]);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return blocks[0];
}

static void end_thread(void *block)
{
	module->thread_exit(block);
	pthread_mutex_lock(&lock);
	blocks[0] = NULL;
	if (nspare < 64) {
		struct free_block *node = &spare_nodes[nspare++];

		node->block = block;
		node->next = free_blocks;
		free_blocks = node;
	}
	pthread_mutex_unlock(&lock);
}

int cuaudit_output_path(const char *suffix, char *path, size_t size)
{
	if (!*fake_output)
		return -ENOENT;
	if (strlen(fake_output) + strlen(suffix) >= size)
		return -ENAMETOOLONG;
	strcpy(path, fake_output);
	strcat(path, suffix);
	return 0;
}

int cuaudit_path(const char *text, const char *suffix, char *path, size_t size)
{
	return snprintf(path, size, "%s%s", !strcmp(text, "%h") ? "fakehost" : text, suffix) < 0;
}

const char *cuaudit_directory(void)
{
	return "";
}

int cuaudit_rank(void)
{
	return fake_rank;
}

int cuaudit_output(const char *suffix)
{
	char path[4096];
	int fd;

	if (cuaudit_output_path(suffix, path, sizeof(path)))
		return dup(STDERR_FILENO);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return fd < 0 ? -errno : fd;
}

int fake_status = -1;

void cuaudit_set_exit_status(int status)
{
	if (fake_status < 0)
		fake_status = status;
}

void cuaudit_log(enum cuaudit_level level, const char *format, ...)
{
	va_list list;
	char line[512];

	(void)level;
	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	dprintf(STDERR_FILENO, "# fake core: %s\n", line);
}

static const uint32_t generation = 1;
const uint32_t *cuaudit_generation = &generation;

const struct cuaudit_library *cuaudit_call_library(const struct cuaudit_call *call)
{
	return call->caller;
}

int cuaudit_range_selector(const char *glob)
{
	(void)glob;
	return -EINVAL;
}

int cuaudit_call_in_range(const struct cuaudit_call *call, int selector)
{
	(void)call, (void)selector;
	return 0;
}

uint64_t cuaudit_library_base(const struct cuaudit_library *library)
{
	return (uintptr_t)library - 0x10;
}

uint32_t cuaudit_library_build_id(const struct cuaudit_library *library, uint8_t *id, uint32_t size)
{
	(void)library;
	memset(id, 0x5a, size < 20 ? size : 20);
	return 20;
}

const struct cuaudit_library *cuaudit_library_at(const void *address)
{
	return (const struct cuaudit_library *)((const char *)address + 1);
}

struct call_site call_site_find(const void *caller, const struct cuaudit_library *library,
				char *name, size_t size)
{
	(void)caller, (void)library;
	snprintf(name, size, "fake_function");
	return (struct call_site){ .known = true, .offset = 0xf, .distance = 0xf };
}

uint32_t cuaudit_functions(void)
{
	return FAKE_FUNCTIONS;
}

const struct cuaudit_function *cuaudit_function_get(uint32_t slot)
{
	return slot < FAKE_FUNCTIONS ? &fake_functions[slot] : NULL;
}

uint64_t cuaudit_bound(uint32_t slot, enum cuaudit_route route)
{
	return route == CUAUDIT_ROUTE_DLSYM ? 2 : route == CUAUDIT_ROUTE_PROCADDR && slot < 2;
}

const struct cuaudit_driver *cuaudit_driver_get(uint32_t index)
{
	static const struct cuaudit_driver driver = {
		.path = "/lib/libfake.so.1", .version = 13000, .functions = FAKE_FUNCTIONS
	};

	return index ? NULL : &driver;
}

const struct cuaudit_escape *cuaudit_escape_get(uint32_t index)
{
	static const struct cuaudit_escape escapes[] = {
		{ .kind = CUAUDIT_ESCAPE_PROCADDR, .name = "fakeNew", .version = 12080, .flags = 1,
		  .library = &fake_libraries[3], .count = 7 },
		{ .kind = CUAUDIT_ESCAPE_SLOTS, .name = "fakeEarly", .count = 1 }
	};

	return fake_escapes && index < 2 ? &escapes[index] : NULL;
}

const struct cuaudit_export_table *cuaudit_export_table_get(uint32_t index)
{
	static const struct cuaudit_export_table table = {
		.uuid = { 0x12, 0x34, 0xff, [15] = 0xab }, .size = 64,
		.library = &fake_libraries[1], .count = 3
	};

	return fake_escapes && !index ? &table : NULL;
}

uint64_t cuaudit_unhooked_calls(void)
{
	return 0;
}

uint64_t cuaudit_unwound_calls(void)
{
	return 0;
}

uint64_t cuaudit_unwound_hooks(void)
{
	return 0;
}

int fake_start(const struct cuaudit_module *what, const char *text)
{
	struct cuaudit_options options;

	module = what;
	snprintf(options.text, sizeof(options.text), "%s", text);
	pthread_key_create(&key, end_thread);
	if (module->check && module->check(&options) < 0)
		return -1;
	return module->init(&options);
}

static int selected(const struct cuaudit_hook *hook, const char *name)
{
	if (!hook->functions)
		return 1;
	if (hook->functions[0] == '!')
		return fnmatch(hook->functions + 1, name, 0) != 0;
	return fnmatch(hook->functions, name, 0) == 0;
}

void fake_call(uint32_t function, uint32_t library, int32_t result, void (*during)(void))
{
	uint64_t scratch[8] = { 0 };
	struct cuaudit_call call = {
		.function = &fake_functions[function],
		.caller = &fake_libraries[library],
		.blocks = blocks
	};

	for (int i = 0; i < nhooks; i++) {
		if (selected(&hooks[i], call.function->name) && hooks[i].enter)
			hooks[i].enter(&call, hooks[i].data);
		scratch[i] = call.scratch;
	}
	if (during)
		during();
	call.result = result;
	for (int i = nhooks; i-- > 0;) {
		call.scratch = scratch[i];
		if (selected(&hooks[i], call.function->name) && hooks[i].exit)
			hooks[i].exit(&call, hooks[i].data);
	}
}

void fake_finish(void)
{
	module->finish();
}

int fake_fork(void)
{
	int pid = fork();

	if (pid)
		return pid;
	/* One that hangs with signals blocked ends when the test gives up. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_mutex_init(&lock, NULL);
	free_blocks = NULL;
	nspare = 0;
	module->forked();
	return 0;
}
