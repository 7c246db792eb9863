/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of the core that make texts of what comes from outside, by themselves and of all sizes:
 * messages, names of outputs, paths of plug-ins, what escaped.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

static int watched_vsnprintf(char *to, size_t size, const char *format, va_list arguments);

#define vsnprintf watched_vsnprintf
#include "hooks/log.c"
#undef vsnprintf

static ssize_t watched_readlink(const char *path, char *to, size_t size);

#define readlink watched_readlink
#include "hooks/output.c"
#undef readlink

#include <dlfcn.h>

static int watched_access(const char *path, int mode);
static int watched_dladdr(const void *address, Dl_info *info);
static void *watched_dlopen(const char *path, int mode);
static void *watched_dlsym(void *handle, const char *name);
static int watched_dlclose(void *handle);

#define access watched_access
#define dladdr watched_dladdr
#define dlopen watched_dlopen
#define dlsym watched_dlsym
#define dlclose watched_dlclose
#include "hooks/plugin.c"
#undef dlopen
#undef dlsym
#undef dlclose
#undef access
#undef dladdr

#include "hooks/coverage.c"

#include "t/fuzz/chance.h"
#include "t/tap.h"

enum { SEEDS = 4000, LARGEST = 1024 };

static bool usable_stderr(void)
{
	return true;
}

static bool unusable_stderr(void)
{
	return false;
}

static struct link_slot slots[4];
static struct link_object chunk[LINK_CHUNK];
static struct link_binding bindings[LINK_BINDINGS];
static char *environment_at_start[8];
static struct link_table table = {
	.chunks = { chunk }, .slots = slots, .bindings = bindings, .envp = environment_at_start,
	.stderr_usable = usable_stderr,
};
struct link_table *cuaudit_core_link = &table;

static unsigned int formatted;
static bool is_bad;		/* the next format */

static int watched_vsnprintf(char *to, size_t size, const char *format, va_list arguments)
{
	formatted++;
	return is_bad ? -1 : vsnprintf(to, size, format, arguments);
}

static const char *link_to;	/* NULL: there is no /proc, and what is in the buffer is anything */

/* What was written last. */
static char written[2 * LARGEST];
static size_t nwritten;
static int waited;
static int refused;		/* so many more */

int io_write(int fd, const void *data, size_t size, int how_long)
{
	if (fd != STDERR_FILENO || size > LARGEST)
		bail_out("%zu bytes are written to descriptor %d", size, fd);
	memcpy(written, data, size);
	written[nwritten = size] = '\0';
	waited = how_long;
	errno = EINTR;
	return refused && refused-- ? -EPIPE : 0;
}

/* What opening a file answers, and what it was asked. */
static int opening = -EACCES, opening_flags;
static char opening_path[PATH_MAX];

int io_open(const char *path, int flags, int how_long)
{
	strcpy(opening_path, path);
	opening_flags = how_long == IO_REPORT ? flags : -1;
	return opening;
}

mode_t io_type(const char *path)
{
	return strcmp(path, "/dev/null") ? 0 : S_IFCHR;
}

int io_copy(int fd)
{
	snprintf(opening_path, sizeof(opening_path), "descriptor %d", fd);
	return opening;
}

const char *io_remedy(int error)
{
	return error == -EACCES ? "no access" : error == -EINVAL ? "no such field" : "?";
}

/* A text as it is printed in room bytes: as long as it has room, what does not print becomes U+FFFD. */
static size_t print(const char *text, size_t length, size_t room, char *to)
{
	static const char mark[] = TEXT_REPLACEMENT;
	size_t used = 0;

	while (length) {
		struct text_character next = text_next(text, length);
		size_t size = text_prints(next) ? next.length : sizeof(mark) - 1;

		if (size > room - used)
			break;
		memcpy(to + used, text_prints(next) ? text : mark, size);
		used += size;
		text += next.length;
		length -= next.length;
		length = length < room - used ? length : room - used;
	}
	return used;
}

