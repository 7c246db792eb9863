/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that are launched with parameters of all kinds; an argument chooses what is done.
 * Linked with the driver. Prints what went wrong, with status 1.
 */
#include <cuaudit/cuda_types.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>


CUresult cuInit(unsigned int flags);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleUnload(CUmodule module);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit, void **jit_values,
			   unsigned int njit, CUlibraryOption *options, void **values, unsigned int noptions);
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name);
CUresult cuLaunchKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
			unsigned int by, unsigned int bz, unsigned int bytes, CUstream stream,
			void **parameters, void **extra);
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **parameters, void **extra);
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz,
				   unsigned int bx, unsigned int by, unsigned int bz, unsigned int bytes,
				   CUstream stream, void **parameters);

enum { MANY = 300, THREADS = 8, LAUNCHES = 2000, LARGE = 1000, KERNELS = 200, PAGE = 4096 };

static CUcontext context;
static CUmodule module;
static char ptx[32768];

static void check(CUresult result, const char *what)
{
	if (!result)
		return;
	printf("%s: %d\n", what, (int)result);
	exit(1);
}

#define CHECK(call) check(call, #call)

/* few's last one has another type in each version. */
static void write_ptx(const char *last)
{
	size_t used = (size_t)sprintf(ptx, ".version 8.0\n.target sm_80\n.address_size 64\n"
		".visible .entry none()\n{ ret; }\n"
		".visible .entry few(.param .u64 a, .param .f32 b, .param .u8 c, .param .u16 d, .param %s e)\n{ ret; }\n"
		".visible .entry packed(.param .align 4 .b8 a[12], .param .u64 b)\n{ ret; }\n"
		".visible .entry large(.param .u32 a, .param .align 8 .b8 b[2000], "
		".param .align 8 .b8 c[1900])\n{ ret; }\n"
		".visible .entry many(.param .u32 p0", last);

	for (int i = 1; i < MANY; i++)
		used += (size_t)sprintf(ptx + used, ", .param .u32 p%d", i);
	strcpy(ptx + used, ")\n{ ret; }\n");
}

static CUfunction function_of(const char *name)
{
	CUfunction function;

	CHECK(cuModuleGetFunction(&function, module, name));
	return function;
}

static CUresult launch(CUfunction function, void **parameters, void **extra)
{
	return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, extra);
}

static uint64_t a = 0x123456789abcdef0;
static float b = 1;
static uint8_t c = 0xfe;
static uint16_t d = 0x1234;
static uint32_t e = 0xffffffff;
static void *few[] = { &a, &b, &c, &d, &e };

static void ways(void)
{
	struct {
		uint64_t a;
		float b;
		uint8_t c;
		uint16_t d;
		uint32_t e;
	} buffer;
	size_t size = sizeof(buffer);
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer,
			  CU_LAUNCH_PARAM_END };
	uint32_t numbers[3] = { 1, 2, 3 };
	void *packed[] = { numbers, &a };
	CUlaunchConfig config = { .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 1,
				  .blockDimY = 1, .blockDimZ = 1 };
	CUlibrary library;
	CUkernel kernel;

	/* Something between c and d, too. */
	memset(&buffer, 0xff, sizeof(buffer));
	buffer.a = a;
	buffer.b = 2;
	buffer.c = 1;
	buffer.d = 2;
	buffer.e = 3;
	CHECK(launch(function_of("few"), few, NULL));
	CHECK(launch(function_of("few"), NULL, extra));
	CHECK(launch(function_of("packed"), packed, NULL));
	CHECK(cuLaunchKernelEx(&config, function_of("few"), few, NULL));
	CHECK(cuLaunchCooperativeKernel(function_of("few"), 1, 1, 1, 1, 1, 1, 0, NULL, few));
	CHECK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
	CHECK(cuLibraryGetKernel(&kernel, library, "few"));
	e = 7;
	CHECK(launch((CUfunction)kernel, few, NULL));
}

static void sizes(void)
{
	static uint32_t values[MANY];
	static char bytes[4000];
	void *many[MANY], *large[] = { &e, bytes, bytes + 2000 };

	for (uint32_t i = 0; i < MANY; i++) {
		values[i] = 0x1000 + i;
		many[i] = &values[i];
	}
	memset(bytes, 0x77, sizeof(bytes));
	/* What it points to is read by nobody. */
	CHECK(launch(function_of("none"), (void **)8, NULL));
	CHECK(launch(function_of("none"), NULL, NULL));
	CHECK(launch(function_of("many"), many, NULL));
	/* More than a chunk has room for; the last one begins behind what is recorded. */
	for (int i = 0; i < LARGE; i++)
		CHECK(launch(function_of("large"), large, NULL));
}

/* Everything ends where a page does that has nothing behind it. */
static void edges(void)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = pages + PAGE;
	void **pointers = (void **)(void *)(end - sizeof(few) - 64);
	size_t size = 24;
	void **extra, *unreadable[] = { &a, &b, &c, &d, (void *)8 };

	mprotect(end, PAGE, PROT_NONE);
	memcpy(end - 4, &e, 4);
	memcpy(pointers, few, sizeof(few));
	pointers[4] = end - 4;
	CHECK(launch(function_of("few"), pointers, NULL));
	memmove(end - sizeof(few), pointers, sizeof(few));
	((void **)(void *)end)[-1] = &e;
	CHECK(launch(function_of("few"), (void **)(void *)(end - sizeof(few)), NULL));
	memset(end - 24, 0x11, 24);
	extra = (void *[]){ CU_LAUNCH_PARAM_BUFFER_POINTER, end - 24, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
			    CU_LAUNCH_PARAM_END };
	CHECK(launch(function_of("few"), NULL, extra));
	/* The simulated driver does not look behind them. */
	CHECK(launch(function_of("few"), unreadable, NULL));
}

