/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors inside of somebody else's process, by bare system calls. */
#include "util/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "util/planted.h"

enum {
	STEP = 10,		/* milliseconds between two looks for a FIFO's reader */
	BLOCK = 4096,		/* the least unit of disk space */
	NOWAIT = 8,		/* RWF_NOWAIT, which pipes know since Linux 6.4 */
	TERMINAL = 256,		/* bytes a terminal takes when it says it takes some */
	MODE = 0644,		/* whatever the umask: others' stores to it would be the program's loss */
	LOWEST = 3,		/* below it are stdin, stdout and stderr */
	STALLED = 8,
	LINKS = 40,		/* as many as the kernel follows */
	NAME = 256		/* bytes: of a longer one that is a link none leads to a descriptor */
};

/* The kernel's sets of signals are one word; libc's functions leave two of them alone. */
#define BIT(number) ((uint64_t)1 << ((number) - 1))
#define OURS (BIT(SIGPIPE) | BIT(SIGXFSZ) | BIT(SIGTTOU))
#define ALL (~(uint64_t)0)

static long result(long value)
{
	return value < 0 ? -errno : value;
}

static void block(struct io_signals *signals, uint64_t set)
{
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, &signals->saved, sizeof(set));
	signals->pending = 0;
	/* What is not blocked does not stay pending. */
	if (signals->saved & OURS)
		syscall(SYS_rt_sigpending, &signals->pending, sizeof(signals->pending));
}

/*
 * Takes one that a system call of this thread made pending. One of the
 * program's own, or of another process, is put back as it was.
 */
static void take(int number, uint64_t before)
{
	const struct timespec none = { 0, 0 };
	uint64_t set = BIT(number), now = 0;
	siginfo_t info;

	if (syscall(SYS_rt_sigtimedwait, &set, &info, &none, sizeof(set)) != number)
		return;
	syscall(SYS_rt_sigpending, &now, sizeof(now));
	if (info.si_code != SI_USER || info.si_pid != getpid() ||
	    (before & set && !(now & set)))
		syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, &info);
}

static void unblock(const struct io_signals *signals, int number)
{
	if (number)
		take(number, signals->pending);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &signals->saved, NULL, sizeof(signals->saved));
}

void io_enter(struct io_signals *signals)
{
	int error = errno;

	block(signals, OURS);
	errno = error;
}

void io_leave(const struct io_signals *signals)
{
	static const int numbers[] = { SIGPIPE, SIGXFSZ };
	int error = errno;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!(signals->pending & BIT(numbers[i])))
			take(numbers[i], 0);
	unblock(signals, 0);
	errno = error;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The caller's own signals come meanwhile. Returns milliseconds, at least one. */
static int wait_for(int fd, short events, int left, const uint64_t *signals)
{
	struct timespec time = { left / 1000, left % 1000 * 1000000L };
	struct pollfd ready = { .fd = fd, .events = events };
	int64_t from = now_ms(), waited;

	syscall(SYS_ppoll, &ready, 1, left < 0 ? NULL : &time, signals, sizeof(*signals));
	waited = now_ms() - from;
	return waited < 1 ? 1 : waited > INT_MAX ? INT_MAX : (int)waited;
}

int io_copy(int fd)
{
	static const int numbers[] = { 700, 200, 100, 50, LOWEST };
	int error = errno;
	long copy = -EMFILE;

	for (size_t i = 0; copy < 0 && i < sizeof(numbers) / sizeof(numbers[0]); i++)
		copy = result(syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, numbers[i]));
	errno = error;
	/* The limit on descriptors is below the number. */
	return copy == -EINVAL ? -EMFILE : (int)copy;
}

int io_move(int fd)
{
	int error = errno, copy = io_copy(fd);

	if (copy < 0 && fd >= LOWEST)
		return fd;
	syscall(SYS_close, fd);
	errno = error;
	return copy;
}

int io_avoid_stdio(int fd)
{
	return fd >= 0 && fd < LOWEST ? io_move(fd) : fd;
}

/* What a descriptor is of, and how it can be written to without waiting. */
struct outlet {
	int fd, own;		/* own: one to be closed, or -1 */
	bool socket, pipe;
	bool nowait;		/* a write is told not to wait */
	size_t piece;		/* it waits for more bytes than that; 0: it never does */
	uint64_t id;		/* 0: of no interest */
};

