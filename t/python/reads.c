/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded: counts how often the core copies memory by process_vm_readv, and prints that at the
 * end; READS_REFUSED: refuses it, as seccomp filters do. The page at reads_vanish is unmapped as
 * soon as it was asked for, as another thread may do.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static atomic_ulong reads;
static int refused;

unsigned long reads_vanish;

long syscall(long number, ...);

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
	fprintf(stderr, "reads %lu\n", atomic_load(&reads));
}
