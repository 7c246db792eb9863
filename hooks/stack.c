/* SPDX-License-Identifier: Apache-2.0 */
/* What may be read of a caller's stack. */
#include "hooks/stack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hooks/safe_read.h"
#include "hooks/thread.h"
#include "util/io.h"

enum { LOOKS = 8, CHUNK = 512 };

#define MAIN_STACK 0x5b737461636b5dull	/* "[stack]" */

/* A line of /proc/thread-self/maps as far as it was read: "LOW-HIGH perms offset device inode name". */
struct line {
	uintptr_t bounds[2];
	uint32_t field;		/* of bounds; 2: past them */
	uint64_t end;		/* the last characters */
};

static void take_character(struct line *line, char c)
{
	uint32_t digit = c <= '9' ? (uint32_t)(c - '0') : (uint32_t)(c - 'a' + 10);

	line->end = (line->end << 8 | (uint8_t)c) & 0xffffffffffffff;
	if (line->field == 2)
		return;
	if (c == '-' || c == ' ')
		line->field++;
	else
		line->bounds[line->field] = line->bounds[line->field] << 4 | digit;
}

/*
 * The thread's own stack, if it holds address: the kernel's for the main thread,
 * else where the thread's static TLS is, for that is at its stack's end.
 * Either stays as long as the thread.
 */
static bool is_own(const struct line *line, uintptr_t address)
{
	uintptr_t tls = (uintptr_t)&thread_self;

	return address - line->bounds[0] < line->bounds[1] - line->bounds[0] &&
	       (line->end == MAIN_STACK || (tls >= address && tls < line->bounds[1]));
}

static bool find(struct thread *thread, long fd, uintptr_t address)
{
	struct line line = { { 0, 0 }, 0, 0 };
	char chunk[CHUNK];
	long length;

	while ((length = syscall(SYS_read, fd, chunk, sizeof(chunk))) > 0) {
		for (long i = 0; i < length; i++) {
			if (chunk[i] != '\n') {
				take_character(&line, chunk[i]);
				continue;
			}
			if (is_own(&line, address)) {
				thread->stack_low = line.bounds[0];
				thread->stack_high = line.end == MAIN_STACK ?
						     line.bounds[1] : (uintptr_t)&thread_self;
				return true;
			}
			line = (struct line){ { 0, 0 }, 0, 0 };
		}
	}
	return false;
}

/* Looks a few times only: the main stack may have grown, but other stacks stay others. */
static bool look(struct thread *thread, uintptr_t address)
{
	bool found;
	long fd;

	if (thread->stack_looks == LOOKS)
		return false;
	thread->stack_looks++;
	fd = io_avoid_stdio((int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/maps",
					 O_RDONLY | O_CLOEXEC));
	if (fd < 0)
		return false;
	found = find(thread, fd, address);
	syscall(SYS_close, fd);
	return found;
}

static bool inside(const struct thread *thread, uintptr_t from, uintptr_t to)
{
	return from >= thread->stack_low && to <= thread->stack_high;
}

static bool known(struct thread *thread, uintptr_t from, uintptr_t to)
{
	int error = errno;
	bool is = inside(thread, from, to) || (look(thread, from) && inside(thread, from, to));

	errno = error;
	return is;
}

struct safe_read_known stack_own(void)
{
	struct thread *thread = thread_self;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	known(thread, here, here + 1);
	return (struct safe_read_known){ thread->stack_low, thread->stack_high, 0 };
}

bool stack_is_own(struct thread *thread, uintptr_t address, uintptr_t other)
{
	return known(thread, address, address + 1) && !inside(thread, other, other + 1);
}

bool stack_readable(struct thread *thread, uintptr_t from, uintptr_t to)
{
	return known(thread, from, to) ||
	       (safe_read_page(from) && safe_read_page(to - 1));
}

uint32_t stack_readable_words(struct thread *thread, const uint64_t *stack, uint32_t words)
{
	uintptr_t from = (uintptr_t)stack - 1, to = (uintptr_t)(stack + words);
	uintptr_t next = (from | (PEEK_PAGE - 1)) + 1;

	if (to <= next || known(thread, from, to) || safe_read_page(next))
		return words;
	return (uint32_t)((next - (uintptr_t)stack) / 8);
}
