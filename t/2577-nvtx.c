/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The NVTX injection by itself, between a copy of NVTX and a core: what each function becomes,
 * alone and beside another tool, whatever attributes, texts and handles a program gives.
 */
#include "nvtx/handles.c"
#include "nvtx/nvtx.c"

#include <stdio.h>
#include <sys/mman.h>

#include "t/fuzz/chance.h"
#include "t/tap.h"

enum { NAMES = 8, MODULES = 7, MOST = 16, STEPS = 60000, READABLE = 3 * PAGE };

/* What was called since it was cleared: the core's functions, and the other tool's. */
static char called[2048];

static __attribute__((format(printf, 1, 2))) void record(const char *format, ...)
{
	size_t used = strlen(called);
	va_list list;

	va_start(list, format);
	vsnprintf(called + used, sizeof(called) - used, format, list);
	va_end(list);
}

/* The core: its answers are numbers that can be told from the other tool's. */
static struct range_event last;
static char last_text[2 * CUAUDIT_RANGE_TEXT];
static struct cuaudit_range_name core_names[NAMES];
static uint32_t nnames;
static unsigned int asked;
static const char *pages_at; /* three of them, the middle one of which can be read */

static void take(const char *what, const struct range_event *event)
{
	last = *event;
	snprintf(last_text, sizeof(last_text), "%s", event->text ? event->text : "(none)");
	record("%s %u '%.40s';", what, event->domain, last_text);
}

static int core_push(const struct range_event *event)
{
	take("push", event);
	return 11;
}

static int core_pop(uint32_t domain)
{
	record("pop %u;", domain);
	return 12;
}

static uint64_t own_id = (uint64_t)1 << RANGE_ID_TAG | 5;

static uint64_t core_start(const struct range_event *event)
{
	take("start", event);
	return own_id;
}

static void core_end(uint64_t id)
{
	record("end %llx;", (unsigned long long)id);
}

static void core_mark(const struct range_event *event)
{
	take("mark", event);
}

static uint32_t core_name(uint32_t kind, uint32_t domain, uint64_t id, const char *text)
{
	record("name %u %u %llu '%.40s';", kind, domain, (unsigned long long)id,
	       text ? text : "(none)");
	if (kind != CUAUDIT_RANGE_DOMAIN && kind != CUAUDIT_RANGE_STRING)
		return CUAUDIT_RANGE_NO_DOMAIN;
	if (nnames == NAMES)
		return CUAUDIT_RANGE_NO_DOMAIN;
	core_names[nnames] = (struct cuaudit_range_name){
		.text = "registered",
		.kind = kind,
		.domain = kind == CUAUDIT_RANGE_DOMAIN ? 40 + nnames : domain,
	};
	return nnames++;
}

static const struct cuaudit_range_name *core_name_at(uint32_t index)
{
	return index < nnames ? &core_names[index] : NULL;
}

static bool no_pages;
static unsigned int areas; /* that it was asked for */

static void *core_pages(size_t size)
{
	void *at = no_pages ? NULL
			    : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);

	areas++;
	return at == MAP_FAILED ? NULL : at;
}

static void core_complain(const char *text)
{
	record("complaint %.18s;", text);
}

/* All but what touches the pages around the middle one. */
static bool core_readable(const void *address, size_t size)
{
	const char *at = address;

	asked++;
	return at >= (char *)PAGE && (at + size <= pages_at || at >= pages_at + READABLE ||
				      (at >= pages_at + PAGE && at + size <= pages_at + 2 * PAGE));
}

static const struct range_ops fake_core = {
	.push = core_push,
	.pop = core_pop,
	.start = core_start,
	.end = core_end,
	.mark = core_mark,
	.name = core_name,
	.name_at = core_name_at,
	.pages = core_pages,
	.complain = core_complain,
	.readable = core_readable,
};

static unsigned int loaded; /* how often the core was */

static void load_core(void)
{
	loaded++;
}

static struct link_table table = { .version = LINK_VERSION,
				   .size = sizeof(table),
				   .load_core = load_core };

/* A copy of NVTX: a pointer to each function's pointer, which its own function is in at first. */
struct copy {
	nvtx_any_fn functions[MODULES][MOST];
	nvtx_any_fn *slots[MODULES][MOST];
	struct nvtx_callbacks callbacks;
	unsigned int size[MODULES];
};

static struct copy copies[2], *copy = &copies[0];

static void initial(void)
{
	record("initial;");
}

static bool denies; /* there is a table, but it is of no module */

