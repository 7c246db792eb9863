/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names what glibc 2.34 moved into libc.so.6 by its version of before, so that
 * a core linked to a new libc loads with an old one. Included by the compiler.
 */
#ifndef HOOKS_OLD_LIBC_H
#define HOOKS_OLD_LIBC_H

#define NAMED(name, version) __asm__(".symver " #name "," #name "@GLIBC_" version)
#ifdef __aarch64__
#define OLD_LIBC(name) NAMED(name, "2.17")
#else
#define OLD_LIBC(name) NAMED(name, "2.2.5")
#endif

OLD_LIBC(dladdr);
OLD_LIBC(dlclose);
OLD_LIBC(dlerror);
OLD_LIBC(dlopen);
OLD_LIBC(dlsym);
OLD_LIBC(dlvsym);
#ifdef __aarch64__
NAMED(dladdr1, "2.17");
#else
NAMED(dladdr1, "2.3.3");
#endif
OLD_LIBC(pthread_create);
OLD_LIBC(pthread_getcpuclockid);
OLD_LIBC(pthread_getspecific);
OLD_LIBC(pthread_join);
OLD_LIBC(pthread_key_create);
OLD_LIBC(pthread_key_delete);
OLD_LIBC(pthread_setspecific);
OLD_LIBC(pthread_sigmask);

/* What reads a clock in the core, <cuaudit/clock.h> included, does it by hooks/clock_read.c. */
#define clock_gettime clock_read

#undef OLD_LIBC
#undef NAMED
#endif