/* Lengths are mostly about what has room. */
static void test_messages(void)
{
	static const char *const pieces[] = {
		"a", "\x1b", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xff", "\xc3", "\n",
	};
	const size_t room = LARGEST - sizeof("cuaudit: ");
	char text[2 * LARGEST], wanted[2 * LARGEST];
	unsigned int wrong = 0, lost = 0, full = 0;

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		size_t length = 0, want, most, used;
		bool plain = seed % 2;

		chance_begin(seed, 0);
		most = chance(3) ? room - 8 + chance(16) : chance(room + 100);
		want = chance(100);
		text[0] = '\0';
		while (length < most) {
			strcpy(text + length, pieces[chance(100) < want ? chance(sizeof(pieces) / sizeof(pieces[0])) : 0]);
			length += strlen(text + length);
		}
		used = sizeof("cuaudit: ") - 1;
		memcpy(wanted, "cuaudit: ", used);
		used += print(text, length < room - 1 ? length : room - 1, room, wanted + used);
		wanted[used++] = '\n';
		formatted = 0;
		errno = ENOTTY;
		cuaudit_log(CUAUDIT_ERROR, plain ? "%s" : "%s%s", text, "");
		wrong += nwritten != used || memcmp(written, wanted, used) != 0;
		lost += errno != ENOTTY || formatted != !plain;
		full += used == LARGEST;
	}
	is_int(wrong, 0, "messages are one line of what prints");
	is_int(lost, 0, "errno is kept, and a text alone is not formatted");
	ok(full > 10, "%u are as long as can be", full);
	cuaudit_log(CUAUDIT_ERROR, "%s", link_to);
	is_str(written, "cuaudit: (null)\n", "no text");
	is_bad = true;
	cuaudit_log(CUAUDIT_ERROR, "%d", 1);
	is_str(written, "cuaudit: \n", "what cannot be formatted");
	is_bad = false;
}

static void test_levels(void)
{
	static const struct {
		const char *name;
		int level;
	} cases[] = {
		{ "error", CUAUDIT_ERROR }, { "warn", CUAUDIT_WARN }, { "info", CUAUDIT_INFO },
		{ "debug", CUAUDIT_DETAIL }, { "other", CUAUDIT_DETAIL },
	};
	unsigned int wrong = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		table.environment.log = cases[i].name;
		log_setup();
		for (int level = CUAUDIT_ERROR; level <= CUAUDIT_DETAIL; level++)
			for (int is = 0; is < 2; is++) {
				log_raise(is);
				nwritten = 0;
				cuaudit_log((enum cuaudit_level)level, "%s", "x");
				wrong += (nwritten != 0) != (level <= cases[i].level || (is && level <= CUAUDIT_WARN));
			}
		log_raise(false);
	}
	is_int(wrong, 0, "messages of each level, raised and not");
	table.stderr_usable = unusable_stderr;
	nwritten = 0;
	cuaudit_log(CUAUDIT_ERROR, "%s", "x");
	is_int((long long)nwritten, 0, "nothing where descriptor 2 is another's");
	table.stderr_usable = usable_stderr;
	refused = 3;
	for (int i = 0; i < 5; i++)
		cuaudit_log(CUAUDIT_ERROR, "%s", "x");
	is_int(waited, IO_MESSAGE, "a message waits as long as a message");
	log_finish();
	log_close();
	is_str(written, "cuaudit: messages that could not be written: 3\n", "those not written are counted");
	is_int(waited, IO_REPORT, "and at the end as long as a report");
	nwritten = 0;
	log_close();
	is_int((long long)nwritten, 0, "once");
}

static ssize_t watched_readlink(const char *path, char *to, size_t size)
{
	const char *text = link_to ? link_to : "/not/this";

	(void)path;
	if (size >= PATH_MAX)
		bail_out("no room for the end");
	memset(to, 'x', size);
	memcpy(to, text, strnlen(text, size));
	if (!link_to)
		to[strlen(text)] = '\0';
	return link_to ? (ssize_t)strnlen(text, size) : -1;
}

static void test_program(void)
{
	char path[PATH_MAX], longest[PATH_MAX + 10] = "/";

	cuaudit_path("%e", "", path, sizeof(path));
	is_str(path, "program", "the program, before the start");
	link_to = NULL;
	output_setup();
	cuaudit_path("%e", "", path, sizeof(path));
	is_str(path, "program", "without /proc");
	link_to = "/usr/bin/python3.12";
	output_setup();
	cuaudit_path("%e", "", path, sizeof(path));
	is_str(path, "python3.12", "with it");
	memset(longest + 1, 'a', sizeof(longest) - 2);
	link_to = longest;
	output_setup();
	ok(!cuaudit_path("%e", "", path, sizeof(path)) && strlen(path) == 128, "a longer one than there is");
	memset(program, 0, sizeof(program));
}

