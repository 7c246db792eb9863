/* SPDX-License-Identifier: Apache-2.0 */
/* What all processes of a user hold together, in a file they share. */
/*
 * Each process has a row of limit_file.h. What is in the row of a byte that
 * nobody locks is of the dead.
 *
 * Who wants memory says so in its row, then takes a ticket higher than all it
 * sees, then reads what the others have: what those with lower tickets want
 * counts as theirs. That is Lamport's bakery without its waiting: never more
 * than the limit is taken, whoever is stopped or killed at which point. The
 * lock of the file's first byte, the gate, only keeps two from refusing each
 * other what one of them could have; of a process that is stopped inside, one
 * does not wait long, and not twice.
 *
 * Each row has a check, also one that nobody has: what is cut off or
 * overwritten is never taken for nothing.
 */
#include "hooks/modules/limit/limit_shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hooks/modules/limit/limit_file.h"
#include "hooks/modules/limit/limit_spin.h"
#include "util/io.h"

#define MAGIC UINT64_C(0x3274696d696c7563)	/* "culimit2" */
#define MIX UINT64_C(0x9e3779b97f4a7c15)

enum {
	ROWS = 1023,
	CHOOSING = 1,		/* a ticket to come; the first one is higher */
	PATIENCE = 200,		/* milliseconds */
	SPINS = 500,
	TORN = 64		/* how often a row is read that is being written */
};

struct row {
	uint64_t used;
	uint64_t want;
	uint64_t ticket;	/* 0: wants nothing */
	uint64_t check;		/* of the others */
	uint64_t padding[4];
};

/* Row 0 is the header, which has the magic number in place of used. */
struct row_table {
	struct row rows[ROWS + 1];
};

static bool opened;
static _Atomic uint64_t repairs;

static void fill(void *rows, uint32_t first, uint32_t count);

static const struct file_kind kind = {
	.other = "it is not a file of limit(user=), or was truncated",
	.version = "it is not a file of limit(user=), or one of another version",
	.crowded = "1023 processes share it already, or its file system has no locks",
	.magic = MAGIC, .size = sizeof(struct row), .rows = ROWS, .fill = fill,
};

/* Under the lock. */
static struct spin lock;
static struct limit_file file = { .kind = &kind, .fault = "it was never opened", .fd = -1 };
static uint64_t held;		/* by this process */
static uint64_t ticket;		/* the last of this process */
static struct row written;	/* what its row says */
static struct row_table table;	/* what was read of it */
static bool jammed;		/* the gate was waited for in vain */

const char *shared_fault(void)
{
	return file.fault;
}

const char *shared_path(void)
{
	return file.path;
}

uint64_t shared_repairs(void)
{
	return repairs;
}

static bool broken(const char *why)
{
	return file_broken(&file, why);
}

