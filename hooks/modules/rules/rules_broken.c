/* SPDX-License-Identifier: Apache-2.0 */
/* Broken rules, with their stacks: equal ones are kept once, and counted. */
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cuaudit/params.h>

#include "hooks/call_site.h"
#include "hooks/modules/rules/rules.h"
#include "hooks/modules/rules/rules_grown.h"
#include "hooks/stack.h"
#include "hooks/unseen.h"

enum { FRAME = 1024, ALLOWED = 4096, WAYS = 8, CALL = 2048, STACK = 128, KEYS = 1024, SOUGHT = 4096, ROOM = 16384 };

/* All of it is under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cuaudit_stack_frame frames[STACK];
static char name[FRAME], path[FRAME], both[2 * FRAME + 16];
struct allowed {
	uint64_t key, kept;
	uint32_t allow;		/* its number + 1 */
};

/* Stacks that were seen, each in one of WAYS places; where others took these, one is looked at again. */
static struct allowed allowed[ALLOWED];
static uint64_t sought[KEYS];	/* keys of stacks in which frames were sought */
static uint32_t nsought;

_Atomic uint64_t rules_sought;
static struct rules_grown grown;

/* What a broken rule is kept by. */
struct broken {
	const struct rule *rule;
	const struct cuaudit_call *call;	/* NULL: of none */
	const void *caller;			/* without a call: a call site, or NULL */
	const char *function, *note, *frame, *range;
	uint64_t grown;				/* of a range: since which call, see rules_grown.h */
	uint32_t nframes;
	uint64_t key;				/* of all frames, where libraries are now */
	uint64_t kept;				/* of those that are kept, wherever libraries are */
};

static void lose(enum check_loss loss)
{
	atomic_fetch_or_explicit(&rules_file->header.losses, loss, memory_order_relaxed);
}

static uint64_t mix(uint64_t key, uint64_t word)
{
	key = (key ^ word) * 0xff51afd7ed558ccdu;
	return key ^ key >> 32;
}

static uint64_t mix_text(uint64_t key, const char *text)
{
	for (; text && *text; text++)
		key = mix(key, (uint8_t)*text);
	return key;
}

/* From the caller outwards. */
static void read_stack(struct broken *broken)
{
	broken->nframes = cuaudit_call_stack(broken->call, frames, STACK, CUAUDIT_STACK_MERGED);
	if (broken->nframes)
		return;
	frames[0] = (struct cuaudit_stack_frame){ .address = broken->call->caller };
	broken->nframes = 1;
}

static uint64_t mix_frames(uint64_t key, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		key = frames[i].address ?
		      mix(key, (uintptr_t)frames[i].address) :
		      mix(mix(key, frames[i].python.key[0]), frames[i].python.key[1]);
	return mix(key, *cuaudit_generation);
}

static void capture(struct broken *broken)
{
	uint64_t key = mix(1, broken->rule->index);

	broken->nframes = 0;
	grown.number = 0;
	if (broken->call) {
		read_stack(broken);
		key = mix(key, broken->call->function->slot);
	} else if (broken->range) {
		rules_grown_last(broken->grown, &grown);
		broken->nframes = grown.number ? grown.nframes : 0;
		memcpy(frames, grown.frames, broken->nframes * sizeof(*frames));
	} else if (broken->caller) {
		frames[0] = (struct cuaudit_stack_frame){ .address = broken->caller };
		broken->nframes = 1;
	}
	key = mix_frames(key, broken->nframes);
	/* Ranges of a rule are told apart by their calls, the first one's text and sum are kept. */
	if (!broken->call && !broken->range)
		key = mix_text(mix_text(key, broken->note), broken->function);
	broken->key = key ?: 1;
}

/* Whether the path alone may be that of a frame: what the glob has up to its last colon. */
static bool may_match(const char *glob, const char *file)
{
	size_t length = (size_t)(strrchr(glob, ':') + 1 - glob);
	char begins[sizeof(rules_file->rules->text)];

	if (length + 2 > sizeof(begins) || memchr(glob, '[', length))
		return true;
	memcpy(begins, glob, length);
	stpcpy(begins + length, "*");
	stpcpy(stpcpy(both, file), ":");
	return rules_tail_glob(begins, both);
}

