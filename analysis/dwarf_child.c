/* SPDX-License-Identifier: Apache-2.0 */
/* The process that libdw runs in, as the tool sees it. */
#include "analysis/dwarf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/debuginfod.h"
#include "util/io.h"

enum {
	ANSWER_MS = 20000,		/* for one answer */
	ALL_MS = 120000,		/* for all of them */
	DOWNLOAD_MS = 60000,		/* for one, where debug files are downloaded */
	ALL_DOWNLOADS_MS = 300000,
	STARTS = 64,			/* children in all: each damaged library takes one */
	DESCRIPTORS = 65536
};

#define MEMORY (UINT64_C(8) << 30)	/* of the child, beside what it has at its start */

struct dwarf {
	pid_t child;		/* 0: none runs */
	int socket;
	unsigned int starts;
	bool downloads;
	uint64_t spent_ms;
	uint8_t *known;		/* a bit for each library that the child knows */
	uint32_t nknown;	/* of bits */
	char *texts;		/* of the answer at hand */
};

struct dwarf *dwarf_new(void)
{
	struct dwarf *dwarf = calloc(1, sizeof(*dwarf));
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (!dwarf)
		return NULL;
	dwarf->downloads = urls && *urls;
	dwarf->texts = malloc(2 * DWARF_FRAMES * (size_t)DWARF_TEXT);
	if (dwarf->texts)
		return dwarf;
	free(dwarf);
	return NULL;
}

static void stop(struct dwarf *dwarf)
{
	if (!dwarf->child)
		return;
	kill(dwarf->child, SIGKILL);
	while (waitpid(dwarf->child, NULL, 0) < 0 && errno == EINTR)
		;
	close(dwarf->socket);
	dwarf->child = 0;
}

/* The memory that the process has by itself may be much, under a sanitizer. */
static void limit_memory(void)
{
	char text[256];
	const char *at = text;
	struct rlimit limit;

	if (io_read_file("/proc/self/statm", text, sizeof(text), IO_NOW) <= 0)
		return;
	/* size resident shared text lib data dt, in pages */
	for (int i = 0; i < 5 && at; i++)
		at = strchr(at + 1, ' ');
	if (!at || getrlimit(RLIMIT_DATA, &limit))
		return;
	limit.rlim_cur = io_number(at + 1) * (uint64_t)sysconf(_SC_PAGESIZE) + MEMORY;
	if (limit.rlim_cur < limit.rlim_max)
		setrlimit(RLIMIT_DATA, &limit);
}

static void close_others(int kept)
{
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, kept + 1, ~0u, 0) &&
	    (kept == 3 || !syscall(SYS_close_range, 3, kept - 1, 0)))
		return;
#endif
	for (int fd = 3; fd < DESCRIPTORS; fd++)
		if (fd != kept)
			close(fd);
}

/* The tool's files, signal handlers and terminal are nothing to it. */
static void become_child(int socket, bool downloads)
{
	static const struct rlimit no_core = { 0, 0 };
	int nothing = open("/dev/null", O_RDWR), score;
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int fd = 0; fd < 3; fd++)
		if (nothing < 0 || dup2(nothing, fd) < 0)
			close(fd);
	close_others(socket);
	setrlimit(RLIMIT_CORE, &no_core);
	limit_memory();
	score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (score >= 0) {
		io_write(score, "1000", 4, IO_NOW);
		close(score);
	}
	if (!downloads)
		unsetenv("DEBUGINFOD_URLS");
}

/* 0, or -EAGAIN. */
static int start(struct dwarf *dwarf)
{
	sigset_t all, saved;
	int sockets[2];
	pid_t child;

	if (dwarf->child)
		return 0;
	if (dwarf->starts++ >= STARTS || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return -EAGAIN;
	/* A handler of the tool's must not run in the child: it removes what is unfinished. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &saved);
	child = fork();
	if (!child) {
		/* 0, 1 and 2 are given away there. */
		int socket = fcntl(sockets[1], F_DUPFD_CLOEXEC, 3);

		if (socket < 0)
			_exit(1);
		become_child(socket, dwarf->downloads);
		dwarf_serve(socket);
	}
	sigprocmask(SIG_SETMASK, &saved, NULL);
	close(sockets[1]);
	if (child < 0) {
		close(sockets[0]);
		return -EAGAIN;
	}
	dwarf->child = child;
	dwarf->socket = sockets[0];
	if (dwarf->nknown)
		memset(dwarf->known, 0, dwarf->nknown / 8);
	return 0;
}

