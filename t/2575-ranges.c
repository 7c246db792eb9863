/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the core keeps of ranges, by itself, beside a model of it: pushes and pops of any domains on
 * any threads, names, and texts of which parts cannot be read.
 */
#include <cuaudit/clock.h>
#include <stdatomic.h>
#include <stdbool.h>

static uint64_t watched_ticks(void);
static unsigned int looked_at;

/* How many of the places of started ranges are looked at. */
static bool exchange(_Atomic uint64_t *at, uint64_t *old, uint64_t new, memory_order found, memory_order not)
{
	looked_at++;
	return atomic_compare_exchange_strong_explicit(at, old, new, found, not);
}

#undef atomic_compare_exchange_strong_explicit
#define atomic_compare_exchange_strong_explicit exchange
#define cuaudit_ticks watched_ticks
#define wanted	      range_wanted
#include "hooks/range.c"
#undef atomic_compare_exchange_strong_explicit
#undef cuaudit_ticks
#undef wanted
#define count name_count
#include "hooks/range_name.c"
#undef count
#define known known_pages
#include "hooks/range_read.c"
#undef known

#include <stdio.h>
#include <sys/mman.h>

#include "t/fuzz/chance.h"
#include "t/tap.h"

enum {
	STEPS = 200000,
	THREADS = 3,
	TEXT = CUAUDIT_RANGE_TEXT,
	DEPTH = CUAUDIT_RANGE_DEPTH,
	OPEN = CUAUDIT_RANGE_OPEN
};

static struct link_table table;
struct link_table *cuaudit_core_link = &table;
__thread struct thread *thread_self;

/* What these take from the rest of the core. */
static struct thread threads[THREADS + 1];
static bool no_thread, no_pages, inside_of_hook;
static uint32_t outer_depth;
static uint64_t outer_state;
static uint64_t clock_now;
static unsigned int asked, wrong, dropped;
static unsigned int taken_locks, paged;
static char log_line[512];
static int log_lines;

struct thread *thread_begin(void)
{
	return no_thread ? NULL : (thread_self = &threads[THREADS]);
}

uint64_t unwound_drop(struct thread *thread, const struct frame *frame, uint32_t *depth)
{
	wrong += thread != thread_self || !frame;
	dropped++;
	*depth = outer_depth;
	return inside_of_hook ? outer_state | THREAD_INSIDE : outer_state;
}

static uint64_t watched_ticks(void)
{
	return ++clock_now;
}

void cuaudit_log(enum cuaudit_level level, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(log_line, sizeof(log_line), format, list);
	va_end(list);
	log_lines += level == CUAUDIT_WARN;
}

void lock_take(enum lock lock, sigset_t *saved)
{
	wrong += lock != LOCK_RANGES || taken_locks++ % 2;
	sigemptyset(saved);
}

void lock_release(enum lock lock, const sigset_t *saved)
{
	wrong += lock != LOCK_RANGES || !saved || !(taken_locks++ % 2);
}

/* The last byte of it is followed by a page that cannot be touched. */
void *cuaudit_pages(size_t size)
{
	size_t room = (size + PEEK_PAGE - 1) / PEEK_PAGE * PEEK_PAGE;
	char *at;

	paged++;
	if (no_pages)
		return NULL;
	at = mmap(NULL, room + PEEK_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		  0);
	if (at == MAP_FAILED)
		bail_out("no memory");
	mprotect(at + room, PEEK_PAGE, PROT_NONE);
	return at + room - size;
}

enum { MAPPED = 600 };

static char *mapped; /* so many pages, every one readable or not */
static bool can[MAPPED];

bool safe_read_page(uintptr_t address)
{
	size_t page = (address - (uintptr_t)mapped) / PEEK_PAGE;

	asked++;
	wrong += address % PEEK_PAGE != 0;
	return address >= PEEK_PAGE && (address < (uintptr_t)mapped || page >= MAPPED || can[page]);
}

/* The model: what is open, in the order of pushing, and what is too deep. */
struct model_range {
	struct range_event event;
	uint64_t began, id;
	uint32_t level, own;
	char text[2 * TEXT];
};

