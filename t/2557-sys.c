/* SPDX-License-Identifier: Apache-2.0 */
/* The auditor's system calls and memory, against what the kernel and libc say. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>

#include "arch.h"

static bool no_memory, no_protection;
static long last_mapped;
static unsigned int nmapped;

static long watched_syscall6(long n, long a, long b, long c, long d, long e, long f)
{
	if ((n == SYS_mmap && no_memory) || (n == SYS_mprotect && no_protection))
		return -ENOMEM;
	if (n != SYS_mmap)
		return arch_syscall6(n, a, b, c, d, e, f);
	nmapped++;
	return last_mapped = arch_syscall6(n, a, b, c, d, e, f);
}

#define memcpy sys_memcpy
#define memset sys_memset
#define arch_syscall6 watched_syscall6
#include "audit/sys.c"
#undef arch_syscall6
#undef memcpy
#undef memset

#include <sys/mman.h>
#include <sys/wait.h>

#include "t/fuzz/chance.h"
#include "t/tap.h"

enum { SIZE = 1 << 16, BLOCKS = 4000, LARGEST = 3 * ARENA };


/* The status of a child that runs check, 128 and the signal that it died of. */
static int apart(int (*check)(void))
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		_exit(check());
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return 99;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Nothing of what is open afterwards took the number of a standard descriptor. */
static int opens_above(void)
{
	for (int closed = 0; closed < 8; closed++) {
		int fd;

		while ((fd = open("/dev/null", O_RDWR)) <= STDERR_FILENO)
			if (fd < 0)
				return 1;
		close(fd);
		for (int i = 0; i <= STDERR_FILENO; i++)
			if (closed >> i & 1)
				close(i);
		fd = sys_open("/dev/null", O_RDONLY);
		if (fd <= STDERR_FILENO || !(fcntl(fd, F_GETFD) & FD_CLOEXEC))
			return 2;
		close(fd);
		for (int i = 0; i <= STDERR_FILENO; i++)
			if (fcntl(i, F_GETFD) != (closed >> i & 1 ? -1 : 0))
				return 3;
	}
	return sys_open("/nowhere/at/all", O_RDONLY) != -ENOENT;
}

static int uses_stack(void)
{
	char *stack = sys_map_stack(SIZE);

	if (!stack)
		return 1;
	memset(stack, 1, SIZE);
	sys_unmap(stack, SIZE);
	/* The page below was unmapped with it. */
	return mmap(stack - sys_page, SIZE + sys_page, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != stack - sys_page;
}

static int leaves_stack(void)
{
	volatile char *stack = sys_map_stack(SIZE);

	stack[-1] = 1;
	return 0;
}

/* One that cannot be made readable is not kept. */
static int loses_stack(void)
{
	no_protection = true;
	if (sys_map_stack(SIZE))
		return 1;
	return mmap((void *)last_mapped, SIZE + sys_page, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)last_mapped;
}

static int ends(void)
{
	sys_exit(7);
}

static int blocks_signals(void)
{
	static const int left[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP };
	uint64_t wanted = ~(uint64_t)0, mask = 0, before = (uint64_t)1 << (SIGUSR1 - 1), old;

	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		wanted &= ~((uint64_t)1 << (left[i] - 1));
	/* libc's own are those before its first. */
	for (int i = 32; i < SIGRTMIN; i++)
		wanted &= ~((uint64_t)1 << (i - 1));
	/* The kernel lets nobody block these. */
	wanted &= ~((uint64_t)1 << (SIGKILL - 1) | (uint64_t)1 << (SIGSTOP - 1));
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8);
	old = sys_block_signals();
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &mask, 8);
	if (old != before || mask != wanted)
		return 1;
	sys_unblock_signals(old);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &mask, 8);
	return mask != before;
}

static void test_memory(void)
{
	static struct { unsigned char *at; size_t size; } blocks[BLOCKS];
	int wrong = 0;

	for (int i = 0; i < BLOCKS; i++) {
		blocks[i].size = chance(20) ? chance(300) : chance(LARGEST);
		blocks[i].at = sys_alloc(blocks[i].size);
		wrong += !blocks[i].at || (uintptr_t)blocks[i].at % 16;
		for (size_t k = 0; k < blocks[i].size; k++)
			wrong += blocks[i].at[k] != 0;
		memset(blocks[i].at, i % 255 + 1, blocks[i].size);
	}
	for (int i = 0; i < BLOCKS; i++)
		for (size_t k = 0; k < blocks[i].size; k++)
			wrong += blocks[i].at[k] != i % 255 + 1;
	is_int(wrong, 0, "%d blocks: aligned, zero, nobody else's", BLOCKS);
}

