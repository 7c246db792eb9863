/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the auditor reads of the environment, and what it reports of it: names near to ours, what
 * the loader's own variables ask, each message and whether it ends the process.
 */
#include <setjmp.h>
#include <stdint.h>

#define prefix env_prefix
#include "audit/env.c"
#undef prefix
#include "audit/judge.c"

#include "t/fuzz/chance.h"
#include "t/tap.h"
#include "audit/provider.h"

const char *provider_refused(const char *globs, const char **why)
{
	(void)globs;
	(void)why;
	return NULL;
}


/* No test of settings leaves files. */
void unchecked_leave(const char *saved, const char *name)
{
	(void)saved;
	(void)name;
}

enum { ROUNDS = 20000, ENTRIES = 5, ROOM = 256, MANY = 12345 };

struct link_table object_table;

static char messages[4096];
static int ended;
static jmp_buf end_here;

/* What these take from the rest of the auditor. */
enum { CANARY = 0x5a, PIECES = 64 };

static struct { unsigned char *at; size_t size; } pieces[PIECES];
static unsigned int npieces;
static unsigned int allocations_left = UINT32_MAX;

/* Zeros, and a byte behind them that nobody may write. */
void *sys_alloc(size_t size)
{
	unsigned char *at = allocations_left ? calloc(1, size + 1) : NULL;

	allocations_left -= allocations_left > 0;
	if (at)
		at[size] = CANARY;
	if (at && npieces < PIECES) {
		pieces[npieces].at = at;
		pieces[npieces++].size = size;
	}
	return at;
}

/* Whether all that was allocated is filled up to its last byte, a NUL, and no further. */
static bool filled(void)
{
	bool good = true;

	for (unsigned int i = 0; i < npieces; i++)
		good &= pieces[i].at[pieces[i].size] == CANARY && !pieces[i].at[pieces[i].size - 1];
	npieces = 0;
	return good;
}

char *sys_copy(const char *text, size_t length)
{
	char *copy = sys_alloc(length + 1);

	return copy ? memcpy(copy, text, length) : NULL;
}

size_t sys_strlen(const char *text)
{
	return strlen(text);
}

const char *sys_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool sys_equal(const char *a, const char *b)
{
	return !strcmp(a, b);
}

