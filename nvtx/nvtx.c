/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NVTX injection: hands the ranges of the program to the core. Each library that uses NVTX 3
 * has a copy of it, which initializes the injection once and then calls what it was given.
 */
#include "nvtx/nvtx.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

#include <internal/link.h>
#include <internal/range_ops.h>

#include "nvtx/handles.h"
#include "nvtx/nvtx_next.h"

#define EXPORT __attribute__((visibility("default")))
#define INLINE inline __attribute__((always_inline))

/* Written by the auditor when the library is loaded; NULL: the process is not audited. */
EXPORT struct link_table *cuaudit_nvtx_link;

EXPORT int InitializeInjectionNvtx2(nvtx_table_fn table);
EXPORT int InitializeInjectionNvtxExtension(const struct nvtx_extension *extension);

static const struct range_ops *core;

/* Of what another tool gave the copies of NVTX that have it, too. */
static struct {
#define CALLBACK(module, number, name, result, parameters, arguments) result (*name) parameters;
#include "nvtx/callbacks.def"
} next;

enum { WIDE = CUAUDIT_RANGE_TEXT + 4, PAGE = 4096 };

/* What the core has for such texts, too. */
#define UNREADABLE "(unreadable)"

/* wchar_t has a character each; what is none becomes U+FFFD. */
static const char *narrow(char text[WIDE], const wchar_t *wide)
{
	char *at = text;
	uintptr_t page = UINTPTR_MAX;

	if (!wide)
		return NULL;
	for (; at < text + CUAUDIT_RANGE_TEXT; wide++) {
		uintptr_t last = ((uintptr_t)wide + sizeof(*wide) - 1) / PAGE;
		uint32_t letter;

		if (last != page && !core->readable(wide, sizeof(*wide)))
			return UNREADABLE;
		page = last;
		memcpy(&letter, wide, sizeof(letter));
		if (!letter)
			break;
		if (letter > 0x10ffff || (letter >= 0xd800 && letter < 0xe000))
			letter = 0xfffd;
		if (letter < 0x80) {
			*at++ = (char)letter;
			continue;
		}
		if (letter < 0x800) {
			*at++ = (char)(0xc0 | letter >> 6);
		} else if (letter < 0x10000) {
			*at++ = (char)(0xe0 | letter >> 12);
			*at++ = (char)(0x80 | (letter >> 6 & 0x3f));
		} else {
			*at++ = (char)(0xf0 | letter >> 18);
			*at++ = (char)(0x80 | (letter >> 12 & 0x3f));
			*at++ = (char)(0x80 | (letter >> 6 & 0x3f));
		}
		*at++ = (char)(0x80 | (letter & 0x3f));
	}
	*at = '\0';
	return text;
}

static const struct cuaudit_range_name *name_of(const void *handle, uint32_t kind)
{
	const struct cuaudit_range_name *name;
	uint32_t index;

	if (!handles_find(handle, &index))
		return NULL;
	name = core->name_at(index);
	return name && name->kind == kind ? name : NULL;
}

static INLINE uint32_t domain_of(const void *handle)
{
	const struct cuaudit_range_name *name;

	if (!handle)
		return 0;
	name = name_of(handle, CUAUDIT_RANGE_DOMAIN);
	return name ? name->domain : CUAUDIT_RANGE_NO_DOMAIN;
}

/* wide: room for a text of wchar_t. */
static const char *text_of(int32_t type, const void *text, char wide[WIDE])
{
	const struct cuaudit_range_name *name;

	switch (type) {
	case NVTX_TEXT:
		return text;
	case NVTX_WIDE_TEXT:
		return narrow(wide, text);
	case NVTX_REGISTERED:
		name = name_of(text, CUAUDIT_RANGE_STRING);
		return name ? name->text : "(unregistered)";
	default:
		return NULL;
	}
}

/* A structure of NVTX begins with its version and size; NULL is none. most: of what is read of it. */
static INLINE bool is_readable(const void *structure, size_t most)
{
	const struct nvtx_resource *head = structure;

	return head && core->readable(head, sizeof(uint32_t)) &&
	       core->readable(head, head->size < sizeof(uint32_t) ? sizeof(uint32_t) :
				    head->size < most ? head->size : most);
}