struct model_thread {
	struct model_range open[DEPTH];
	uint32_t depth, ndeep;
	struct {
		uint32_t domain, count;
	} deep[DOMAINS];
};

static struct model_thread models[THREADS + 1];
static struct model_thread *model;
static struct model_range started_model[OPEN];
static uint64_t losses_want[CUAUDIT_RANGE_LOSSES];

/* What the next event must be, for each listener; heard: how many heard one. */
static struct {
	const struct model_range *range;
	uint32_t kind;
	uint64_t end;
} expected;
static unsigned int heard;
static char listeners_data[LISTENERS];

static bool is_cut(const struct model_range *range)
{
	return strlen(range->text) >= TEXT;
}

static bool is_as_given(const struct cuaudit_range *is, const struct model_range *want)
{
	const struct range_event *event = &want->event;
	size_t length = strnlen(want->text, TEXT - 1), word = 8 - length % 8;
	static const char zeros[8];

	return is->length == length && !memcmp(is->text, want->text, length) &&
	       !memcmp(is->text + length, zeros, word) && is->payload == event->payload &&
	       is->domain == event->domain && is->category == event->category &&
	       is->colour == event->colour && is->payload_type == event->payload_type &&
	       is->flags == (event->flags | (is_cut(want) ? CUAUDIT_RANGE_CUT : 0)) &&
	       is->ticks == want->began;
}

static void listen(const struct cuaudit_range *range, const struct cuaudit_call *call, void *data)
{
	const struct thread *thread = thread_self;
	const struct frame *frame = (const struct frame *)call;
	uint64_t state = thread->state;

	heard++;
	if (!expected.range || data < (void *)listeners_data ||
	    data >= (void *)(listeners_data + LISTENERS)) {
		wrong++;
		return;
	}
	wrong += range->kind != expected.kind || range->end != expected.end ||
		 !is_as_given(range, expected.range);
	if (expected.kind == CUAUDIT_RANGE_PUSH || expected.kind == CUAUDIT_RANGE_POP ||
	    expected.kind == CUAUDIT_RANGE_MARK)
		wrong += range->id != 0;
	else if (expected.kind == CUAUDIT_RANGE_END)
		wrong += range->id != expected.range->id;
	wrong += call->blocks != thread->blocks || call->correlation != thread->correlation ||
		 call->depth != outer_depth;
	wrong += thread->depth != outer_depth || frame->outer != outer_state;
	wrong += state != ((uintptr_t)frame | THREAD_INSIDE | THREAD_FILLED |
			   (outer_depth ? THREAD_NESTED : 0));
	wrong += thread->outer[outer_depth % THREAD_FRAMES] != outer_state;
	wrong += frame->own <= (uintptr_t)frame ||
		 frame->own > (uintptr_t)frame + sizeof(*frame) + 2 * TEXT;
	/* At a push it is not open yet, at a pop it still is. */
	wrong += thread->range_depth != model->depth;
	/* A driver call of a listener, and a range of a handler that comes now, are of a hook. */
	inside_of_hook = true;
	if (chance(8) == 0) {
		wrong += table.ranges->pop(0) != RANGE_NO_LEVEL;
		losses_want[CUAUDIT_RANGE_LOST_NESTED]++;
	}
	inside_of_hook = false;
	wrong += thread->state != state;
}

static void expect(const struct model_range *range, uint32_t kind, uint64_t end_at)
{
	expected.range = range;
	expected.kind = kind;
	expected.end = end_at;
	heard = 0;
}

/* count: how many listeners there are, or none where there must be no event. */
static void heard_by(unsigned int count)
{
	wrong += heard != count;
	expected.range = NULL;
	heard = 0;
}

static const char *const globs[] = { "*a*", "b*", "*[0-4]", "a?*c", "never", "*\\*" };
enum { GLOBS = sizeof(globs) / sizeof(globs[0]) };
static int numbers[GLOBS];

/* A text of any length, most of few bytes and some as long as texts can be, in memory that is then
 * written over. */
static char *some_text(void)
{
	static char text[2 * TEXT];
	size_t length = chance(8) ? chance(24) : TEXT - 12 + chance(24);

	for (size_t i = 0; i < length; i++)
		text[i] = "abc0589*"[chance(8)];
	text[length] = '\0';
	return text;
}

