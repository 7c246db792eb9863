/* SPDX-License-Identifier: Apache-2.0 */
/* Writing where nobody reads, and the signals of that. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "t/tap.h"
#include "util/io.h"

enum { LARGE = 300 * 1000, PATIENCE = 200 };

static char large[LARGE];
static volatile sig_atomic_t caught;

static void handler(int number)
{
	caught = number;
}

static int broken_pipe(void)
{
	int ends[2];

	if (pipe(ends))
		exit(99);
	close(ends[0]);
	return ends[1];
}

/* A pipe with room for so many bytes of its own. */
static void full_pipe(int ends[2])
{
	int flags;

	if (pipe(ends))
		exit(99);
	flags = fcntl(ends[1], F_GETFL);
	fcntl(ends[1], F_SETFL, flags | O_NONBLOCK);
	while (write(ends[1], large, 4096) > 0)
		;
	fcntl(ends[1], F_SETFL, flags);
}

static bool is_pending(int number)
{
	sigset_t set;

	sigpending(&set);
	return sigismember(&set, number);
}

/* The code of the next one that is pending, for which libc says SI_USER; -100: there is none. */
static int next_code(int number)
{
	const struct timespec none = { 0, 0 };
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	return sigtimedwait(&set, &info, &none) == number ? info.si_code : -100;
}

static void block(int how, int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(how, &set, NULL);
}

static void broken(void)
{
	int fd = broken_pipe(), ends[2];
	sigset_t before, after;

	caught = 0;
	signal(SIGPIPE, handler);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	errno = 12345;
	ok(io_write(fd, "x", 1, IO_REPORT) == -EPIPE, "a broken pipe is told");
	ok(errno == 12345, "errno is kept");
	ok(!caught, "no SIGPIPE reaches a handler");
	ok(!is_pending(SIGPIPE), "nor is one left");
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	ok(!memcmp(&before, &after, 8), "the mask is as before");
	block(SIG_BLOCK, SIGPIPE);
	io_write(fd, "x", 1, IO_REPORT);
	ok(!is_pending(SIGPIPE), "blocked by the program: none is left");
	raise(SIGPIPE);
	io_write(fd, "x", 1, IO_REPORT);
	ok(next_code(SIGPIPE) == SI_USER, "the thread's own stays, as it was");
	ok(next_code(SIGPIPE) == -100, "once");
	kill(getpid(), SIGPIPE);
	io_write(fd, "x", 1, IO_REPORT);
	ok(next_code(SIGPIPE) == SI_USER, "the process's own stays");
	ok(next_code(SIGPIPE) == -100, "and ours is not beside it");
	block(SIG_UNBLOCK, SIGPIPE);
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	close(ends[0]);
	ok(io_write(ends[1], "x", 1, IO_REPORT) == -EPIPE && !caught, "a broken socket");
	close(ends[1]);
	close(fd);
	ok(io_write(fd, "x", 1, IO_REPORT) == -EBADF, "a closed descriptor");
}

