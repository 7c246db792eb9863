/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of the core by themselves: the clock, whose reads take as long as they are made to, and
 * what is read of libraries in memory that is not all there.
 */
#include <cuaudit/clock.h>
#include <stdint.h>
#include <sys/mman.h>

static uint64_t watched_ticks(void);

#define cuaudit_ticks watched_ticks
#include "hooks/clock.c"
#include "hooks/clock_read.c"
#undef cuaudit_ticks
#include "hooks/caller.c"
#include "hooks/safe_read.c"

#include "t/fuzz/chance.h"
#include "t/tap.h"

enum {
	SEEDS = 500, PAIRS = 8, RATE = 3, SECOND = 1000000000,
	SHORT_NS = 20, LONG_NS = 200 * 1000
};


static uint64_t moment;		/* nanoseconds; the counter has RATE ticks for each */
static unsigned int nreads;	/* of the counter */
static unsigned int quiet;	/* the pair of reads, among PAIRS, that nothing comes between */
static const char *sources;	/* the kernel's list */

/* Each read of a clock takes a while; in all pairs but one the process may lose the processor. */
static void pass(void)
{
	moment += nreads / 2 % PAIRS == quiet ? SHORT_NS : SHORT_NS + chance(LONG_NS);
}

static uint64_t watched_ticks(void)
{
	uint64_t now;

	pass();
	now = moment;
	nreads++;
	return cuaudit_clock.source == CUAUDIT_CLOCK_COUNTER ? now * RATE : now;
}

/* In the core's place of libc's. */
int clock_gettime(clockid_t id, struct timespec *time)
{
	pass();
	time->tv_sec = (time_t)(moment / SECOND) + (id == CLOCK_REALTIME ? SECOND : 0);
	time->tv_nsec = (long)(moment % SECOND);
	return 0;
}

bool sandbox_is_own(void)
{
	return true;
}

long io_read_file(const char *path, char *text, size_t size, int patience)
{
	(void)path, (void)patience;
	return sources ? snprintf(text, size, "%s", sources) : -1;
}

static void start(const char *list)
{
	memset(&cuaudit_clock, 0, sizeof(cuaudit_clock));
	sources = list;
	moment = 5 * (uint64_t)SECOND + chance(SECOND);
	nreads = 0;
	quiet = (unsigned int)chance(PAIRS);
	clock_setup();
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Of eight pairs of reads the one that counts is that of which the time is known best. */
static void test_calibration(void)
{
	const uint64_t hz = (uint64_t)RATE * SECOND;
	unsigned int begins = 0, first = 0, second = 0, early = 0;
	struct cuaudit_clock_state before;

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		chance_begin(seed, 0);
		start("tsc hpet acpi_pm \n");
		begins += apart(begin_ticks, begin_ns * RATE) > 2 * SHORT_NS * RATE ||
			  cuaudit_clock.start_ticks != begin_ticks ||
			  apart(cuaudit_clock.start_ns, begin_ns + SECOND * (uint64_t)SECOND) >
				2 * PAIRS * 3 * LONG_NS;
		first += apart(cuaudit_clock.hz, hz) > hz / 5000;
		before = cuaudit_clock;
		/* A clock that has not gone on tells nothing. */
		moment = begin_ns - 1000;
		clock_calibrate();
		early += memcmp(&before, &cuaudit_clock, sizeof(before)) != 0;
		moment = begin_ns + 10 * (uint64_t)SECOND;
		quiet = (unsigned int)chance(PAIRS);
		clock_calibrate();
		second += apart(cuaudit_clock.hz, hz) > 100 ||
			  apart(cuaudit_clock_ns(hz), SECOND) > 100;
	}
	is_int(begins, 0, "the start is read at one time by both clocks");
	is_int(first, 0, "the rate after half a millisecond is off by less than 0.02 percent");
	is_int(early, 0, "a time before the start changes nothing");
	is_int(second, 0, "after ten seconds it is off by some ten nanoseconds");
}