static uint32_t some_domain(void)
{
	return (uint32_t)chance(chance(6) ? 3 : DOMAINS + 3);
}

static void describe(struct model_range *range)
{
	const char *text = chance(20) ? some_text() : chance(2) ? mapped + PEEK_PAGE : NULL;

	*range = (struct model_range){ .event = { .payload = chance_word(),
						  .domain = some_domain(),
						  .category = (uint32_t)chance(9),
						  .colour = (uint32_t)chance_word(),
						  .flags = chance(2) ? CUAUDIT_RANGE_COLOUR : 0,
						  .payload_type = (uint8_t)chance(8),
						  .text = text } };
	strcpy(range->text, !text					      ? ""
			    : text < mapped || text >= mapped + 2 * PEEK_PAGE ? text
									      : RANGE_UNREADABLE);
}

static uint32_t mask_of(const struct model_range *range)
{
	char text[TEXT];
	uint32_t taken = 0;

	memcpy(text, range->text, TEXT);
	text[TEXT - 1] = '\0';
	for (int i = 0; i < GLOBS; i++)
		taken |= (uint32_t)glob_matches(globs[i], strlen(globs[i]), text) << numbers[i];
	return taken;
}

static uint32_t level_of(uint32_t domain)
{
	uint32_t level = 0;

	for (uint32_t i = 0; i < model->depth; i++)
		level += model->open[i].event.domain == domain;
	return level;
}

static uint32_t *model_deep(uint32_t domain, bool more)
{
	for (uint32_t i = 0; i < model->ndeep; i++)
		if (model->deep[i].domain == domain || i == DOMAINS - 1)
			return &model->deep[i].count;
	if (!more)
		return NULL;
	model->deep[model->ndeep].domain = domain;
	return &model->deep[model->ndeep++].count;
}

static void do_push(void)
{
	struct model_range *range = &model->open[model->depth < DEPTH ? model->depth : 0], deeper;
	int want, level;

	range = model->depth < DEPTH ? range : &deeper;
	describe(range);
	level = (int)level_of(range->event.domain);
	range->level = (uint32_t)level;
	range->began = clock_now + 1;
	range->own = mask_of(range);
	if (model->depth < DEPTH) {
		expect(range, CUAUDIT_RANGE_PUSH, 0);
		wrong += table.ranges->push(&range->event) != level;
		heard_by(LISTENERS);
		model->depth++;
		return;
	}
	want = (int)(level + *model_deep(range->event.domain, true));
	++*model_deep(range->event.domain, true);
	losses_want[CUAUDIT_RANGE_LOST_DEEP]++;
	wrong += table.ranges->push(&range->event) != want;
	heard_by(0);
}

static void do_pop(void)
{
	uint32_t domain = some_domain(), at = model->depth;
	uint32_t *deeper = model_deep(domain, false);

	if (deeper && *deeper) {
		--*deeper;
		wrong += table.ranges->pop(domain) != (int)(level_of(domain) + *deeper);
		heard_by(0);
		return;
	}
	while (at && model->open[at - 1].event.domain != domain)
		at--;
	if (!at--) {
		losses_want[CUAUDIT_RANGE_LOST_UNMATCHED]++;
		wrong += table.ranges->pop(domain) != RANGE_NO_LEVEL;
		heard_by(0);
		return;
	}
	expect(&model->open[at], CUAUDIT_RANGE_POP, clock_now + 1);
	wrong += table.ranges->pop(domain) != (int)model->open[at].level;
	heard_by(LISTENERS);
	for (model->depth--; at < model->depth; at++)
		model->open[at] = model->open[at + 1];
}

/* What a hook of a call that comes now is answered. */
static void look(void)
{
	struct frame frame = { .call.blocks = thread_self->blocks };
	uint32_t taken = 0, index = (uint32_t)chance(model->depth + 2);
	const struct cuaudit_range *range = cuaudit_call_range(&frame.call, index);

	if (index < model->depth)
		wrong += !range || !is_as_given(range, &model->open[model->depth - 1 - index]);
	else
		wrong += range != NULL;
	for (uint32_t i = 0; i < model->depth; i++)
		taken |= model->open[i].own;
	for (int i = -1; i <= CUAUDIT_RANGE_SELECTORS; i++)
		wrong += cuaudit_call_in_range(&frame.call, i) !=
			 (i >= 0 && i < CUAUDIT_RANGE_SELECTORS && taken >> i & 1);
}