/* Another descriptor of the same pipe or terminal: flags are shared by copies, not by it. */
static int open_again(int fd)
{
	char path[48] = "/proc/thread-self/fd/", digits[12];
	size_t used = strlen(path);
	int count = 0;

	do
		digits[count++] = (char)('0' + fd % 10);
	while (fd /= 10);
	while (count)
		path[used++] = digits[--count];
	path[used] = '\0';
	return io_avoid_stdio((int)result(syscall(SYS_openat, AT_FDCWD, path, O_WRONLY |
						  O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0)));
}

/* Makes writes return at once: by a descriptor that does, or in pieces there is room for. */
static int make_nonblocking(struct outlet *outlet)
{
	long flags = syscall(SYS_fcntl, outlet->fd, F_GETFL);

	if (flags & O_NONBLOCK)
		return 0;
	if ((flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	outlet->own = open_again(outlet->fd);
	if (outlet->own >= 0)
		outlet->fd = outlet->own;
	else if (outlet->pipe && outlet->own == -ENXIO)
		return -EPIPE;
	else
		outlet->piece = outlet->pipe ? PIPE_BUF : TERMINAL;
	return 0;
}

static int outlet_open(struct outlet *outlet, int fd)
{
	struct termios unused;
	struct stat status;

	*outlet = (struct outlet){ .fd = fd, .own = -1 };
	if (syscall(SYS_fstat, fd, &status))
		return -errno;
	outlet->socket = S_ISSOCK(status.st_mode);
	outlet->pipe = outlet->nowait = S_ISFIFO(status.st_mode);
	if (!outlet->socket && !outlet->pipe &&
	    (!S_ISCHR(status.st_mode) || ioctl(fd, TCGETS, &unused)))
		return 0;
	outlet->id = ((uint64_t)status.st_ino ^ (uint64_t)status.st_dev << 32) << 16;
	return outlet->socket || outlet->pipe ? 0 : make_nonblocking(outlet);
}

/* -EOPNOTSUPP: this kernel's pipes, or somebody's filter of system calls, know no such write. */
static long put_nowait(const struct outlet *outlet, const char *data, size_t count)
{
	struct iovec piece = { .iov_base = (char *)data, .iov_len = count };
	long written = result(syscall(SYS_pwritev2, outlet->fd, &piece, 1, -1L, -1L, NOWAIT));

	return written == -EINVAL || written == -ENOSYS || written == -EPERM ? -EOPNOTSUPP : written;
}

static long put(struct outlet *outlet, const char *data, size_t count)
{
	const struct timespec none = { 0, 0 };

	if (outlet->nowait) {
		long written = put_nowait(outlet, data, count);

		if (written != -EOPNOTSUPP)
			return written;
		outlet->nowait = false;
		written = make_nonblocking(outlet);
		if (written)
			return written;
	}
	if (outlet->socket)
		return result(syscall(SYS_sendto, outlet->fd, data, count,
				      MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0));
	if (outlet->piece) {
		struct pollfd ready = { .fd = outlet->fd, .events = POLLOUT };

		if (syscall(SYS_ppoll, &ready, 1, &none, NULL, 0) <= 0)
			return -EAGAIN;
		count = count < outlet->piece ? count : outlet->piece;
	}
	return result(syscall(SYS_write, outlet->fd, data, count));
}

/* Whom was waited for in vain, and for how long, in the last 16 bits. */
static _Atomic uint64_t stalled[STALLED];

static _Atomic uint64_t *stalled_of(const struct outlet *outlet)
{
	return &stalled[(outlet->id >> 16) % STALLED];
}

static int patience_for(const struct outlet *outlet, int patience)
{
	uint64_t tried = atomic_load_explicit(stalled_of(outlet), memory_order_relaxed);

	return patience > 0 && outlet->id && (tried ^ outlet->id) <= 0xffff &&
		       (int)(tried & 0xffff) >= patience ? 0 : patience;
}

static void remember(const struct outlet *outlet, int patience)
{
	uint64_t value = patience ? outlet->id | (uint64_t)patience : 0;

	if (outlet->id &&
	    (value || atomic_load_explicit(stalled_of(outlet), memory_order_relaxed)))
		atomic_store_explicit(stalled_of(outlet), value, memory_order_relaxed);
}

static int put_all(struct outlet *outlet, const char *data, size_t count, int patience,
		   const uint64_t *signals)
{
	int first = patience_for(outlet, patience), left = first;

	while (count) {
		long written = put(outlet, data, count);

		if (written > 0) {
			data += written;
			count -= (size_t)written;
			first = left = patience;
			remember(outlet, 0);
		} else if (written != -EINTR && written != -EAGAIN) {
			return written ? (int)written : -EIO;
		} else if (written == -EAGAIN && !left) {
			if (first > 0)
				remember(outlet, patience);
			return -ETIMEDOUT;
		} else if (written == -EAGAIN) {
			int waited = wait_for(outlet->fd, POLLOUT, left, signals);

			if (left > 0)
				left = waited < left ? left - waited : 0;
		}
	}
	return 0;
}

int io_write(int fd, const void *data, size_t count, int patience)
{
	struct io_signals signals;
	struct outlet outlet;
	int error = errno, failed, number = 0;

	block(&signals, ALL);
	failed = outlet_open(&outlet, fd);
	if (!failed) {
		failed = put_all(&outlet, data, count, patience, &signals.saved);
		if (!outlet.socket)
			number = failed == -EPIPE ? SIGPIPE : failed == -EFBIG ? SIGXFSZ : 0;
	}
	if (outlet.own >= 0)
		syscall(SYS_close, outlet.own);
	unblock(&signals, number);
	errno = error;
	return failed;
}

/* O_NONBLOCK is for the opening alone. */
static long open_now(const char *path, int flags)
{
	long fd = result(syscall(SYS_openat, AT_FDCWD, path,
				 flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, MODE));

	if (fd >= 0)
		syscall(SYS_fcntl, fd, F_SETFL, flags & O_APPEND);
	return fd;
}

/* What is behind a directory's name, whose slashes may be several; NULL: another is there. */
static const char *below(const char *path, const char *directory)
{
	for (; *directory; directory++) {
		if (*path++ != *directory)
			return NULL;
		while (*directory == '/' && *path == '/')
			path++;
	}
	return path;
}

/* The number by a name that is no link to another name, or -1. */
static int number_of(const char *path)
{
	static const char *const directories[] = { "/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/" };
	const char *at = NULL, *process = below(path, "/proc/");
	int number = 0;

	for (size_t i = 0; !at && i < sizeof(directories) / sizeof(directories[0]); i++)
		at = below(path, directories[i]);
	if (!at && process && io_number(process) == (uint64_t)getpid())
		at = below(process + strspn(process, "0123456789"), "/fd/");
	if (!at || !*at)
		return -1;
	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *at - '0', &number))
			return -1;
	return *at ? -1 : number;
}