#define HAS(attributes, member) \
	((attributes)->size >= offsetof(__typeof__(*(attributes)), member) + sizeof((attributes)->member))

static INLINE struct range_event event_of(const void *domain, const struct nvtx_attributes *attributes,
					  char wide[WIDE])
{
	struct range_event event = { .domain = domain_of(domain) };

	if (!is_readable(attributes, sizeof(*attributes)))
		return event;
	if (HAS(attributes, text))
		event.text = text_of(attributes->text_type, attributes->text, wide);
	if (HAS(attributes, category))
		event.category = attributes->category;
	if (HAS(attributes, colour) && attributes->colour_type == NVTX_ARGB) {
		event.colour = attributes->colour;
		event.flags = CUAUDIT_RANGE_COLOUR;
	}
	if (HAS(attributes, payload) && attributes->payload_type) {
		uint32_t type = (uint32_t)attributes->payload_type;

		event.payload_type = type <= NVTX_PAYLOADS ? (uint8_t)type : CUAUDIT_RANGE_OTHER;
		event.payload = type > NVTX_PAYLOADS ? 0 :
				type >= CUAUDIT_RANGE_UINT32 ? (uint32_t)attributes->payload :
							       attributes->payload;
	}
	return event;
}

static INLINE void do_mark(const void *domain, const struct nvtx_attributes *attributes)
{
	char wide[WIDE];
	const struct range_event event = event_of(domain, attributes, wide);

	core->mark(&event);
}

static INLINE int do_push(const void *domain, const struct nvtx_attributes *attributes)
{
	char wide[WIDE];
	const struct range_event event = event_of(domain, attributes, wide);

	return core->push(&event);
}

static INLINE uint64_t do_start(const void *domain, const struct nvtx_attributes *attributes)
{
	char wide[WIDE];
	const struct range_event event = event_of(domain, attributes, wide);

	return core->start(&event);
}

#define PLAIN(its) (&(const struct range_event){ .text = (its) })

/* The other tool's number of a range that is open, by ours; its own is not the program's. */
static uint64_t theirs[CUAUDIT_RANGE_OPEN];

static INLINE uint64_t pair(uint64_t own, uint64_t other)
{
	if (!own)
		return other;
	__atomic_store_n(&theirs[own % CUAUDIT_RANGE_OPEN], other, __ATOMIC_RELAXED);
	return own;
}

static INLINE uint64_t unpair(uint64_t own)
{
	return own >> RANGE_ID_TAG == 1 ?
	       __atomic_load_n(&theirs[own % CUAUDIT_RANGE_OPEN], __ATOMIC_RELAXED) : own;
}

/* Another tool's handle serves for ours. */
static void *handle(void *own, void *other)
{
	if (!other)
		return own;
	handles_put(other, handles_index(own), core->pages);
	return other;
}

static INLINE int level(int own, int other)
{
	(void)own;
	return other;
}

static void name(uint32_t kind, uint64_t id, const char *text)
{
	core->name(kind, 0, id, text);
}

static void name_resource(const void *domain, const struct nvtx_resource *resource)
{
	static const struct {
		int32_t type;
		uint32_t kind;
	} kinds[] = {
		{ NVTX_THREAD, CUAUDIT_RANGE_THREAD },
		{ NVTX_CU_DEVICE, CUAUDIT_RANGE_DEVICE },
		{ NVTX_CU_CONTEXT, CUAUDIT_RANGE_CONTEXT },
		{ NVTX_CU_STREAM, CUAUDIT_RANGE_STREAM },
		{ NVTX_CU_EVENT, CUAUDIT_RANGE_EVENT },
		{ NVTX_CUDA_DEVICE, CUAUDIT_RANGE_DEVICE },
		{ NVTX_CUDA_STREAM, CUAUDIT_RANGE_STREAM },
		{ NVTX_CUDA_EVENT, CUAUDIT_RANGE_EVENT },
	};
	char wide[WIDE];

	if (!is_readable(resource, sizeof(*resource)) || !HAS(resource, text))
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].type == resource->type)
			core->name(kinds[i].kind, domain_of(domain), resource->id,
				   text_of(resource->text_type, resource->text, wide));
}