static void do_mark(void)
{
	struct model_range range;

	describe(&range);
	range.began = clock_now + 1;
	expect(&range, CUAUDIT_RANGE_MARK, 0);
	table.ranges->mark(&range.event);
	heard_by(LISTENERS);
}

static uint32_t nstarted, next_place;
static uint64_t last_serial;

/* Takes the place that was freed last or the next free one: who starts ranges does not look through
 * all. */
static void do_start(void)
{
	struct model_range range;
	uint32_t at = next_place;
	uint64_t id;

	looked_at = 0;
	describe(&range);
	range.began = clock_now + 1;
	expect(&range, CUAUDIT_RANGE_START, 0);
	id = table.ranges->start(&range.event);
	if (nstarted == OPEN) {
		losses_want[CUAUDIT_RANGE_LOST_OPEN]++;
		wrong += id != 0 || looked_at;
		heard_by(0);
		return;
	}
	heard_by(LISTENERS);
	while (started_model[at % OPEN].id)
		at++;
	at %= OPEN;
	range.id = id;
	wrong += id % OPEN != at || id >> RANGE_ID_TAG != 1 ||
		 id - (1ull << RANGE_ID_TAG) - at <= last_serial;
	last_serial = id - (1ull << RANGE_ID_TAG) - at;
	started_model[at] = range;
	next_place = at + 1;
	nstarted++;
}

static void do_end(void)
{
	uint32_t at = (uint32_t)chance(OPEN);
	struct model_range *range = &started_model[at];
	uint64_t id = range->id,
		 bad[] = { 1, at | OPEN, at + 1, id ^ 1ull << 63, id + OPEN,
			   (id & ~(1ull << RANGE_ID_TAG)) | OPEN };

	/* Such as start gives for one that is lost, and counted then. */
	if (chance(16) == 0) {
		table.ranges->end(0);
		heard_by(0);
		return;
	}
	if (!id || chance(6) == 0) {
		losses_want[CUAUDIT_RANGE_LOST_UNMATCHED]++;
		table.ranges->end(bad[chance(sizeof(bad) / sizeof(bad[0]))]);
		heard_by(0);
		return;
	}
	expect(range, CUAUDIT_RANGE_END, clock_now + 1);
	table.ranges->end(id);
	heard_by(LISTENERS);
	next_place = at;
	range->id = 0;
	nstarted--;
}

/* The thread runs inside of so many calls. */
static void step(uint64_t number, bool pushes)
{
	uint32_t thread = (uint32_t)chance(THREADS), kind = (uint32_t)chance(10);
	uint64_t state, depth;

	thread_self = thread < THREADS ? &threads[thread] : NULL;
	model = &models[thread];
	thread_self->correlation = number;
	outer_depth = (uint32_t)chance(3) ? (uint32_t)chance(THREAD_FRAMES + 9) : 0;
	outer_state = outer_depth ? (uintptr_t)(chance(1000) + 1) << 4 | THREAD_FILLED : 0;
	thread_self->state = state = outer_state;
	depth = outer_depth ? outer_depth - 1 : UINT32_MAX;
	dropped = 0;
	/* The first thread has few open at once, and the second ends at times: the next one begins
	 * with none. */
	if (!thread && model->depth > 2)
		kind = 5;
	if (thread == 1 && chance(3000) == 0) {
		thread_self->range_depth = thread_self->range_domains = 0;
		*model = (struct model_thread){ .depth = 0 };
	}
	if (kind < (pushes ? 5 : 2))
		do_push();
	else if (kind < 6)
		do_pop();
	else if (kind == 6)
		do_mark();
	else if (kind < (pushes ? 9 : 8))
		do_start();
	else
		do_end();
	wrong += thread_self->state != state || thread_self->depth != (uint32_t)depth;
	wrong += thread_self->range_depth != model->depth;
	look();
}