static bool joined_matches(const char *glob, const char *first, const char *second)
{
	stpcpy(stpcpy(stpcpy(both, first), ":"), second);
	return rules_tail_glob(glob, both);
}

static void digits(char text[12], uint32_t number)
{
	char *at = text + 11;

	*at = '\0';
	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	memmove(text, at, strlen(at) + 1);
}

/* FILE:FUNCTION or FILE:LINE of Python's frame, LIBRARY:FUNCTION of a native one. */
static bool frame_matches(const char *glob, const struct cuaudit_stack_frame *frame)
{
	const struct cuaudit_library *library;
	char line[12];

	if (!frame->address) {
		cuaudit_python_text(&frame->python, CUAUDIT_PYTHON_NAME, name, sizeof(name));
		cuaudit_python_text(&frame->python, CUAUDIT_PYTHON_FILE, path, sizeof(path));
		digits(line, frame->python.line);
		return joined_matches(glob, path, name) || joined_matches(glob, path, line);
	}
	library = cuaudit_library_at(frame->address);
	if (strlen(library->path) >= FRAME || !may_match(glob, library->path))
		return false;
	call_site_find(frame->address, library, name, sizeof(name));
	return joined_matches(glob, library->path, name);
}

static bool stack_matches(const struct broken *broken, const char *glob)
{
	for (uint32_t i = 0; i < broken->nframes; i++)
		if (frame_matches(glob, &frames[i]))
			return true;
	return false;
}

/* A sum of all processes holds or not, whatever made the calls beyond it. */
static bool may_be_allowed(const struct broken *broken)
{
	return rules.nallows && rules_file->rules[broken->rule->index].kind != CHECK_COUNT;
}

/* Whether a line of allow takes the stack: that one's number + 1, or 0. */
static uint32_t find_allow(const struct broken *broken)
{
	for (uint32_t i = 0; may_be_allowed(broken) && i < rules.nallows; i++)
		if (stack_matches(broken, rules.allows[i].frame))
			return i + 1;
	return 0;
}

/* A frame that was not found may be one of those that could not be read. */
static bool is_taken(const struct broken *broken)
{
	if (!broken->frame)
		return true;
	if (stack_matches(broken, broken->frame)) {
		rules_reach(broken->rule->index, CHECK_REACH_STACK);
		return true;
	}
	if (!broken->rule->frame_library && cuaudit_python_fault())
		lose(CHECK_LOST_PYTHON);
	if (unseen_callers())
		lose(CHECK_LOST_UNWINDER);
	if (broken->nframes == STACK)
		lose(CHECK_LOST_FRAMES);
	return false;
}

/* One that is loaded again is elsewhere. */
static uint64_t kept_key(const struct broken *broken)
{
	uint64_t key = mix(broken->rule->index + 1, broken->call ? broken->call->function->slot : 0);

	for (uint32_t i = 0; i < broken->nframes && i < CHECK_FRAMES; i++) {
		const struct cuaudit_stack_frame *frame = &frames[i];
		const struct cuaudit_library *library;

		if (!frame->address) {
			key = mix(mix(key, frame->python.key[0]), frame->python.key[1]);
			continue;
		}
		library = cuaudit_library_at(frame->address);
		key = mix(key, (uintptr_t)frame->address - cuaudit_library_base(library));
		key = mix_text(key, library->path);
	}
	if (!broken->call && !broken->range)
		key = mix_text(mix_text(key, broken->note), broken->function);
	return key ?: 1;
}

/* The same of a stack that was seen, which is not looked at again. NOT_TAKEN: `from` is no frame of it. */
enum { NOT_TAKEN = UINT32_MAX };

static struct allowed *place_of(uint64_t key)
{
	uint32_t at = key % ALLOWED;

	for (uint32_t i = 0; i < WAYS; i++) {
		struct allowed *place = &allowed[(at + i) % ALLOWED];

		if (place->key == key || !place->key)
			return place;
	}
	return &allowed[(at + (key >> 32) % WAYS) % ALLOWED];
}

