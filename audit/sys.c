/* SPDX-License-Identifier: Apache-2.0 */
/* System calls, strings and memory for code that has no libc. */
#include "audit/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mman.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch.h"

enum {
	PAGE = 4096,
	ARENA = 64 * 1024,
	LINE = 1024,
	LIBC_FIRST = 32		/* glibc's SIGCANCEL, before SIGSETXID */
};

size_t sys_page = PAGE;

static long syscall3(long n, long a, long b, long c)
{
	return arch_syscall6(n, a, b, c, 0, 0, 0);
}

/* The compiler may call these for assignments and comparisons of structures. */
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int byte, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	char *t = to;
	const char *f = from;

	while (size--)
		*t++ = *f++;
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	char *t = to;

	while (size--)
		*t++ = (char)byte;
	return to;
}

/* Descriptor 2 as it was; none: it was closed. */
static struct {
	long pid;
	bool open;
	dev_t device;
	ino_t file;
} at_start;

static bool look(int fd, struct stat *what)
{
	return syscall3(SYS_fstat, fd, (long)what, 0) == 0;
}

long sys_process(void)
{
	return syscall3(SYS_getpid, 0, 0, 0);
}

void sys_start(void)
{
	struct stat two = { .st_dev = 0 };

	at_start.pid = sys_process();
	at_start.open = look(2, &two);
	at_start.device = two.st_dev;
	at_start.file = two.st_ino;
}

bool sys_is_child(void)
{
	return sys_process() != at_start.pid;
}

/*
 * A program may have put a log there: whatever is no plain file, is appended
 * to, or is stdout too. Any other file is data that took a free number.
 */