static void test_events(void)
{
	uint64_t first = 0;

	for (uint64_t i = 0; i < STEPS; i++) {
		chance_begin(i, 5);
		step(i, i / 15000 % 2 == 0);
		if (wrong && !first)
			diag("first at step %llu", (unsigned long long)(first = i + 1));
		if (wrong)
			break;
	}
	is_int(wrong, 0, "events, levels, what calls are in, and places of started ranges");
	ok(losses_want[CUAUDIT_RANGE_LOST_DEEP] > 100 &&
		   losses_want[CUAUDIT_RANGE_LOST_OPEN] > 100 &&
		   losses_want[CUAUDIT_RANGE_LOST_UNMATCHED] > 100 &&
		   losses_want[CUAUDIT_RANGE_LOST_NESTED] > 100,
	   "... of each kind of loss some");
	for (int i = 0; i < CUAUDIT_RANGE_LOSSES; i++)
		is_int((long long)cuaudit_range_lost((enum cuaudit_range_loss)i),
		       (long long)losses_want[i], "losses, kind %d", i);
}

static void test_memory(void)
{
	const struct range_event event = { .text = "x" };

	no_thread = true;
	thread_self = NULL;
	is_int(table.ranges->push(&event), RANGE_NO_LEVEL, "no thread: a push");
	is_int(table.ranges->pop(0), RANGE_NO_LEVEL, "... a pop");
	is_int((long long)table.ranges->start(&event), 0, "... a start");
	table.ranges->mark(&event);
	table.ranges->end(0);
	is_int((long long)cuaudit_range_lost(CUAUDIT_RANGE_LOST_MEMORY), 5, "... all are counted");
	no_thread = false;
	no_pages = true;
	model = &models[THREADS];
	outer_depth = 0;
	outer_state = 0;
	is_int(table.ranges->push(&event), RANGE_NO_LEVEL, "no memory for what is open");
	is_int((long long)cuaudit_range_lost(CUAUDIT_RANGE_LOST_MEMORY), 6, "... that is counted");
	ok(!thread_self->state && thread_self->depth == UINT32_MAX,
	   "... and the thread is as it was");
	is_int(table.ranges->pop(0), RANGE_NO_LEVEL, "... and has none to pop");
	no_pages = false;
}

static const struct {
	const char *glob;
	int result;
} judged[] = {
	{ "", -EINVAL },      { "[", -EINVAL },	 { "a[", -EINVAL }, { "[]", -EINVAL },
	{ "[!]", -EINVAL },   { "[!", -EINVAL }, { "[a", -EINVAL }, { "[]]", 0 },
	{ "[!]]", 0 },	      { "\\[", 0 },	 { "\\", 0 },	    { "[[]", 0 },
	{ "[a]b[", -EINVAL }, { "[a]b[c]", 0 },	 { "x\\", 0 },	    { "[]a]]", 0 },
};

/* Before and after the first module that wants ranges; what is refused. */
static void test_setup(void)
{
	enum { ROWS = sizeof(judged) / sizeof(judged[0]) };
	static char more[CUAUDIT_RANGE_SELECTORS][8];
	unsigned int bad = 0;
	int last = -1;

	range_publish();
	ok(!table.ranges, "nobody wants ranges");
	for (int i = 0; i < ROWS; i++)
		if (judged[i].result)
			bad += cuaudit_range_selector(judged[i].glob) != judged[i].result;
	range_publish();
	ok(!bad && !table.ranges, "a glob that is refused is no wish");
	for (int i = 0; i < ROWS; i++)
		bad += glob_is_one(judged[i].glob) != !judged[i].result;
	is_int(bad, 0, "which globs are refused");
	is_int(cuaudit_range_listen(NULL, NULL), 0, "who asks without a function");
	range_publish();
	ok(table.ranges && !nlisteners, "... wants ranges");
	table.ranges = NULL;
	range_wanted = false;
	is_int(numbers[0] = cuaudit_range_selector(globs[0]), 0, "the first selector");
	range_publish();
	ok(table.ranges != NULL, "... wants ranges");
	for (int i = 0; i < GLOBS; i++)
		numbers[i] = cuaudit_range_selector(globs[i]);
	is_int(cuaudit_range_selector(globs[2]), numbers[2], "a selector that there is");
	log_lines = 0;
	range_report();
	ok(log_lines == GLOBS && strstr(log_line, "NVTX range *\\*: ") &&
		   strstr(log_line, "NVTX_INJECTION64_PATH"),
	   "no ranges: each selector is reported");
	for (int i = 0; i < LISTENERS; i++)
		bad += cuaudit_range_listen(listen, &listeners_data[i]) != 0;
	is_int(cuaudit_range_listen(listen, NULL) + (int)bad, -ENOSPC, "a listener too many");
	for (int i = 0; i < CUAUDIT_RANGE_SELECTORS; i++) {
		snprintf(more[i], sizeof(more[i]), "more%d", i);
		last = cuaudit_range_selector(more[i]);
		bad += last != (GLOBS + i < CUAUDIT_RANGE_SELECTORS ? GLOBS + i : -ENOSPC);
	}
	is_int(bad, 0, "%d selectors, and no more", CUAUDIT_RANGE_SELECTORS);
}

