/* SPDX-License-Identifier: Apache-2.0 */
/* Words of protected pages that many threads write at once, and that the program protects meanwhile. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks/lock.h"
#include "hooks/page_write.h"
#include "t/tap.h"

/* Between ours and the kernel's list is what another thread does in that moment. */
#define maps_find find_mapping
#include "hooks/maps.c"
#undef maps_find
bool maps_find(uintptr_t address, struct maps_line *line);

enum { PAGE = 4096, THREADS = 16, ROUNDS = 400, EACH = 2, AT = PAGE / 8 - THREADS };

static uint64_t *pages;		/* three */
static int at_look, at_end, protection;
static _Atomic int looks;

bool maps_find(uintptr_t address, struct maps_line *line)
{
	int look = ++looks;

	if (look >= at_look && look < at_end)
		mprotect(pages, PAGE, protection);
	return find_mapping(address, line);
}

static void protect(int first, int second)
{
	mprotect(pages, PAGE, first);
	mprotect((char *)pages + PAGE, PAGE, second);
}

static int protected(uint32_t page)
{
	struct maps_line line;

	return find_mapping((uintptr_t)pages + page * PAGE, &line) ? line.protection : -1;
}

/* Words 2n and 2n + 1 of those around the end of the first page. */
static void *write_own(void *data)
{
	uint64_t *at = data, from[EACH] = { at[0], at[1] }, to[EACH], found[EACH];
	intptr_t bad = 0;

	for (uint64_t i = 1; i <= ROUNDS; i++) {
		/* Others write to that page. */
		bad += !page_read(at, found, sizeof(found)) || memcmp(found, from, sizeof(found)) != 0;
		for (int k = 0; k < EACH; k++)
			to[k] = from[k] + 1;
		bad += !page_write(at, from, to, EACH);
		memcpy(from, to, sizeof(to));
	}
	return (void *)bad;
}

/* Their words lie in pages that both are read only: not one write is lost, or faults. */
static int many(void)
{
	pthread_t threads[THREADS];
	intptr_t bad = 0;
	void *more;

	protect(PROT_READ, PROT_READ);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, write_own, pages + AT + EACH * i + 1);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &more);
		bad += (intptr_t)more;
	}
	for (int i = 0; i < THREADS * EACH; i++)
		bad += pages[AT + 1 + i] != ROUNDS;
	return (int)bad + (protected(0) != PROT_READ) + (protected(1) != PROT_READ);
}

/* What a child that runs it ends with; 128 and a signal. */
static int in_child(int (*function)(void))
{
	int status = 0;
	pid_t child = fork();

	if (!child)
		_exit(function() ? 1 : 0);
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* As a child finds them whose parent's thread was writing to both: they are read, written and closed. */
static int left_open(void)
{
	uint64_t from[2] = { 0 }, to[2] = { 1, 2 }, found[2] = { 0 };
	uint64_t *at = pages + PAGE / 8 - 1;
	int bad = 0;

	memset(at, 0, sizeof(from));
	protect(PROT_WRITE, PROT_WRITE);
	bad += !page_read(at, found, sizeof(found)) || memcmp(found, from, sizeof(from)) != 0;
	bad += protected(0) != PROT_READ || protected(1) != PROT_READ;
	protect(PROT_WRITE, PROT_WRITE);
	bad += !page_write(at, from, to, 2) || memcmp(at, to, sizeof(to)) != 0;
	return bad + (protected(0) != PROT_READ || protected(1) != PROT_READ);
}

/*
 * Writes a word that was before, of a page so protected, while from look begin to look end, not
 * included, of ours the program protects it by meanwhile.
 */
static int meanwhile_from, meanwhile_to, meanwhile_how, expected, then;

static int one(void)
{
	uint64_t from = 0, to = 7;
	bool done;

	protect(PROT_READ, PROT_READ);
	looks = 0;
	at_look = meanwhile_from;
	at_end = meanwhile_to;
	protection = meanwhile_how;
	done = page_write(pages, &from, &to, 1);
	if (done != expected || protected(0) != then)
		return 1;
	protect(PROT_READ, PROT_READ);
	return pages[0] != (done ? to : from);
}

static void check(int from, int to, int how, bool writes, int after, const char *name)
{
	meanwhile_from = from;
	meanwhile_to = to;
	meanwhile_how = how;
	expected = writes;
	then = after;
	ok(!in_child(one), "%s", name);
}

int main(void)
{
	lock_setup();
	pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	is_int(in_child(many), 0, "many threads in two pages: each word is written, and both are read only again");
	is_int(in_child(left_open), 0, "pages that fork left open: they are read and written, and closed again");
	check(0, 0, 0, true, PROT_READ, "one thread");
	/* Looks: how it is, whether it is open before the write, and before it is closed. */
	check(2, 3, PROT_READ, true, PROT_READ, "the program protects it before the write: again");
	check(2, 1000, PROT_READ, false, PROT_READ, "each time: nothing is written, nothing faults");
	check(3, 4, PROT_READ | PROT_WRITE, true, PROT_READ | PROT_WRITE, "behind the write: the program's stays");
	check(3, 4, PROT_NONE, true, PROT_NONE, "so does one without access");
	return done_testing();
}