/*
 * Each function twice: NAME_alone, and NAME_shared for copies of NVTX that another tool gave its
 * own, which is called too. own: our answer; both: what becomes of that and the other's.
 */
#define FUNCTION(result, name, parameters, arguments, before, own, both)			\
	static result name##_alone parameters							\
	{											\
		before										\
		return own;									\
	}											\
	static result name##_shared parameters							\
	{											\
		result other = next.name arguments;						\
		before										\
		return both(own, other);							\
	}
#define PROCEDURE(name, parameters, arguments, body)						\
	static void name##_alone parameters							\
	{											\
		body										\
	}											\
	static void name##_shared parameters							\
	{											\
		body										\
		next.name arguments;								\
	}
#define ATTRIBUTES const struct nvtx_attributes *attributes
#define PAYLOADS const void *payloads, size_t count
#define WIDEN char wide[WIDE]; const char *narrowed = narrow(wide, text);

PROCEDURE(MarkEx, (ATTRIBUTES), (attributes), do_mark(NULL, attributes);)
PROCEDURE(MarkA, (const char *text), (text), core->mark(PLAIN(text));)
PROCEDURE(MarkW, (const wchar_t *text), (text), WIDEN core->mark(PLAIN(narrowed));)
PROCEDURE(DomainMarkEx, (void *domain, ATTRIBUTES), (domain, attributes),
	  do_mark(domain, attributes);)

FUNCTION(int, RangePushEx, (ATTRIBUTES), (attributes), , do_push(NULL, attributes), level)
FUNCTION(int, RangePushA, (const char *text), (text), , core->push(PLAIN(text)), level)
FUNCTION(int, RangePushW, (const wchar_t *text), (text),
	 WIDEN, core->push(PLAIN(narrowed)), level)
FUNCTION(int, DomainRangePushEx, (void *domain, ATTRIBUTES), (domain, attributes),
	 , do_push(domain, attributes), level)
FUNCTION(int, RangePop, (void), (), , core->pop(0), level)
FUNCTION(int, DomainRangePop, (void *domain), (domain), , core->pop(domain_of(domain)), level)

FUNCTION(uint64_t, RangeStartEx, (ATTRIBUTES), (attributes), , do_start(NULL, attributes), pair)
FUNCTION(uint64_t, RangeStartA, (const char *text), (text), , core->start(PLAIN(text)), pair)
FUNCTION(uint64_t, RangeStartW, (const wchar_t *text), (text),
	 WIDEN, core->start(PLAIN(narrowed)), pair)
FUNCTION(uint64_t, DomainRangeStartEx, (void *domain, ATTRIBUTES), (domain, attributes),
	 , do_start(domain, attributes), pair)

/* What these say beside of payloads is in the payloads, by descriptions that are not followed: no text. */
#define UNREAD (void)payloads; (void)count;
#define NAMELESS(its) (&(const struct range_event){ .domain = domain_of(its) })

PROCEDURE(MarkPayload, (void *domain, PAYLOADS), (domain, payloads, count),
	  UNREAD core->mark(NAMELESS(domain));)
FUNCTION(int, RangePushPayload, (void *domain, PAYLOADS), (domain, payloads, count),
	 UNREAD, core->push(NAMELESS(domain)), level)
FUNCTION(int, RangePopPayload, (void *domain, PAYLOADS), (domain, payloads, count),
	 UNREAD, core->pop(domain_of(domain)), level)
FUNCTION(uint64_t, RangeStartPayload, (void *domain, PAYLOADS), (domain, payloads, count),
	 UNREAD, core->start(NAMELESS(domain)), pair)

/* The other tool's number goes to it, by the arguments that follow, before another range takes ours. */
#define ENDS(name, parameters, unread, ...)							\
	static void name##_alone parameters							\
	{											\
		unread										\
		core->end(id);									\
	}											\
	static void name##_shared parameters							\
	{											\
		next.name(__VA_ARGS__);								\
		if (id >> RANGE_ID_TAG == 1)							\
			core->end(id);								\
	}

ENDS(RangeEnd, (uint64_t id), , unpair(id))
ENDS(DomainRangeEnd, (void *domain, uint64_t id), (void)domain;, domain, unpair(id))
ENDS(RangeEndPayload, (void *domain, uint64_t id, PAYLOADS), (void)domain; UNREAD,
     domain, unpair(id), payloads, count)