static void test_report(void)
{
	log_lines = 0;
	range_report();
	ok(log_lines == CUAUDIT_RANGE_SELECTORS - GLOBS + 1 &&
		   strstr(log_line, "pushed no range of such a name"),
	   "the selectors that took no range are reported");
	log_lines = 0;
	table.ranges->complain("this");
	table.ranges->complain("that");
	ok(log_lines == 1 && !strcmp(log_line, "this"), "a warning of the injection, once");
}

/* Names that were given, in their order. */
enum { GIVEN = 20000, NAMES_MOST = 65536, NAMED = 8000 };

static struct model_name {
	uint64_t id;
	uint32_t kind, domain;
	char text[TEXT + 1];
} * given;
static uint32_t ngiven, ndomains;

static uint32_t find_given(const struct model_name *name)
{
	bool text = name->kind == CUAUDIT_RANGE_DOMAIN || name->kind == CUAUDIT_RANGE_STRING;

	for (uint32_t i = ngiven; i-- > 0;) {
		const struct model_name *old = &given[i];

		if (old->kind != name->kind || old->id != name->id ||
		    (name->kind != CUAUDIT_RANGE_DOMAIN && old->domain != name->domain))
			continue;
		if (!strcmp(old->text, name->text))
			return i;
		if (!text)
			break;
	}
	return ngiven;
}

static bool is_name(uint32_t index, const struct model_name *want)
{
	const struct cuaudit_range_name *is = cuaudit_range_name_at(index);

	return is && is->id == want->id && is->kind == want->kind && is->domain == want->domain &&
	       !strcmp(is->text, want->text);
}

static void give(bool alike)
{
	static const uint32_t kinds[] = { CUAUDIT_RANGE_DOMAIN, CUAUDIT_RANGE_CATEGORY,
					  CUAUDIT_RANGE_STREAM, CUAUDIT_RANGE_STRING };
	struct model_name name = { .kind = kinds[chance(4)], .domain = (uint32_t)chance(3) };
	char *text = some_text();
	uint32_t at, is;

	if (alike)
		text[chance(2) + 1] = '\0';
	if (name.kind == CUAUDIT_RANGE_CATEGORY || name.kind == CUAUDIT_RANGE_STREAM)
		name.id = alike ? chance(5) : chance_word();
	/* One more of a registered text: a range cuts it, and sees that. */
	memcpy(name.text, text, TEXT - (name.kind != CUAUDIT_RANGE_STRING));
	at = find_given(&name);
	is = table.ranges->name(name.kind, name.domain, name.id, text);
	if (at == ngiven) {
		if (name.kind == CUAUDIT_RANGE_DOMAIN)
			name.domain = ++ndomains;
		given[ngiven++] = name;
	}
	wrong += is != at || !is_name(at, &given[at]) || cuaudit_range_name_at(ngiven) != NULL;
	at = (uint32_t)chance(ngiven);
	wrong += !is_name(at, &given[at]);
}

