/* SPDX-License-Identifier: Apache-2.0 */
/* System calls, strings and memory for code that has no libc. Context: bind. */
#ifndef AUDIT_SYS_H
#define AUDIT_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ends the process, without any of its destructors. Any context. */
_Noreturn void sys_exit(int status);

/* Remembers the process, and what descriptor 2 is. Context: the process's start. */
void sys_start(void);

/* The process's number. Any context. */
long sys_process(void);

/* Whether this is a child that was made without exec. Any context. */
bool sys_is_child(void);

/*
 * Whether descriptor 2 is a place for messages: not if it was closed at the
 * start, nor if it is a file of the program's own by now. Any context.
 */
bool sys_stderr_usable(void);

/* Zeroed memory that is never given back; NULL when out. Under the loader's lock only. */
void *sys_alloc(size_t size);

/* Zeroed pages, likewise, under no lock. */
void *sys_map(size_t size);

/* The same from a pool of the caller's own, under a lock of the caller's own. */
struct sys_pool {
	char *at;
	size_t left;
};

void *sys_pool_take(struct sys_pool *pool, size_t size);

/* A copy of text in such memory. */
char *sys_copy(const char *text, size_t length);

/* Set at start: AArch64 has kernels with pages of 4, 16 and 64 KB. */
extern size_t sys_page;

/* 0 or -errno. The range is widened to whole pages. */
int sys_protect(uintptr_t from, uintptr_t to, int protection);

/*
 * size bytes for a stack, a page below which faults, or NULL. It takes memory
 * where it is used only; size is a multiple of sys_page.
 */
char *sys_map_stack(size_t size);
void sys_unmap(char *stack, size_t size);

/* The calling thread's number, as gettid gives it. */
int32_t sys_thread(void);

/*
 * Blocks the calling thread's signals but those of faults, which a plug-in's
 * init may be caught by, and libc's own; returns what was blocked, for sys_unblock_signals.
 */
uint64_t sys_block_signals(void);
void sys_unblock_signals(uint64_t before);

/* Lets other threads run. */
void sys_yield(void);

/* Whether eight bytes at address can be read; asks the kernel, never faults. */
bool sys_readable(const void *address);

/* The descriptor, with O_CLOEXEC, never 0, 1 or 2, which others take for theirs; or -errno. */
int sys_open(const char *path, int flags);

/*
 * Hands each line of a file, without its newline, to take until it answers
 * true; overlong lines are cut. Returns whether it did.
 */
bool sys_each_line(const char *path, bool (*take)(const char *line, void *data), void *data);

/* A mapping of the process. file: 0, or a number of its file's own. */
struct sys_mapping {
	uintptr_t from, to;
	uint64_t offset, file;
	bool readable;
};

/* Hands each mapping, in the order of addresses, to take until it answers true; whether it did. */
bool sys_each_mapping(bool (*take)(const struct sys_mapping *mapping, void *data), void *data);

/* An empty file of that name, if there is none, without a descriptor. */
void sys_make_empty(const char *path);

/* The current directory's path; false where it has none. */
bool sys_directory(char *path, size_t size);

/* Whether a file can be opened for reading. */
bool sys_exists(const char *path);

/*
 * The path of the executable, if the name by which it was started is another file's, as that of a script, or one
 * that other processes have for other files, as of a descriptor.
 */
bool sys_program(const char *name, char *path, size_t size);

/* Whether it is a FIFO, whose writer an open would wait for. */
bool sys_is_fifo(const char *path);

size_t sys_strlen(const char *text);
bool sys_equal(const char *a, const char *b);
bool sys_starts(const char *text, const char *prefix);
const char *sys_basename(const char *path);

#endif