/* The kinds of names, of texts of char and of wchar_t. */
#define NAMES(function, type, id, kind)								\
	PROCEDURE(function##A, (type id, const char *text), (id, text),				\
		  name(kind, (uint64_t)id, text);)						\
	PROCEDURE(function##W, (type id, const wchar_t *text), (id, text),			\
		  WIDEN name(kind, (uint64_t)id, narrowed);)

NAMES(NameCategory, uint32_t, category, CUAUDIT_RANGE_CATEGORY)
NAMES(NameOsThread, uint32_t, thread, CUAUDIT_RANGE_THREAD)
NAMES(NameCuDevice, int, device, CUAUDIT_RANGE_DEVICE)
NAMES(NameCuContext, void *, context, CUAUDIT_RANGE_CONTEXT)
NAMES(NameCuStream, void *, stream, CUAUDIT_RANGE_STREAM)
NAMES(NameCuEvent, void *, event, CUAUDIT_RANGE_EVENT)
NAMES(NameCudaDevice, int, device, CUAUDIT_RANGE_DEVICE)
NAMES(NameCudaStream, void *, stream, CUAUDIT_RANGE_STREAM)
NAMES(NameCudaEvent, void *, event, CUAUDIT_RANGE_EVENT)

PROCEDURE(DomainNameCategoryA, (void *domain, uint32_t category, const char *text),
	  (domain, category, text),
	  core->name(CUAUDIT_RANGE_CATEGORY, domain_of(domain), category, text);)
PROCEDURE(DomainNameCategoryW, (void *domain, uint32_t category, const wchar_t *text),
	  (domain, category, text),
	  WIDEN core->name(CUAUDIT_RANGE_CATEGORY, domain_of(domain), category, narrowed);)

static void *DomainResourceCreate_alone(void *domain, const struct nvtx_resource *resource)
{
	name_resource(domain, resource);
	return NULL;
}

static void *DomainResourceCreate_shared(void *domain, const struct nvtx_resource *resource)
{
	name_resource(domain, resource);
	return next.DomainResourceCreate(domain, resource);
}

FUNCTION(void *, DomainRegisterStringA, (void *domain, const char *text), (domain, text),
	 , handles_own(core->name(CUAUDIT_RANGE_STRING, domain_of(domain), 0, text)), handle)
FUNCTION(void *, DomainRegisterStringW, (void *domain, const wchar_t *text), (domain, text),
	 WIDEN, handles_own(core->name(CUAUDIT_RANGE_STRING, domain_of(domain), 0, narrowed)), handle)
FUNCTION(void *, DomainCreateA, (const char *text), (text),
	 , handles_own(core->name(CUAUDIT_RANGE_DOMAIN, 0, 0, text)), handle)
FUNCTION(void *, DomainCreateW, (const wchar_t *text), (text),
	 WIDEN, handles_own(core->name(CUAUDIT_RANGE_DOMAIN, 0, 0, narrowed)), handle)