static uint64_t milliseconds(void)
{
	struct timespec time = { .tv_sec = 0 };

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* Never 0 in a row of nothing, so that a hole in the file is none. */
static uint64_t check_of(const struct row *row)
{
	uint64_t sum = row->used;

	sum = (sum ^ sum >> 29) * MIX + row->want;
	sum = (sum ^ sum >> 31) * MIX + row->ticket;
	return (sum ^ sum >> 30) * MIX + MIX;
}

static struct row make_row(uint64_t used, uint64_t want, uint64_t its_ticket)
{
	struct row row = { .used = used, .want = want, .ticket = its_ticket };

	row.check = check_of(&row);
	return row;
}

static bool is_good(const struct row *row)
{
	return row->check == check_of(row);
}

static void fill(void *rows, uint32_t first, uint32_t count)
{
	struct row *row = rows;

	memset(row, 0, count * sizeof(*row));
	for (uint32_t i = 0; i < count; i++)
		if (first + i)
			row[i] = make_row(0, 0, 0);
}

static bool lock_gate(short type)
{
	return file_lock(&file, 0, 1, type);
}

static bool read_at(uint32_t row, uint32_t count)
{
	return file_read(&file, row, count, &table.rows[row]);
}

static bool write_row(uint64_t want, uint64_t its_ticket)
{
	struct row row = make_row(held, want, its_ticket);

	if (!file_write(&file, file.mine, &row))
		return false;
	written = row;
	/* What is read from here on was written after others could read that. */
	atomic_thread_fence(memory_order_seq_cst);
	return true;
}

/* Of the dead: emptied under their lock, so that nobody has it meanwhile. */
static bool reap(uint32_t row)
{
	bool done;

	if (!file_lock(&file, row, 1, F_WRLCK))
		return false;
	table.rows[row] = make_row(0, 0, 0);
	done = file_write(&file, row, &table.rows[row]);
	file_lock(&file, row, 1, F_UNLCK);
	return done;
}

/* One that is being written, or is damaged. */
static bool read_again(uint32_t row)
{
	for (int tries = 0; !is_good(&table.rows[row]) && tries < TORN; tries++) {
		sched_yield();
		if (!read_at(row, 1))
			return false;
	}
	return is_good(&table.rows[row]) || reap(row) || broken("a row of it is damaged");
}

/* What others make of this process's row is known better here. */
static bool check_own(void)
{
	if (!memcmp(&table.rows[file.mine], &written, sizeof(written)))
		return true;
	atomic_fetch_add_explicit(&repairs, 1, memory_order_relaxed);
	return file_write(&file, file.mine, &written);
}

static bool read_rows(void)
{
	file_find_last(&file);
	if (!read_at(0, file.last + 1))
		return false;
	if (table.rows[0].used != MAGIC)
		return broken("it is no longer a file of limit(user=)");
	for (uint32_t row = 1; row <= file.last; row++)
		if (row != file.mine && !is_good(&table.rows[row]) && !read_again(row))
			return false;
	return check_own();
}

/* A child that fork's handlers do not know of has nothing of the parent's, either. */
static void find_fork(void)
{
	if (file.owner && file.owner != getpid())
		shared_forked();
}

struct session {
	struct spin_saved saved;
	struct io_signals signals;
	int error;
};

/* No SIGXFSZ of what is written here reaches the program; errno is kept. */
static void begin(struct session *session)
{
	session->error = errno;
	find_fork();
	io_enter(&session->signals);
	spin_lock(&lock, &session->saved);
}

static void end(const struct session *session)
{
	spin_unlock(&lock, &session->saved);
	io_leave(&session->signals);
	errno = session->error;
}

/* What is there in place of a file that was closed, removed or replaced. */
static bool attach(void)
{
	bool anew;

	/* A row that is known has what was held when the file was closed. */
	return file_attach(&file, &anew) && write_row(0, 0);
}

static bool enter(struct session *session)
{
	begin(session);
	return file_is_there(&file) || attach();
}

/* Whether what a row wants comes before what this process wants by its ticket. */
static bool earlier(uint32_t row)
{
	uint64_t its = table.rows[row].ticket;

	return its && (its == CHOOSING || its < ticket || (its == ticket && row < file.mine));
}

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* What all hold; and what those ask for that come before. */
static uint64_t sum(bool wanted)
{
	uint64_t all = held;

	for (uint32_t row = 1; row <= file.last; row++) {
		const struct row *its = &table.rows[row];

		if (row == file.mine)
			continue;
		all = add(all, its->used);
		if (wanted && earlier(row))
			all = add(all, its->want);
	}
	return all;
}

static void reap_all(void)
{
	for (uint32_t row = 1; row <= file.last; row++)
		if (row != file.mine && (table.rows[row].used || table.rows[row].ticket))
			reap(row);
}

static uint64_t choose(void)
{
	uint64_t most = ticket > CHOOSING ? ticket : CHOOSING;

	for (uint32_t row = 1; row <= file.last; row++)
		if (row != file.mine && table.rows[row].ticket > most)
			most = table.rows[row].ticket;
	return most + 1;
}

static bool fits(uint64_t all, uint64_t bytes, uint64_t limit)
{
	return all <= limit && bytes <= limit - all;
}

/* Whether it is this process's alone; else it goes on without. */
static bool take_gate(void)
{
	static const struct timespec moment = { .tv_nsec = 100000 };
	uint64_t until = 0;

	for (uint32_t round = 0; !lock_gate(F_WRLCK); round++) {
		if (jammed)
			return false;
		if (!until)
			until = milliseconds() + PATIENCE;
		jammed = milliseconds() > until;
		if (round < SPINS)
			sched_yield();
		else
			syscall(SYS_nanosleep, &moment, NULL);
	}
	jammed = false;
	return true;
}

/* With the own row saying what is wanted. */
static enum shared_answer decide(uint64_t bytes, uint64_t limit)
{
	for (int reaped = 0; reaped < 2; reaped++) {
		if (!read_rows())
			return SHARED_BROKEN;
		if (fits(sum(true), bytes, limit))
			return SHARED_TAKEN;
		if (!reaped)
			reap_all();
	}
	return SHARED_REFUSED;
}

static enum shared_answer ask(uint64_t bytes, uint64_t limit)
{
	enum shared_answer answer = SHARED_BROKEN;
	bool gate = take_gate();

	if (read_at(file.mine, 1) && check_own() && write_row(bytes, CHOOSING) && read_rows()) {
		ticket = choose();
		if (write_row(bytes, ticket))
			answer = decide(bytes, limit);
	}
	if (answer == SHARED_TAKEN)
		held += bytes;
	if (!write_row(0, 0)) {
		/* Who takes it all the same adds it. */
		held -= answer == SHARED_TAKEN ? bytes : 0;
		answer = SHARED_BROKEN;
	}
	if (gate)
		lock_gate(F_UNLCK);
	return answer;
}

enum shared_answer shared_take(uint64_t bytes, uint64_t limit, bool force)
{
	enum shared_answer answer = SHARED_BROKEN;
	struct session session;
	bool entered;

	if (!opened)
		return SHARED_TAKEN;
	entered = enter(&session);
	if (force) {
		held += bytes;
		if (entered)
			write_row(0, 0);
		answer = SHARED_TAKEN;
	} else if (entered) {
		answer = ask(bytes, limit);
	}
	end(&session);
	return answer;
}

void shared_give(uint64_t bytes)
{
	struct session session;
	bool entered;

	if (!opened)
		return;
	entered = enter(&session);
	held -= bytes < held ? bytes : held;
	if (entered)
		write_row(0, 0);
	end(&session);
}

bool shared_used(uint64_t *bytes)
{
	struct session session;
	bool good;

	if (!opened)
		return false;
	good = enter(&session) && read_rows();
	if (good) {
		reap_all();
		*bytes = sum(false);
	}
	end(&session);
	return good;
}

bool shared_open(const char *where)
{
	struct session session;
	int length = where ? snprintf(file.path, sizeof(file.path), "%s", where) :
			     snprintf(file.path, sizeof(file.path), "/dev/shm/cuaudit-limit-%u",
				      (unsigned int)geteuid());

	if (length >= (int)sizeof(file.path))
		return broken("its name is too long");
	begin(&session);
	opened = file_open(&file, attach);
	end(&session);
	return opened;
}

void shared_forked(void)
{
	spin_forked(&lock);
	file_forked(&file);
	held = 0;
	jammed = false;
}

void shared_close(void)
{
	struct session session;

	if (!opened)
		return;
	begin(&session);
	held = 0;
	if (file_is_there(&file) && file.mine)
		write_row(0, 0);
	end(&session);
}