/* What a link leads to, in place of its path. */
static bool follow(const char *path, char *target)
{
	char next[NAME];
	const char *slash = strrchr(path, '/');
	size_t before = slash ? (size_t)(slash - path) + 1 : 0;
	long length = syscall(SYS_readlinkat, AT_FDCWD, path, next, sizeof(next));

	if (length <= 0 || length == (long)sizeof(next))
		return false;
	if (*next == '/')
		before = 0;
	if (before + (size_t)length >= NAME)
		return false;
	memmove(target, path, before);
	memcpy(target + before, next, (size_t)length);
	target[before + (size_t)length] = '\0';
	return true;
}

int io_descriptor(const char *path)
{
	int error = errno, number = number_of(path);
	char target[NAME];

	for (int links = 0; number < 0 && links < LINKS && follow(path, target); links++) {
		path = target;
		number = number_of(path);
	}
	errno = error;
	return number;
}

enum { CLAIMS = 32 };	/* a file of each kind, and those of the processes that this one was forked from */

static struct claim {
	dev_t device;
	_Atomic(ino_t) number;		/* 0: none; written last */
} claims[CLAIMS];

static bool is_claimed(const struct stat *its)
{
	for (int i = 0; i < CLAIMS; i++)
		if (atomic_load(&claims[i].number) == its->st_ino && claims[i].device == its->st_dev)
			return true;
	return false;
}

static void claim(const struct stat *its)
{
	static _Atomic unsigned int used;
	unsigned int at;

	if (!S_ISREG(its->st_mode) || is_claimed(its))
		return;
	at = atomic_fetch_add(&used, 1) % CLAIMS;
	atomic_store(&claims[at].number, 0);
	claims[at].device = its->st_dev;
	atomic_store(&claims[at].number, its->st_ino);
}

void io_claim(int fd)
{
	struct stat its;
	int error = errno;

	if (!result(syscall(SYS_fstat, fd, &its)))
		claim(&its);
	errno = error;
}

void io_claim_name(const char *path)
{
	struct stat its;
	int error = errno;

	if (!result(syscall(SYS_newfstatat, AT_FDCWD, path, &its, 0)))
		claim(&its);
	errno = error;
}