static int copy_module(int number, nvtx_any_fn ***found, unsigned int *size)
{
	if (number == NVTX_EXTENSION)
		record("module %d;", number);
	if (number < 0 || number >= NVTX_EXTENSION || !copy->size[number])
		return 0;
	*found = copy->slots[number];
	*size = copy->size[number];
	return !denies;
}

static const void *copy_table(uint32_t number)
{
	return number == NVTX_CALLBACKS && copy->callbacks.size ? &copy->callbacks : NULL;
}

/* The copy's extension of payloads. */
static struct nvtx_segment segment;
static struct nvtx_extension extension;

static void begin_copy(struct copy *of)
{
	copy = of;
	copy->callbacks = (struct nvtx_callbacks){ sizeof(copy->callbacks), copy_module };
	for (int i = 0; i < MODULES; i++) {
		copy->size[i] = i == 3 ? 0 : MOST;
		for (int k = 0; k < MOST; k++) {
			copy->functions[i][k] = initial;
			copy->slots[i][k] = &copy->functions[i][k];
		}
	}
	segment = (struct nvtx_segment){ .count = MOST,
					 .functions = copy->functions[NVTX_EXTENSION] };
	extension = (struct nvtx_extension){ .size = sizeof(extension),
					     .module = NVTX_PAYLOAD_EXTENSION,
					     .nsegments = 1,
					     .segments = &segment };
	called[0] = '\0';
}

/* The other tool: its functions record their names, and answer with what is set here. */
enum { OTHER_LEVEL = 77 };

static char other_thing;
static void *other_handle = &other_thing;
static uint64_t other_id = 7;

static void answer_void(void)
{
}

static int answer_int(void)
{
	return OTHER_LEVEL;
}

static uint64_t answer_uint64_t(void)
{
	return other_id;
}

static void *answer_handle(void)
{
	return other_handle;
}