static uint32_t known_allow(struct broken *broken)
{
	struct allowed *place = place_of(broken->key);

	if (place->key != broken->key) {
		place->key = broken->key;
		place->kept = kept_key(broken);
		place->allow = is_taken(broken) ? find_allow(broken) : NOT_TAKEN;
	}
	broken->kept = place->kept;
	return place->allow;
}

static uint32_t put_text(struct check_finding *finding, uint32_t *used, const char *text)
{
	size_t length = text ? strlen(text) : 0;
	uint32_t at = *used;

	if (!length || at >= CHECK_TEXT - 1)
		return 0;
	if (length > CHECK_TEXT - 1 - at)
		length = CHECK_TEXT - 1 - at;
	memcpy(finding->text + at, text, length);
	finding->text[at + length] = '\0';
	*used = at + (uint32_t)length + 1;
	return at;
}

static uint32_t put_library(const struct cuaudit_library *library)
{
	const char *file = call_site_path(library, path, sizeof(path));
	struct check_header *header = &rules_file->header;
	uint32_t count = header->nlibraries, size;
	struct check_library *to;
	uint8_t id[sizeof(to->id)];

	size = cuaudit_library_build_id(library, id, sizeof(id));
	size = size > sizeof(id) ? 0 : size;
	/* Another file may have taken its place. */
	for (uint32_t i = 0; i < count; i++) {
		to = &rules_file->libraries[i];
		if (!strncmp(to->path, file, sizeof(to->path) - 1) && to->id_size == size && !memcmp(to->id, id, size))
			return i;
	}
	if (count == CHECK_LIBRARIES)
		return CHECK_NO_LIBRARY;
	to = &rules_file->libraries[count];
	memcpy(to->path, file, strnlen(file, sizeof(to->path) - 1));
	to->id_size = (uint8_t)size;
	memcpy(to->id, id, size);
	header->nlibraries = count + 1;
	return count;
}

static void put_frame(struct check_finding *finding, struct check_frame *to, uint32_t *used,
		      const struct cuaudit_stack_frame *frame)
{
	const struct cuaudit_library *library;
	struct call_site site;

	*to = (struct check_frame){ .library = CHECK_NO_LIBRARY };
	if (!frame->address) {
		cuaudit_python_text(&frame->python, CUAUDIT_PYTHON_NAME, name, sizeof(name));
		cuaudit_python_text(&frame->python, CUAUDIT_PYTHON_FILE, path, sizeof(path));
		to->line = frame->python.line;
		to->function = put_text(finding, used, name);
		to->file = put_text(finding, used, path);
		return;
	}
	library = cuaudit_library_at(frame->address);
	site = call_site_find(frame->address, library, name, sizeof(name));
	to->offset = site.offset;
	if (site.known)
		to->library = put_library(library);
	to->function = put_text(finding, used, name);
	to->distance = (uint32_t)site.distance;
}

static const char *range_text(const struct broken *broken)
{
	const struct cuaudit_range *range = broken->call && rules.ranges ?
					    cuaudit_call_range(broken->call, 0) : NULL;

	return broken->range ?: range ? range->text : NULL;
}

static void describe(struct check_finding *finding, const struct broken *broken)
{
	static char call[CALL];
	char thread[CUAUDIT_THREAD_NAME];
	struct timespec now;
	uint32_t used = 1;

	clock_gettime(CLOCK_REALTIME, &now);
	finding->key = broken->kept;
	finding->time_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	finding->rule = broken->rule->index;
	finding->thread = (uint32_t)syscall(SYS_gettid);
	cuaudit_thread_name(thread);
	finding->name = put_text(finding, &used, thread);
	finding->function = put_text(finding, &used,
				     broken->call ? broken->call->function->name :
				     grown.number ? grown.function->name : broken->function);
	if (broken->call) {
		cuaudit_call_print(broken->call, CUAUDIT_PRINT_AFTER, call, sizeof(call));
		finding->call = put_text(finding, &used, call);
		finding->kernel = put_text(finding, &used, cuaudit_call_kernel(broken->call));
	} else if (grown.number) {
		finding->call = put_text(finding, &used, grown.text);
	}
	finding->range = put_text(finding, &used, range_text(broken));
	finding->note = put_text(finding, &used, broken->note);
	finding->nframes = broken->nframes < CHECK_FRAMES ? broken->nframes : CHECK_FRAMES;
	for (uint32_t i = 0; i < finding->nframes; i++)
		put_frame(finding, &finding->frames[i], &used, &frames[i]);
	/* Last: who reads the file meanwhile looks at no part of it. */
	atomic_store_explicit(&finding->count, 1, memory_order_release);
}

