/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes calls of the fake driver and says what came back. The first one brings
 * the core, to which the hooks, argv[1], are then added.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "t/fake/driver.h"

int cuCtxGetCurrent(void **context);
int cuIpcOpenMemHandle_v2(unsigned long long *pointer, struct fake_handle handle, unsigned int flags);
int cuInit(unsigned int flags);
int cuLaunchKernel(void *f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
		   unsigned int by, unsigned int bz, unsigned int shared, void *stream,
		   void **params, void **extra);
int cuMemAlloc_v2(unsigned long long *pointer, size_t size);
int cuStreamQuery(void *stream);
int cuTexRefSetMipmapLevelClamp(void *texture, float low, float high);

static void *load(const char *path, int flags)
{
	void *library = dlopen(path, RTLD_NOW | flags);

	if (!library) {
		printf("%s\n", dlerror());
		exit(1);
	}
	return library;
}

/* As some sandboxes do, others by EPERM; what cannot forbid it does not have it. */
static void forbid_reading(void)
{
	static struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	struct fake_handle handle;
	unsigned long long pointer = 0, other = 0;
	int (*second)(unsigned long long *, size_t);
	int result;

	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 3)
		forbid_reading();
	cuInit(0);
	load(getenv("CORE"), RTLD_NOLOAD | RTLD_GLOBAL);
	second = (int (*)(unsigned long long *, size_t))
		 dlsym(load(argv[2], RTLD_LOCAL), "cuMemAlloc_v2");
	load(argv[1], RTLD_GLOBAL);
	for (int i = 0; i < 64; i++)
		handle.bytes[i] = (unsigned char)(i + 1);

	result = cuMemAlloc_v2(&pointer, 16);
	printf("cuMemAlloc_v2 %d %llu, %d calls\n", result, pointer,
	       cuaudit_fake_calls("cuMemAlloc_v2"));
	result = second(&other, 32);
	printf("the second driver's %d %llu, %d calls of the first\n", result, other,
	       cuaudit_fake_calls("cuMemAlloc_v2"));
	printf("cuStreamQuery %d\n", cuStreamQuery((void *)0x100));
	if (!strcmp(getenv("HOOKS"), "print")) {
		void **nowhere = (void **)8;

		printf("cuCtxGetCurrent %d\n", cuCtxGetCurrent(nowhere));
		memset(&handle, 0, sizeof(handle));
		printf("cuIpcOpenMemHandle_v2 %d\n",
		       cuIpcOpenMemHandle_v2((unsigned long long *)16, handle, 1));
		printf("cuLaunchKernel %d\n", cuLaunchKernel((void *)1, 2, 3, 4, 5, 6, 7, 8,
							     (void *)9, (void **)10, (void **)11));
		return 0;
	}
	printf("cuTexRefSetMipmapLevelClamp %d\n",
	       cuTexRefSetMipmapLevelClamp((void *)7, 0.5f, -0.25f));
	handle.bytes[63] = 0;
	result = cuIpcOpenMemHandle_v2(&pointer, handle, 4);
	printf("cuIpcOpenMemHandle_v2 %d %llu\n", result, pointer);
	printf("cuLaunchKernel %d\n", cuLaunchKernel((void *)1, 2, 3, 4, 5, 6, 7, 108, (void *)9,
						     (void **)10, (void **)11));
	return 0;
}
