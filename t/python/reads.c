/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded: counts how often the core copies memory by process_vm_readv, and prints that at the
 * end; READS_REFUSED: refuses it, as seccomp filters do. The page at reads_vanish is unmapped as
 * soon as it was asked for, as another thread may do. Counts memory that is allocated or freed and locks
 * that are taken, the GIL's among them, by a thread between reads_mark(1) and reads_mark(0).
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static atomic_ulong reads, forbidden;
static __thread int inside __attribute__((tls_model("initial-exec")));
static int refused;

unsigned long reads_vanish;

long syscall(long number, ...);
void reads_mark(int on);
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);
int __pthread_mutex_lock(pthread_mutex_t *mutex);

void reads_mark(int on)
{
	inside = on;
}

static void may_not(void)
{
	if (inside)
		atomic_fetch_add(&forbidden, 1);
}

void *malloc(size_t size)
{
	may_not();
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	may_not();
	return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
	may_not();
	return __libc_realloc(memory, size);
}

void free(void *memory)
{
	may_not();
	__libc_free(memory);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	may_not();
	return __pthread_mutex_lock(mutex);
}

static long pass(long number, const long a[6])
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]),
			 "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
#else
	register long x0 __asm__("x0") = a[0];
	register long x1 __asm__("x1") = a[1];
	register long x2 __asm__("x2") = a[2];
	register long x3 __asm__("x3") = a[3];
	register long x4 __asm__("x4") = a[4];
	register long x5 __asm__("x5") = a[5];
	register long x8 __asm__("x8") = number;
	long result;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5), "r"(x8)
			 : "memory");
	result = x0;
#endif
	return result;
}

long syscall(long number, ...)
{
	va_list list;
	long a[6], result;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_process_vm_readv) {
		atomic_fetch_add(&reads, 1);
		if (refused) {
			errno = EPERM;
			return -1;
		}
	}
	result = pass(number, a);
	if (number == SYS_madvise && reads_vanish && (unsigned long)a[0] == reads_vanish && !result)
		munmap((void *)reads_vanish, 4096);
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

static __attribute__((constructor)) void begin(void)
{
	refused = getenv("READS_REFUSED") != NULL;
}

static __attribute__((destructor)) void end(void)
{
	fprintf(stderr, "reads %lu\nforbidden %lu\n", atomic_load(&reads), atomic_load(&forbidden));
}
