/* SPDX-License-Identifier: Apache-2.0 */
/* A message written for the user, whatever descriptor 2 is. */
#include "audit/message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "arch.h"
#include "audit/sys.h"
#include "util/text.h"

enum { TWO = 2, PATIENCE = 100 /* ms */, LINE = 1024 };

static bool stalled;

static long call(long n, long a, long b, long c, long d)
{
	return arch_syscall6(n, a, b, c, d, 0, 0);
}

static long mask(int how, const uint64_t *set, uint64_t *old)
{
	return call(SYS_rt_sigprocmask, how, (long)set, (long)old, sizeof(*set));
}

static uint64_t pending(void)
{
	uint64_t set = 0;

	call(SYS_rt_sigpending, (long)&set, sizeof(set), 0, 0);
	return set;
}

/* Takes the signal that our write made pending; one of the program's own is put back. */
static void take(int number, uint64_t before)
{
	const struct timespec none = { 0, 0 };
	uint64_t set = (uint64_t)1 << (number - 1);
	long self = call(SYS_getpid, 0, 0, 0, 0);
	siginfo_t info;

	if (call(SYS_rt_sigtimedwait, (long)&set, (long)&info, (long)&none, sizeof(set)) != number)
		return;
	if (info.si_code != SI_USER || info.si_pid != self ||
	    (before & set && !(pending() & set)))
		call(SYS_rt_tgsigqueueinfo, self, call(SYS_gettid, 0, 0, 0, 0), number, (long)&info);
}

/* Where RLIMIT_NOFILE is 0 no descriptor may be polled; select(2) knows no limit. */
static long select_two(const struct timespec *time)
{
	struct timespec left = *time;
	uint64_t set = 1 << TWO;	/* the kernel reads as many words as there are descriptors */

	return arch_syscall6(SYS_pselect6, TWO + 1, 0, (long)&set, 0, (long)&left, 0);
}

/* Whether it takes something, now or in a moment. */
static bool ready(int fd)
{
	const struct timespec time = { 0, stalled ? 0 : PATIENCE * 1000000L };
	struct pollfd out = { .fd = fd, .events = POLLOUT };
	long found = call(SYS_ppoll, (long)&out, 1, (long)&time, 0);

	if (found == -EINVAL && fd == TWO)
		found = select_two(&time);
	stalled |= found <= 0;
	return found > 0;
}

/* A descriptor of the same pipe or terminal that does not block: those have flags of their own. */
static int open_again(void)
{
	long flags = call(SYS_fcntl, TWO, F_GETFL, 0, 0);

	return (flags & O_ACCMODE) == O_RDONLY ? -EBADF :
	       sys_open("/proc/thread-self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY);
}

static long put(int fd, bool socket, const char *text, size_t length)
{
	long written = -EAGAIN;

	for (int tries = 0; written == -EAGAIN && tries < 2; tries++) {
		if (tries && !ready(fd))
			break;
		written = socket ? arch_syscall6(SYS_sendto, fd, (long)text, (long)length,
						 MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0)
				 : call(SYS_write, fd, (long)text, (long)length, 0);
	}
	return written;
}

/* What may wait for a reader does not here: not a file, which has nobody to wait for. */
static long write_to(const struct stat *status, const char *text, size_t length)
{
	bool waits = S_ISFIFO(status->st_mode) || S_ISCHR(status->st_mode);
	int own = waits ? open_again() : -1;
	long written;

	if (waits && own < 0 && !ready(TWO))
		return -EAGAIN;
	written = put(own < 0 ? TWO : own, S_ISSOCK(status->st_mode), text, length);
	if (own >= 0)
		call(SYS_close, own, 0, 0, 0);
	return written;
}

static void write_line(const char *text, size_t length)
{
	const uint64_t all = ~(uint64_t)0;
	uint64_t saved = 0, before;
	struct stat status;
	long written;

	if (call(SYS_fstat, TWO, (long)&status, 0, 0))
		return;
	mask(SIG_BLOCK, &all, &saved);
	before = pending();
	written = write_to(&status, text, length);
	if (!S_ISSOCK(status.st_mode) && (written == -EPIPE || written == -EFBIG))
		take(written == -EPIPE ? SIGPIPE : SIGXFSZ, before);
	mask(SIG_SETMASK, &saved, NULL);
	stalled = stalled && written < 0;
}

void message_say(const char *first, ...)
{
	char line[LINE];
	size_t used = 0;
	va_list texts;

	va_start(texts, first);
	for (const char *text = "cuaudit: "; text; text = first, first = va_arg(texts, const char *)) {
		/* One line, whatever a path holds. */
		used += text_print(line + used, LINE - 1 - used, text, sys_strlen(text));
		if (!first)
			break;
	}
	va_end(texts);
	line[used++] = '\n';
	if (sys_stderr_usable())
		write_line(line, used);
}
