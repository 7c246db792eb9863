/* SPDX-License-Identifier: Apache-2.0 */
/* A core of a few lines, for tests of the leak module alone. */
#include "t/leak/core.h"

#include "hooks/call_site.h"

#include <cuaudit/params.h>
#include <cuaudit/replace.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "print/table.h"
#include "util/nearest.h"

struct cuaudit_options {
	const char *text;
};

static const struct cuaudit_function functions[] = {
#define CUAPI(number, symbol, text, from, variant, flavour, hdr, bits, n, params) \
	[number] = { .name = #symbol, .base = #text, .id = number, .slot = number, .nparams = n },
#include <cuaudit/driver_api.def>
#undef CUAPI
};

const struct cuaudit_library core_library = { "/lib/main", "main", 1 };

int core_said;
int core_end = -1;

static const struct cuaudit_module *module;
static struct cuaudit_hook hook;
__thread uint64_t core_context;

const struct cuaudit_function *core_function(int id)
{
	return id < (int)(sizeof(functions) / sizeof(functions[0])) ? &functions[id] : NULL;
}

int cuaudit_row_get(uint32_t id, struct cuaudit_function *function)
{
	if (!core_function((int)id))
		return -ENOENT;
	*function = *core_function((int)id);
	return 0;
}

/* Each of the module's has the same functions, for other calls. */
int cuaudit_hook_add(const struct cuaudit_hook *given)
{
	hook = *given;
	return 0;
}

const char *cuaudit_nearest(const char *word, const char *const *words)
{
	return nearest(word, strlen(word), words);
}

const char *cuaudit_option_get(const struct cuaudit_options *options, const char *name)
{
	static char values[8][128];
	static int used;
	size_t length = strlen(name);

	for (const char *at = options->text; *at; at += strcspn(at, ";"), at += *at == ';') {
		if (!strncmp(at, name, length) && at[length] == '=') {
			char *value = values[used++ % 8];
			size_t size = strcspn(at + length + 1, ";");

			memcpy(value, at + length + 1, size);
			value[size] = '\0';
			return value;
		}
	}
	for (const struct cuaudit_option *option = module->options; option->key; option++)
		if (!strcmp(option->key, name))
			return option->fallback;
	return NULL;
}

uint32_t cuaudit_call_python(const struct cuaudit_call *call, struct cuaudit_python *frames, uint32_t max)
{
	(void)call;
	(void)frames;
	(void)max;
	return 0;
}

uint32_t cuaudit_python_text(const struct cuaudit_python *frame, enum cuaudit_python_what what,
			     char *text, uint32_t size)
{
	(void)frame;
	(void)what;
	(void)text;
	(void)size;
	return 0;
}

void *cuaudit_pages(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

int cuaudit_param_get(const struct cuaudit_function *function, uint32_t index,
		      struct cuaudit_param *param)
{
	struct print_param params[PRINT_PARAMS];

	if (index >= print_params(function->id, params))
		return -ENOENT;
	*param = (struct cuaudit_param){
		.name = params[index].name, .type = params[index].type,
		.direction = (enum cuaudit_direction)params[index].direction,
		.word = params[index].word, .words = params[index].words,
	};
	return 0;
}

const char *cuaudit_result_name(int32_t result)
{
	return result ? NULL : "CUDA_SUCCESS";
}

static CUresult get_current(CUcontext *context)
{
	*context = (CUcontext)(uintptr_t)core_context;
	return CUDA_SUCCESS;
}

void *cuaudit_real(int id)
{
	return id == CUAUDIT_ID_cuCtxGetCurrent ? (void *)get_current : NULL;
}

const struct cuaudit_library *cuaudit_call_library(const struct cuaudit_call *call)
{
	(void)call;
	return &core_library;
}

struct call_site call_site_find(const void *caller, const struct cuaudit_library *library,
				char *name, size_t size)
{
	(void)library;
	snprintf(name, size, "somewhere");
	return (struct call_site){ .known = true, .offset = (uintptr_t)caller - 1, .distance = 1 };
}

const char *call_site_text(char text[CALL_SITE_TEXT], const void *caller,
			   const struct cuaudit_library *library)
{
	snprintf(text, CALL_SITE_TEXT, "%s+0x%lx", library->name, (unsigned long)caller - 1);
	return text;
}

void call_site_json(struct writer *json, const void *caller, const struct cuaudit_library *library,
		    char *name, size_t size)
{
	(void)json, (void)caller, (void)library, (void)name, (void)size;
}

const struct cuaudit_library *cuaudit_library_at(const void *address)
{
	(void)address;
	return NULL;
}

int cuaudit_output(const char *suffix)
{
	(void)suffix;
	return open("/dev/null", O_WRONLY | O_CLOEXEC);
}

void cuaudit_set_exit_status(int status)
{
	core_end = status;
}

void cuaudit_log(enum cuaudit_level level, const char *format, ...)
{
	(void)level;
	(void)format;
	__atomic_fetch_add(&core_said, 1, __ATOMIC_RELAXED);
}

int core_start(const struct cuaudit_module *given, const char *text)
{
	struct cuaudit_options options = { text };

	module = given;
	return module->init(&options);
}

int32_t core_run(struct core_call *made)
{
	struct cuaudit_call call = {
		.function = &functions[made->id], .words = made->words, .caller = made->caller,
		.nwords = CORE_WORDS,
	};

	hook.enter(&call, hook.data);
	if (made->driver)
		made->driver(made);
	call.result = made->result;
	hook.exit(&call, hook.data);
	return call.result;
}

int cuaudit_safe_read(const void *from, void *to, size_t size)
{
	if ((uintptr_t)from < 4096)
		return -EFAULT;
	memcpy(to, from, size);
	return 0;
}
