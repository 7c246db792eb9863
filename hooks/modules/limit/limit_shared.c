/* SPDX-License-Identifier: Apache-2.0 */
/* What all processes of a user hold together, in a file they share. */
/*
 * Each process has a row that it alone writes, and keeps that row's byte of
 * the file locked as long as it lives; the kernel unlocks it however the
 * process ends, and in whichever PID namespace it was. What is in the row of a
 * byte that nobody locks is of the dead.
 *
 * Who wants memory says so in its row, then takes a ticket higher than all it
 * sees, then reads what the others have: what those with lower tickets want
 * counts as theirs. That is Lamport's bakery without its waiting: never more
 * than the limit is taken, whoever is stopped or killed at which point. The
 * lock of the file's first byte, the gate, only keeps two from refusing each
 * other what one of them could have; of a process that is stopped inside, one
 * does not wait long, and not twice.
 *
 * Rows are read and written by system calls, as a mapping of a file that
 * another truncates would end the process. Each row has a check, also one that
 * nobody has: what is cut off or overwritten is never taken for nothing. None
 * of the calls is a cancellation point.
 */
#include "hooks/modules/limit/limit_shared.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hooks/modules/limit/limit_spin.h"
#include "util/io.h"

#define MAGIC UINT64_C(0x3274696d696c7563)	/* "culimit2" */
#define MIX UINT64_C(0x9e3779b97f4a7c15)

enum {
	ROWS = 1023,
	CHOOSING = 1,		/* a ticket to come; the first one is higher */
	PATIENCE = 200,		/* milliseconds */
	FILL_PATIENCE = 5000,	/* for the file's first process, which may have to wait for a processor */
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
struct file {
	struct row rows[ROWS + 1];
};

static char path[PATH_MAX];
static const char *fault = "it was never opened";
static bool opened;
static _Atomic uint64_t repairs;

/* Under the lock. */
static struct spin lock;
static int fd = -1;
static void *pin;		/* keeps the locks when the program closes the descriptor */
static _Atomic pid_t owner;
static uint64_t inode, device;
static uint32_t mine;		/* 0: no row yet */
static uint64_t held;		/* by this process */
static uint64_t ticket;		/* the last of this process */
static struct row written;	/* what its row says */
static struct file file;	/* what was read of it */
static uint32_t last;		/* the last row that somebody has */
static bool jammed;		/* the gate was waited for in vain */

const char *shared_fault(void)
{
	return fault;
}

const char *shared_path(void)
{
	return path;
}

uint64_t shared_repairs(void)
{
	return repairs;
}

static bool broken(const char *why)
{
	fault = why;
	return false;
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

static struct flock range_of(uint32_t row, uint32_t count, short type)
{
	return (struct flock){
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)(row * sizeof(struct row)),
		.l_len = (off_t)((count - 1) * sizeof(struct row) + 1),
	};
}

static bool lock_rows(uint32_t row, uint32_t count, short type)
{
	struct flock what = range_of(row, count, type);

	return !syscall(SYS_fcntl, fd, F_OFD_SETLK, &what);
}

/* Rows behind the last one that was known. */
static void find_last(void)
{
	while (last < ROWS) {
		struct flock what = range_of(last + 1, ROWS - last, F_WRLCK);
		uint64_t row;

		if (syscall(SYS_fcntl, fd, F_OFD_GETLK, &what) || what.l_type == F_UNLCK)
			return;
		row = (uint64_t)what.l_start / sizeof(struct row);
		/* Who is no process of ours may have locked more than a row. */
		last = row > last ? (uint32_t)row : last + 1;
	}
}

static bool write_at(uint32_t row, const void *from, size_t size)
{
	ssize_t done = syscall(SYS_pwrite64, fd, from, size, (off_t)(row * sizeof(struct row)));

	return done == (ssize_t)size ||
	       broken(done >= 0 || errno == EFBIG || errno == ENOSPC ?
			      "it cannot be written, for a full disk or a limit of file sizes" :
			      "it cannot be written");
}

static bool read_at(uint32_t row, uint32_t count)
{
	size_t size = count * sizeof(struct row);
	ssize_t done = syscall(SYS_pread64, fd, &file.rows[row], size,
			       (off_t)(row * sizeof(struct row)));

	return done == (ssize_t)size || broken(done < 0 ? "it cannot be read" : "it was truncated");
}

static bool write_row(uint64_t want, uint64_t its_ticket)
{
	written = make_row(held, want, its_ticket);
	if (!write_at(mine, &written, sizeof(written)))
		return false;
	/* What is read from here on was written after others could read that. */
	atomic_thread_fence(memory_order_seq_cst);
	return true;
}

/* Of the dead: emptied under their lock, so that nobody has it meanwhile. */
static bool reap(uint32_t row)
{
	bool done;

	if (!lock_rows(row, 1, F_WRLCK))
		return false;
	file.rows[row] = make_row(0, 0, 0);
	done = write_at(row, &file.rows[row], sizeof(struct row));
	lock_rows(row, 1, F_UNLCK);
	return done;
}

/* One that is being written, or is damaged. */
static bool read_again(uint32_t row)
{
	for (int tries = 0; !is_good(&file.rows[row]) && tries < TORN; tries++) {
		sched_yield();
		if (!read_at(row, 1))
			return false;
	}
	return is_good(&file.rows[row]) || reap(row) || broken("a row of it is damaged");
}

/* What others make of this process's row is known better here. */
static bool check_own(void)
{
	if (!memcmp(&file.rows[mine], &written, sizeof(written)))
		return true;
	atomic_fetch_add_explicit(&repairs, 1, memory_order_relaxed);
	return write_at(mine, &written, sizeof(written));
}

static bool read_rows(void)
{
	find_last();
	if (!read_at(0, last + 1))
		return false;
	if (file.rows[0].used != MAGIC)
		return broken("it is no longer a file of limit(user=)");
	for (uint32_t row = 1; row <= last; row++)
		if (row != mine && !is_good(&file.rows[row]) && !read_again(row))
			return false;
	return check_own();
}

static bool look(int at, struct statx *its)
{
	return !syscall(SYS_statx, at, "", AT_EMPTY_PATH, STATX_BASIC_STATS, its);
}

static bool is_same(const struct statx *its)
{
	return its->stx_ino == inode &&
	       ((uint64_t)its->stx_dev_major << 32 | its->stx_dev_minor) == device;
}

/* The program may have closed it, and opened another under its number; or it was removed. */
static bool still_there(void)
{
	struct statx its;

	return fd >= 0 && look(fd, &its) && is_same(&its) && its.stx_nlink;
}

static void close_ours(void)
{
	struct statx its;

	if (fd >= 0 && look(fd, &its) && is_same(&its))
		syscall(SYS_close, fd);
	fd = -1;
}

static bool judge(const struct statx *its)
{
	if (!S_ISREG(its->stx_mode))
		return broken("it is no regular file");
	if (its->stx_uid != geteuid() && its->stx_uid)
		return broken("it belongs to another user");
	return true;
}

static const char *reason(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
	case EROFS:
		return "it may not be written";
	case ELOOP:
		return "it is a symbolic link";
	case EISDIR:
		return "it is a directory";
	case ENOENT:
	case ENOTDIR:
		return "its directory does not exist";
	case EMFILE:
	case ENFILE:
		return "no file descriptor is left";
	default:
		return "it cannot be opened";
	}
}

