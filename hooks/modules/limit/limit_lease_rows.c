/* SPDX-License-Identifier: Apache-2.0 */
/* What processes that share devices tell each other, in rows of a file. */
#include "hooks/modules/limit/limit_lease_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hooks/modules/limit/limit_file.h"
#include "util/io.h"

enum {
	TORN = 64,		/* how often a row is read that is being written */
	GATE = 200,		/* tries to have the header's lock ... */
	GATE_REST = 50000	/* ... with so many nanoseconds between */
};

struct lease_header lease_header;
struct lease_row lease_rows[LEASE_ROWS + 1];
uint32_t rows_mine, rows_last;

static void fill(void *rows, uint32_t first, uint32_t count);

static const struct file_kind kind = {
	.other = "it is not a file of limit(share=), or was truncated",
	.version = "it is not a file of limit(share=), or one of another version",
	.crowded = "255 processes share it already, or its file system has no locks",
	.magic = LEASE_MAGIC, .size = sizeof(struct lease_row), .rows = LEASE_ROWS, .fill = fill,
};

static struct limit_file file = { .kind = &kind, .fault = "it was never opened", .fd = -1 };
static struct lease_row mine;	/* a new row of this process */
static uint32_t generation;
static bool gate;
static bool header_known;		/* lease_header is what is in the file */

const char *rows_fault(void)
{
	return file.fault;
}

const char *rows_path(void)
{
	return file.path;
}

static void fill(void *rows, uint32_t first, uint32_t count)
{
	struct lease_row *row = rows;

	memset(row, 0, count * sizeof(*row));
	for (uint32_t i = 0; i < count; i++)
		row[i].check = lease_check_row(&row[i]);
	if (!first)
		((struct lease_header *)rows)->check = lease_check_header(rows);
}

static bool names_rows(const struct lease_header *header)
{
	for (uint32_t i = 0; i < LEASE_DEVICES; i++)
		if (header->devices[i].holder > LEASE_ROWS || header->devices[i].guest > LEASE_ROWS)
			return false;
	return true;
}

/* One that is damaged is no part of lease_header, whose rows are looked up. */
static bool read_header(void)
{
	struct lease_header header;

	header_known = false;
	for (int tries = 0; tries < TORN && !header_known; tries++) {
		if (!file_read(&file, 0, 1, &header))
			return false;
		if (header.magic != LEASE_MAGIC)
			return file_broken(&file, "it is no longer a file of limit(share=)");
		header_known = header.check == lease_check_header(&header) && names_rows(&header);
		if (!header_known)
			sched_yield();
	}
	if (!header_known)
		return file_broken(&file, "its header is damaged");
	lease_header = header;
	return true;
}

/* What the dead have left damaged is nobody's. */
static bool check_rows(void)
{
	for (uint32_t row = 1; row <= file.last; row++) {
		struct lease_row *its = &lease_rows[row];

		for (int tries = 0; its->check != lease_check_row(its) && tries < TORN; tries++) {
			sched_yield();
			if (!file_read(&file, row, 1, its))
				return false;
		}
		if (its->check == lease_check_row(its))
			continue;
		if (row != file.mine && file_is_taken(&file, row))
			return file_broken(&file, "a row of it is damaged");
		memset(its, 0, sizeof(*its));
	}
	return true;
}

/* What tells the process from another one of its number, later or in another PID namespace. */
static void identify(struct lease_row *row)
{
	char text[1024], *at;
	struct statx its;

	row->pid = (uint32_t)getpid();
	row->start = row->pid_namespace = 0;
	if (!syscall(SYS_statx, AT_FDCWD, "/proc/self/ns/pid", 0, STATX_INO, &its))
		row->pid_namespace = its.stx_ino;
	if (io_read_file("/proc/self/stat", text, sizeof(text), IO_NOW) <= 0)
		return;
	/* The name before it may hold anything; the start is the 20th field behind. */
	at = strrchr(text, ')');
	for (int field = 0; at && field < 20; field++)
		at = strchr(at + 1, ' ');
	if (at)
		row->start = io_number(at + 1);
}

static bool attach(void)
{
	bool anew = false;

	if (file_is_there(&file))
		return true;
	if (!file_attach(&file, &anew))
		return false;
	if (!anew)
		return true;
	generation++;
	lease_rows[file.mine] = mine;
	identify(&lease_rows[file.mine]);
	return rows_write();
}

uint32_t rows_generation(void)
{
	return generation;
}

bool rows_read(void)
{
	struct lease_row own;

	if (!attach() || !read_header())
		return false;
	own = lease_rows[file.mine];
	file_find_last(&file);
	if (!file_read(&file, 1, file.last, &lease_rows[1]) || !check_rows())
		return false;
	/* Known better here. */
	lease_rows[file.mine] = own;
	rows_mine = file.mine;
	rows_last = file.last;
	return true;
}

/* No SIGXFSZ of what is written here reaches the program. */
static bool write_row(uint32_t row, const void *from)
{
	struct io_signals signals;
	bool done;

	io_enter(&signals);
	done = file_write(&file, row, from);
	io_leave(&signals);
	return done;
}

bool rows_write(void)
{
	struct lease_row *row = &lease_rows[file.mine];

	row->check = lease_check_row(row);
	return write_row(file.mine, row);
}

bool rows_write_header(void)
{
	/* What is damaged is left for all to see. */
	if (!header_known)
		return false;
	lease_header.bell++;
	lease_header.check = lease_check_header(&lease_header);
	return write_row(0, &lease_header);
}

bool rows_lock(void)
{
	static const struct timespec moment = { .tv_nsec = GATE_REST };

	for (int tries = 0; tries < GATE; tries++) {
		gate = file_lock(&file, 0, 1, F_WRLCK);
		if (gate)
			break;
		syscall(SYS_nanosleep, &moment, NULL);
	}
	return read_header() && gate;
}

void rows_unlock(void)
{
	if (gate)
		file_lock(&file, 0, 1, F_UNLCK);
	gate = false;
}

bool rows_is_alive(uint32_t row)
{
	return row == file.mine || file_is_taken(&file, row);
}

void rows_wait(uint32_t seen, uint64_t ns)
{
	struct timespec time = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };
	uint32_t *bell = file.pin ? &((struct lease_header *)file.pin)->bell : NULL;

	/* A file that was cut off answers EFAULT. */
	if (!bell || (syscall(SYS_futex, bell, FUTEX_WAIT, seen, &time, NULL, 0) && errno == EFAULT))
		syscall(SYS_nanosleep, &time, NULL);
}

void rows_wake(void)
{
	if (file.pin)
		syscall(SYS_futex, &((struct lease_header *)file.pin)->bell, FUTEX_WAKE, INT32_MAX,
			NULL, NULL, 0);
}

bool rows_open(const char *directory, const char *group, uint32_t weight, uint32_t cap)
{
	int length = snprintf(file.path, sizeof(file.path), "%s/cuaudit-share-%u%s%s",
			      directory ? directory : "/dev/shm", (unsigned int)geteuid(),
			      group ? "-" : "", group ? group : "");

	mine.weight = weight;
	mine.cap = cap;
	if (length >= (int)sizeof(file.path))
		return file_broken(&file, "its name is too long");
	return file_open(&file, attach) && (file.filling || read_header());
}

void rows_close(void)
{
	if (!file.mine || !file_is_there(&file))
		return;
	memset(&lease_rows[file.mine], 0, sizeof(struct lease_row));
	rows_write();
}

void rows_forked(void)
{
	file_forked(&file);
	memset(lease_rows, 0, sizeof(lease_rows));
	gate = false;
}