/* Small pieces are cut from large ones; what is copied to one stays as it is. */
static void test_copies(void)
{
	enum { COPIES = 500 };
	static char text[COPIES + 1];
	char *copies[COPIES], bytes[] = "abcdef";
	unsigned int before = nmapped, total = 0, wrong = 0;

	memset(text, 'x', COPIES);
	for (size_t i = 0; i < COPIES; i++) {
		copies[i] = sys_copy(text, i);
		total += (unsigned int)i + 16;
	}
	for (size_t i = 0; i < COPIES; i++)
		wrong += strlen(copies[i]) != i || strncmp(copies[i], text, i);
	is_int(wrong, 0, "copies of texts");
	ok(nmapped - before <= total / ARENA + 1, "%u bytes from %u mappings", total, nmapped - before);
	ok(sys_memset(bytes + 1, 'x', 3) == bytes + 1 && !strcmp(bytes, "axxxef"), "memory that is filled");
	ok(sys_memcpy(bytes, "123", 2) == bytes && !strcmp(bytes, "12xxef"), "memory that is copied");
}

static void test_no_memory(void)
{
	enum { TRIES = 2 * ARENA / 16 };
	unsigned int given = 0;
	char *at;

	no_memory = true;
	for (int i = 0; i < TRIES; i++)
		given += sys_alloc(1 + (size_t)i % 3) != NULL;
	ok(given <= TRIES / 2, "without memory what was left is given out");
	ok(!sys_alloc(1) && !sys_alloc(ARENA) && !sys_alloc(4 * ARENA) && !sys_copy("a", 1) &&
	   !sys_map_stack(SIZE), "and then nothing");
	no_memory = false;
	at = sys_alloc(40);
	ok(at && !at[0] && !at[39] && sys_copy("a", 1), "with memory again there is some");
}

/* All pages of a range, and no others. */
static void test_protect(void)
{
	enum { PAGES = 4, STEP = 512 };
	char *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int wrong = 0;

	for (size_t from = 0; from < PAGES * PAGE; from += STEP)
		for (size_t to = from + STEP; to <= PAGES * PAGE; to += STEP) {
			size_t first = from / PAGE, last = (to - 1) / PAGE;

			wrong += sys_protect((uintptr_t)at + from, (uintptr_t)at + to, PROT_NONE) != 0;
			for (size_t i = 0; i < PAGES; i++)
				wrong += sys_readable(at + i * PAGE) != (i < first || i > last);
			mprotect(at, PAGES * PAGE, PROT_READ | PROT_WRITE);
		}
	is_int(wrong, 0, "pages that a range touches");
	munmap(at, PAGES * PAGE);
	ok(sys_protect((uintptr_t)at, (uintptr_t)at + PAGE, PROT_READ) == -ENOMEM, "none that are not there");
	ok(!sys_readable(NULL) && !sys_readable(at) && sys_readable(&wrong), "what can be read");
}

enum { NLINES = 40, CUT = LINE - 1 };
static char file_lines[NLINES][2 * LINE + 2];
static int nseen, stop_at;

static bool take_a_line(const char *line, void *data)
{
	char want[LINE];

	snprintf(want, sizeof(want), "%.*s", CUT, file_lines[nseen]);
	*(int *)data += strcmp(line, want) != 0;
	return nseen++ == stop_at;
}

/* Lines of any length, also longer than there is room for, up to where somebody has enough. */
static void test_lines(void)
{
	char path[] = "/tmp/cuaudit-lines-XXXXXX";
	int wrong = 0, free_one = mkstemp(path);
	FILE *file = fdopen(free_one, "w");

	for (int i = 0; i < NLINES; i++) {
		size_t length = i % 5 == 0 ? chance(2 * LINE) : i % 5 == 1 ? (size_t)(CUT - 1 + i % 3) : chance(60);

		memset(file_lines[i], 'a' + i % 26, length);
		fprintf(file, "%s\n", file_lines[i]);
	}
	fprintf(file, "no line without an end");
	fclose(file);
	for (stop_at = 0; stop_at <= NLINES; stop_at++) {
		nseen = 0;
		wrong += sys_each_line(path, take_a_line, &wrong) != (stop_at < NLINES);
		wrong += nseen != (stop_at < NLINES ? stop_at + 1 : NLINES);
	}
	is_int(wrong, 0, "lines of a file");
	is_int(dup(0), free_one, "it is closed each time");
	close(free_one);
	unlink(path);
	ok(!sys_each_line(path, take_a_line, &wrong), "a file that is not there has none");
}