static void test_rank(void)
{
	static const struct {
		const char *variables[3], *rank;
		int value;
	} cases[] = {
		{ { NULL }, "0", -1 },
		{ { "RANK=3" }, "3", 3 },
		{ { "SLURM_PROCID=4", "RANK=3" }, "4", 4 },
		{ { "RANK=3", "PMIX_RANK=5" }, "5", 5 },
		{ { "RANKS=3", "XRANK=4" }, "0", -1 },
		{ { "RANK" }, "0", -1 },
		{ { "PMIX_RANK=", "RANK=007" }, "007", 7 },
		{ { "RANK=2147483647" }, "2147483647", 2147483647 },
		{ { "RANK=2147483648" }, "2147483648", -1 },
		{ { "RANK=99999999999" }, "99999999999", -1 },
		{ { "RANK=1x" }, "1x", -1 },
		{ { "RANK=19" }, "19", 19 },
		{ { "RANK=/" }, "_", -1 },
		{ { "RANK=:" }, ":", -1 },
		{ { "RANK=0" }, "0", 0 },
	};
	char path[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t used = 0;

		strcpy(rank, "0");
		ranked = false;
		for (; cases[i].variables[used]; used++)
			environment_at_start[used] = (char *)(uintptr_t)cases[i].variables[used];
		environment_at_start[used] = NULL;
		output_setup();
		ok(!cuaudit_path("%r", "", path, sizeof(path)) && !strcmp(path, cases[i].rank) &&
		   cuaudit_rank() == cases[i].value, "rank %s of %zu variables", cases[i].rank, used);
	}
	environment_at_start[0] = NULL;
}

/* Paths that have room to the last byte, and no others. */
static void test_paths(void)
{
	unsigned int wrong = 0;

	for (size_t size = 1; size < 24; size++)
		for (size_t length = 0; length < 12; length++)
			for (size_t end = 0; end < 12; end++) {
				char template[16] = "", suffix[16] = "", path[32], wanted[32];
				int error;

				memset(template, 't', length);
				memset(suffix, 's', end);
				memset(path, 'x', sizeof(path));
				sprintf(wanted, "%s%s", template, suffix);
				error = cuaudit_path(template, suffix, path, size);
				wrong += error != (length + end < size ? 0 : -ENAMETOOLONG) ||
					 (!error && strcmp(path, wanted) != 0) || path[size] != 'x';
			}
	is_int(wrong, 0, "outputs' paths have room, or are none");
	ok(cuaudit_path("%q", "", (char[8]){ 0 }, 8) == -EINVAL, "a field that is none");
}

/* A file, a copy of stderr where there is no name for one, or a line why there is neither. */
static void test_outputs(void)
{
	static const struct {
		const char *template, *path;
		bool usable;
		int opening, result;
		const char *said;
	} cases[] = {
		{ "", "descriptor 2", true, 0, 0, "" }, { "", "descriptor 2", true, 7, 7, "" },
		{ "", "", false, 7, -EBADF, "" },
		{ "", "descriptor 2", true, -EACCES, -EACCES, "cuaudit: cannot write to stderr: no access\n" },
		{ "a", "a.x", true, 0, 0, "" }, { "a", "a.x", false, 7, 7, "" },
		{ "a", "a.x", true, -EACCES, -EACCES, "cuaudit: cannot write a.x: no access\n" },
		{ "/dev/null", "/dev/null", true, 7, 7, "" },
		{ "%q", "", true, 7, -EINVAL, "" },
	};
	time_t before = time(NULL);

	output_setup();
	ok(started >= before && started <= time(NULL), "the time of the start");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int result;

		table.environment.output = cases[i].template;
		table.stderr_usable = cases[i].usable ? usable_stderr : unusable_stderr;
		opening = cases[i].opening;
		opening_path[0] = written[0] = '\0';
		opening_flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND;
		result = cuaudit_output(".x");
		ok(result == cases[i].result && !strcmp(opening_path, cases[i].path) &&
		   opening_flags == (O_WRONLY | O_CREAT | O_TRUNC | O_APPEND) &&
		   (result == -EINVAL ? strstr(written, "no such field") != NULL : !strcmp(written, cases[i].said)),
		   "output '%s', case %zu", cases[i].template, i);
	}
	table.stderr_usable = usable_stderr;
}

static const char *present;	/* the one file that there is */
static const char *core_name;	/* of the file that the core is in */

static int watched_access(const char *path, int mode)
{
	return mode == F_OK && present && !strcmp(path, present) ? 0 : -1;
}

