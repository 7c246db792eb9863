/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of the core by themselves: the clock, whose reads take as long as they are made to, what
 * is read of libraries in memory that is not all there, and which of them an address is in.
 */
#include <cuaudit/clock.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

static uint64_t watched_ticks(void);

#define cuaudit_ticks watched_ticks
#include "hooks/clock.c"
#include "hooks/clock_read.c"
#undef cuaudit_ticks
#include "hooks/caller.c"
#include "hooks/library.c"

/* Counts the system calls of safe_read.c; without process_vm_readv, as in some containers. */
static long watched_call(long number, ...);

#define syscall watched_call
#include "hooks/safe_read.c"
#undef syscall

#include "t/fuzz/chance.h"
#include "t/tap.h"

enum {
	SEEDS = 500, PAIRS = 8, RATE = 3, SECOND = 1000000000,
	SHORT_NS = 20, LONG_NS = 200 * 1000
};


static uint64_t moment;		/* nanoseconds; the counter has RATE ticks for each */
static unsigned int nreads;	/* of the counter */
static unsigned int nclocks;	/* of the system's */
static unsigned int quiet;	/* the pair of reads, among PAIRS, that nothing comes between */
static uint64_t leap;		/* of the namespace's clocks */
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
	uint64_t now;

	pass();
	nclocks++;
	now = moment + (id == CLOCK_REALTIME ? SECOND * (uint64_t)SECOND : leap);
	time->tv_sec = (time_t)(now / SECOND);
	time->tv_nsec = (long)(now % SECOND);
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
	nreads = nclocks = 0;
	leap = 0;
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
		begins += begin_ticks != begin_ns * RATE ||
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

/* Clocks of another time namespace: no rate is made of what they are apart. */
static void test_namespaces(void)
{
	static const int64_t leaps[] = { -1, -4, 1, 1000 };
	const uint64_t hz = (uint64_t)RATE * SECOND;
	unsigned int same = 0, child = 0;

	for (size_t i = 0; i < sizeof(leaps) / sizeof(leaps[0]); i++) {
		chance_begin(i, 0);
		start("tsc\n");
		leap = (uint64_t)leaps[i] * SECOND;
		moment += SECOND;
		clock_calibrate();
		same += apart(cuaudit_clock.hz, hz) > hz / 5000;
		clock_forked();
		moment += 10 * (uint64_t)SECOND;
		clock_calibrate();
		child += apart(cuaudit_clock.hz, hz) > 100;
	}
	is_int(same, 0, "another namespace: the rate stays what it is");
	is_int(child, 0, "a child in one: it is as exact as its time allows");
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
		is_int(nclocks, PAIRS + 1, "... nothing is waited for");
		moment += SECOND;
		clock_calibrate();
		ok(cuaudit_clock_ns(12345) == 12345 && cuaudit_clock.hz == SECOND,
		   "... ticks are nanoseconds");
	}
#endif
}

/* What the core's part for callers takes from the rest. */
enum { CHUNKS = 5, OBJECTS = CHUNKS * LINK_CHUNK };

static struct link_object objects[CHUNKS][LINK_CHUNK];
static struct link_table table;
struct link_table *cuaudit_core_link = &table;

static unsigned int areas;	/* of memory that were asked for */

void *cuaudit_pages(size_t size)
{
	areas++;
	return calloc(1, size);
}