static int no_directory(void)
{
	char path[64] = "/tmp/cuaudit-directory-XXXXXX", found[64], want[64];

	if (!mkdtemp(path) || chdir(path) || !getcwd(want, sizeof(want)))
		return 99;
	if (!sys_directory(found, sizeof(found)) || strcmp(found, want))
		return 1;
	if (!sys_directory(found, strlen(want) + 1) || sys_directory(found, strlen(want)))
		return 2;
	return rmdir(path) ? 99 : sys_directory(found, sizeof(found)) ? 3 : 0;
}

static void fifo(void)
{
	char path[64] = "/tmp/cuaudit-fifo-XXXXXX", link[72];

	ok(mkdtemp(path) && !rmdir(path) && !mkfifo(path, 0600) &&
	   snprintf(link, sizeof(link), "%s.link", path) > 0 && !symlink(path, link), "a FIFO and a link");
	ok(sys_is_fifo(path) && sys_is_fifo(link) && !sys_is_fifo("/dev/null") && !sys_is_fifo("/") &&
	   !sys_is_fifo("/nowhere/at/all"), "what is a FIFO");
	unlink(link);
	unlink(path);
}

static void test_texts(void)
{
	ok(sys_equal("", "") && sys_equal("ab", "ab") && !sys_equal("ab", "abc") && !sys_equal("abc", "ab") &&
	   !sys_equal("a", "b"), "texts that are equal");
	ok(sys_starts("ab", "") && sys_starts("ab", "ab") && !sys_starts("ab", "abc") && !sys_starts("ab", "b"),
	   "texts that begin so");
	ok(!strcmp(sys_basename("/a/b"), "b") && !strcmp(sys_basename("b"), "b") &&
	   !*sys_basename("/a/"), "files' names");
	ok(sys_strlen("") == 0 && sys_strlen("abc") == 3, "lengths");
	ok(sys_exists("/dev/null") && !sys_exists("/nowhere/at/all"), "files that are there");
	fifo();
	is_int(sys_thread(), syscall(SYS_gettid), "the thread");
	ok(sys_process() == getpid() && !sys_is_child(), "the process");
	is_int(apart(no_directory), 0, "the directory");
}

enum { LINES = 5 };

/* Two files of one number on two devices are two. */
struct seen {
	uint64_t files[LINES];
	unsigned int count, bad;
};

static bool see(const struct sys_mapping *mapping, void *data)
{
	struct seen *seen = data;

	seen->bad += mapping->from >= mapping->to || mapping->from % sys_page || mapping->to % sys_page;
	if (seen->count < LINES)
		seen->files[seen->count++] = mapping->file;
	return false;
}

/* The kernel's own lines, one after the other as they are seen. */
static char maps[1 << 18];
static const char *next_line = maps;
static unsigned int nmappings;

static bool compare(const struct sys_mapping *mapping, void *data)
{
	unsigned long from, to, offset, major, minor, file;
	unsigned int *wrong = data;
	char readable;

	nmappings++;
	if (sscanf(next_line, "%lx-%lx %c%*s %lx %lx:%lx %lu",
		   &from, &to, &readable, &offset, &major, &minor, &file) != 7)
		*wrong += 1;
	else
		*wrong += mapping->from != from || mapping->to != to || mapping->readable != (readable == 'r') ||
			  mapping->offset != offset || !mapping->file != !file;
	next_line = strchr(next_line, '\n') + 1;
	return false;
}