bool sys_starts(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static const char *directory = "/start";

bool sys_directory(char *path, size_t size)
{
	return directory && snprintf(path, size, "%s", directory) > 0;
}

bool sys_exists(const char *path)
{
	return !strcmp(path, "/there/driver.so") || sys_is_fifo(path);
}

bool sys_is_fifo(const char *path)
{
	return !strcmp(path, "/there/fifo.so");
}

void sys_exit(int status)
{
	ended = status;
	longjmp(end_here, 1);
}

void message_say(const char *first, ...)
{
	va_list texts;

	va_start(texts, first);
	for (const char *text = first; text; text = va_arg(texts, const char *))
		strcat(messages, text);
	va_end(texts);
	strcat(messages, "\n");
}

/* An entry, and where the name that it may mean begins: 0 for those of others. */
static void test_names(void)
{
	static const struct {
		const char *entry;
		size_t name;
	} cases[] = {
		{ "CUAUDIT_LOG=x", 8 }, { "CUAUDIT_NONE=x", 8 }, { "CUAUDITLOG=x", 7 },
		{ "CUADIT_LOG=x", 7 }, { "CUADUIT_LOG=x", 8 }, { "CUAUDTI_LOG=x", 8 },
		{ "cuaudit_log=x", 8 }, { "CuAudit.Log=x", 8 }, { "cuzudit_hooks=x", 8 },
		{ "CUZUDIT_HOOKS=x", 8 }, { "CuAuDi_Hooks=x", 7 }, { "CUAUDIT-LOG=x", 8 }, { "CUBAUDIXT_LOG=x", 0 },
		{ "CU_AUDIT_LOG=x", 9 }, { "CUDA_AUDIT_LOG=x", 11 }, { "CUDAAUDIT_LOG=x", 10 },
		{ "CUDABAUDIT_LOG=x", 0 }, { "CX_AUDIT_LOG=x", 0 }, { "CUXX_XUDIT_LOG=x", 0 },
		{ "XUAUDIT_LOG=x", 0 }, { "XU_AUDIT_LOG=x", 0 }, { "CUAUD_LOG=x", 0 },
		{ "CUAUDI_LOG=x", 7 }, { "UAUDIT_LOG=x", 0 }, { "AUDIT_LOG=x", 0 },
		{ "CUPYRO_LOG=x", 0 }, { "CUDA_LOG=x", 0 }, { "CUDA_PATH=x", 0 }, { "C_LOG=x", 0 },
		{ "_LOG=x", 0 }, { "LOG=x", 0 }, { "=x", 0 }, { "", 0 }, { "CUADIT_LOG", 0 },
		{ "CUADIT_LOK=x", 0 }, { "CUADIT_=x", 0 }, { "x=CUAUDIT_LOG", 0 },
		{ "CUADIT_SIM_LAUNCH_TIME=x", 7 }, { "CUADIT_STRICT=x", 7 },
		{ "CUADIT_SIM_MEMORY=x", 7 }, { "CUADIT-LOG=x", 7 }, { "CUADIT@_LOG=x", 0 },
		 { "CUADIT[_LOG=x", 0 }, { "CUADITLOG=-", 0 },
		{ "CUADIT1=CUAUDIT_LOG", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_int((long long)env_own_name(cases[i].entry), (long long)cases[i].name, "'%s'",
		       cases[i].entry);
}

/* Texts one behind the other, as the kernel leaves them. */
static struct {
	char before, texts[ROOM];
	char *envp[ENTRIES + 1], *after;
} block;

static void add(unsigned int *count, const char *text)
{
	block.envp[(*count)++] = block.after;
	block.after = stpcpy(block.after, text) + 1;
	block.envp[*count] = NULL;
}

/* Lists of auditors in any environment, whole or as old loaders leave them. */
static void test_loader(void)
{
	static const char *const others[] = {
		"LD_AUDI=a", "LD_AUDIT_=b:c", "XLD_AUDIT=d", "A=LD_PROFILE=", "LD_BIND_NO=1", "B=", "LD_BIND_NOW=1",
	};
	enum { OTHERS = sizeof(others) / sizeof(others[0]) };
	unsigned int wrong = 0, cut = 0;

	chance_begin(3, 0);
	for (int round = 0; round < ROUNDS; round++) {
		unsigned int count = 0, auditors = 0, at = (unsigned int)chance(ENTRIES), left;
		bool profile = chance(4) == 0, bind_not = chance(4) == 0, is_cut = false;
		struct env_loader loader = { .auditors = 0 };
		char list[64] = "LD_AUDIT=";

		for (uint64_t i = chance(5); i; i--) {
			const char *piece = (const char *const[]){ "", "a", "/b/c.so" }[chance(3)];

			auditors += *piece != '\0';
			strcat(list, piece);
			if (i > 1)
				strcat(list, ":");
		}
		block.after = block.texts;
		for (left = at; left; left--)
			add(&count, others[chance(OTHERS)]);
		add(&count, list);
		if (chance(3) == 0 && strchr(block.envp[at], ':')) {
			char *colon = strchr(block.envp[at], ':');

			/* Nothing is known of the others. */
			auditors = colon[-1] != '=';
			*colon = '\0';
			is_cut = true;
			cut++;
		}
		if (profile && count < ENTRIES)
			add(&count, "LD_PROFILE=libc.so");
		else
			profile = false;
		if (bind_not && count < ENTRIES)
			add(&count, "LD_BIND_NOT=1");
		else
			bind_not = false;
		if (chance(2) && count < ENTRIES)
			add(&count, others[chance(OTHERS)]);
		env_read_loader(&loader, block.envp, block.after);
		wrong += loader.auditors != auditors || loader.cut != is_cut || loader.profile != profile ||
			 loader.bind_not != bind_not;
	}
	is_int(wrong, 0, "what the loader's variables ask, %d times", ROUNDS);
	ok(cut > ROUNDS / 20, "lists were cut %u times", cut);
}

/* What is not zero on the stack. */
static void __attribute__((noinline)) leave_bytes(void)
{
	volatile char bytes[4096];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = 'x';
}

/* Our variables as judged: at the start, and by the core, if there will be one, unless early. */
static void judge(const char *const *envp, bool early)
{
	leave_bytes();
	messages[0] = '\0';
	ended = 0;
	object_table.environment = (struct link_environment){ .log = NULL };
	env_disabled = false;
	if (setjmp(end_here))
		return;
	env_read(&object_table.environment, (char **)envp);
	judge_start(&object_table, false);
	if (!early && !env_disabled)
		object_table.report_environment();
}

/* A variable's value, or values, and what holds: NULL where it does not parse. */
static void test_values(void)
{
	static const struct {
		int variable;
		const char *name, *given[3], *holds;
		bool repeated;
	} cases[] = {
#define CASE(name, ...) { ENV_INDEX_##name, "CUAUDIT_" #name "=", __VA_ARGS__ }
		CASE(DISABLE, { "1" }, "1", false), CASE(DISABLE, { "0" }, "0", false),
		CASE(DISABLE, { "2" }, NULL, false), CASE(DISABLE, { "01" }, NULL, false),
		CASE(DISABLE, { "10" }, NULL, false), CASE(DISABLE, { "" }, NULL, false),
		CASE(FOLLOW, { "0" }, "0", false), CASE(FOLLOW, { "x" }, NULL, false),
		CASE(STRICT, { "check" }, "check", false), CASE(STRICT, { "0" }, "0", false),
		CASE(STRICT, { "chec" }, NULL, false), CASE(STRICT, { "" }, NULL, false),
		CASE(LOG, { "error" }, "error", false), CASE(LOG, { "warn" }, "warn", false),
		CASE(LOG, { "info" }, "info", false), CASE(LOG, { "debug" }, "debug", false),
		CASE(LOG, { "" }, NULL, false),
		CASE(DOMAINS, { "runtime" }, "runtime", false),
		CASE(DOMAINS, { "driver,runtime" }, "driver,runtime", false),
		CASE(DOMAINS, { "tables" }, "tables", false),
		CASE(DOMAINS, { "driver,runtime,tables" }, "driver,runtime,tables", false),
		CASE(DOMAINS, { "driver,table" }, NULL, false),
		CASE(DOMAINS, { "" }, NULL, false), CASE(DOMAINS, { "driver," }, NULL, false),
		CASE(DOMAINS, { ",driver" }, NULL, false), CASE(DOMAINS, { "drivers" }, NULL, false),
		CASE(DOMAINS, { "driver:runtime" }, NULL, false), CASE(DOMAINS, { "runtim" }, NULL, false),
		CASE(DOMAINS, { "driver,,runtime" }, NULL, false),
		CASE(DRIVER, { "" }, "", false), CASE(DRIVER, { "sim" }, "sim", false),
		CASE(DRIVER, { "libcuda.so" }, "libcuda.so", false), CASE(DRIVER, { "x.so.1" }, "x.so.1", false),
		CASE(DRIVER, { "/x" }, "/x", false), CASE(DRIVER, { "./x" }, "/start/./x", false),
		CASE(DRIVER, { "/sim/" }, "/sim/", false),
		CASE(SIM_LAUNCH_TIME, { "0" }, "0", false), CASE(SIM_LAUNCH_TIME, { "19" }, "19", false),
		CASE(SIM_LAUNCH_TIME, { "90" }, "90", false), CASE(SIM_LAUNCH_TIME, { "1/" }, NULL, false),
		CASE(SIM_LAUNCH_TIME, { "1:" }, NULL, false), CASE(SIM_LAUNCH_TIME, { "x1" }, NULL, false),
		CASE(SIM_MEMORY, { "2G" }, "2G", false), CASE(SIM_MEMORY, { "2Q" }, NULL, false),
		CASE(SIM_LAUNCHES, { "a" }, "a", false), CASE(PATH, { "a:b" }, "a:b", false),
		CASE(EXCLUDE, { "a*:b" }, "a*:b", false), CASE(INCLUDE, { "a,b" }, NULL, false),
		CASE(FUNCTIONS, { "cu[" }, "cu[", false),
		CASE(OUTPUT, { "a%%b/%p" }, "/start/a%%b/%p", false), CASE(OUTPUT, { "/a%p" }, "/a%p", false),
		CASE(OUTPUT, { "" }, "", false), CASE(OUTPUT, { "%z" }, NULL, false),
		CASE(HOOKS, { "" }, "", false), CASE(HOOKS, { "stat", "trace(a=b)" }, "stat,trace(a=b)", false),
		CASE(HOOKS, { "a", "", "b" }, "a,,b", false), CASE(HOOKS, { "a", "a" }, "a", false),
		CASE(HOOKS, { "a", "b", "a" }, "a,b,a", false),
		CASE(PATH, { "a", "a", "b" }, "a", true), CASE(LOG, { "info", "x" }, "info", true),
#undef CASE
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *holds = cases[i].holds, *envp[4] = { NULL };
		int variable = cases[i].variable;
		char texts[3][ROOM];

		for (int k = 0; k < 3 && cases[i].given[k]; k++) {
			snprintf(texts[k], ROOM, "%s%s", cases[i].name, cases[i].given[k]);
			envp[k] = texts[k];
		}
		npieces = 0;
		env_read(&object_table.environment, (char **)envp);
		is_str(*field(&object_table.environment, variable),
		       holds ? holds : env_variables[variable].fallback, "%s%s", texts[0], holds ? "" : " is refused");
		is_int(env_given.refused, holds ? 0 : 1ll << variable, "... what is refused");
		is_int(object_table.environment.given, 1ll << variable, "... what is set");
		is_int(env_given.repeated, cases[i].repeated ? 1ll << variable : 0, "... what is repeated");
		ok(filled() && !env_given.nunknown, "... no more is written than allocated");
		is_int(env_disabled, variable == ENV_INDEX_DISABLE && holds && *holds == '1',
		       "... whether it acts");
	}
}

/* Values that are wrong or repeated are told apart. */
static void test_several(void)
{
	static const char *const envp[] = {
		"CUAUDIT_LOG=x", "CUAUDIT_DRIVER=bad", "CUAUDIT_FOLLOW=2", "CUAUDIT_PATH=a", "CUAUDIT_PATH=b",
		"CUAUDIT_EXCLUDE=a", "CUAUDIT_EXCLUDE=b", "CUAUDIT_PATHS=x", "PATH=/bin", "CUADIT_LOG=x", NULL,
	};

	env_read(&object_table.environment, (char **)envp);
	is_int(env_given.refused, 1 << ENV_INDEX_LOG | 1 << ENV_INDEX_DRIVER | 1 << ENV_INDEX_FOLLOW,
	       "what is refused");
	is_int(env_given.repeated, 1 << ENV_INDEX_PATH | 1 << ENV_INDEX_EXCLUDE, "what is repeated");
	is_str(object_table.environment.driver, "bad", "not the driver where another one was meant");
	ok(env_given.nunknown == 2 && env_given.unknown[0] == envp[7] &&
	   env_given.unknown[1] == envp[9], "what is unknown");

	allocations_left = 0;
	env_read(&object_table.environment, (char **)envp);
	allocations_left = 2;
	is_str(object_table.environment.path, "", "without memory no value holds");
	is_int(env_given.refused | env_given.repeated, 0, "nor is one judged");
	env_read(&object_table.environment, (char **)(uintptr_t)(const char *const[]){
		"CUAUDIT_OUTPUT=c", "CUAUDIT_HOOKS=a", "CUAUDIT_HOOKS=b", NULL });
	allocations_left = UINT32_MAX;
	is_str(object_table.environment.hooks, "a", "with some, the first of two");
	is_str(object_table.environment.output, "c", "and paths as they are");
}

/* Where the program was started, whatever that is called. */
static void test_directories(void)
{
	static const struct {
		const char *directory, *output, *driver;
	} cases[] = {
		{ "/a", "/a/o%p", "/a/d/x" }, { "/", "//o%p", "//d/x" },
		{ "/50%/%p", "/50%%/%%p/o%p", "/50%/%p/d/x" },
		{ "/%%%%", "/%%%%%%%%/o%p", "/%%%%/d/x" },
		{ NULL, "/(removed directory)/o%p", "/(removed directory)/d/x" },
	};
	static const char *const envp[] = { "CUAUDIT_OUTPUT=o%p", "CUAUDIT_DRIVER=d/x", NULL };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		directory = cases[i].directory;
		npieces = 0;
		env_read(&object_table.environment, (char **)envp);
		is_str(object_table.environment.output, cases[i].output, "an output in %s",
		       directory ? directory : "none");
		is_str(object_table.environment.driver, cases[i].driver, "... a driver");
		ok(filled(), "... no more is written than allocated");
	}
	directory = "/start";
}

/* LD_AUDIT for children: without those of our name, the others in their order. */
static void test_unfollow(void)
{
	static const char *const texts[] = {
		"libcuaudit.so", "/opt/lib/libcuaudit.so", "libcuaudit.so.1", "other.so",
		"/libcuaudit.so/other", "", "b",
	};
	enum { TEXTS = sizeof(texts) / sizeof(texts[0]), OURS = 2 };
	unsigned int wrong = 0;

	chance_begin(4, 0);
	for (int round = 0; round < ROUNDS; round++) {
		char list[ROOM] = "LD_AUDIT=", want[ROOM] = "LD_AUDIT=", after[ROOM];
		char before[] = "PATH=/a/b/libcuaudit.so:/c";
		char *envp[] = { before, list, after, NULL };
		bool some = false;

		for (uint64_t i = chance(6); i; i--) {
			uint64_t which = chance(TEXTS);

			strcat(list, texts[which]);
			/* A list that ends with a colon has no empty one behind it. */
			if (i > 1)
				strcat(list, ":");
			if (which < OURS || (i == 1 && !*texts[which]))
				continue;
			if (some)
				strcat(want, ":");
			strcat(want, texts[which]);
			some |= strlen(want) > strlen("LD_AUDIT=");
		}
		strcpy(after, list);
		env_unfollow(envp);
		wrong += strcmp(list, want) || strcmp(after, want) || strcmp(before, "PATH=/a/b/libcuaudit.so:/c");
		if (wrong == 1)
			diag("'%s', not '%s'", list, want), wrong++;
	}
	is_int(wrong, 0, "LD_AUDIT without us, %d times", ROUNDS);
}

#define LONG "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyzABCD"

static void test_messages(void)
{
	enum { GIVEN = 4 };
	static const struct {
		const char *given[GIVEN], *says;
		int ends;
	} cases[] = {
		{ { "A=1", "CUAUDIT_LOG=debug", "CUAUDIT_STRICT=1" }, "", 0 },
		{ { "CUAUDIT_functions=x" },
		  "CUAUDIT_functions is no variable of cuaudit; did you mean CUAUDIT_FUNCTIONS?\n", 0 },
		{ { "cuaudit_exclude=x" },
		  "cuaudit_exclude is no variable of cuaudit; did you mean CUAUDIT_EXCLUDE?\n", 0 },
		{ { "CUAUDIT_LOG" }, "CUAUDIT_LOG is in the environment without '=' and a value; set it or remove it\n", 0 },
		{ { "CUAUDIT_STRICT" },
		  "CUAUDIT_STRICT is in the environment without '=' and a value; set it or remove it\n", 85 },
		{ { "CUAUDIT_LO" }, "CUAUDIT_LO is no variable of cuaudit; did you mean CUAUDIT_LOG?\n", 0 },
		{ { "CUAUDIT_log" }, "CUAUDIT_log is no variable of cuaudit; did you mean CUAUDIT_LOG?\n", 0 },
		{ { "CUAUDIT_paaa=x" }, "CUAUDIT_paaa is no variable of cuaudit; did you mean CUAUDIT_PATH?\n", 0 },
		{ { "CUAUDIT_1=x" }, "CUAUDIT_1 is no variable of cuaudit; see libcuaudit(7)\n", 0 },
		{ { "CUAUDIT_1=x", "CUAUDIT_LOG=error" }, "", 0 },
		{ { "CUAUDIT_1=x", "CUAUDIT_LOG=error", "CUAUDIT_STRICT=1" },
		  "CUAUDIT_1 is no variable of cuaudit; see libcuaudit(7)\n", 85 },
		{ { "CUAUDIT_1=limit(memory=1)" }, "CUAUDIT_1 is no variable of cuaudit; see libcuaudit(7)\n", 85 },
		{ { "CUAUDIT_1=limit(memory=1)", "CUAUDIT_STRICT=0" },
		  "CUAUDIT_1 is no variable of cuaudit; see libcuaudit(7)\n", 0 },
		{ { "CUAUDIT_strict=1" },
		  "CUAUDIT_strict is no variable of cuaudit; did you mean CUAUDIT_STRICT?\n", 85 },
		{ { "CUAUDIT_" LONG "=x" },
		  "CUAUDIT_0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuv... is no variable of cuaudit; see libcuaudit(7)\n", 0 },
		{ { "CUAUDIT_LOG=" LONG "EFG" }, "CUAUDIT_LOG takes error|warn|info|debug, not '" LONG "EFG"
		  "'; it is warn now\n", 0 },
		{ { "CUAUDIT_LOG=" LONG "EFGH" }, "CUAUDIT_LOG takes error|warn|info|debug, not '" LONG
		  "...'; it is warn now\n", 0 },
		{ { "CUAUDIT_LOG=error", "CUAUDIT_FOLLOW=2" }, "", 0 },
		{ { "CUAUDIT_LOG=error", "CUAUDIT_FOLLOW=2", "CUAUDIT_STRICT=1" },
		  "CUAUDIT_FOLLOW takes 0|1, not '2'\n", 85 },
		{ { "CUAUDIT_OUTPUT=fail=1", "CUAUDIT_OUTPUT=b", "CUAUDIT_LOG=error" },
		  "CUAUDIT_OUTPUT is set more than once, to different values; give one\n", 85 },
		{ { "CUAUDIT_OUTPUT=fail=1", "CUAUDIT_OUTPUT=b", "CUAUDIT_STRICT=0" },
		  "CUAUDIT_OUTPUT is set more than once, to different values; give one; it is 'fail=1' now\n", 0 },
		{ { "CUAUDIT_STRICT=2", "CUAUDIT_LOG=error" }, "CUAUDIT_STRICT takes 0|1|check, not '2'\n", 85 },
		{ { "CUAUDIT_LOG=x", "CUAUDIT_STRICT=1" },
		  "CUAUDIT_LOG takes error|warn|info|debug, not 'x'\n", 85 },
		{ { "CUAUDIT_OUTPUT=%z" },
		  "CUAUDIT_OUTPUT takes PATH with %p %h %e %r %t, not '%z'; it is empty now\n", 0 },
		{ { "CUAUDIT_EXCLUDE=a,b" },
		  "CUAUDIT_EXCLUDE takes GLOB[:GLOB...], with colons between, not 'a,b'; it is empty now\n", 0 },
		{ { "CUAUDIT_STRICT=2" }, "CUAUDIT_STRICT takes 0|1|check, not '2'\n", 85 },
		{ { "CUAUDIT_SIM_MEMORY=x", "CUAUDIT_SIM_LAUNCH_TIME=x", "CUAUDIT_DRIVER=x" }, "", 0 },
		{ { "CUAUDIT_SIM_MEMORY=x", "CUAUDIT_STRICT=1" }, "CUAUDIT_SIM_MEMORY takes SIZE, not 'x'\n", 85 },
		{ { "CUAUDIT_SIM_LAUNCH_TIME=x", "CUAUDIT_STRICT=1" },
		  "CUAUDIT_SIM_LAUNCH_TIME takes MICROSECONDS, not 'x'\n", 85 },
		{ { "CUAUDIT_DRIVER=x", "CUAUDIT_STRICT=1" }, "CUAUDIT_DRIVER takes PATH|sim, not 'x'\n", 85 },
		{ { "CUAUDIT_DRIVER=libcuda.so.1", "CUAUDIT_STRICT=1" }, "", 0 },
		{ { "CUAUDIT_DRIVER=", "CUAUDIT_STRICT=1" }, "", 0 },
		{ { "CUAUDIT_DRIVER=/there/driver.so", "CUAUDIT_STRICT=1" }, "", 0 },
		{ { "CUAUDIT_DRIVER=/not/there.so", "CUAUDIT_STRICT=1" },
		  "CUAUDIT_DRIVER takes sim or the path of a driver; /not/there.so cannot be read\n", 85 },
		{ { "CUAUDIT_DRIVER=/not/there.so" }, "", 0 },
		{ { "CUAUDIT_DRIVER=/there/fifo.so", "CUAUDIT_STRICT=1" },
		  "CUAUDIT_DRIVER takes sim or the path of a driver; /there/fifo.so cannot be read\n", 85 },
		{ { "CUAUDIT_LOG=info", "CUAUDIT_LOG=info" }, "", 0 },
		{ { "CUAUDIT_LOG=info", "CUAUDIT_LOG=debug" },
		  "CUAUDIT_LOG is set more than once, to different values; give one; it is 'info' now\n", 0 },
		{ { "CUAUDIT_LOG=error", "CUAUDIT_LOG=debug" }, "", 0 },
		{ { "CUAUDIT_LOG=info", "CUAUDIT_LOG=debug", "CUAUDIT_STRICT=1" },
		  "CUAUDIT_LOG is set more than once, to different values; give one\n", 85 },
		{ { "CUAUDIT_STRICT=0", "CUAUDIT_STRICT=1" },
		  "CUAUDIT_STRICT is set more than once, to different values; give one; it is '0' now\n", 0 },
		{ { "CUAUDIT_STRICT=1", "CUAUDIT_STRICT=0" },
		  "CUAUDIT_STRICT is set more than once, to different values; give one\n", 85 },
		{ { "CUAUDIT_HOOKS=stat", "CUAUDIT_HOOKS=trace" }, "", 0 },
		{ { "CUAUDIT_DISABLE=1", "CUAUDIT_STRICT=1", "CUAUDIT_LOG=x" }, "", 0 },
		{ { "CUAUDIT_DISABLE=1", "CUAUDIT_HOOKS=limit(memory=1)", "CUAUDIT_STRICT=1" },
		  "CUAUDIT_DISABLE=1 switches off what CUAUDIT_HOOKS enforces; unset one\n", 85 },
		{ { "CUAUDIT_DISABLE=1", "CUAUDIT_HOOKS=stat", "CUAUDIT_STRICT=check", "CUAUDIT_LOG=x" },
		  "CUAUDIT_LOG takes error|warn|info|debug, not 'x'\n", 85 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *envp[GIVEN + 1] = { NULL };
		bool early = false, first = true;

		for (int k = 0; k < GIVEN; k++) {
			envp[k] = cases[i].given[k];
			if (!envp[k] || strncmp(envp[k], "CUAUDIT_STRICT=", 15) || !first)
				continue;
			early = envp[k][15] != '0';
			first = false;
		}
		judge(envp, false);
		is_str(messages, cases[i].says, "%s, %s: the message", envp[0], envp[1] ? envp[1] : "alone");
		is_int(ended, cases[i].ends, "... and %s", cases[i].ends ? "the end" : "no end");
		judge(envp, true);
		is_str(messages, early ? cases[i].says : "", "... %s the first call", early ? "before" : "at");
		is_int(ended, early ? cases[i].ends : 0, "... and the end");
	}
}

/* A name of any length is cut, and nothing behind its room is written. */
static void test_long(void)
{
	enum { LENGTHS = 300, KEPT = 76 };
	int wrong = 0;

	for (size_t length = 1; length < LENGTHS; length++) {
		char entry[LENGTHS + 16] = "CUAUDIT_", want[2 * LENGTHS], *at = entry + strlen(entry);
		const char *envp[] = { entry, NULL };

		memset(at, 'Q', length);
		strcpy(at + length, "=x");
		if (at + length - entry < SHOWN)
			snprintf(want, sizeof(want), "%.*s", (int)(at + length - entry), entry);
		else
			snprintf(want, sizeof(want), "%.*s...", KEPT, entry);
		strcat(want, " is no variable of cuaudit; see libcuaudit(7)\n");
		judge(envp, false);
		wrong += strcmp(messages, want) != 0;
		if (strcmp(messages, want) && wrong == 1)
			diag("got %s, want %s", messages, want);
	}
	is_int(wrong, 0, "names up to %d bytes", LENGTHS);
}

/* So many unknown ones: a line for each of the first, and for the number of all others. */
static void test_many(void)
{
	static const unsigned int counts[] = { 7, 8, 9, 17, 18, 107, 108, 1007, 1008, 1242, MANY };
	static const char *envp[MANY + 1];

	for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++) {
		unsigned int count = counts[k];
		char more[64] = "", last[64];
		int lines = 0;

		for (unsigned int i = 0; i < count; i++)
			envp[i] = i < ENV_UNKNOWN ? "CUAUDIT_1=x" : "CUAUDIT_2=x";
		envp[count] = NULL;
		judge(envp, false);
		if (count > ENV_UNKNOWN)
			snprintf(more, sizeof(more), "and %u more unknown variables\n", count - ENV_UNKNOWN);
		for (const char *line = messages; *line; line = strchr(line, '\n') + 1) {
			snprintf(last, sizeof(last), "%.*s", (int)(strchr(line, '\n') - line) + 1, line);
			lines++;
		}
		is_int(lines, count > ENV_UNKNOWN ? ENV_UNKNOWN + 1 : (int)count, "%u unknown: lines", count);
		is_str(*more ? last : "", more, "%u unknown: the last line", count);
		ok(!strstr(messages, "CUAUDIT_2"), "%u unknown: the first have the lines", count);
	}
}

/* CUAUDIT_INCLUDE names no library, and kept one out that came by a function. */
static void test_unmatched(void)
{
	static const char *const envp[] = { "CUAUDIT_INCLUDE=libnone*", NULL };
	static struct link_object objects[LINK_CHUNK] = { { .path = "/main", .flags = LINK_OBJECT_MAIN },
							  { .path = "/lib/libcaller.so" } };
	static struct link_binding bindings[LINK_BINDINGS];

	object_table.bindings = bindings;
	atomic_store(&object_table.chunks[0], objects);
	atomic_store(&object_table.nobjects, 2);
	values = NULL;
	ok(!judge_unmatched(), "nothing was read: nothing is unmatched");
	judge(envp, false);
	ok(!judge_unmatched(), "nobody came by a function");
	link_count(&object_table, 1, 7, LINK_PLT);
	link_count(&object_table, 1, 7, LINK_PROCADDR);
	link_count(&object_table, 1, LINK_SLOTS - 1, LINK_RELOCATION);
	ok(!judge_unmatched(), "who did was not kept out");
	link_count(&object_table, 1, 7, LINK_PLT | LINK_REAL);
	ok(judge_unmatched(), "one was");
	is_ptr(excluded(), &objects[1], "which");
	objects[1].path = "/lib/libnone.so.1";
	ok(!judge_unmatched(), "a library of that name is there");
	objects[1].path = "/lib/libcaller.so";
	for (size_t i = 0; i < 4; i++) {
		static const char *const others[][3] = {
			{ NULL }, { "CUAUDIT_INCLUDE=libnone*", "CUAUDIT_LOG=error" },
			{ "CUAUDIT_INCLUDE=libnone*", "CUAUDIT_DISABLE=1" },
			{ "CUAUDIT_INCLUDE=libnone*", "CUAUDIT_HOOKS=limit(memory=1)" },
		};

		judge(others[i], false);
		ok(!judge_unmatched(), "not with %s", i ? others[i][1] : "no such variable");
	}
	judge((const char *const[]){ "CUAUDIT_INCLUDE=(main)", NULL }, false);
	ok(!judge_unmatched(), "the program is there");
	objects[0].flags = 0;
	ok(judge_unmatched(), "unless it is none of ours");
}

#define DISABLED "CUAUDIT_DISABLE=1: what CUAUDIT_HOOKS enforces does not hold here\n"
#define EXCLUDED "/lib/libleft.so is given the driver itself, by CUAUDIT_INCLUDE or CUAUDIT_EXCLUDE; \
it is not held to what CUAUDIT_HOOKS enforces\n"

/* What does not hold is reported where something is enforced, once. */
static void test_policy(void)
{
	static const struct {
		const char *given[3], *unaudited;
		bool excluded, disabled;
		int ends;
	} cases[] = {
#define RUNS "nothing is audited"
		{ { "CUAUDIT_HOOKS=stat" }, RUNS, false, false, 0 },
		{ { "CUAUDIT_HOOKS=stat", "CUAUDIT_STRICT=1" },
		  RUNS ": the process ends with status 85, as CUAUDIT_STRICT asks", false, false, 85 },
		{ { "CUAUDIT_HOOKS=limit(memory=1)", "CUAUDIT_STRICT=0" }, RUNS, false, false, 0 },
		{ { "CUAUDIT_HOOKS=stat", "CUAUDIT_DISABLE=1" }, RUNS, false, false, 0 },
#define ENDS RUNS ", and what CUAUDIT_HOOKS enforces would not hold: the process ends with status 85; \
CUAUDIT_STRICT=0 would let it run"
		{ { "CUAUDIT_HOOKS=limit(memory=1)", "CUAUDIT_DISABLE=1" }, ENDS, false, true, 85 },
		{ { "CUAUDIT_HOOKS=limit(memory=1)", "CUAUDIT_DISABLE=1" }, ENDS, false, false, 85 },
		{ { "CUAUDIT_HOOKS=limit(memory=1)" }, ENDS, true, false, 85 },
		{ { "CUAUDIT_HOOKS=limit(memory=1)" }, ENDS, false, false, 85 },
	};
	const struct link_object library = { .path = "/lib/libleft.so" };
	void (*_Atomic *attach)(void) = &object_table.attach;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		judge(cases[i].given, true);
		is_str(judge_unaudited(), cases[i].unaudited, "%s, %s", cases[i].given[0],
		       cases[i].given[1] ? cases[i].given[1] : "alone");
		/* The core, which is there, reports it. */
		atomic_store(attach, test_policy);
		judge_excluded(&library);
		is_str(messages, "", "... with a core");
		atomic_store(attach, NULL);
		judge_excluded(&library);
		is_str(messages, cases[i].excluded ? EXCLUDED : "", "... a library that is excluded");
		messages[0] = '\0';
		/* It is asked where nothing acts. */
		if (env_disabled)
			judge_disabled();
		is_str(messages, cases[i].disabled ? DISABLED : "", "... switched off");
		ended = 0;
		if (!setjmp(end_here))
			judge_end_unaudited();
		is_int(ended, cases[i].ends, "... without a core");
	}
}

/* Calls that are not intercepted take memory that nobody counts. */
static void test_uncounted(void)
{
	static const struct {
		const char *given[3];
		int ends;
	} cases[] = {
		{ { "CUAUDIT_HOOKS=limit(memory=1)" }, 85 },
		{ { "CUAUDIT_HOOKS=stat,limit(format=json;device12=1G;on-error=exit)" }, 85 },
		{ { "CUAUDIT_HOOKS=limit(dry-run=no;time=30%)" }, 85 },
		{ { "CUAUDIT_HOOKS=limit(memory=1)", "CUAUDIT_STRICT=0" }, 0 },
		{ { "CUAUDIT_HOOKS=limit(memory=1)", "CUAUDIT_DISABLE=1" }, 0 },
		{ { "CUAUDIT_HOOKS=limit(memory=1;on-error=run)" }, 0 },
		{ { "CUAUDIT_HOOKS=limit(dry-run;memory=1),fault(inject=x:on-error=run)" }, 0 },
		{ { "CUAUDIT_HOOKS=limit(visible=0;share-dir=/x)" }, 0 },
		{ { "CUAUDIT_HOOKS=limit(deny=cuInit),stat(memory=1)" }, 0 },
		{ { "CUAUDIT_HOOKS=limit(memory" }, 0 },
		{ { "CUAUDIT_HOOKS=stat(save=limit)" }, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		judge(cases[i].given, true);
		ended = 0;
		if (!setjmp(end_here))
			judge_uncounted("/lib/copy.so");
		is_int(ended, cases[i].ends, "not intercepted: %s, %s", cases[i].given[0],
		       cases[i].given[1] ? cases[i].given[1] : "alone");
		is_str(messages, ended ? "limit: not all calls are held to it: /lib/copy.so is not intercepted; "
		       "the process ends, on-error=run would let it go on\n" : "", "... and what it says");
	}
}

int main(void)
{
	test_names();
	test_loader();
	test_values();
	test_several();
	test_directories();
	test_unfollow();
	test_messages();
	test_long();
	test_many();
	test_unmatched();
	test_policy();
	test_uncounted();
	return done_testing();
}