/* What was opened, if it is to be written to; emptied where flags say so. */
static long take_output(const char *path, int fd, int flags, bool by_link)
{
	struct stat its;
	long error = result(syscall(SYS_fstat, fd, &its));

	if (!error && !by_link)
		error = planted_file(path, &its);
	else if (!error && S_ISREG(its.st_mode))
		error = -ELOOP;
	if (!error && is_claimed(&its))
		error = -EBUSY;
	if (!error && flags & O_TRUNC && S_ISREG(its.st_mode))
		error = result(syscall(SYS_ftruncate, fd, (off_t)0));
	if (!error)
		return fd;
	syscall(SYS_close, fd);
	return error;
}

/* Not emptied before it is known what it is. */
static long open_output(const char *path, int flags)
{
	int how = flags & ~O_TRUNC, number = number_of(path);
	bool by_link;
	long fd = number < 0 ? open_now(path, how | O_NOFOLLOW) : -ELOOP;

	by_link = fd == -ELOOP && !planted_possible(path);
	if (by_link && number < 0)
		number = io_descriptor(path);
	/* Opened by its name, a file would be written from its begin. */
	if (by_link && number >= 0)
		return io_copy(number);
	if (by_link)
		fd = open_now(path, how & ~O_CREAT);
	if (fd >= 0)
		return take_output(path, (int)fd, flags, by_link);
	if (by_link && fd == -ENOENT)
		return -ELOOP;
	/* Such as a FIFO without a reader, or what the kernel itself refuses. */
	return planted_name(path) ? -PLANTED : fd;
}

/* Who gives one of these knows itself what may be there. */
static long open_once(const char *path, int flags)
{
	return (flags & O_ACCMODE) == O_RDONLY || flags & (O_EXCL | O_NOFOLLOW) ?
		       open_now(path, flags) : open_output(path, flags);
}

static mode_t type_of(const char *path)
{
	struct stat status;

	return syscall(SYS_newfstatat, AT_FDCWD, path, &status, 0) ? 0 : status.st_mode & S_IFMT;
}

mode_t io_type(const char *path)
{
	int error = errno;
	mode_t type = io_descriptor(path) >= 0 ? S_IFCHR : type_of(path);

	errno = error;
	return type;
}

static bool is_fifo(const char *path)
{
	return type_of(path) == S_IFIFO;
}

int io_open(const char *path, int flags, int patience)
{
	int error = errno, waited = 0;
	long fd = open_once(path, flags);

	while (fd == -EINTR || (fd == -ENXIO && waited < patience && is_fifo(path))) {
		waited += wait_for(-1, 0, STEP, NULL);
		fd = open_once(path, flags);
	}
	if (fd == -ENXIO && is_fifo(path))
		fd = -EPIPE;
	/* Another name is of no use to who meant files in it. */
	if (fd == -EEXIST && type_of(path) == S_IFDIR)
		fd = -EISDIR;
	if (fd >= 0)
		fd = io_move((int)fd);
	errno = error;
	return (int)fd;
}

int io_close(int fd)
{
	int error = errno, failed = (int)result(syscall(SYS_close, fd));

	errno = error;
	return failed == -EINTR ? 0 : failed;
}

int io_append(const char *path, const void *data, size_t count)
{
	int fd = io_open(path, O_WRONLY | O_CREAT | O_APPEND, IO_NOW), error;

	if (fd < 0)
		return fd;
	error = io_write(fd, data, count, IO_REPORT);
	io_close(fd);
	return error;
}

/* Whether something is there to be read, or the end; only what may wait is asked. */
static bool readable(int fd, int patience)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	const struct timespec time = { patience / 1000, patience % 1000 * 1000000L };
	struct stat status;

	if (syscall(SYS_fstat, fd, &status) || S_ISREG(status.st_mode))
		return true;
	return syscall(SYS_ppoll, &ready, 1, &time, NULL, 0) != 0;
}

static long read_all(int fd, char *text, size_t size, int patience)
{
	size_t used = 0;
	long got = 1;

	while (got && used < size - 1) {
		if (!readable(fd, patience))
			return -ENODATA;
		got = result(syscall(SYS_read, fd, text + used, size - 1 - used));
		if (got < 0 && got != -EINTR)
			return got;
		used += got > 0 ? (size_t)got : 0;
	}
	text[used] = '\0';
	return (long)used;
}