/* How many things from that name on, each with one name, one is looked for among, at most. */
static unsigned int longest_bucket(uint32_t first)
{
	unsigned int most = 0, length;

	for (uint32_t i = 0; i < BUCKETS; i++) {
		length = 0;
		for (uint32_t at = buckets[i]; at; at = entries[at - 1].next)
			length += at - 1 >= first;
		most = length > most ? length : most;
	}
	return most;
}

static uint32_t give_string(uint64_t number, uint32_t domain)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	return table.ranges->name(CUAUDIT_RANGE_STRING, domain, 0, text);
}

/* A text without its end as long as what is left of an area goes into the next one. */
static void test_full(void)
{
	char text[TEXT];
	uint64_t id = 1;
	size_t room;
	const char *name;

	memset(text, 'f', sizeof(text));
	text[600] = '\0';
	while (left > TEXT - 2)
		table.ranges->name(CUAUDIT_RANGE_EVENT, 9, id++, text);
	room = left;
	memset(text, 'f', sizeof(text));
	text[room] = '\0';
	name = cuaudit_range_name_at(table.ranges->name(CUAUDIT_RANGE_EVENT, 9, id, text))->text;
	ok(room && left > TEXT && !strcmp(name, text), "a text of %zu bytes, where %zu are left",
	   room, room);
}

/* Two texts whose hashes are one: each is found all the same. */
static void test_collision(void)
{
	enum { SOME = 1 << 19, DOMAIN = 77 };
	uint32_t *seen = calloc(SOME, sizeof(*seen)), hash, a = 0, b = 0;

	for (uint32_t i = 1; !b; i++) {
		struct cuaudit_range_name name = { .kind = CUAUDIT_RANGE_STRING, .domain = DOMAIN };
		char text[32], other[32];
		size_t length = (size_t)snprintf(text, sizeof(text), "%u", i);

		name.text = text;
		hash = hash_of(&name, length);
		if (seen[hash % SOME]) {
			length = (size_t)snprintf(other, sizeof(other), "%u", seen[hash % SOME]);
			name.text = other;
			if (hash_of(&name, length) == hash)
				a = seen[hash % SOME], b = i;
		}
		seen[hash % SOME] = i;
	}
	free(seen);
	hash = give_string(a, DOMAIN);
	ok(give_string(b, DOMAIN) == hash + 1 && give_string(a, DOMAIN) == hash &&
		   give_string(b, DOMAIN) == hash + 1,
	   "%u and %u, which have one hash", a, b);
}

/* From there on as many names as there can be, and one more. */
static void fill_up(uint32_t first)
{
	uint64_t lost = cuaudit_range_lost(CUAUDIT_RANGE_LOST_NAMES);
	uint32_t at;

	for (at = first; at < NAMES_MOST; at++)
		wrong += (at % 4 ? table.ranges->name(at % 4, 0, at * 64, "s")
				 : give_string(at, 0)) != at;
	is_int(wrong, 0, "as many names as there can be");
	ok(longest_bucket(first) <= 12, "the longest search is among %u names",
	   longest_bucket(first));
	ok(table.ranges->name(CUAUDIT_RANGE_STREAM, 0, 1, "s") == CUAUDIT_RANGE_NO_DOMAIN &&
		   !cuaudit_range_name_at(NAMES_MOST),
	   "and no more");
	is_int((long long)(cuaudit_range_lost(CUAUDIT_RANGE_LOST_NAMES) - lost), 1,
	       "... that is counted");
	is_int(table.ranges->name((NAMES_MOST - 1) % 4, 0, (uint64_t)(NAMES_MOST - 1) * 64, "s"),
	       NAMES_MOST - 1, "those there are, are found");
}