#define ANSWER(result)                              \
	_Generic((result(*)(void))0, void (*)(void) \
		 : answer_void, int (*)(void)       \
		 : answer_int, uint64_t (*)(void)   \
		 : answer_uint64_t, void *(*)(void) \
		 : answer_handle)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define CALLBACK(module, number, name, result, parameters, arguments) \
	static result other_##name parameters                         \
	{                                                             \
		record("%s;", #name);                                 \
		return ANSWER(result)();                              \
	}
#include "nvtx/callbacks.def"
#pragma GCC diagnostic pop

static const struct place {
	const char *name;
	int module;
	unsigned int number;
	nvtx_any_fn other;
} places[] = {
#define CALLBACK(module, number, name, result, parameters, arguments) \
	{ #name, module, number, (nvtx_any_fn)other_##name },
#include "nvtx/callbacks.def"
};

enum { PLACES = sizeof(places) / sizeof(places[0]) };

static nvtx_any_fn *slot_at(const struct place *place)
{
	return &copy->functions[place->module][place->number];
}

static nvtx_any_fn function_of(const char *name)
{
	for (int i = 0; i < PLACES; i++)
		if (!strcmp(places[i].name, name))
			return *slot_at(&places[i]);
	bail_out("no function %s", name);
}

/* They are told of numbers of their own. */
static void other_end(uint64_t id)
{
	record("RangeEnd %llu;", (unsigned long long)id);
}

static void other_domain_end(void *domain, uint64_t id)
{
	record("DomainRangeEnd %d %llu;", domain != NULL, (unsigned long long)id);
}

static void other_payload_end(void *domain, uint64_t id, const void *payloads, size_t count)
{
	record("RangeEndPayload %d %llu %d %zu;", domain != NULL, (unsigned long long)id,
	       payloads != NULL, count);
}

static int others_answer = 1, others_set = PLACES; /* so many of the functions */
static int (*other_initialize)(nvtx_table_fn);

static void set_others(bool extends)
{
	static const struct {
		const char *name;
		nvtx_any_fn function;
	} ends[] = {
		{ "RangeEnd", (nvtx_any_fn)other_end },
		{ "DomainRangeEnd", (nvtx_any_fn)other_domain_end },
		{ "RangeEndPayload", (nvtx_any_fn)other_payload_end },
	};

	for (int i = 0; i < others_set; i++) {
		if ((places[i].module == NVTX_EXTENSION) != extends)
			continue;
		*slot_at(&places[i]) = places[i].other;
		for (int k = 0; k < 3; k++)
			if (!strcmp(places[i].name, ends[k].name))
				*slot_at(&places[i]) = ends[k].function;
	}
}

static int initialize_other(nvtx_table_fn from)
{
	record("other;");
	if (from != copy_table)
		return 0;
	set_others(false);
	return others_answer;
}

static int other_extension(const struct nvtx_extension *of)
{
	record("extension %d;", of == &extension);
	set_others(true);
	return others_answer;
}

/* A copy and its extension. */
static int initialize_all(void)
{
	return InitializeInjectionNvtx2(copy_table) &
	       InitializeInjectionNvtxExtension(&extension);
}

static bool other_extends;

void *nvtx_next(const char *name, char why[NVTX_WHY])
{
	*why = '\0';
	if (!strcmp(name, "InitializeInjectionNvtx2"))
		return (void *)other_initialize;
	if (!strcmp(name, "InitializeInjectionNvtxExtension"))
		return other_extends ? (void *)other_extension : NULL;
	bail_out("%s is looked for", name);
}

/* What a call made of it, beside another tool: that is called after ours, or before it where both
 * answer. */
static bool shared;

static void came(const char *name, bool answers, const char *core_part)
{
	char want[256];

	if (!shared)
		snprintf(want, sizeof(want), "%s", core_part);
	else if (answers)
		snprintf(want, sizeof(want), "%s;%s", name, core_part);
	else
		snprintf(want, sizeof(want), "%s%s;", core_part, name);
	is_str(called, want, "%s%s", name, shared ? " beside another tool" : "");
	called[0] = '\0';
}

#define CALL(name, ...) (((__typeof__(&name##_alone))function_of(#name))(__VA_ARGS__))
#define PROC(name, core_part, ...)             \
	do {                                   \
		CALL(name, __VA_ARGS__);       \
		came(#name, false, core_part); \
	} while (0)
#define PUSHES(name, core_part, own_answer, ...)                                                \
	do {                                                                                    \
		is_int((long long)CALL(name, __VA_ARGS__), shared ? OTHER_LEVEL : (own_answer), \
		       "%s answers", #name);                                                    \
		came(#name, true, core_part);                                                   \
	} while (0)
#define STARTS(name, core_part, ...)                                                        \
	do {                                                                                \
		is_int((long long)CALL(name, __VA_ARGS__), (long long)own_id, "%s answers", \
		       #name);                                                              \
		came(#name, true, core_part);                                               \
	} while (0)
#define GIVES(given, name, core_part, own_answer, ...)                                  \
	do {                                                                            \
		given = CALL(name, __VA_ARGS__);                                        \
		is_ptr(given, shared ? other_handle : (own_answer), "%s gives", #name); \
		came(#name, true, core_part);                                           \
	} while (0)

static struct nvtx_attributes attributes_of(const char *text)
{
	return (struct nvtx_attributes){ .version = 3,
					 .size = sizeof(struct nvtx_attributes),
					 .text_type = NVTX_TEXT,
					 .text = text };
}

static void test_names_of(void)
{
	PROC(NameCategoryA, "name 2 0 3 'a';", 3, "a");
	PROC(NameCategoryW, "name 2 0 4 'b';", 4, L"b");
	PROC(NameOsThreadA, "name 3 0 5 'c';", 5, "c");
	PROC(NameOsThreadW, "name 3 0 4294967295 'd';", UINT32_MAX, L"d");
	PROC(NameCuDeviceA, "name 4 0 6 'e';", 6, "e");
	PROC(NameCuDeviceW, "name 4 0 7 'f';", 7, L"f");
	PROC(NameCuContextA, "name 5 0 8 'g';", (void *)8, "g");
	PROC(NameCuContextW, "name 5 0 9 'h';", (void *)9, L"h");
	PROC(NameCuStreamA, "name 6 0 10 'i';", (void *)10, "i");
	PROC(NameCuStreamW, "name 6 0 11 'j';", (void *)11, L"j");
	PROC(NameCuEventA, "name 7 0 12 'k';", (void *)12, "k");
	PROC(NameCuEventW, "name 7 0 13 'l';", (void *)13, L"l");
	PROC(NameCudaDeviceA, "name 4 0 14 'm';", 14, "m");
	PROC(NameCudaDeviceW, "name 4 0 15 'n';", 15, L"n");
	PROC(NameCudaStreamA, "name 6 0 16 'o';", (void *)16, "o");
	PROC(NameCudaStreamW, "name 6 0 17 'p';", (void *)17, L"p");
	PROC(NameCudaEventA, "name 7 0 18 'q';", (void *)18, "q");
	PROC(NameCudaEventW, "name 7 0 19 'r';", (void *)19, L"r");
	PROC(NameCudaEventW, "name 7 0 19 '(none)';", (void *)19, NULL);
}

static void test_resources(void *domain)
{
	static const struct {
		int32_t type;
		uint32_t kind;
	} kinds[] = {
		{ NVTX_THREAD, 3 },
		{ NVTX_CU_DEVICE, 4 },
		{ NVTX_CU_CONTEXT, 5 },
		{ NVTX_CU_STREAM, 6 },
		{ NVTX_CU_EVENT, 7 },
		{ NVTX_CUDA_DEVICE, 4 },
		{ NVTX_CUDA_STREAM, 6 },
		{ NVTX_CUDA_EVENT, 7 },
		{ 99, 0 },
		{ 0, 0 },
	};
	struct nvtx_resource resource = { .version = 3,
					  .size = sizeof(resource),
					  .id = 5,
					  .text_type = NVTX_TEXT,
					  .text = "res" };
	void *given;
	char want[64];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		resource.type = kinds[i].type;
		snprintf(want, sizeof(want), "name %u 40 5 'res';", kinds[i].kind);
		given = CALL(DomainResourceCreate, domain, &resource);
		is_ptr(given, shared ? other_handle : NULL, "a resource of type %x",
		       (unsigned int)resource.type);
		came("DomainResourceCreate", false, kinds[i].kind ? want : "");
	}
	resource.type = NVTX_THREAD;
	resource.size = offsetof(struct nvtx_resource, text);
	CALL(DomainResourceCreate, domain, &resource);
	came("DomainResourceCreate", false, "");
	resource.size += sizeof(resource.text);
	CALL(DomainResourceCreate, NULL, &resource);
	came("DomainResourceCreate", false, "name 3 0 5 'res';");
	CALL(DomainResourceCreate, domain, NULL);
	came("DomainResourceCreate", false, "");
}

/* A range that was started is ended by our number; the other tool is told of its own. */
static void test_ends(void *domain)
{
	const uint64_t foreign = 9;
	char want[64];

	other_id = 8;
	own_id += 1;
	STARTS(RangeStartA, "start 0 'other';", "other");
	own_id -= 1;
	other_id = 7;
	STARTS(RangeStartA, "start 0 's';", "s");
	CALL(RangeEnd, own_id);
	snprintf(want, sizeof(want), "%send %llx;", shared ? "RangeEnd 7;" : "",
		 (unsigned long long)own_id);
	is_str(called, want, "a range ends");
	called[0] = '\0';
	CALL(DomainRangeEnd, domain, own_id + 1);
	snprintf(want, sizeof(want), "%send %llx;", shared ? "DomainRangeEnd 1 8;" : "",
		 (unsigned long long)own_id + 1);
	is_str(called, want, "... and one of a domain");
	called[0] = '\0';
	CALL(RangeEnd, foreign);
	is_str(called, shared ? "RangeEnd 9;" : "end 9;", "a number that is not ours");
	called[0] = '\0';
	CALL(DomainRangeEnd, domain, foreign);
	is_str(called, shared ? "DomainRangeEnd 1 9;" : "end 9;", "... of a domain");
	called[0] = '\0';
	STARTS(RangeStartPayload, "start 40 '(none)';", domain, domain, 2);
	CALL(RangeEndPayload, domain, own_id, &table, 2);
	snprintf(want, sizeof(want), "%send %llx;", shared ? "RangeEndPayload 1 7 1 2;" : "",
		 (unsigned long long)own_id);
	is_str(called, want, "... by a function of the extension");
	called[0] = '\0';
	CALL(RangeEndPayload, NULL, foreign, NULL, 0);
	is_str(called, shared ? "RangeEndPayload 0 9 0 0;" : "end 9;", "... that is not ours");
	called[0] = '\0';
	/* The core has no more room. */
	own_id = 0;
	is_int((long long)CALL(RangeStartA, "s"), shared ? 7 : 0,
	       "a range that the core does not follow is the other tool's");
	own_id = (uint64_t)1 << RANGE_ID_TAG | 5;
	called[0] = '\0';
}

static void test_functions(void)
{
	struct nvtx_attributes attributes = attributes_of("attr");
	void *domain, *string, *second;

	nnames = 0;
	other_handle = &other_thing;
	GIVES(domain, DomainCreateA, "name 1 0 0 'one';", handles_own(0), "one");
	other_handle = &other_thing + 1;
	GIVES(second, DomainCreateW, "name 1 0 0 'two';", handles_own(1), L"two");
	other_handle = (void *)called;
	GIVES(string, DomainRegisterStringA, "name 16 40 0 'text';", handles_own(2), domain,
	      "text");
	PROC(MarkEx, "mark 0 'attr';", &attributes);
	PROC(MarkA, "mark 0 'm';", "m");
	PROC(MarkW, "mark 0 'w';", L"w");
	PROC(DomainMarkEx, "mark 41 'attr';", second, &attributes);
	PUSHES(RangePushEx, "push 0 'attr';", 11, &attributes);
	PUSHES(RangePushA, "push 0 'p';", 11, "p");
	PUSHES(RangePushW, "push 0 'wp';", 11, L"wp");
	PUSHES(DomainRangePushEx, "push 40 'attr';", 11, domain, &attributes);
	is_int(CALL(RangePop), shared ? OTHER_LEVEL : 12, "RangePop answers");
	came("RangePop", true, "pop 0;");
	PUSHES(DomainRangePop, "pop 41;", 12, second);
	PUSHES(DomainRangePop, "pop 0;", 12, NULL);
	PUSHES(DomainRangePop, "pop 4294967295;", 12, string);
	PUSHES(DomainRangePop, "pop 4294967295;", 12, &attributes);
	PUSHES(DomainRangePop, "pop 4294967295;", 12, handles_own(NAMES));
	STARTS(RangeStartEx, "start 0 'attr';", &attributes);
	STARTS(RangeStartW, "start 0 'ws';", L"ws");
	STARTS(DomainRangeStartEx, "start 40 'attr';", domain, &attributes);
	PROC(MarkPayload, "mark 41 '(none)';", second, &attributes, 1);
	PUSHES(RangePushPayload, "push 40 '(none)';", 11, domain, NULL, 0);
	PUSHES(RangePopPayload, "pop 41;", 12, second, &attributes, SIZE_MAX);
	STARTS(RangeStartPayload, "start 0 '(none)';", NULL, &attributes, 1);
	attributes.text_type = NVTX_REGISTERED;
	attributes.text = string;
	PROC(MarkEx, "mark 0 'registered';", &attributes);
	attributes.text = domain;
	PROC(MarkEx, "mark 0 '(unregistered)';", &attributes);
	attributes.text = NULL;
	PROC(MarkEx, "mark 0 '(unregistered)';", &attributes);
	PROC(DomainNameCategoryA, "name 2 40 5 'loading';", domain, 5, "loading");
	PROC(DomainNameCategoryW, "name 2 41 6 'wide';", second, 6, L"wide");
	GIVES(string, DomainRegisterStringW, "name 16 41 0 'wtext';", handles_own(3), second,
	      L"wtext");
	test_names_of();
	test_resources(domain);
	test_ends(domain);
	other_handle = NULL;
	is_ptr(CALL(DomainCreateA, "own"), handles_own(4),
	       "another tool that gives no handle: ours");
	called[0] = '\0';
}

static void test_initialize(void)
{
	static const struct nvtx_callbacks small = { .size = sizeof(small) - 1 };
	unsigned int wrong = 0;

	cuaudit_nvtx_link = NULL;
	begin_copy(&copies[0]);
	is_int(InitializeInjectionNvtx2(copy_table), 0, "not audited: NVTX calls nothing");
	is_int(InitializeInjectionNvtxExtension(&extension), 0, "... nor its extensions");
	other_initialize = initialize_other;
	other_extends = true;
	is_int(InitializeInjectionNvtx2(copy_table), 1, "... but another tool");
	is_int(InitializeInjectionNvtxExtension(&extension), 1, "... who answers for extensions, too");
	is_str(called, "other;extension 1;", "... which is called");
	other_initialize = NULL;
	other_extends = false;
	for (int i = 0; i < 3; i++) {
		struct link_table old = table;

		old.version += i == 0;
		old.size += i == 1;
		old.ranges = i == 2 ? NULL : &fake_core;
		loaded = 0;
		cuaudit_nvtx_link = &old;
		begin_copy(&copies[0]);
		wrong += InitializeInjectionNvtx2(copy_table) != 0 || loaded != (i == 2);
		wrong += copy->functions[1][1] != initial;
	}
	is_int(wrong, 0,
	       "an auditor of another version, and a core that no module wants ranges of");
	atomic_store(&table.ranges, &fake_core);
	cuaudit_nvtx_link = &table;
	begin_copy(&copies[0]);
	copy->callbacks.size = 0;
	is_int(InitializeInjectionNvtx2(copy_table), 0, "a copy without the table");
	copy->callbacks = small;
	is_int(InitializeInjectionNvtx2(copy_table), 0, "... or with a smaller one");
	other_initialize = initialize_other;
	is_int(InitializeInjectionNvtx2(copy_table), 1, "... is another tool's alone");
	other_initialize = NULL;
	is_int(InitializeInjectionNvtxExtension(&extension), 1,
	       "extensions: followed, so that programs push");
}

static void test_copies(void)
{
	nvtx_any_fn left[PLACES];
	unsigned int wrong = 0;

	/* An older copy of fewer functions and modules. */
	begin_copy(&copies[0]);
	copy->size[1] = 12;
	copy->size[4] = 0;
	copy->slots[1][3] = NULL;
	segment.count = copy->size[NVTX_EXTENSION] = 4;
	is_int(initialize_all(), 1, "an older copy");
	for (int i = 0; i < PLACES; i++)
		wrong += (*slot_at(&places[i]) != initial) !=
			 (places[i].number < copy->size[places[i].module] &&
			  copy->slots[places[i].module][places[i].number]);
	is_int(wrong, 0, "... is given what it has");
	for (int i = 0; i < 3; i++) {
		begin_copy(&copies[0]);
		extension.size -= i == 0;
		extension.module += i == 1;
		extension.nsegments -= i == 2;
		is_int(initialize_all(), 1, "an extension that is none of payloads");
		ok(copy->functions[NVTX_EXTENSION][4] == initial, "... is given nothing");
	}
	is_int(initialize_all(), 1, "a copy that is initialized twice");

	/* Another tool that failed has set nothing; what it does not follow is ours alone. */
	begin_copy(&copies[0]);
	other_initialize = initialize_other;
	other_extends = true;
	others_answer = 0;
	is_int(initialize_all(), 1, "another tool fails");
	shared = false;
	called[0] = '\0';
	PROC(MarkA, "mark 0 'alone';", "alone");
	PROC(MarkPayload, "mark 0 '(none)';", NULL, NULL, 0);
	others_answer = 1;
	others_set = 2;
	begin_copy(&copies[0]);
	is_int(initialize_all(), 1, "another tool follows two functions");
	is_str(called, "other;extension 1;", "... and no complaint");
	called[0] = '\0';
	PROC(MarkW, "mark 0 'third';", L"third");
	shared = true;
	PROC(MarkA, "mark 0 'second';", "second");

	/* It follows all in a second copy, by functions of the first where it gave any. */
	others_set = PLACES;
	begin_copy(&copies[1]);
	is_int(initialize_all(), 1, "a second copy");
	is_str(called, "other;extension 1;", "... of which it follows more");
	for (int i = 0; i < PLACES; i++)
		left[i] = *slot_at(&places[i]);
	next.MarkA = other_MarkA == next.MarkA ? (__typeof__(next.MarkA))initial : next.MarkA;
	begin_copy(&copies[0]);
	is_int(initialize_all(), 1,
	       "a third copy, with another function for one");
	is_str(called, "other;complaint the NVTX injection;extension 1;", "... that is said");
	wrong = 0;
	for (int i = 0; i < PLACES; i++)
		wrong += *slot_at(&places[i]) !=
			 (!strcmp(places[i].name, "MarkA") ? (nvtx_any_fn)other_MarkA : left[i]);
	is_int(wrong, 0, "... and it has the other tool's there, as it set it");
	next.MarkA = other_MarkA;
}

static void *initialize_there(void *of)
{
	static int answer;

	begin_copy(of);
	answer = InitializeInjectionNvtx2(copy_table);
	return &answer;
}

/* Another thread's copy, and one that has no module. */
static void test_thread(void)
{
	pthread_t thread;
	void *answer;

	if (pthread_create(&thread, NULL, initialize_there, &copies[1]) ||
	    pthread_join(thread, &answer))
		bail_out("no thread");
	is_int(*(int *)answer, 1, "a copy of another thread's");
	denies = true;
	begin_copy(&copies[0]);
	is_int(InitializeInjectionNvtx2(copy_table), 1, "a copy of no modules");
	ok(copy->functions[1][1] == initial, "... is given nothing");
	denies = false;
}

/* Attributes of any version that end where the readable page does, or before it. */
static void test_attributes(void)
{
	static const char text[] = "text";
	unsigned int wrong = 0, whole = 0;

	shared = false;
	for (uint64_t i = 0; i < STEPS; i++) {
		struct nvtx_attributes a = attributes_of(text);
		struct range_event want = { .domain = 0 };
		const char *want_text = NULL;
		size_t room, need;
		char *at;

		chance_begin(i, 9);
		a.size = (uint16_t)(chance(3)	? sizeof(a) - chance(24)
				    : chance(2) ? chance(60)
						: 65535);
		a.category = (uint32_t)chance_word();
		a.colour_type = (int32_t)chance(3);
		a.colour = (uint32_t)chance_word();
		a.payload_type = (int32_t)chance(10) - 1;
		a.payload = chance_word();
		a.text_type = (int32_t)chance(5);
		if (a.text_type == NVTX_WIDE_TEXT)
			a.text = L"wide";
		need = a.size < 4 ? 4 : a.size < sizeof(a) ? a.size : sizeof(a);
		room = chance(4) ? need + chance(8) : chance(need);
		at = (char *)(uintptr_t)pages_at + 2 * PAGE - room;
		memcpy(at, &a, room < sizeof(a) ? room : sizeof(a));
		whole += room >= need;
		if (room >= need &&
		    a.size >= offsetof(struct nvtx_attributes, text) + sizeof(a.text))
			want_text = a.text_type == NVTX_TEXT	     ? text
				    : a.text_type == NVTX_WIDE_TEXT  ? "wide"
				    : a.text_type == NVTX_REGISTERED ? "(unregistered)"
								     : NULL;
		if (room >= need && a.size >= 8)
			want.category = a.category;
		if (room >= need && a.size >= 16 && a.colour_type == NVTX_ARGB) {
			want.colour = a.colour;
			want.flags = CUAUDIT_RANGE_COLOUR;
		}
		if (room >= need && a.size >= 32 && a.payload_type) {
			bool known = a.payload_type > 0 && a.payload_type <= NVTX_PAYLOADS;

			want.payload_type = known ? (uint8_t)a.payload_type : CUAUDIT_RANGE_OTHER;
			want.payload = !known ? 0
				       : a.payload_type >= CUAUDIT_RANGE_UINT32
					       ? (uint32_t)a.payload
					       : a.payload;
		}
		called[0] = '\0';
		CALL(MarkEx, (struct nvtx_attributes *)(void *)at);
		wrong += last.category != want.category || last.colour != want.colour ||
			 last.flags != want.flags || last.payload != want.payload ||
			 last.payload_type != want.payload_type || last.domain ||
			 !last.text != !want_text ||
			 (want_text && strcmp(last_text, want_text) != 0);
	}
	is_int(wrong, 0, "attributes, as far as there are any");
	ok(whole > STEPS / 2 && whole < STEPS, "%u were readable", whole);
	CALL(MarkEx, NULL);
	ok(!last.text && !last.category && !last.payload, "no attributes");
}

/* What a text of UTF-8 begins with, and its length; only the shortest form is one. */
static uint32_t decode(const char **at)
{
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	unsigned char first = (unsigned char)*(*at)++;
	int more = first < 0x80	      ? 0
		   : first >> 5 == 6  ? 1
		   : first >> 4 == 14 ? 2
		   : first >> 3 == 30 ? 3
				      : -1;
	uint32_t letter = first & (more < 1 ? 0x7f : 0x3f >> more);

	if (more < 0)
		return UINT32_MAX;
	for (int i = 0; i < more; i++) {
		unsigned char byte = (unsigned char)*(*at)++;

		if (byte >> 6 != 2)
			return UINT32_MAX;
		letter = letter << 6 | (byte & 0x3f);
	}
	return letter >= least[more] ? letter : UINT32_MAX;
}

static bool is_letter(uint32_t letter)
{
	return letter <= 0x10ffff && (letter < 0xd800 || letter > 0xdfff);
}

/* Each character there is, and others; then texts that end at the end of what can be read, or are
 * too long. */
static void test_wide(void)
{
	char to[WIDE + 1];
	unsigned int wrong = 0, cut = 0;

	for (uint32_t letter = 1; letter < 0x120000; letter++) {
		const wchar_t wide[2] = { (wchar_t)letter, 0 };
		const char *at = narrow(to, wide);

		wrong += decode(&at) != (is_letter(letter) ? letter : 0xfffd) || *at;
	}
	is_int(wrong, 0, "all characters");
	for (uint64_t i = 0; i < STEPS / 8; i++) {
		static const uint32_t kinds[] = { 'x', 0xe9, 0x20ac, 0x1f600 };
		wchar_t wide[CUAUDIT_RANGE_TEXT + 32];
		size_t length, readable, at = 0;
		uint32_t mixed;
		const char *is;
		char *from;

		chance_begin(i, 8);
		length = chance(2)
				 ? chance(60)
				 : CUAUDIT_RANGE_TEXT / 4 + chance(CUAUDIT_RANGE_TEXT * 3 / 4 + 20);
		mixed = 1 + (uint32_t)chance(4);
		for (; at < length; at++)
			wide[at] = (wchar_t)kinds[chance(mixed)];
		wide[length] = 0;
		/* All of it, or without its end; on a boundary of wchar_t, or not. */
		readable = (length + (chance(3) > 0)) * sizeof(wchar_t);
		from = (char *)(uintptr_t)pages_at + 2 * PAGE - readable - chance(3);
		if (from < pages_at + PAGE)
			continue;
		memcpy(from, wide, readable);
		memset(to, '!', sizeof(to));
		is = narrow(to, (const wchar_t *)(void *)from);
		wrong += to[WIDE] != '!';
		if (is != to) {
			const char *end = to;
			size_t most = 0;

			wrong += strcmp(is, UNREADABLE) != 0 ||
				 readable == (length + 1) * sizeof(wchar_t);
			for (at = 0; at < length; at++)
				most += wide[at] < 0x80	     ? 1
					: wide[at] < 0x800   ? 2
					: wide[at] < 0x10000 ? 3
							     : 4;
			wrong += end + most >= to + CUAUDIT_RANGE_TEXT;
			continue;
		}
		for (at = 0; *is && at < length; at++)
			wrong += decode(&is) != (uint32_t)wide[at];
		wrong += *is != '\0' || (at < length && strlen(to) < CUAUDIT_RANGE_TEXT);
		cut += at < length;
	}
	is_int(wrong, 0, "texts of wchar_t");
	ok(cut > 50, "%u of them are longer than texts can be", cut);
	asked = 0;
	narrow(to, L"some text that is in one page or two, and asked for as often");
	ok(asked <= 2, "a page is asked for once: %u", asked);
	ok(!narrow(to, NULL), "no text");
}

/* Handles of another tool; so many in one place that no more are looked for. */
static void test_handles(void)
{
	enum { MANY = 200000 };
	uint64_t *same = calloc(TRIES + 2, sizeof(*same)), candidate = 1;
	uint32_t index = 0, wrong = 0, nsame = 0;

	others = NULL;
	no_pages = true;
	handles_put(&other_thing, 1, core_pages);
	ok(!handles_find(&other_thing, &index), "no memory for handles");
	no_pages = false;
	areas = 0;
	handles_put(&other_thing, 5, core_pages);
	handles_put(&other_thing, 6, core_pages);
	ok(handles_find(&other_thing, &index) && index == 6 && areas == 1,
	   "of one handle the last holds");
	others = NULL;
	for (uint64_t i = 1; i <= MANY; i++)
		handles_put((void *)(i * 64), (uint32_t)i, core_pages);
	for (uint64_t i = 1; i <= 2 * MANY; i++) {
		bool found = handles_find((void *)(i * 64), &index);

		wrong += found != (i <= MANY) || (found && index != i);
	}
	is_int(wrong, 0, "%d handles", MANY);
	for (uint32_t i = 0; i < 100; i++)
		wrong += handles_index(handles_own(i)) != i ||
			 !handles_find(handles_own(i), &index) || index != i;
	is_int(wrong, 0, "our own");
	others = NULL;
	for (; nsame < TRIES + 1; candidate++)
		if (place(candidate, 0) == OTHERS - 2)
			same[nsame++] = candidate;
	for (uint32_t i = 0; i <= TRIES; i++)
		handles_put((void *)same[i], i, core_pages);
	for (uint32_t i = 0; i < TRIES; i++)
		wrong += !handles_find((void *)same[i], &index) || index != i;
	is_int(wrong, 0, "%d handles of one place, the last but one", TRIES);
	ok(!handles_find((void *)same[TRIES], &index), "... and no more");
	free(same);
	others = NULL;
}

int main(void)
{
	char *at = mmap(NULL, READABLE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || mprotect(at + PAGE, PAGE, PROT_READ | PROT_WRITE))
		bail_out("no memory");
	pages_at = at;
	test_initialize();
	test_copies();
	other_initialize = NULL;
	other_extends = false;
	for (int i = 0; i < 2; i++) {
		shared = i;
		other_initialize = i ? initialize_other : NULL;
		other_extends = i;
		begin_copy(&copies[0]);
		initialize_all();
		called[0] = '\0';
		test_functions();
	}
	other_initialize = NULL;
	test_thread();
	begin_copy(&copies[0]);
	InitializeInjectionNvtx2(copy_table);
	test_attributes();
	test_wide();
	test_handles();
	return done_testing();
}