static void limited(void)
{
	struct rlimit limit = { 100, RLIM_INFINITY }, before;
	FILE *file = tmpfile();
	int fd = fileno(file);

	getrlimit(RLIMIT_FSIZE, &before);
	setrlimit(RLIMIT_FSIZE, &limit);
	signal(SIGXFSZ, handler);
	caught = 0;
	ok(io_write(fd, large, 4096, IO_REPORT) == -EFBIG, "a limited file is told");
	ok(io_reserve(fd, 0, 4096) == -EFBIG, "nor is there room for a mapping");
	ok(!caught && !is_pending(SIGXFSZ), "no SIGXFSZ");
	ok(lseek(fd, 0, SEEK_END) == 100, "what fits is there");
	setrlimit(RLIMIT_FSIZE, &before);
	ok(!io_reserve(fd, 0, 8192) && lseek(fd, 0, SEEK_END) == 8192, "room is taken");
	fclose(file);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Bounds above are far: others use the machine too. */
static void full(void)
{
	int ends[2], flags;
	double start;

	full_pipe(ends);
	flags = fcntl(ends[1], F_GETFL);
	ok(io_write(ends[1], "x", 1, IO_NOW) == -ETIMEDOUT, "a full pipe is not waited for");
	start = seconds();
	ok(io_write(ends[1], "x", 1, PATIENCE) == -ETIMEDOUT, "or in vain");
	ok(seconds() - start >= PATIENCE / 1e3 * 0.9, "for as long as is said");
	start = seconds();
	for (int i = 0; i < 300; i++)
		io_write(ends[1], "x", 1, PATIENCE);
	ok(seconds() - start < 300 * PATIENCE / 1e3 / 2, "but once");
	ok(fcntl(ends[1], F_GETFL) == flags, "flags that are shared are as before");
	ok(read(ends[0], large, 8192) == 8192, "the reader comes");
	ok(!io_write(ends[1], large, 4096, PATIENCE), "what fits is written");
	ok(io_write(ends[1], large, 8192, PATIENCE) == -ETIMEDOUT, "what does not is told");
	close(ends[0]);
	close(ends[1]);
}

/* Where no descriptor can be opened. */
static void without(void)
{
	struct rlimit none = { 1, RLIM_INFINITY }, before;
	int ends[2], fd = broken_pipe();

	full_pipe(ends);
	getrlimit(RLIMIT_NOFILE, &before);
	none.rlim_max = before.rlim_max;
	setrlimit(RLIMIT_NOFILE, &none);
	ok(io_write(ends[1], large, LARGE, PATIENCE) == -ETIMEDOUT, "no descriptors: a full pipe");
	if (read(ends[0], large, 6000) != 6000)
		diag("cannot read");
	ok(io_write(ends[1], large, LARGE, PATIENCE) == -ETIMEDOUT, "no descriptors: some room");
	ok(io_write(fd, large, LARGE, PATIENCE) == -EPIPE, "no descriptors: a broken pipe");
	setrlimit(RLIMIT_NOFILE, &before);
	close(fd);
	close(ends[0]);
	close(ends[1]);
}

static void *drain(void *data)
{
	int fd = *(int *)data;
	static char text[5000];
	long sum = 0, got;

	while ((got = read(fd, text, sizeof(text))) > 0) {
		for (long i = 0; i < got; i++)
			sum += text[i];
		usleep(100);
	}
	return (void *)sum;
}

static void slow(int socket)
{
	int ends[2], size = 4096;
	pthread_t thread;
	void *sum;
	long right = 0;

	if (socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends))
		exit(99);
	if (socket)
		setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	for (int i = 0; i < LARGE; i++)
		right += large[i] = (char)(i % 100);
	pthread_create(&thread, NULL, drain, &ends[0]);
	ok(!io_write(ends[1], large, LARGE, IO_REPORT), "a slow reader of a %s is waited for",
	   socket ? "socket" : "pipe");
	close(ends[1]);
	pthread_join(thread, &sum);
	ok((long)sum == right, "and gets it all");
	close(ends[0]);
	memset(large, 0, sizeof(large));
}

static void fifos(void)
{
	char path[] = "io-XXXXXX", text[8];
	int fd;

	fd = mkstemp(path);
	close(fd);
	unlink(path);
	if (mkfifo(path, 0600))
		exit(99);
	ok(io_open(path, O_WRONLY, IO_NOW) == -EPIPE, "a FIFO without a reader is told");
	ok(io_open(path, O_WRONLY | O_CREAT | O_TRUNC, PATIENCE) == -EPIPE, "or waited for in vain");
	ok(io_read_file(path, text, sizeof(text), PATIENCE) == -ENODATA && !*text,
	   "one without a writer, too");
	fd = open(path, O_RDWR);
	if (write(fd, "text", 4) != 4)
		diag("cannot write");
	ok(io_open(path, O_WRONLY, IO_NOW) >= 0, "one that is open is opened");
	ok(io_read_file(path, text, 5, PATIENCE) == 4 && !strcmp(text, "text"), "and read");
	unlink(path);
	ok(io_open(path, O_WRONLY, PATIENCE) == -ENOENT, "no file");
}