static void keep(const struct broken *broken)
{
	struct check_header *header = &rules_file->header;
	uint32_t count = header->nfindings;

	for (uint32_t i = 0; i < count; i++)
		if (rules_file->findings[i].key == broken->kept) {
			atomic_fetch_add_explicit(&rules_file->findings[i].count, 1,
						  memory_order_relaxed);
			return;
		}
	if (count == CHECK_FINDINGS) {
		lose(CHECK_LOST_FINDINGS);
		return;
	}
	header->nfindings = count + 1;
	describe(&rules_file->findings[count], broken);
}

static void add(struct broken *broken)
{
	struct check_rule *entry = &rules_file->rules[broken->rule->index];
	struct rules_lock saved;
	uint32_t allow;

	rules_block(&saved);
	pthread_mutex_lock(&lock);
	capture(broken);
	allow = known_allow(broken);
	if (!allow) {
		/* First: a process that is killed here has broken it. */
		atomic_fetch_add_explicit(&entry->broken, 1, memory_order_relaxed);
		keep(broken);
	} else if (allow != NOT_TAKEN) {
		atomic_fetch_add_explicit(&entry->allowed, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&rules_file->allows[allow - 1].used, 1,
					  memory_order_relaxed);
	}
	pthread_mutex_unlock(&lock);
	rules_unblock(&saved);
}

void rules_broken(const struct rule *rule, const struct cuaudit_call *call, const char *note,
		  const char *frame)
{
	struct broken broken = { .rule = rule, .call = call, .note = note, .frame = frame };

	add(&broken);
}

void rules_broken_in(const struct rule *rule, const struct cuaudit_range *range, uint64_t value,
		     uint64_t since)
{
	struct broken broken = { .rule = rule, .range = range->text, .grown = since };
	char note[64] = "in this range it was ";
	char *end = note + strlen(note), number[24];
	int n = 0;

	do
		number[n++] = (char)('0' + value % 10);
	while (value /= 10);
	while (n)
		*end++ = number[--n];
	*end = '\0';
	broken.note = note;
	add(&broken);
}

void rules_broken_at(const struct rule *rule, const void *caller,
		     const struct cuaudit_library *library, const char *function, const char *note)
{
	struct broken broken = {
		.rule = rule, .caller = caller, .function = function, .note = note
	};

	(void)library;
	add(&broken);
}

/* The stack of one key is not looked at again. */
static void seek(struct broken *broken)
{
	uint64_t left = rules_sought, found = 0, key;

	read_stack(broken);
	key = mix_frames(1, broken->nframes) ?: 1;
	if (sought[key % KEYS] == key)
		return;
	sought[key % KEYS] = key;
	for (; left; left &= left - 1) {
		uint32_t index = (uint32_t)__builtin_ctzll(left);

		rules_want(index, CHECK_REACH_STACK);
		if (!stack_matches(broken, rules.rules[index].frame))
			continue;
		rules_reach(index, CHECK_REACH_STACK);
		found |= left & -left;
	}
	rules_sought &= ~found;
}

/* A stack is read on itself. Where that is a coroutine's, or a thread's small one, none is looked at. */
static bool has_room(void)
{
	struct safe_read_known own = stack_own();
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	return here < own.high && here > own.low && here - own.low > ROOM;
}

void rules_seek(const struct cuaudit_call *call)
{
	struct broken broken = { .call = call };
	struct rules_lock saved;

	if (!has_room())
		return;
	rules_block(&saved);
	pthread_mutex_lock(&lock);
	seek(&broken);
	if (++nsought >= SOUGHT)
		rules_sought = 0;
	pthread_mutex_unlock(&lock);
	rules_unblock(&saved);
}

void rules_broken_forked(void)
{
	pthread_mutex_init(&lock, NULL);
	memset(allowed, 0, sizeof(allowed));
	memset(sought, 0, sizeof(sought));
	nsought = 0;
}