long io_read_file(const char *path, char *text, size_t size, int patience)
{
	int error = errno, fd = io_avoid_stdio((int)open_now(path, O_RDONLY));
	long used = fd;

	text[0] = '\0';
	if (fd >= 0) {
		used = read_all(fd, text, size, patience);
		io_close(fd);
	}
	errno = error;
	return used;
}

/* strtoul has another name in each libc, see hooks/old_libc.h. */
uint64_t io_number(const char *text)
{
	uint64_t value = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		value = 10 * value + (uint64_t)(*text - '0');
	return value;
}

/* Where a file system cannot reserve, the last byte of each block does. */
static int fill(int fd, uint64_t offset, uint64_t end)
{
	struct stat status;

	if (syscall(SYS_fstat, fd, &status))
		return -errno;
	while (offset < end) {
		long written = 1;

		offset = (offset / BLOCK + 1) * BLOCK;
		if (offset > end)
			offset = end;
		if (offset > (uint64_t)status.st_size)
			written = result(syscall(SYS_pwrite64, fd, "", (size_t)1, offset - 1));
		if (written < 0)
			return (int)written;
	}
	return 0;
}

int io_reserve(int fd, uint64_t offset, uint64_t length)
{
	struct io_signals signals;
	int error = errno;
	long failed;

	block(&signals, ALL);
	failed = result(syscall(SYS_fallocate, fd, 0, offset, length));
	if (failed == -EOPNOTSUPP || failed == -ENOSYS)
		failed = fill(fd, offset, offset + length);
	unblock(&signals, failed == -EFBIG ? SIGXFSZ : 0);
	errno = error;
	return (int)failed;
}

const char *io_reason(int error)
{
	static const struct {
		int error;
		const char *reason;
	} reasons[] = {
		{ EACCES, "Permission denied" },
		{ EAGAIN, "Resource temporarily unavailable" },
		{ EBADF, "The descriptor is closed or not open for this" },
		{ EBUSY, "Device or resource busy" },
		{ EINVAL, "Not supported by this kind of file" },
		{ EIO, "Input/output error" },
		{ EISDIR, "Is a directory" },
		{ ELOOP, "Too many levels of symbolic links" },
		{ EMFILE, "Too many open files" },
		{ ENAMETOOLONG, "File name too long" },
		{ ENFILE, "Too many open files in system" },
		{ ENODATA, "Nobody writes there" },
		{ ENODEV, "No such device" },
		{ ENOENT, "No such file or directory" },
		{ ENOLCK, "No locks available" },
		{ ENOMEM, "Cannot allocate memory" },
		{ ENOSYS, "Not supported by this kernel" },
		{ ENOTDIR, "Not a directory" },
		{ ENXIO, "Not a file, or a device that is not there" },
		{ EOPNOTSUPP, "Not supported by this file system" },
		{ EPERM, "Operation not permitted" },
		{ PLANTED, "Another user's, or a file with another name" },
		{ ESTALE, "Stale file handle" },
		{ ETXTBSY, "Text file busy" },
	};

	error = error < 0 ? -error : error;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].error == error)
			return reasons[i].reason;
	return "The system refused it";
}

const char *io_remedy(int error)
{
	error = error < 0 ? -error : error;
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return "the directory does not exist; create it";
	case EACCES:
	case EPERM:
		return "no permission to write there; choose another directory";
	case EROFS:
		return "the file system is read-only; choose another directory";
	case ENOSPC:
		return "the file system is full; free some space or choose another directory";
	case EDQUOT:
		return "the disk quota is used up; free some space or choose another directory";
	case EFBIG:
		return "the limit on the size of files is too low; raise it with ulimit -f";
	case EMFILE:
	case ENFILE:
		return "too many files are open; raise the limit with ulimit -n";
	case EEXIST:
		return "its names with numbers are all taken; remove old files";
	case ENAMETOOLONG:
		return "the path is too long; choose a shorter one";
	case ENOMEM:
		return "there is no memory";
	case ESTALE:
		return "the file was removed or replaced; leave it while the process runs";
	case EBUSY:
		return "this process records into it, or has read it; choose another path";
	case EISDIR:
		return "it names a directory; choose the path of a file";
	case ELOOP:
		return "it is a symbolic link; choose the path of a file";
	case PLANTED:
		return "another user put it there, or it has another name too; choose another directory";
	case EPIPE:
		return "nobody reads it; start its reader before";
	case ETIMEDOUT:
		return "its reader took nothing for too long; have it read on";
	default:
		return io_reason(error);
	}
}