static void test_numbers(void)
{
	static const struct {
		const char *text;
		unsigned int base;
		uint64_t value;
		size_t length;
	} cases[] = {
		{ "0", 10, 0, 1 }, { "9876543210 ", 10, 9876543210, 10 }, { "10a", 10, 10, 2 }, { "", 10, 0, 0 },
		{ "7ffffffff0-", 16, 0x7ffffffff0, 10 }, { "abcdef09:", 16, 0xabcdef09, 8 }, { "fg", 16, 0xf, 1 },
		{ "-1", 16, 0, 0 }, { "18446744073709551615\n", 10, UINT64_MAX, 20 }, { "a/", 16, 10, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *at = cases[i].text;

		ok(read_number(&at, cases[i].base) == cases[i].value && at == cases[i].text + cases[i].length,
		   "a number of base %u, case %zu", cases[i].base, i);
	}
}

static void test_mappings(void)
{
	static const char *const lines[] = {
		"1000-2000 r-xp 00000000 fe:01 1234                       /a",
		"2000-3000 r-xp 00000000 fe:02 1234                       /b",
		"3000-4000 rw-p 00000000 00:00 0                          [heap]",
		"4000-5000 r--p 00001000 fe:01 1234                       /a",
		"5000-6000 r-xp 00000000 103:01 1234                      /c",
	};
	struct seen seen = { .count = 0 };
	struct taker taker = { see, &seen };

	for (size_t i = 0; i < LINES; i++)
		take_mapping(lines[i], &taker);
	ok(seen.files[0] && seen.files[1] && seen.files[0] != seen.files[1],
	   "one number on two devices is two files");
	ok(seen.files[4] != seen.files[0], "also where these differ in the kind of device alone");
	is_int((long long)seen.files[2], 0, "what is no file is none");
	ok(seen.files[3] == seen.files[0], "two mappings of one file");
	sys_each_mapping(see, &seen);
	is_int((int)seen.bad, 0, "all mappings of this process are read");
	for (int fd = open("/proc/self/maps", O_RDONLY), got = 1, at = 0; got > 0; at += got)
		got = (int)read(fd, maps + at, sizeof(maps) - 1 - (size_t)at);
	seen.bad = 0;
	sys_each_mapping(compare, &seen.bad);
	ok(nmappings > 10 && !*next_line, "as many as the kernel has: %u", nmappings);
	is_int((int)seen.bad, 0, "each as it has it");
}

/* Descriptor 2 was a file at the start, and is something else by now: whether it is written to. */
static int opened(const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	if (fd == STDERR_FILENO)
		return 0;
	return fd < 0 ? 99 : dup2(fd, STDERR_FILENO) == STDERR_FILENO && !close(fd) ? 0 : 99;
}

static char place[] = "/tmp/cuaudit-sys-XXXXXX", other[sizeof(place) + 2];

static int says_there(void)
{
	return sys_stderr_usable() ? 0 : 1;
}

static int says_in_log(void)
{
	return opened(other, O_WRONLY | O_CREAT | O_APPEND) ? 99 : says_there();
}

static int says_in_data(void)
{
	return opened(other, O_RDWR | O_CREAT | O_TRUNC) ? 99 : !says_there();
}

static int says_in_both(void)
{
	if (opened(other, O_RDWR | O_CREAT | O_TRUNC) || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return 99;
	return says_there();
}

/* Nor if stdout is another file beside it. */
static int says_beside(void)
{
	char beside[] = "/tmp/cuaudit-sys-XXXXXX";
	int fd = mkstemp(beside);

	unlink(beside);
	return dup2(fd, STDOUT_FILENO) < 0 ? 99 : says_in_data();
}

static int says_to_device(void)
{
	return opened("/dev/null", O_WRONLY) ? 99 : says_there();
}

static int says_nowhere(void)
{
	close(STDERR_FILENO);
	return !says_there();
}

static int was_closed(void)
{
	close(STDERR_FILENO);
	sys_start();
	return opened("/dev/null", O_WRONLY) ? 99 : !says_there();
}

static void test_places(void)
{
	int error = dup(STDERR_FILENO);

	if (dup2(mkstemp(place), STDERR_FILENO) < 0)
		bail_out("no file");
	snprintf(other, sizeof(other), "%s.x", place);
	sys_start();
	is_int(apart(says_there), 0, "the file that it was");
	is_int(apart(says_in_log), 0, "a log, which is appended to");
	is_int(apart(says_in_data), 0, "not a file that took its number");
	is_int(apart(says_beside), 0, "... beside stdout");
	is_int(apart(says_in_both), 0, "but one that is stdout as well");
	is_int(apart(says_to_device), 0, "a device");
	is_int(apart(says_nowhere), 0, "not where it is closed");
	is_int(apart(was_closed), 0, "nor where it was");
	unlink(place);
	unlink(other);
	dup2(error, STDERR_FILENO);
}

int main(void)
{
	chance_begin(1, 0);
	is_int(apart(opens_above), 0, "files are opened above standard error");
	is_int(apart(uses_stack), 0, "a stack, and all of it given back");
	is_int(apart(leaves_stack), 128 + SIGSEGV, "its guard page");
	is_int(apart(loses_stack), 0, "... and none that cannot be used");
	is_int(apart(ends), 7, "the end, and its status");
	is_int(apart(blocks_signals), 0, "the signals that are blocked");
	test_memory();
	test_copies();
	test_no_memory();
	test_protect();
	test_lines();
	test_numbers();
	test_mappings();
	test_places();
	test_texts();
	return done_testing();
}