static int watched_dladdr(const void *address, Dl_info *info)
{
	info->dli_fname = core_name;
	return address == &cuaudit_core_link && core_name;
}

/* One place more, after those there are; what was found or not by then is *result. */
static void try_place(const char *place, size_t size, int *result, char *wanted)
{
	if (!*result)
		return;
	*result = strlen(place) >= size ? -ENAMETOOLONG : present && !strcmp(place, present) ? 0 : -ENOENT;
	strcpy(wanted, place);
}

static void test_find(void)
{
	static const char *const given[] = { "a", "abc.so", ".so", "x.so.so", "longer-name", "d/e", "/f/g" };
	static const char *const lists[] = { "", "/p", "q", "/p:q", ":/p::q/r:", "/p:q:/longer/one" };
	static const char *const cores[] = { "/lib/core.so", "/core.so", "lib/x/core.so", "core.so", NULL };
	unsigned int wrong = 0, found = 0;

	table.environment.directory = "/start";
	for (uint64_t seed = 0; seed < 10 * SEEDS; seed++) {
		char places[8][64], wanted[64] = "", path[64];
		const char *name, *slash;
		int count = 0, result = -ENOENT, got;
		size_t size;

		chance_begin(seed, 1);
		name = given[chance(sizeof(given) / sizeof(given[0]))];
		table.environment.path = lists[chance(sizeof(lists) / sizeof(lists[0]))];
		core_name = cores[chance(sizeof(cores) / sizeof(cores[0]))];
		size = 1 + chance(40);
		slash = core_name ? strrchr(core_name, '/') : NULL;
		if (strchr(name, '/')) {
			sprintf(places[count++], "%s%s", *name == '/' ? "" : "/start/", name);
		} else {
			char list[64], *rest = NULL;
			const char *end = strlen(name) > 3 && !strcmp(name + strlen(name) - 3, ".so") ? "" : ".so";

			strcpy(list, table.environment.path);
			if (slash)
				sprintf(places[count++], "%s%.*s/hooks/%s%s", *core_name == '/' ? "" : "/start/",
					(int)(slash - core_name), core_name, name, end);
			for (char *at = strtok_r(list, ":", &rest); at; at = strtok_r(NULL, ":", &rest))
				sprintf(places[count++], "%s%s/%s%s", *at == '/' ? "" : "/start/", at, name, end);
		}
		present = count && chance(4) ? places[chance((uint64_t)count)] : NULL;
		if (strchr(name, '/')) {	/* the loader says whether it is there */
			result = strlen(places[0]) >= size ? -ENAMETOOLONG : 0;
			strcpy(wanted, places[0]);
		}
		for (int i = 0; i < count; i++)
			try_place(places[i], size, &result, wanted);
		memset(path, 'x', sizeof(path));
		got = plugin_find(name, path, size);
		wrong += got != result || (!got && strcmp(path, wanted) != 0) || path[size] != 'x';
		found += !got;
	}
	is_int(wrong, 0, "plug-ins are found where they are, at paths that have room");
	ok(found > SEEDS, "%u are", found);
	ok(all_zero("\0\0", 2) && all_zero("a", 0) && !all_zero("\0a", 2) && !all_zero("a\0", 2), "zeros");
}

static const char *named; /* what a crash would be of */

void crash_name(const char *of)
{
	named = of;
}

/* A plug-in that is opened, its module, and how often it is open. */
static struct {
	const char *path;
	struct cuaudit_module *module;
	int opened, closed;
} plugin;

static void *watched_dlopen(const char *path, int mode)
{
	if (mode != (RTLD_NOW | RTLD_LOCAL) || !named || strcmp(named, path) != 0)
		bail_out("it is not opened as plug-ins are");
	if (!plugin.path || strcmp(path, plugin.path) != 0)
		return NULL;
	plugin.opened++;
	return &plugin;
}

static void *watched_dlsym(void *handle, const char *name)
{
	return handle == &plugin && !strcmp(name, "cuaudit_module") ? plugin.module : NULL;
}

static int watched_dlclose(void *handle)
{
	plugin.closed += handle == &plugin;
	return 0;
}