/* A bit of a library; NULL when memory is out. */
static uint8_t *bit_of(struct dwarf *dwarf, uint32_t library)
{
	if (library >= dwarf->nknown) {
		uint32_t room = (library / 1024 + 1) * 1024;
		uint8_t *known = realloc(dwarf->known, room / 8);

		if (!known)
			return NULL;
		memset(known + dwarf->nknown / 8, 0, (room - dwarf->nknown) / 8);
		dwarf->known = known;
		dwarf->nknown = room;
	}
	return &dwarf->known[library / 8];
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static int give(struct dwarf *dwarf, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t sent = send(dwarf->socket, at, size, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return -EIO;
		at += sent;
		size -= (size_t)sent;
	}
	return 0;
}

static int take(struct dwarf *dwarf, void *data, size_t size, uint64_t deadline)
{
	char *at = data;

	while (size) {
		struct pollfd wait = { .fd = dwarf->socket, .events = POLLIN };
		uint64_t now = now_ms();
		ssize_t got;

		if (now >= deadline)
			return -ETIMEDOUT;
		if (poll(&wait, 1, (int)(deadline - now)) <= 0)
			continue;
		got = recv(dwarf->socket, at, size, MSG_DONTWAIT);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got <= 0)
			return -EIO;
		at += got;
		size -= (size_t)got;
	}
	return 0;
}

static int put_question(struct dwarf *dwarf, const struct dwarf_question *question)
{
	uint8_t *bit = bit_of(dwarf, question->library), mask = (uint8_t)(1 << question->library % 8);
	struct dwarf_wire_question wire = { .library = question->library, .address = question->address };
	int error;

	if (!bit)
		return -ENOMEM;
	if (!(*bit & mask)) {
		wire.path_size = (uint32_t)strlen(question->path);
		wire.id_size = question->id_size < ELF_ID ? question->id_size : ELF_ID;
		memcpy(wire.id, question->id, wire.id_size);
	}
	error = give(dwarf, &wire, sizeof(wire));
	if (!error && wire.path_size)
		error = give(dwarf, question->path, wire.path_size);
	*bit |= mask;
	return error;
}

/* What it says is not believed either. */
static int take_answer(struct dwarf *dwarf, struct dwarf_answer *answer, uint64_t deadline)
{
	struct dwarf_wire_answer wire;
	char *text = dwarf->texts;
	int error = take(dwarf, &wire, sizeof(wire), deadline);

	if (!error && (wire.count > DWARF_FRAMES || (wire.error && wire.error != -ENOENT)))
		error = -EIO;
	for (uint32_t i = 0; !error && i < wire.count; i++) {
		struct dwarf_wire_frame frame;

		error = take(dwarf, &frame, sizeof(frame), deadline);
		if (!error && (frame.function_size > DWARF_TEXT || frame.file_size > DWARF_TEXT))
			error = -EIO;
		if (!error)
			error = take(dwarf, text, (size_t)frame.function_size + frame.file_size, deadline);
		answer->frames[i] = (struct dwarf_frame){
			text, text + frame.function_size, frame.function_size, frame.file_size, frame.line };
		text += (size_t)frame.function_size + frame.file_size;
	}
	answer->count = error ? 0 : wire.count;
	answer->download = error ? 0 : wire.download;
	return error ?: wire.error;
}

int dwarf_ask(struct dwarf *dwarf, const struct dwarf_question *question,
	      struct dwarf_answer *answer)
{
	uint64_t all = dwarf->downloads ? ALL_DOWNLOADS_MS : ALL_MS, began = now_ms();
	uint64_t one = dwarf->downloads ? DOWNLOAD_MS : ANSWER_MS;
	int error;

	answer->count = 0;
	answer->download = 0;
	if (dwarf->spent_ms >= all)
		return -ETIMEDOUT;
	if (one > all - dwarf->spent_ms)
		one = all - dwarf->spent_ms;
	error = start(dwarf) ?: put_question(dwarf, question) ?:
		take_answer(dwarf, answer, began + one);
	dwarf->spent_ms += now_ms() - began;
	if (error && error != -ENOENT)
		stop(dwarf);
	/* A server that does not answer is not asked about every library. */
	if (error == -ETIMEDOUT || !debuginfod_goes_on(answer->download))
		dwarf->downloads = false;
	return error;
}

void dwarf_free(struct dwarf *dwarf)
{
	if (!dwarf)
		return;
	stop(dwarf);
	free(dwarf->known);
	free(dwarf->texts);
	free(dwarf);
}