static void test_sources(void)
{
#ifdef __x86_64__
	static const struct {
		const char *list;
		bool counter;
	} cases[] = {
		{ "tsc\n", true }, { "hpet tsc acpi_pm \n", true }, { "kvm-clock tsc\n", true },
		{ "hpet acpi_pm \n", false }, { "tsc-early hpet\n", false }, { "xtsc\n", false },
		{ "ts c\n", false }, { "", false }, { NULL, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		start(cases[i].list);
		is_int(cuaudit_clock.source, cases[i].counter ? CUAUDIT_CLOCK_COUNTER :
		       CUAUDIT_CLOCK_MONOTONIC, "the kernel lists '%.*s'",
		       cases[i].list ? (int)strcspn(cases[i].list, "\n") : 0,
		       cases[i].list ? cases[i].list : "");
		if (cases[i].counter)
			continue;
		moment += SECOND;
		clock_calibrate();
		ok(cuaudit_clock_ns(12345) == 12345 && cuaudit_clock.hz == SECOND,
		   "... ticks are nanoseconds");
	}
#endif
}

/* What the core's part for callers takes from the rest. */
static struct link_object chunk[LINK_CHUNK];
static struct link_table table = { .chunks = { chunk } };
struct link_table *cuaudit_core_link = &table;

const struct link_object *library_object(uintptr_t address)
{
	(void)address;
	return NULL;
}

const struct cuaudit_library *library_of(const struct link_object *object)
{
	(void)object;
	return NULL;
}

bool stack_readable(struct thread *thread, uintptr_t from, uintptr_t to)
{
	(void)thread;
	return safe_read_page(from) && safe_read_page(to - 1);
}

uint32_t unwound_backtrace(const void *caller, const void **frames, uint32_t max)
{
	(void)caller, (void)frames, (void)max;
	return 0;
}

/*
 * A library of three pages, of which the last cannot be read, and its program headers at any
 * place: found if they can be read, else there are none.
 */
static void test_headers(void)
{
	enum { HEADERS = 3, BIAS = 0x1000, SIZE = HEADERS * sizeof(ElfW(Phdr)) };
	char *pages = mmap(NULL, 3 * PEEK_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	const struct cuaudit_library library = { "/library", "library", 1 };
	ElfW(Ehdr) *header = (ElfW(Ehdr) *)pages;
	unsigned int wrong = 0, found = 0;
	uint8_t id[8];

	mprotect(pages + 2 * PEEK_PAGE, PEEK_PAGE, PROT_NONE);
	atomic_store(&chunk[0].lo, (uintptr_t)pages);
	for (size_t at = PEEK_PAGE; at < 2 * PEEK_PAGE + SIZE; at += 8) {
		for (int whole = 0; whole < 2; whole++) {
			size_t end = whole ? 3 * PEEK_PAGE : PEEK_PAGE + SIZE;
			bool there = at + SIZE <= 2 * PEEK_PAGE && at + SIZE <= end;
			uint64_t base;

			memset(pages, 0, 2 * PEEK_PAGE);
			memcpy(header->e_ident, ELFMAG, SELFMAG);
			header->e_phentsize = sizeof(ElfW(Phdr));
			header->e_phnum = HEADERS;
			header->e_phoff = at;
			atomic_store(&chunk[0].hi, (uintptr_t)pages + end);
			if (at + sizeof(ElfW(Phdr)) <= 2 * PEEK_PAGE)
				*(ElfW(Phdr) *)(pages + at) = (ElfW(Phdr)){
					.p_type = PT_LOAD, .p_vaddr = BIAS,
				};
			base = cuaudit_library_base(&library);
			wrong += base != (there ? (uintptr_t)pages - BIAS : 0) ||
				 cuaudit_library_build_id(&library, id, sizeof(id)) != 0;
			found += base != 0;
		}
	}
	is_int(wrong, 0, "program headers are read where all of them can be");
	ok(found > 10, "%u times", found);
	munmap(pages, 3 * PEEK_PAGE);
}

/* Notes up to the end of what can be read, of which the last may be cut off. */
static void test_notes(void)
{
	enum { MOST = 5, ROOM = MOST * 64, ID = 12 };
	char *pages = mmap(NULL, 2 * PEEK_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	unsigned int wrong = 0, found = 0;

	mprotect(pages + PEEK_PAGE, PEEK_PAGE, PROT_NONE);
	for (uint64_t seed = 0; seed < 20 * SEEDS; seed++) {
		char notes[ROOM];
		uint8_t id[ID], given[ID];
		uintptr_t alignment, used = 0, at = 0, size = 0, cut, start;
		uint32_t length;

		chance_begin(seed, 1);
		alignment = chance(2) ? 4 : 8;
		memset(notes, 'x', sizeof(notes));
		for (uint64_t left = 1 + chance(MOST); left; left--) {
			bool is_id = !chance(3);
			ElfW(Nhdr) note = {
				.n_namesz = is_id ? sizeof("GNU") : (ElfW(Word))chance(9),
				.n_descsz = (ElfW(Word))chance(24),
				.n_type = is_id ? NT_GNU_BUILD_ID : (ElfW(Word))chance(5),
			};

			memcpy(notes + used, &note, sizeof(note));
			used += sizeof(note);
			if (is_id)
				memcpy(notes + used, "GNU", sizeof("GNU"));
			used = round_up(used + note.n_namesz, alignment);
			if (is_id && !at) {
				at = used;
				size = note.n_descsz;
				for (uintptr_t i = 0; i < size; i++)
					notes[at + i] = (char)chance(256);
			}
			used = round_up(used + note.n_descsz, alignment);
		}
		cut = chance(2) ? used : chance(used / alignment + 1) * alignment;
		start = (uintptr_t)pages + PEEK_PAGE - cut;
		memcpy((void *)start, notes, cut);
		memset(id, 0, sizeof(id));
		length = find_note(start, start + cut, alignment, id, sizeof(id));
		memset(given, 0, sizeof(given));
		if (at && at + size <= cut)
			memcpy(given, notes + at, size < ID ? size : ID);
		else
			size = 0;
		wrong += length != size || memcmp(id, given, sizeof(id)) != 0;
		found += length != 0;
	}
	is_int(wrong, 0, "the build-id among notes, and no other, if it is whole");
	ok(found > SEEDS, "%u times", found);
	munmap(pages, 2 * PEEK_PAGE);
}

int main(void)
{
	test_headers();
	test_notes();
	test_calibration();
	test_sources();
	return done_testing();
}