/* A plug-in stays open if it is one, and only then. */
static void test_plugin(void)
{
	struct cuaudit_module good = { .size = sizeof(good), .abi = CUAUDIT_ABI }, bad = good,
			      module;
	struct {
		const char *path;
		struct cuaudit_module *module;
		int closed;
		const char *what;
	} cases[] = {
		{ "/other.so", &good, 0, "one that cannot be opened" },
		{ "/plugin.so", NULL, 1, "one without a module" },
		{ "/plugin.so", &bad, 1, "one of another ABI" },
		{ "/plugin.so", &good, 0, "a plug-in" },
	};

	bad.abi++;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct cuaudit_module *given;

		plugin.path = cases[i].path;
		plugin.module = cases[i].module;
		plugin.opened = plugin.closed = 0;
		given = plugin_open("/plugin.so", "plugin", &module);
		is_ptr(given, i == 3 ? &good : NULL, "%s: what it gives", cases[i].what);
		ok(plugin.opened == (i > 0) && plugin.closed == cases[i].closed,
		   "... opened, and closed again if it is none");
		ok(!named, "... and a crash is not of it any more");
	}
	is_str(module.name, "plugin", "without a name it is called as it was asked for");
}

static const struct cuaudit_library nobody = { "[unknown]", "[unknown]", 0 };
static const struct cuaudit_library somebody = { "/library", "library", 1 };

const struct cuaudit_library *library_of(const struct link_object *object)
{
	return object == &chunk[0] ? &somebody : &nobody;
}

uint32_t cuaudit_functions(void)
{
	return sizeof(slots) / sizeof(slots[0]);
}

/* Names of all lengths; of those that are cut, the beginnings count. */
static void test_escapes(void)
{
	enum { NAMES = 60, LONGEST = 100 };
	unsigned int wrong = 0, count;
	uint64_t sum = 0;
	char name[LONGEST + 1];

	for (int turn = 1; turn <= 3; turn++)
		for (uint32_t i = 0; i < NAMES; i++)
			for (uint32_t k = 0; k < 2; k++) {
				memset(name, 'a', sizeof(name));
				name[40 + i] = '\0';
				coverage_escape(CUAUDIT_ESCAPE_PROCADDR, name, k, 0, &somebody, NULL);
			}
	/* 63 bytes of a name are kept. */
	for (count = 0; cuaudit_escape_get(count); count++) {
		const struct cuaudit_escape *escape = cuaudit_escape_get(count);
		size_t length = strlen(escape->name);

		wrong += length != (count / 2 < 23 ? 40 + count / 2 : 63) || escape->version != count % 2 ||
			 escape->count != (length < 63 ? 3 : 3 * (NAMES - 23)) || escape->library != &somebody;
		sum += escape->count;
	}
	is_int(count, 2 * 24, "names that begin alike are one escape where they are cut");
	is_int(wrong, 0, "each is what it is");
	is_int((long long)sum, 3 * 2 * NAMES, "and counted");
	coverage_escape(CUAUDIT_ESCAPE_PROCADDR, NULL, 0, 0, NULL, NULL);
	coverage_escape(CUAUDIT_ESCAPE_PROCADDR, "", 0, 1, NULL, NULL);
	coverage_escape(CUAUDIT_ESCAPE_OBJECT, "", 0, 1, NULL, NULL);
	coverage_escape(CUAUDIT_ESCAPE_OBJECT, "", 0, 1, &somebody, NULL);
	coverage_escape(CUAUDIT_ESCAPE_OBJECT, "", 0, 1, &somebody, NULL);
	is_int(cuaudit_escape_get(count + 3)->count, 2, "all that tells two apart does");
	ok(cuaudit_escape_get(count + 2)->count == 1 && !cuaudit_escape_get(count + 4), "and no more");
	for (uint32_t i = 0; i < 2 * KINDS; i++)
		coverage_escape(CUAUDIT_ESCAPE_PROCADDR, "f", i, 7, NULL, NULL);
	is_str(cuaudit_escape_get(KINDS - 1)->name, "(others)", "what finds no room is in the last");
	is_int((long long)cuaudit_escape_get(KINDS - 1)->count, 2 * KINDS - (KINDS - 1 - (long long)count - 4),
	       "all of it");
	ok(!cuaudit_escape_get(KINDS), "which is the last");
	coverage_forked();
	ok(!cuaudit_escape_get(0), "a child has none");
}

