/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The auditor's messages, on whatever descriptor 2 is: the program keeps its mask, its descriptors
 * and the signals sent to it, also those that come during the write; it gets none of ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "arch.h"

static void (*meanwhile)(void);	/* runs before the message's own write */
static long polls[4];		/* nanoseconds that each ppoll was given */
static unsigned int npolls;
static bool wakes;		/* the reader, as soon as it is waited for */
static int reader = -1;

static void drain(void)
{
	char drained[4096];

	fcntl(reader, F_SETFL, O_NONBLOCK);
	while (read(reader, drained, sizeof(drained)) > 0)
		;
}

static long watched_syscall6(long n, long a, long b, long c, long d, long e, long f)
{
	if ((n == SYS_write || n == SYS_sendto) && meanwhile) {
		void (*now)(void) = meanwhile;

		meanwhile = NULL;
		now();
	}
	if (n == SYS_ppoll && npolls < sizeof(polls) / sizeof(polls[0]))
		polls[npolls++] = ((const struct timespec *)c)->tv_nsec;
	if (n == SYS_ppoll && wakes)
		drain();
	return arch_syscall6(n, a, b, c, d, e, f);
}

#define arch_syscall6 watched_syscall6
#include "audit/message.c"
#undef arch_syscall6

#include "t/tap.h"

enum { OWN = 2, VALUE = 42, WRONG = 90, LONGEST = 60 /* s */ };

static const char text[] = "cuaudit: a message\n";

static bool no_proc;

int sys_open(const char *path, int flags)
{
	int fd = open(no_proc ? "" : path, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static bool usable = true;

bool sys_stderr_usable(void)
{
	return usable;
}

size_t sys_strlen(const char *string)
{
	return strlen(string);
}

static void message(void)
{
	message_say("a mess", "age", NULL);
}

static void become_two(int fd)
{
	if (fd < 0 || dup2(fd, OWN) < 0 || close(fd))
		_exit(WRONG);
}

/* Descriptor 2 with nobody, or somebody, at the other end. */
static void connect_two(bool socket, bool somebody)
{
	int ends[2];

	if (socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends))
		_exit(WRONG);
	if (somebody)
		reader = ends[0];
	else
		close(ends[0]);
	become_two(ends[1]);
}

static void fill(void)
{
	static const char zeros[4096];
	int flags = fcntl(OWN, F_GETFL);

	fcntl(OWN, F_SETFL, flags | O_NONBLOCK);
	while (write(OWN, zeros, sizeof(zeros)) > 0 || write(OWN, zeros, 1) > 0)
		;
	fcntl(OWN, F_SETFL, flags);
}

static void temporary(void)
{
	char name[] = "/tmp/cuaudit-message-XXXXXX";

	become_two(mkstemp(name));
	unlink(name);
}

static void good_pipe(void)
{
	connect_two(false, true);
}

static void good_socket(void)
{
	connect_two(true, true);
}

static void broken_pipe(void)
{
	connect_two(false, false);
}

static void broken_socket(void)
{
	connect_two(true, false);
}

static void full_pipe(void)
{
	good_pipe();
	fill();
}

/* One that cannot be opened again. */
static void sealed_pipe(void)
{
	full_pipe();
	no_proc = true;
}

/* No descriptor may be polled, and none opened. */
static void no_descriptors(void)
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_NOFILE, &none);
}

static void lone_pipe(void)
{
	good_pipe();
	no_descriptors();
}

static void lone_full_pipe(void)
{
	full_pipe();
	no_descriptors();
}

static void full_socket(void)
{
	good_socket();
	fill();
}

static void limited_file(void)
{
	const struct rlimit none = { 0, 0 };

	temporary();
	setrlimit(RLIMIT_FSIZE, &none);
}

static void full_device(void)
{
	become_two(open("/dev/full", O_WRONLY));
}

static void read_only(void)
{
	become_two(open("/dev/null", O_RDONLY));
}

static void closed(void)
{
	close(OWN);
}