static struct link_object *object_of(size_t number)
{
	return &objects[number / LINK_CHUNK][number % LINK_CHUNK];
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
 * place. A segment that is loaded is any of them, found if all of them can be read, or what is
 * behind them, which is none.
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
	atomic_store(&objects[0][0].lo, (uintptr_t)pages);
	for (size_t at = PEEK_PAGE; at < 2 * PEEK_PAGE + SIZE; at += 8) {
		for (int whole = 0; whole < 2; whole++) {
			size_t end = whole ? 3 * PEEK_PAGE : PEEK_PAGE + SIZE;
			size_t loaded = at / 8 % (HEADERS + 1), place = at + loaded * sizeof(ElfW(Phdr));
			bool there = loaded < HEADERS && at + SIZE <= 2 * PEEK_PAGE && at + SIZE <= end;
			uint64_t base;

			memset(pages, 0, 2 * PEEK_PAGE);
			memcpy(header->e_ident, ELFMAG, SELFMAG);
			header->e_phentsize = sizeof(ElfW(Phdr));
			header->e_phnum = HEADERS;
			header->e_phoff = at;
			atomic_store(&objects[0][0].hi, (uintptr_t)pages + end);
			if (place + sizeof(ElfW(Phdr)) <= 2 * PEEK_PAGE)
				*(ElfW(Phdr) *)(pages + place) = (ElfW(Phdr)){
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

/* Objects at most places, of which some are closed, some are being changed and whole chunks are. */
static void test_libraries(void)
{
	enum { EACH = 16, ROUNDS = 12 };
	unsigned int wrong = 0, found = 0, other = 0;

	areas = 0;
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		uintptr_t base = 0x10000;

		chance_begin(seed, 2);
		memset(objects, 0, sizeof(objects));
		atomic_store(&table.nobjects, OBJECTS - (uint32_t)chance(LINK_CHUNK));
		for (size_t i = 0; i < CHUNKS; i++)
			atomic_store(&table.live[i], 0);
		for (uint32_t i = 0; i < OBJECTS; i++) {
			struct link_object *object = object_of(i);
			bool open = i < table.nobjects && i / LINK_CHUNK != seed % CHUNKS && chance(3);
			bool changes = open && !chance(20);

			*object = (struct link_object){
				.index = i, .path = "/path", .name = "path", .lo = base + i * EACH,
				.hi = base + i * EACH + (open ? 1 + chance(EACH) : 0), .changes = changes,
			};
			atomic_fetch_add(&table.live[i / LINK_CHUNK], open);
		}
		for (uintptr_t at = base - 1; at <= base + OBJECTS * EACH; at++) {
			struct link_object *object = at < base || at == base + OBJECTS * EACH ? NULL :
						     object_of((at - base) / EACH);
			bool is = object && at < object->hi && !object->changes;
			const struct cuaudit_library *library = cuaudit_library_at((const void *)at);

			wrong += library_object(at) != (is ? object : NULL);
			other += library->index != (is ? object->index + 1 : 0) ||
				 (!is && library != &unknown);
			found += is;
		}
	}
	is_int(wrong, 0, "the object that an address is in, if there is one");
	is_int(other, 0, "the same is its library");
	ok(found > OBJECTS * ROUNDS, "%u times", found);
	is_int(areas, CHUNKS, "they take memory once");
	atomic_store(&table.nobjects, 0);
}

/* Of one thread, for many callers: each has its library as it is now. */
static void test_callers(void)
{
	enum { EACH = 16, MANY = 4 * THREAD_CALLERS, ROUNDS = 20 };
	static struct thread_caller callers[THREAD_CALLERS];
	static struct thread thread = { .callers = callers };
	struct frame frame = { .call.blocks = thread.blocks };
	unsigned int wrong = 0;

	chance_begin(1, 3);
	memset(objects, 0, sizeof(objects));
	atomic_store(&table.nobjects, OBJECTS);
	for (uint32_t i = 0; i < OBJECTS; i++)
		*object_of(i) = (struct link_object){ .index = i };
	for (int round = 0; round < ROUNDS; round++) {
		for (uint32_t i = 0; i < CHUNKS; i++)
			atomic_store(&table.live[i], LINK_CHUNK);
		for (uint32_t i = 0; i < OBJECTS; i++) {
			atomic_store(&object_of(i)->lo, 0x10000 + (i ^ (uint32_t)round) * EACH);
			atomic_store(&object_of(i)->hi, 0x10000 + ((i ^ (uint32_t)round) + 1) * EACH);
		}
		atomic_store(&table.generation, (uint32_t)round + 1);
		for (int i = 0; i < MANY; i++) {
			uintptr_t at = 0x10000 + chance(OBJECTS * EACH);

			frame.call.caller = (const void *)at;
			for (int turn = 0; turn < 2; turn++)
				wrong += cuaudit_call_library(&frame.call)->index !=
					 ((at - 0x10000) / EACH ^ (uintptr_t)round) + 1;
		}
	}
	is_int(wrong, 0, "callers have the libraries that they are in now");
}

/* Whose calls are nobody's business. */
static void test_excluded(void)
{
	static const uint32_t flags[] = {
		LINK_OBJECT_EXCLUDED, LINK_OBJECT_DRIVER, LINK_OBJECT_DRIVER_PRIVATE, LINK_OBJECT_CORE,
	};
	const struct cuaudit_library library = { "/library", "library", OBJECTS };

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		object_of(OBJECTS - 1)->flags = flags[i] | LINK_OBJECT_MAIN;
		ok(library_is_excluded(&library), "a library of flag %u is excluded", flags[i]);
	}
	object_of(OBJECTS - 1)->flags = LINK_OBJECT_MAIN;
	ok(!library_is_excluded(&library) && !library_is_excluded(&unknown), "others are not");
}

static bool no_vm_readv;
static unsigned int ncalls;	/* of the system, */
static unsigned int nprobes;	/* of these, whether it can be asked at all, */
static unsigned int nvm_reads;	/* of process_vm_readv */

static long watched_call(long number, ...)
{
	va_list list;
	long a[6];

	va_start(list, number);
	for (int i = 0; i < (number == SYS_process_vm_readv ? 6 : number == SYS_rt_sigaction ? 4 : 3); i++)
		a[i] = va_arg(list, long);
	va_end(list);
	ncalls++;
	nprobes += number == SYS_madvise && !a[0];
	nvm_reads += number == SYS_process_vm_readv;
	if (number != SYS_process_vm_readv)
		return number == SYS_madvise ? syscall(number, a[0], a[1], a[2]) :
					       syscall(number, a[0], a[1], a[2], a[3]);
	if (!no_vm_readv)
		return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	errno = EPERM;
	return -1;
}

/* One of two pages can be read: what is in it whole is, be it known, or asked for, or both. */
static void test_reads(void)
{
	enum { LARGEST = 32 };
	char *pages = mmap(NULL, 3 * PEEK_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	const uintptr_t low = (uintptr_t)pages + PEEK_PAGE, high = low + PEEK_PAGE;
	/* Before Linux 5.14 there is a second way alone to ask for a page. */
	unsigned int most = madvise(pages, PEEK_PAGE, POPULATE_READ) ? 2 : 1;
	unsigned int wrong = 0, asked = 0, read = 0, tried = nvm_reads;

	for (size_t i = 0; i < PEEK_PAGE; i++)
		pages[PEEK_PAGE + i] = (char)(i * 7 % 255 + 1);
	mprotect(pages, PEEK_PAGE, PROT_NONE);
	mprotect(pages + 2 * PEEK_PAGE, PEEK_PAGE, PROT_NONE);
	for (uint64_t seed = 0; seed < 20 * SEEDS; seed++) {
		struct safe_read_known known = { 0 };
		char got[LARGEST + 1] = "";
		size_t size;
		uintptr_t at;
		bool good, trusted;

		chance_begin(seed, 4);
		size = 1 + chance(LARGEST);
		at = (chance(2) ? low : high) - LARGEST + chance(2 * LARGEST);
		good = at >= low && at + size <= high;
		trusted = chance(2) && good;
		if (trusted) {
			known.low = at - (chance(2) ? 0 : chance(at - low + 1));
			known.high = at + size + (chance(2) ? 0 : chance(high - at - size + 1));
		}
		ncalls = 0;
		errno = ENOTTY;
		wrong += safe_read_near(&known, at, got, size) != good || errno != ENOTTY ||
			 (good && memcmp(got, (const void *)at, size) != 0) || got[size];
		asked += trusted ? ncalls != 0 : !ncalls || (good && ncalls > most);
		ncalls = 0;
		asked += good && (!safe_read_near(&known, at, got, size) || ncalls);
		memset(got, 0, sizeof(got));
		no_vm_readv = seed >= 10 * SEEDS;
		wrong += safe_read(at, got, size) != good || errno != ENOTTY ||
			 (good && memcmp(got, (const void *)at, size) != 0) || got[size];
		asked += !no_vm_readv && ncalls != 1;
		read += good;
	}
	is_int(nvm_reads - tried, 10 * SEEDS + 2,
	       "one call where there is one that copies, until it is refused by both numbers");
	is_int(wrong, 0, "what can be read is, and nothing else");
	is_int(asked, 0, "the system is asked for what is not known");
	ok(read > SEEDS, "%u times", read);
	no_vm_readv = false;
	munmap(pages, 3 * PEEK_PAGE);
}

/* What would go on at the other end of memory, and the page that the kernel takes for none. */
static int reads_nothing(void)
{
	static const uint64_t places[] = { UINT64_MAX, UINT64_MAX - 3, UINT64_MAX - 7, 0, 8, (uint64_t)-4096 };
	struct safe_read_known known = { 0 };
	char got[8] = "nothing";

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (safe_read_near(&known, places[i], got, sizeof(got)) ||
		    safe_read(places[i], got, sizeof(got)) || strcmp(got, "nothing") != 0)
			return 1 + (int)i;
	return 0;
}

static void test_nowhere(void)
{
	is_int(reads_nothing(), 0, "nothing is read at the ends of memory");
}

int main(void)
{
	for (size_t i = 0; i < CHUNKS; i++)
		atomic_store(&table.chunks[i], objects[i]);
	test_headers();
	test_notes();
	test_calibration();
	test_namespaces();
	test_sources();
	test_libraries();
	test_callers();
	test_excluded();
	safe_read_page((uintptr_t)&table);
	nprobes = 0;
	test_nowhere();
	test_reads();
	is_int(nprobes, 0, "whether the system can be asked is asked once");
	no_vm_readv = true;
	test_nowhere();
	return done_testing();
}