static void test_names(void)
{
	uint64_t lost = cuaudit_range_lost(CUAUDIT_RANGE_LOST_NAMES);
	unsigned int locks;
	uint32_t at;

	given = calloc(GIVEN, sizeof(*given));
	wrong = 0;
	no_pages = true;
	ok(table.ranges->name(CUAUDIT_RANGE_STRING, 0, 0, "x") == CUAUDIT_RANGE_NO_DOMAIN &&
		   !cuaudit_range_name_at(0),
	   "no memory: no name");
	is_int((long long)(cuaudit_range_lost(CUAUDIT_RANGE_LOST_NAMES) - lost), 1,
	       "... that is counted");
	no_pages = false;
	paged = 0;
	locks = taken_locks;
	for (uint64_t i = 0; i < NAMED; i++) {
		chance_begin(i, 6);
		give(i % 2 == 0);
	}
	is_int(wrong, 0, "a name is found again, or appended");
	is_int(taken_locks - locks, 2 * NAMED, "... under the lock");
	ok(paged > 1 && paged < 12, "... their texts are in %u areas", paged);
	test_full();
	test_collision();
	at = table.ranges->name(CUAUDIT_RANGE_EVENT, 0, 1, NULL);
	ok(cuaudit_range_name_at(at) && !*cuaudit_range_name_at(at)->text,
	   "no text is an empty one");
	at = table.ranges->name(CUAUDIT_RANGE_STRING, 0, 2, (const char *)16);
	is_str(cuaudit_range_name_at(at)->text, RANGE_UNREADABLE, "a text that cannot be read");
	fill_up(at + 1);
}

/* Pages that were readable are not asked for again, as long as they are remembered. */
static void test_read(void)
{
	static uintptr_t remembered[PAGES];
	enum { MIDDLE = MAPPED / 2 };
	unsigned int many = 0;

	wrong = 0;
	memset(mapped, 'r', (size_t)MAPPED * PEEK_PAGE);
	for (uint64_t i = 0; i < STEPS; i++) {
		uint32_t page = (uint32_t)chance(2) ? MIDDLE + (uint32_t)chance(3)
						    : 1 + (uint32_t)chance(MAPPED - 4),
			 want = 0;
		size_t offset = chance(2) ? PEEK_PAGE - 1 - chance(40) : chance(PEEK_PAGE);
		size_t size = 1 + chance(chance(2) ? 60 : PEEK_PAGE), length = size - 1,
		       most = 1 + chance(TEXT);
		char *text = mapped + (size_t)page * PEEK_PAGE + offset;
		bool good = true, is;

		chance_begin(i, 7);
		if (chance(2))
			length = chance(60);
		if (chance(2))
			size = length + 1;
		else
			most = length + chance(5) + 1;
		is = chance(2);
		for (uint32_t k = 0; k < 2; k++) {
			uintptr_t number = (uintptr_t)mapped / PEEK_PAGE + page + k;
			size_t bytes = is ? size : (length < most ? length + 1 : most);
			bool needed = !k || offset + bytes > PEEK_PAGE;

			can[page + k] = remembered[number % PAGES] == number || chance(3);
			if (!needed || !good)
				continue;
			want += remembered[number % PAGES] != number;
			good = can[page + k];
			if (good)
				remembered[number % PAGES] = number;
		}
		asked = 0;
		if (is) {
			wrong += range_readable(text, size) != good;
		} else {
			text[length] = '\0';
			wrong += range_text_length(text, most) != (!good	   ? SIZE_MAX
								   : length < most ? length
										   : most);
			text[length] = 'r';
		}
		wrong += asked != want;
		many += want;
	}
	is_int(wrong, 0, "what can be read, and which pages are asked for");
	ok(many > 1000 && many < STEPS, "... %u", many);
	ok(!range_readable(NULL, 1) && !range_readable((void *)(uintptr_t)5, 4) &&
		   range_text_length((char *)8, 9) == SIZE_MAX,
	   "nothing is at the first page");
	ok(!range_readable((void *)(UINTPTR_MAX - 7), 9) && !range_readable(mapped, SIZE_MAX),
	   "what goes round the end of memory cannot be read");
}

int main(void)
{
	mapped = mmap(NULL, (size_t)MAPPED * PEEK_PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mapped == MAP_FAILED)
		bail_out("no memory");
	can[1] = false;
	test_setup();
	test_memory();
	memset(losses_want, 0, sizeof(losses_want));
	range_loss_forked();
	is_int((long long)cuaudit_range_lost(CUAUDIT_RANGE_LOST_MEMORY), 0,
	       "a child's losses begin with none");
	is_int((long long)cuaudit_range_lost(CUAUDIT_RANGE_LOSSES), 0, "no such loss");
	test_events();
	test_report();
	test_names();
	test_read();
	return done_testing();
}