static const struct outlet {
	const char *name;
	void (*make)(void);
	int signal;	/* what a write(2) there sends, 0: nothing */
	bool arrives;
} outlets[] = {
	{ "a pipe", good_pipe, 0, true },
	{ "a socket", good_socket, 0, true },
	{ "a file", temporary, 0, true },
	{ "a broken pipe", broken_pipe, SIGPIPE, false },
	{ "a broken socket", broken_socket, SIGPIPE, false },
	{ "a full pipe", full_pipe, 0, false },
	{ "a full pipe, without /proc", sealed_pipe, 0, false },
	{ "a pipe, without descriptors", lone_pipe, 0, true },
	{ "a full pipe, without descriptors", lone_full_pipe, 0, false },
	{ "a full socket", full_socket, 0, false },
	{ "a file at its limit", limited_file, SIGXFSZ, false },
	{ "a full device", full_device, 0, false },
	{ "a descriptor for reading", read_only, 0, false },
	{ "a closed descriptor", closed, 0, false },
};

static volatile pid_t child;

/* Messages are written with all signals blocked. */
static void end_child(int alarm_number)
{
	(void)alarm_number;
	kill(child, SIGKILL);
}

/* check in a process of its own: what it answers, 128 and the signal that it died of. */
static int apart(int (*check)(const void *), const void *data)
{
	int status = 0;

	fflush(stdout);
	alarm(LONGEST);
	child = fork();
	if (!child) {
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);
		_exit(check(data));
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return WRONG;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool arrived(void)
{
	char got[sizeof(text)] = "";

	if (reader < 0)
		return pread(OWN, got, sizeof(got), 0) == sizeof(text) - 1 && !strcmp(got, text);
	return read(reader, got, sizeof(got)) == sizeof(text) - 1 && !strcmp(got, text);
}

static int lowest_free(void)
{
	int fd = dup(STDIN_FILENO);

	close(fd);
	return fd;
}

/* Blocked or not, and twice, as the second finds out what the first left. */
static int leaves_nothing(const void *data)
{
	const struct outlet *outlet = data;
	sigset_t mask, after;
	int free_one, flags;

	outlet->make();
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	for (int turn = 0; turn < 2; turn++) {
		sigprocmask(SIG_SETMASK, &mask, NULL);
		free_one = lowest_free();
		flags = fcntl(OWN, F_GETFL);
		message();
		if (sigpending(&after) || sigismember(&after, SIGPIPE) || sigismember(&after, SIGXFSZ))
			return 1;
		sigprocmask(SIG_SETMASK, NULL, &after);
		for (int number = 1; number < SIGRTMAX; number++)
			if (sigismember(&after, number) != sigismember(&mask, number))
				return 2;
		if (lowest_free() != free_one || fcntl(OWN, F_GETFL) != flags)
			return 3;
		if (!turn && outlet->arrives && !arrived())
			return 4;
		sigaddset(&mask, SIGPIPE);
		sigaddset(&mask, SIGXFSZ);
	}
	return 0;
}

/* A signal of the program's own, which is blocked there. */
static int number;

static void to_process(void)
{
	kill(getpid(), number);
}

static void to_thread(void)
{
	raise(number);
}

static void with_value(void)
{
	const union sigval value = { .sival_int = VALUE };

	pthread_sigqueue(pthread_self(), number, value);
}

static void from_child(void)
{
	pid_t other = fork();

	if (!other)
		_exit(kill(getppid(), number) != 0);
	waitpid(other, NULL, 0);
}

/* By its own write to such a place. */
static void by_write(void)
{
	if (write(OWN, text, 1) > 0)
		_exit(WRONG);
}

static const struct sender {
	const char *name;
	void (*send)(void);
	int code;
	bool before, meanwhile;	/* when it can come */
} senders[] = {
	{ "by kill", to_process, SI_USER, true, true },
	/* glibc answers SI_USER for SI_TKILL. */
	{ "by raise", to_thread, SI_USER, true, true },
	{ "by pthread_sigqueue", with_value, SI_QUEUE, true, true },
	{ "by another process", from_child, SI_USER, true, true },
	{ "by a write", by_write, SI_USER, true, false },
};

static const struct outlet *outlet;
static const struct sender *sender;

static int keeps_signals(const void *data)
{
	const struct timespec none = { 0, 0 };
	siginfo_t info;
	sigset_t set;

	outlet->make();
	number = outlet->signal;
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (data)
		meanwhile = sender->send;
	else
		sender->send();
	message();
	if (sigtimedwait(&set, &info, &none) != number)
		return 1;
	if (info.si_code != sender->code)
		return 2;
	if (sender->code == SI_QUEUE && info.si_value.sival_int != VALUE)
		return 3;
	if (sender->code == SI_USER && (info.si_pid == getpid()) == (sender->send == from_child))
		return 4;
	return sigtimedwait(&set, &info, &none) > 0 ? 5 : 0;
}

/* A reader that sleeps is waited for once, and again when it took something. */
static int waits_once(const void *data)
{
	(void)data;
	full_pipe();
	message();
	message();
	drain();
	message();
	if (!arrived())
		return 1;
	fill();
	message();
	return npolls != 3 || !polls[0] || polls[1] || polls[2] != polls[0];
}

/* It reads while it is waited for; the next one is waited for, too. */
static int waits_for_it(const void *data)
{
	(void)data;
	full_pipe();
	wakes = true;
	for (int i = 0; i < 2; i++) {
		message();
		if (!arrived())
			return 1;
		fill();
	}
	return npolls != 2 || !polls[0] || polls[1] != polls[0];
}

/* Of a text of any length there is one line, and no more than there is room for. */
static int cuts_lines(const void *data)
{
	enum { MOST = LINE - 2 };
	static char long_text[3 * LINE], whole[4 * LINE], got[4 * LINE];

	(void)data;
	good_pipe();
	for (size_t length = 0; length < sizeof(long_text) - 1; length++) {
		int want = snprintf(whole, sizeof(whole), "cuaudit: %s and more", long_text);

		if (want > MOST)
			want = MOST;
		message_say(long_text, " and ", "more", NULL);
		if (read(reader, got, sizeof(got)) != want + 1 || memcmp(got, whole, (size_t)want) ||
		    got[want] != '\n')
			return 1;
		long_text[length] = (char)('a' + length % 26);
	}
	return 0;
}

/* Descriptor 2 is the end of a pipe that is read from, whose other end the program has too. */
static int leaves_reader(const void *data)
{
	int ends[2];
	char byte;

	(void)data;
	if (pipe(ends) || fcntl(ends[0], F_SETFL, O_NONBLOCK))
		return WRONG;
	become_two(ends[0]);
	message();
	return read(OWN, &byte, 1) >= 0 || errno != EAGAIN;
}

static int is_silent(const void *data)
{
	char byte;

	(void)data;
	good_pipe();
	fcntl(reader, F_SETFL, O_NONBLOCK);
	usable = false;
	message();
	return read(reader, &byte, 1) >= 0 || errno != EAGAIN;
}

int main(void)
{
	const struct sigaction action = { .sa_handler = end_child, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	for (size_t i = 0; i < sizeof(outlets) / sizeof(outlets[0]); i++)
		is_int(apart(leaves_nothing, &outlets[i]), 0, "%s: nothing is left behind",
		       outlets[i].name);
	for (size_t i = 0; i < sizeof(outlets) / sizeof(outlets[0]); i++) {
		outlet = &outlets[i];
		for (size_t k = 0; outlet->signal && k < sizeof(senders) / sizeof(senders[0]); k++) {
			sender = &senders[k];
			if (sender->before)
				is_int(apart(keeps_signals, NULL), 0, "%s, a signal %s before",
				       outlet->name, sender->name);
			if (sender->meanwhile)
				is_int(apart(keeps_signals, sender), 0, "%s, a signal %s meanwhile",
				       outlet->name, sender->name);
		}
	}
	is_int(apart(cuts_lines, NULL), 0, "texts of all lengths");
	is_int(apart(leaves_reader, NULL), 0, "what is read from is not written to");
	is_int(apart(is_silent, NULL), 0, "nothing is written where that is no place for messages");
	is_int(apart(waits_once, NULL), 0, "a reader that sleeps is waited for once");
	is_int(apart(waits_for_it, NULL), 0, "one that wakes has the message");
	return done_testing();
}