/* The driver refuses them, whatever their parameters are. */
static void refused(void)
{
	void *bad[] = { &a, &b, &c, &d, (void *)8 };
	CUfunction function = function_of("few");
	uint32_t buffer[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	size_t size = 12;
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
			  CU_LAUNCH_PARAM_END };

	if (!cuLaunchKernel(function, 1, 1, 1, 5000, 1, 1, 0, NULL, few, NULL))
		puts("before it is known: no error");
	CHECK(launch(function, few, NULL));
	if (!cuLaunchKernel(function, 1, 1, 1, 5000, 1, 1, 0, NULL, few, NULL) ||
	    !cuLaunchKernel(function, 1, 1, 1, 5000, 1, 1, 0, NULL, bad, NULL) ||
	    !cuLaunchKernel(function, 1, 1, 1, 5000, 1, 1, 0, NULL, (void **)8, NULL) ||
	    !cuLaunchKernel(function, 1, 1, 1, 5000, 1, 1, 0, NULL, NULL, (void **)8) ||
	    !cuLaunchKernel(function, 1, 1, 1, 5000, 1, 1, 0, NULL, NULL, extra))
		puts("no error");
	cuLaunchKernel((CUfunction)8, 1, 1, 1, 1, 1, 1, 0, NULL, few, NULL);
}

static void *work(void *number)
{
	CUfunction functions[3];
	uint64_t value, base = (uint64_t)(uintptr_t)number << 32;
	float real = 3;
	void *one[] = { &value, &real, &c, &d, &e };
	uint32_t numbers[3] = { 1, 2, 3 };
	void *other[] = { numbers, &value };

	CHECK(cuCtxSetCurrent(context));
	functions[0] = function_of("few");
	functions[1] = function_of("packed");
	functions[2] = function_of("none");
	for (uint64_t i = 0; i < LAUNCHES; i++) {
		value = base + i;
		CHECK(launch(functions[0], one, NULL));
		CHECK(launch(functions[1], other, NULL));
		CHECK(launch(functions[2], NULL, NULL));
	}
	return NULL;
}

static void threads(void)
{
	pthread_t others[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&others[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(others[i], NULL);
}

/* A module of the same names and other parameters, perhaps at the same addresses. */
static void reloads(void)
{
	for (int i = 0; i < 50; i++) {
		CHECK(cuModuleUnload(module));
		write_ptx(i % 2 ? ".u32" : ".u64");
		CHECK(cuModuleLoadData(&module, ptx));
		a = (uint64_t)i;
		few[4] = i % 2 ? (void *)&e : (void *)&a;
		CHECK(launch(function_of("few"), few, NULL));
	}
}

/* Each has a number for its parameter, and more of them than the one before. */
static void kernels(void)
{
	static char text[200000];
	size_t used = (size_t)sprintf(text, ".version 8.0\n.target sm_80\n.address_size 64\n");
	CUfunction functions[KERNELS];
	uint32_t value;
	void *all[] = { &value, &value, &value, &value, &value };
	char name[16];

	for (int i = 0; i < KERNELS; i++) {
		used += (size_t)sprintf(text + used, ".visible .entry few%d(.param .u32 p", i);
		for (int j = 0; j < i % 5; j++)
			used += (size_t)sprintf(text + used, ", .param .u32 p%d", j);
		used += (size_t)sprintf(text + used, ")\n{ ret; }\n");
	}
	CHECK(cuModuleLoadData(&module, text));
	for (int i = 0; i < KERNELS; i++) {
		sprintf(name, "few%d", i);
		functions[i] = function_of(name);
	}
	for (int round = 0; round < 4; round++)
		for (uint32_t i = 0; i < KERNELS; i++) {
			value = i + 1;
			CHECK(launch(functions[i], all, NULL));
			value = KERNELS - i;
			CHECK(launch(functions[KERNELS - 1 - i], all, NULL));
		}
}

static CUfunction on_small_stack;

static void handle(int number)
{
	(void)number;
	CHECK(launch(on_small_stack, few, NULL));
	CHECK(launch(on_small_stack, few, NULL));
}

/* The first launch of a kernel and the second are made on a signal's stack. */
static void handler(void)
{
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_size = 2 * PAGE, .ss_flags = 0 };

	stack.ss_sp = malloc(stack.ss_size);
	on_small_stack = function_of("few");
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
}

static void forks(void)
{
	CUfunction function = function_of("few");
	pid_t child;

	CHECK(launch(function, few, NULL));
	child = fork();
	if (!child) {
		/* As CUDA has it, nothing works there any more. */
		launch(function, few, NULL);
		exit(0);
	}
	waitpid(child, NULL, 0);
	CHECK(launch(function_of("few"), few, NULL));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
		{ "ways", ways }, { "sizes", sizes }, { "edges", edges }, { "refused", refused },
		{ "threads", threads }, { "reloads", reloads }, { "forks", forks }, { "handler", handler }, { "kernels", kernels },
	};

	CHECK(cuInit(0));
	CHECK(cuDevicePrimaryCtxRetain(&context, 0));
	CHECK(cuCtxSetCurrent(context));
	write_ptx(".u32");
	CHECK(cuModuleLoadData(&module, ptx));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (argc == 2 && !strcmp(argv[1], all[i].name))
			all[i].run();
	return 0;
}