static bool write_empty(void)
{
	memset(&file, 0, sizeof(file));
	file.rows[0].used = MAGIC;
	for (uint32_t row = 1; row <= ROWS; row++)
		file.rows[row] = make_row(0, 0, 0);
	return write_at(0, &file, sizeof(file));
}

/*
 * Makes the file whole, where its file system can do that: none is found half
 * made because its maker was stopped.
 */
static void make_file(void)
{
	static char directory[PATH_MAX];
	char name[32], *slash;

	memcpy(directory, path, sizeof(path));
	slash = strrchr(directory, '/');
	if (!slash)
		return;
	slash[1] = 0;
	fd = io_avoid_stdio((int)syscall(SYS_openat, AT_FDCWD, directory,
					 O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
	if (fd < 0)
		return;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	/* A umask may have taken away what the user's own need. */
	if (!syscall(SYS_fchmod, fd, 0600) && write_empty())
		syscall(SYS_linkat, AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
	syscall(SYS_close, fd);
	fd = -1;
}

static bool open_file(struct statx *its)
{
	const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	int first = (int)syscall(SYS_openat, AT_FDCWD, path, flags);

	if (first < 0 && errno == ENOENT) {
		make_file();
		first = (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CREAT, 0600);
	}
	if (first < 0)
		return broken(reason(errno));
	if (!look(first, its) || !judge(its)) {
		syscall(SYS_close, first);
		return false;
	}
	first = io_move(first);
	if (first < 0)
		return broken(reason(-first));
	fd = first;
	return true;
}

/* Some other process has a row. */
static bool is_taken(void)
{
	struct flock what = range_of(1, ROWS, F_WRLCK);

	return syscall(SYS_fcntl, fd, F_OFD_GETLK, &what) || what.l_type != F_UNLCK;
}

/* Whoever finds it empty fills it, with the byte behind it locked. */
static bool fill(void)
{
	struct statx its;
	bool done = true;

	if (!lock_rows(ROWS + 1, 1, F_WRLCK))
		return broken("it is empty, and another process is filling it");
	if (look(fd, &its) && !its.stx_size) {
		done = is_taken() ? broken("it was truncated") : write_empty();
		if (!done)
			syscall(SYS_ftruncate, fd, (off_t)0);
	}
	lock_rows(ROWS + 1, 1, F_UNLCK);
	return done;
}

static uint64_t size_now(void)
{
	struct statx its;

	return look(fd, &its) ? its.stx_size : 0;
}

/* It has some other size than it should, and nobody is just filling it. */
static bool is_cut(void)
{
	struct flock what = range_of(ROWS + 1, 1, F_WRLCK);
	uint64_t size = size_now();

	return size && size != sizeof(file) && !syscall(SYS_fcntl, fd, F_OFD_GETLK, &what) &&
	       what.l_type == F_UNLCK && size_now() == size;
}

static void rest(void)
{
	static const struct timespec moment = { .tv_nsec = 100000 };

	syscall(SYS_nanosleep, &moment, NULL);
}

static bool begin_file(void)
{
	uint64_t until = milliseconds() + FILL_PATIENCE;

	while (size_now() != sizeof(file)) {
		if (is_cut())
			return broken("it is not a file of limit(user=), or was truncated");
		if (!fill() && milliseconds() > until)
			return false;
		rest();
	}
	if (!read_at(0, 1))
		return false;
	return file.rows[0].used == MAGIC ||
	       broken("it is not a file of limit(user=), or one of another version");
}

static bool take_row(void)
{
	for (mine = 1; mine <= ROWS; mine++)
		if (lock_rows(mine, 1, F_WRLCK)) {
			last = mine;
			return write_row(0, 0);
		}
	return broken("1023 processes share it already, or its file system has no locks");
}

/* A child has no part in this mapping, so none in the locks either. It is never read. */
static void pin_file(void)
{
	if (pin)
		munmap(pin, sizeof(struct row));
	pin = mmap(NULL, sizeof(struct row), PROT_NONE, MAP_SHARED, fd, 0);
	if (pin == MAP_FAILED)
		pin = NULL;
	else
		madvise(pin, sizeof(struct row), MADV_DONTFORK);
}

/* What is there in place of a file that was closed, removed or replaced. */
static bool attach(void)
{
	bool known = mine && pin;
	struct statx its;

	close_ours();
	if (!open_file(&its))
		return false;
	if (known && is_same(&its))
		return true;
	inode = its.stx_ino;
	device = (uint64_t)its.stx_dev_major << 32 | its.stx_dev_minor;
	owner = getpid();
	mine = last = 0;
	if (begin_file() && take_row()) {
		pin_file();
		return true;
	}
	mine = 0;
	close_ours();
	return false;
}

/* A child that fork's handlers do not know of has nothing of the parent's, either. */
static void find_fork(void)
{
	if (owner && owner != getpid())
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

static bool enter(struct session *session)
{
	begin(session);
	return still_there() || attach();
}

/* Whether what a row wants comes before what this process wants by its ticket. */
static bool earlier(uint32_t row)
{
	uint64_t its = file.rows[row].ticket;

	return its && (its == CHOOSING || its < ticket || (its == ticket && row < mine));
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

	for (uint32_t row = 1; row <= last; row++) {
		const struct row *its = &file.rows[row];

		if (row == mine)
			continue;
		all = add(all, its->used);
		if (wanted && earlier(row))
			all = add(all, its->want);
	}
	return all;
}

static void reap_all(void)
{
	for (uint32_t row = 1; row <= last; row++)
		if (row != mine && (file.rows[row].used || file.rows[row].ticket))
			reap(row);
}

static uint64_t choose(void)
{
	uint64_t most = ticket > CHOOSING ? ticket : CHOOSING;

	for (uint32_t row = 1; row <= last; row++)
		if (row != mine && file.rows[row].ticket > most)
			most = file.rows[row].ticket;
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

	for (uint32_t round = 0; !lock_rows(0, 1, F_WRLCK); round++) {
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

	if (read_at(mine, 1) && check_own() && write_row(bytes, CHOOSING) && read_rows()) {
		ticket = choose();
		if (write_row(bytes, ticket))
			answer = decide(bytes, limit);
	}
	if (answer == SHARED_TAKEN)
		held += bytes;
	if (!write_row(0, 0))
		answer = SHARED_BROKEN;
	if (gate)
		lock_rows(0, 1, F_UNLCK);
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

	if (!opened)
		return;
	begin(&session);
	held -= bytes < held ? bytes : held;
	if (still_there() && mine)
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
	int length = where ? snprintf(path, sizeof(path), "%s", where) :
			     snprintf(path, sizeof(path), "/dev/shm/cuaudit-limit-%u",
				      (unsigned int)geteuid());

	if (length >= (int)sizeof(path))
		return broken("its name is too long");
	opened = enter(&session);
	end(&session);
	return opened;
}

void shared_forked(void)
{
	spin_forked(&lock);
	close_ours();
	pin = NULL;
	mine = 0;
	held = 0;
	owner = 0;
	jammed = false;
}

void shared_close(void)
{
	struct session session;

	if (!opened)
		return;
	begin(&session);
	held = 0;
	if (still_there() && mine)
		write_row(0, 0);
	end(&session);
}