/* In the background of a terminal that stops who writes there. */
static int background(const char *name)
{
	struct termios mode;
	pid_t child;
	int fd, status;

	setsid();
	fd = open(name, O_RDWR);
	if (fd < 0 || tcgetattr(fd, &mode))
		return 99;
	mode.c_lflag |= TOSTOP;
	if (tcsetattr(fd, TCSANOW, &mode) || tcgetpgrp(fd) != getpid())
		return 98;
	child = fork();
	if (!child) {
		setpgid(0, 0);
		_exit(io_write(fd, "x", 1, IO_REPORT) ? 97 : 7);
	}
	setpgid(child, child);
	if (waitpid(child, &status, WUNTRACED) != child)
		return 96;
	if (!WIFSTOPPED(status))
		return WEXITSTATUS(status);
	kill(child, SIGKILL);
	return 95;
}

static void terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), status = 0;
	pid_t child;

	if (master < 0 || grantpt(master) || unlockpt(master)) {
		ok(true, "stty tostop # SKIP no terminals here");
		return;
	}
	child = fork();
	if (!child)
		_exit(background(ptsname(master)));
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 7, "stty tostop: nobody is stopped (%d)",
	   WEXITSTATUS(status));
	close(master);
}

/* Its other side reads nothing, as where Ctrl-S was typed. */
static void stopped_terminal(bool none)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave = -1;
	struct rlimit limit = { 1, RLIM_INFINITY }, before;

	if (master >= 0 && !grantpt(master) && !unlockpt(master))
		slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	getrlimit(RLIMIT_NOFILE, &before);
	limit.rlim_max = before.rlim_max;
	if (none)
		setrlimit(RLIMIT_NOFILE, &limit);
	ok(slave < 0 || io_write(slave, large, LARGE, PATIENCE) == -ETIMEDOUT,
	   "a terminal that takes nothing%s", none ? ", without descriptors" : "");
	setrlimit(RLIMIT_NOFILE, &before);
	close(slave);
	close(master);
}

static void *cancelled(void *fd)
{
	char text[8];
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	pthread_cancel(pthread_self());
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	io_write(*(int *)fd, "x", 1, PATIENCE);
	io_close(io_open("/dev/null", O_RDWR, IO_NOW));
	io_read_file("/proc/self/comm", text, sizeof(text), IO_NOW);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	return NULL;
}

static void cancellation(void)
{
	pthread_t thread;
	int ends[2];
	void *result = PTHREAD_CANCELED;

	full_pipe(ends);
	pthread_create(&thread, NULL, cancelled, &ends[1]);
	pthread_join(thread, &result);
	ok(!result, "no cancellation point acts");
}

/* The system call, from now on. */
static bool forget(int number)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* As long as it was asked for, and no longer than it was. */
static void short_of_a_block(void)
{
	FILE *file = tmpfile();
	int fd = fileno(file);

	ok(!io_reserve(fd, 0, 10000) && lseek(fd, 0, SEEK_END) == 10000, "room of no whole blocks");
	ok(!io_reserve(fd, 0, 5000) && lseek(fd, 0, SEEK_END) == 10000, "... that is there already");
	fclose(file);
}

int main(void)
{
	broken();
	limited();
	short_of_a_block();
	full();
	without();
	slow(0);
	slow(1);
	fifos();
	terminal();
	stopped_terminal(false);
	stopped_terminal(true);
	cancellation();
	ok(!strcmp(io_reason(-ENOSPC), io_reason(ENOSPC)), "reasons, of either sign");
	if (forget(SYS_fallocate)) {
		diag("no file system that reserves");
		limited();
		short_of_a_block();
	}
	if (forget(SYS_pwritev2)) {
		/* Before Linux 6.4 no write to a pipe can be told not to wait. */
		diag("an older kernel");
		broken();
		full();
		without();
		slow(0);
		cancellation();
	} else {
		diag("no filters of system calls");
	}
	return done_testing();
}