/* A function of NVTX, and where another tool's is kept. */
static const struct callback {
	int module;
	unsigned int number;
	nvtx_any_fn alone, shared, *next;
} callbacks[] = {
#define CALLBACK(module, number, name, result, parameters, arguments) \
	{ module, number, (nvtx_any_fn)name##_alone, (nvtx_any_fn)name##_shared, (nvtx_any_fn *)&next.name },
#include "nvtx/callbacks.def"
};

enum { CALLBACKS = sizeof(callbacks) / sizeof(callbacks[0]) };

/* Where a copy of NVTX has its pointer to a function; NULL: it is an older one, without. */
static nvtx_any_fn *slot_of(const struct nvtx_callbacks *tables, const struct callback *callback)
{
	unsigned int size = 0;
	nvtx_any_fn **table = NULL;

	if (callback->module == NVTX_EXTENSION ||
	    !tables->module(callback->module, &table, &size) || !table || callback->number >= size)
		return NULL;
	return table[callback->number];
}

/* The same of a copy of an extension: that of payloads has one segment. */
static nvtx_any_fn *extension_slot(const struct nvtx_extension *extension,
				   const struct callback *callback)
{
	if (callback->module != NVTX_EXTENSION || extension->size < sizeof(*extension) ||
	    extension->module != NVTX_PAYLOAD_EXTENSION || !extension->nsegments ||
	    callback->number >= extension->segments->count)
		return NULL;
	return &extension->segments->functions[callback->number];
}

/* before: what the pointer was before the other tool had its turn. */
static void put(nvtx_any_fn *slot, nvtx_any_fn before, const struct callback *callback, bool *differs)
{
	if (*slot == before) {
		*slot = callback->alone;
		return;
	}
	if (*callback->next && *callback->next != *slot) {
		*differs = true;
		return;
	}
	*callback->next = *slot;
	*slot = callback->shared;
}

/* A copy's pointers, and what they were before another tool had its turn. */
struct slots {
	nvtx_any_fn *at[CALLBACKS], before[CALLBACKS];
};

static void add_slot(struct slots *slots, uint32_t i, nvtx_any_fn *at)
{
	slots->at[i] = at;
	slots->before[i] = at ? *at : NULL;
}

/* shared: the other tool's answer; as NVTX takes it, who failed has set nothing. */
static void put_all(const struct slots *slots, int shared)
{
	bool differs = false;

	for (uint32_t i = 0; i < CALLBACKS; i++) {
		if (!slots->at[i])
			continue;
		if (!shared)
			*slots->at[i] = slots->before[i];
		put(slots->at[i], slots->before[i], &callbacks[i], &differs);
	}
	if (differs)
		core->complain("the NVTX injection of CUAUDIT_NVTX gave two libraries different "
			       "functions; ranges of one are not recorded");
}

static int initialize(nvtx_table_fn table, nvtx_initialize_fn other)
{
	const struct nvtx_callbacks *tables = table(NVTX_CALLBACKS);
	struct slots slots;

	if (!tables || tables->size < sizeof(*tables))
		return other ? other(table) : 0;
	for (uint32_t i = 0; i < CALLBACKS; i++)
		add_slot(&slots, i, slot_of(tables, &callbacks[i]));
	put_all(&slots, other ? other(table) : 0);
	return 1;
}

/*
 * Who is not there for the extension of payloads is taken not to follow any domain
 * (nvtxDomainIsEnabled), and PyPI's nvtx then pushes nothing. NCCL pops most of its ranges by it.
 */
static int extend(const struct nvtx_extension *extension, nvtx_extend_fn other)
{
	struct slots slots;

	for (uint32_t i = 0; i < CALLBACKS; i++)
		add_slot(&slots, i, extension_slot(extension, &callbacks[i]));
	put_all(&slots, other ? other(extension) : 0);
	return 1;
}

/* The core's part, which is loaded for it; NULL: not audited, or no module wants ranges. */
static const struct range_ops *find_core(void)
{
	struct link_table *link = *(struct link_table *volatile *)&cuaudit_nvtx_link;

	if (!link || link->version != LINK_VERSION || link->size != sizeof(*link))
		return NULL;
	link->load_core();
	/* Pairs with range_publish. */
	return atomic_load_explicit(&link->ranges, memory_order_acquire);
}

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* Not 0 if the copy of NVTX shall call what it finds in its tables, and 0 if nothing from now on. */
int InitializeInjectionNvtx2(nvtx_table_fn table)
{
	char why[NVTX_WHY];
	nvtx_initialize_fn other = (nvtx_initialize_fn)nvtx_next(NVTX_INITIALIZE, why);
	int answer;

	pthread_mutex_lock(&lock);
	core = find_core();
	if (core && *why)
		core->complain(why);
	answer = core ? initialize(table, other) : other ? other(table) : 0;
	pthread_mutex_unlock(&lock);
	return answer;
}

/* The same of a copy of an extension. */
int InitializeInjectionNvtxExtension(const struct nvtx_extension *extension)
{
	char none[NVTX_WHY];
	nvtx_extend_fn other = (nvtx_extend_fn)nvtx_next(NVTX_INITIALIZE_EXTENSION, none);
	int answer;

	pthread_mutex_lock(&lock);
	core = find_core();
	answer = core ? extend(extension, other) : other ? other(extension) : 0;
	pthread_mutex_unlock(&lock);
	return answer;
}
