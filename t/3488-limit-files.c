/* SPDX-License-Identifier: Apache-2.0 */
/* The files by which processes share memory and time, when they fail amid, are closed, damaged, or made at once. */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks/modules/limit/limit_lease_rows.h"
#include "hooks/modules/limit/limit_shared.h"
#include "t/tap.h"

enum { LIMIT = 100 };

static const char *directory;
static char quota[PATH_MAX], share[PATH_MAX];

/* What is done amid the system calls of the code under test. */
static void (*before_write)(void);
static int fails_at;		/* the write that fails, from 1; 0: none */

long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	void (*inside)(void) = before_write;
	long words[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		words[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_pwrite64 && inside) {
		before_write = NULL;
		inside();
	}
	/* No bytes, as on a full disk. */
	if (number == SYS_pwrite64 && fails_at && !--fails_at)
		return 0;
	return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

static void close_all(void)
{
	for (int fd = 3; fd < 65536; fd++)
		close(fd);
}

/* How another process's wish is answered. */
static int other_takes(uint64_t bytes)
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit((int)shared_take(bytes, LIMIT, false));
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static uint64_t held_by_all(void)
{
	uint64_t bytes;

	return shared_used(&bytes) ? bytes : UINT64_MAX;
}

/* The third one of a request says that it has what it wanted. */
static void a_write_fails(void)
{
	for (int write = 1; write <= 3; write++) {
		fails_at = write;
		is_int(shared_take(10, LIMIT, false), SHARED_BROKEN, "write %d of a request fails", write);
		fails_at = 0;
		is_int((long long)held_by_all(), 0, "... and nothing is held");
	}
	is_int((long long)shared_repairs(), 0, "nobody else is said to have written there");
}

static void is_closed(void)
{
	is_int(shared_take(LIMIT, LIMIT, false), SHARED_TAKEN, "all of it is taken");
	is_int(other_takes(1), SHARED_REFUSED, "another process has none");
	close_all();
	is_int(other_takes(1), SHARED_REFUSED, "nor after the program closed the file");
	close_all();
	shared_give(LIMIT);
	is_int(other_takes(LIMIT), SHARED_TAKEN, "what is given back then others have");
	close_all();
	is_int(shared_take(LIMIT / 2, LIMIT, true), SHARED_TAKEN, "what is taken then");
	is_int(other_takes(LIMIT), SHARED_REFUSED, "others have not");
	shared_give(LIMIT / 2);
}

static void open_share(void)
{
	unlink(share);
	ok(rows_open(directory, NULL, 100, 0), "the other file is made meanwhile");
}

/* By two threads, of which one goes on while the other writes. */
static void are_made_at_once(void)
{
	unlink(quota);
	before_write = open_share;
	is_int(shared_take(1, LIMIT, false), SHARED_TAKEN, "a file is made");
	is_int(other_takes(1), SHARED_TAKEN, "and is one that others can use");
	is_int(rows_read(), true, "as is the other");
	shared_give(1);
}

/* Writes a number into the file's header, as whoever damages it. */
static void damage(size_t offset, uint32_t value)
{
	int fd = open(share, O_WRONLY);

	if (fd < 0 || pwrite(fd, &value, sizeof(value), (off_t)offset) != sizeof(value))
		bail_out("cannot damage %s", share);
	close(fd);
}

static uint32_t in_file(size_t offset)
{
	uint32_t value = 0;
	int fd = open(share, O_RDONLY);

	if (fd < 0 || pread(fd, &value, sizeof(value), (off_t)offset) != sizeof(value))
		bail_out("cannot read %s", share);
	close(fd);
	return value;
}

static void is_damaged(size_t offset, const char *what)
{
	uint32_t was = in_file(offset);

	is_int(rows_read(), true, "a good header");
	damage(offset, UINT32_MAX);
	is_int(rows_lock(), false, "one whose %s is damaged is not had", what);
	ok(lease_header.magic == LEASE_MAGIC && lease_header.devices[0].holder <= LEASE_ROWS &&
	   lease_header.devices[0].guest <= LEASE_ROWS, "... and what was read last stays");
	is_int(rows_write_header(), false, "... nor written over");
	rows_unlock();
	is_int(in_file(offset), UINT32_MAX, "... so that others find it, too");
	damage(offset, was);
	is_int(rows_read(), true, "... until it is repaired");
	is_int(rows_write_header(), true, "... and it is written again");
}

int main(void)
{
	char template[] = "/tmp/3488-XXXXXX";

	directory = mkdtemp(template);
	if (!directory)
		bail_out("no directory");
	snprintf(quota, sizeof(quota), "%s/quota", directory);
	snprintf(share, sizeof(share), "%s/cuaudit-share-%u", directory, (unsigned int)geteuid());
	ok(shared_open(quota), "a file is opened");
	a_write_fails();
	is_closed();
	are_made_at_once();
	is_damaged(offsetof(struct lease_header, magic), "magic number");
	is_damaged(offsetof(struct lease_header, devices[0].holder), "holder");
	is_damaged(offsetof(struct lease_header, devices[0].guest), "guest");
	is_damaged(offsetof(struct lease_header, devices[0].clock), "clock");
	unlink(quota);
	unlink(share);
	rmdir(directory);
	return done_testing();
}