/* What the auditor counts is added to what is known, each time what has come since. */
static void test_auditors(void)
{
	table.escapes[0] = (struct link_escape){
		.name = "libx.so", .kind = CUAUDIT_ESCAPE_OBJECT, .object = 1, .count = 3
	};
	table.escapes[1] = (struct link_escape){ .name = "liby.so", .kind = CUAUDIT_ESCAPE_FULL, .count = 1 };
	atomic_store(&table.nescapes, 2);
	ok(cuaudit_escape_get(0)->count == 3 && cuaudit_escape_get(0)->library == &somebody,
	   "one of the auditor's");
	ok(!cuaudit_escape_get(1)->library && !cuaudit_escape_get(2), "one of nobody's");
	atomic_store(&table.escapes[0].count, 5);
	is_int((long long)cuaudit_escape_get(0)->count, 5, "what came since");
	is_int((long long)cuaudit_escape_get(0)->count, 5, "once");
	is_int((long long)cuaudit_escape_get(1)->count, 1, "of one alone");
	atomic_store(&table.nescapes, 0);
	coverage_forked();
}

static void test_tables(void)
{
	uint8_t uuid[16] = { 0 };

	for (uint32_t i = 0; i < 2 * KINDS; i++) {
		uuid[15] = (uint8_t)i;
		coverage_table(uuid, i, (int)(i / 256), NULL, NULL);
		coverage_table(uuid, i, (int)(i / 256), NULL, NULL);
	}
	ok(cuaudit_export_table_get(7)->count == 2 && cuaudit_export_table_get(7)->size == 7 &&
	   cuaudit_export_table_get(7)->uuid[15] == 7, "tables asked for");
	is_int((long long)cuaudit_export_table_get(KINDS - 1)->count,
	       2 * 2 * KINDS - 2 * (KINDS - 1), "all others");
	ok(!cuaudit_export_table_get(KINDS), "which is the last");
	coverage_forked();
	ok(!cuaudit_export_table_get(0), "a child has none");
	uuid[15] = 0;
	coverage_table(uuid, 1, 0, NULL, NULL);
	coverage_table(uuid, 1, 0, &somebody, NULL);
	coverage_table(uuid, 1, 2, &somebody, NULL);
	ok(cuaudit_export_table_get(2)->count == 1 && !cuaudit_export_table_get(3),
	   "all that tells two apart does");
}

static void test_bound(void)
{
	const uint64_t key = (uint64_t)1 << 32 | (2 * 8 + (LINK_DLSYM | LINK_REAL) + 1);
	struct cuaudit_binding binding = { 0 };

	slots[3] = (struct link_slot){ .plt = 1, .dlsym = 2, .relocation = 3 };
	atomic_store(&coverage_procaddr[3], 4);
	for (int route = 0; route < CUAUDIT_ROUTES; route++)
		ok(cuaudit_bound(3, (enum cuaudit_route)route) == (uint64_t)route + 1 &&
		   !cuaudit_bound(2, (enum cuaudit_route)route) && !cuaudit_bound(4, (enum cuaudit_route)route),
		   "bound by route %d", route);
	is_int((long long)cuaudit_bound(3, CUAUDIT_ROUTES), 0, "by none");
	coverage_forked();
	is_int((long long)cuaudit_bound(3, CUAUDIT_ROUTE_PROCADDR), 0, "a child was given none yet");
	bindings[5] = (struct link_binding){ key, 9 };
	ok(cuaudit_binding_get(5, &binding) == 1 && binding.library == &nobody && binding.slot == 2 &&
	   binding.route == CUAUDIT_ROUTE_DLSYM && binding.real && binding.count == 9, "a binding");
	is_int(cuaudit_binding_get(6, &binding), 0, "none");
	is_int(cuaudit_binding_get(LINK_BINDINGS, &binding), -ENOENT, "the end");
	ok(!cuaudit_binding_get(LINK_BINDINGS - 1, &binding), "not before");
	atomic_store(&table.ndrivers, 1);
	table.drivers[0] = (struct link_driver){ .path = "/d", .nfunctions = 5, .without_slot = 2 };
	coverage_version(0, 12040);
	ok(cuaudit_driver_get(0)->version == 12040 && cuaudit_driver_get(0)->functions == 5 &&
	   cuaudit_driver_get(0)->without_slot == 2 && !strcmp(cuaudit_driver_get(0)->path, "/d") &&
	   !cuaudit_driver_get(0)->index && !cuaudit_driver_get(1), "drivers");
}

int main(void)
{
	test_messages();
	test_levels();
	test_program();
	test_rank();
	test_paths();
	test_outputs();
	test_find();
	test_plugin();
	test_escapes();
	test_auditors();
	test_tables();
	test_bound();
	return done_testing();
}