bool sys_stderr_usable(void)
{
	struct stat one, two;

	if (!at_start.open || !look(2, &two))
		return false;
	if ((two.st_dev == at_start.device && two.st_ino == at_start.file) || !S_ISREG(two.st_mode))
		return true;
	if (syscall3(SYS_fcntl, 2, F_GETFL, 0) & O_APPEND)
		return true;
	return look(1, &one) && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

void sys_exit(int status)
{
	for (;;)
		syscall3(SYS_exit_group, status, 0, 0);
}

void *sys_map(size_t size)
{
	long at = arch_syscall6(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at < 0 && at > -PAGE ? NULL : (void *)at;
}

void *sys_pool_take(struct sys_pool *pool, size_t size)
{
	void *at;

	size = (size + 15) & ~(size_t)15;
	if (size >= ARENA / 2)
		return sys_map(size);
	if (size > pool->left) {
		pool->at = sys_map(ARENA);
		pool->left = pool->at ? ARENA : 0;
		if (!pool->at)
			return NULL;
	}
	at = pool->at;
	pool->at += size;
	pool->left -= size;
	return at;
}

void *sys_alloc(size_t size)
{
	static struct sys_pool arena;

	return sys_pool_take(&arena, size);
}

char *sys_copy(const char *text, size_t length)
{
	char *copy = sys_alloc(length + 1);

	if (copy)
		memcpy(copy, text, length);
	return copy;
}

int sys_protect(uintptr_t from, uintptr_t to, int protection)
{
	/* The kernel widens its end itself. */
	from &= ~(uintptr_t)(sys_page - 1);
	return (int)syscall3(SYS_mprotect, (long)from, (long)(to - from), protection);
}

char *sys_map_stack(size_t size)
{
	/* Every mapping but the first page is readable. */
	long at = arch_syscall6(SYS_mmap, 0, (long)(size + sys_page), PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (at < 0 && at > -PAGE)
		return NULL;
	if (syscall3(SYS_mprotect, at + (long)sys_page, (long)size, PROT_READ | PROT_WRITE)) {
		syscall3(SYS_munmap, at, (long)(size + sys_page), 0);
		return NULL;
	}
	return (char *)at + sys_page;
}

void sys_unmap(char *stack, size_t size)
{
	syscall3(SYS_munmap, (long)(stack - sys_page), (long)(size + sys_page), 0);
}

int32_t sys_thread(void)
{
	return (int32_t)syscall3(SYS_gettid, 0, 0, 0);
}

static uint64_t set_signals(uint64_t wanted)
{
	uint64_t before = 0;

	arch_syscall6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&wanted, (long)&before,
		      sizeof(wanted), 0, 0);
	return before;
}

uint64_t sys_block_signals(void)
{
	/* libc's own two come behind the last that has a name: setuid waits for them. */
	static const int left[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP,
				    LIBC_FIRST, LIBC_FIRST + 1 };
	uint64_t wanted = ~(uint64_t)0;

	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		wanted &= ~((uint64_t)1 << (left[i] - 1));
	return set_signals(wanted);
}

void sys_yield(void)
{
	syscall3(SYS_sched_yield, 0, 0, 0);
}

void sys_unblock_signals(uint64_t before)
{
	set_signals(before);
}

bool sys_readable(const void *address)
{
	/* An impossible `how` makes the kernel read the set, then refuse: EFAULT tells. Not of NULL. */
	return address && arch_syscall6(SYS_rt_sigprocmask, -1, (long)address, 0, 8, 0, 0) != -EFAULT;
}

int sys_open(const char *path, int flags)
{
	long fd = arch_syscall6(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0, 0, 0);
	long copy;

	if (fd < 0 || fd > STDERR_FILENO)
		return (int)fd;
	copy = syscall3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	syscall3(SYS_close, fd, 0, 0);
	return (int)copy;
}

void sys_make_empty(const char *path)
{
	arch_syscall6(SYS_mknodat, AT_FDCWD, (long)path, S_IFREG | 0600, 0, 0, 0);
}

bool sys_each_line(const char *path, bool (*take)(const char *line, void *data), void *data)
{
	int fd = sys_open(path, O_RDONLY);
	char block[LINE], line[LINE];
	bool taken = false;
	size_t used = 0;
	long got;

	if (fd < 0)
		return false;
	while (!taken && (got = syscall3(SYS_read, fd, (long)block, LINE)) > 0) {
		for (long i = 0; i < got && !taken; i++) {
			if (block[i] != '\n') {
				if (used < LINE - 1)
					line[used++] = block[i];
				continue;
			}
			line[used] = '\0';
			used = 0;
			taken = take(line, data);
		}
	}
	syscall3(SYS_close, fd, 0, 0);
	return taken;
}

/* The number at *line, behind which it moves; base 10 or 16. */
static uint64_t read_number(const char **line, unsigned int base)
{
	uint64_t value = 0;

	for (;; ++*line) {
		unsigned int digit = (unsigned int)(**line <= '9' ? **line - '0' : **line - 'a' + 10);

		if (digit >= base)
			return value;
		value = value * base + digit;
	}
}

struct taker {
	bool (*take)(const struct sys_mapping *mapping, void *data);
	void *data;
};

/* FROM-TO rwxp OFFSET MAJOR:MINOR INODE PATH */
static bool take_mapping(const char *line, void *data)
{
	const struct taker *taker = data;
	struct sys_mapping mapping;
	uint64_t device, inode;

	mapping.from = read_number(&line, 16);
	line += *line == '-';
	mapping.to = read_number(&line, 16);
	line += *line == ' ';
	mapping.readable = *line == 'r';
	while (*line && *line != ' ')
		line++;
	line += *line == ' ';
	mapping.offset = read_number(&line, 16);
	line += *line == ' ';
	device = read_number(&line, 16) << 32;
	line += *line == ':';
	device |= read_number(&line, 16);
	line += *line == ' ';
	inode = read_number(&line, 10);
	mapping.file = inode ? inode ^ device << 20 : 0;
	return taker->take(&mapping, taker->data);
}

bool sys_each_mapping(bool (*take)(const struct sys_mapping *mapping, void *data), void *data)
{
	struct taker taker = { take, data };

	return sys_each_line("/proc/self/maps", take_mapping, &taker);
}

bool sys_directory(char *path, size_t size)
{
	return syscall3(SYS_getcwd, (long)path, (long)size, 0) > 0 && path[0] == '/';
}

static bool status_of(const char *path, struct stat *file)
{
	return !arch_syscall6(SYS_newfstatat, AT_FDCWD, (long)path, (long)file, 0, 0, 0);
}

bool sys_program(const char *name, char *path, size_t size)
{
	static const char own[] = "/proc/self/exe";
	struct stat program, named;
	long length;

	if (!status_of(own, &program))
		return false;
	if (!sys_starts(name, "/proc/") && !sys_starts(name, "/dev/fd/") && status_of(name, &named) &&
	    named.st_dev == program.st_dev && named.st_ino == program.st_ino)
		return false;
	length = arch_syscall6(SYS_readlinkat, AT_FDCWD, (long)own, (long)path, (long)size - 1, 0, 0);
	if (length <= 0 || length == (long)size - 1)
		return false;
	path[length] = '\0';
	return path[0] == '/' && sys_exists(path);
}

bool sys_exists(const char *path)
{
	return arch_syscall6(SYS_faccessat, AT_FDCWD, (long)path, R_OK, 0, 0, 0) == 0;
}

bool sys_is_fifo(const char *path)
{
	struct stat file;

	return status_of(path, &file) && S_ISFIFO(file.st_mode);
}

size_t sys_strlen(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	return length;
}

bool sys_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

bool sys_starts(const char *text, const char *prefix)
{
	while (*prefix && *text == *prefix)
		text++, prefix++;
	return !*prefix;
}

const char *sys_basename(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}
