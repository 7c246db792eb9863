/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the driver's own look-up. Argument: "excluded" for a program that is left alone. */
#include <dlfcn.h>

#include "t/fake/driver.h"
#include "t/routes/checks.h"

#define UNTOUCHED ((void *)0x5a5a)

typedef int (*ask_fn)(const char *, void **, int, unsigned long long);
typedef int (*ask_v2_fn)(const char *, void **, int, unsigned long long, int *);

static int asked;	/* answers that were routed, of cuInit */

static void by_v2(ask_v2_fn ask)
{
	void *answer = UNTOUCHED;
	int status = 77;

	is_int(ask("cuInit", &answer, 13000, 0, &status), 0, "v2: cuInit");
	is_int(status, 0, "its status");
	is_ptr(answer, (void *)cuInit, "its address is the program's");
	asked++;
	is_int(ask("cuInit", &answer, 13000, 1, NULL), 0, "a NULL status pointer");
	is_ptr(answer, (void *)cuInit, "the same address");
	asked++;

	status = 77;
	is_int(ask("cuNoSuchThing", &answer, 13000, 0, &status), 0, "an unknown name");
	is_ptr(answer, NULL, "is NULL");
	is_int(status, 1, "with the driver's status");
	answer = UNTOUCHED;
	status = 77;
	is_int(ask("cuInit", &answer, FAKE_VERSION + 10, 0, &status), 1, "too new a version");
	is_ptr(answer, UNTOUCHED, "leaves the answer alone");
	is_int(status, 77, "and the status");
	answer = UNTOUCHED;
	is_int(ask("cuInit", &answer, 1000, 0, &status), 0, "too old a version");
	is_ptr(answer, NULL, "is NULL");
	is_int(ask("cuMemAlloc", &answer, 3020, 0, &status), 0, "a base name");
	is_ptr(answer, (void *)cuMemAlloc_v2, "is its second version's address");
	is_int(ask("cuNewIntegers", &answer, 13000, 0, &status), 0, "newer than the table");
	is_ptr(answer, (void *)cuNewIntegers, "is the program's address too");
	is_int(ask(NULL, &answer, 13000, 0, &status), 0, "no name at all");
	is_ptr(answer, NULL, "is NULL");
}

static void by_v1(ask_fn ask)
{
	void *answer = UNTOUCHED;

	is_int(ask("cuInit", &answer, 13000, 0), 0, "v1: cuInit");
	is_ptr(answer, (void *)cuInit, "its address is the program's");
	asked++;
	answer = UNTOUCHED;
	is_int(ask("cuNoSuchThing", &answer, 13000, 0), 500, "an unknown name");
	is_ptr(answer, UNTOUCHED, "leaves the answer alone");
	is_int(ask("cuInit", &answer, FAKE_VERSION + 10, 0), 1, "too new a version");
	is_ptr(answer, UNTOUCHED, "leaves the answer alone");
}

/* v1 hands out v2, v2 hands out v1 and itself. */
static void by_itself(void)
{
	void *v1 = NULL, *v2 = NULL;
	int status;

	is_int(cuGetProcAddress("cuGetProcAddress", &v2, 12000, 0), 0, "v1 asked for v2");
	is_ptr(v2, (void *)cuGetProcAddress_v2, "which is the program's");
	by_v2((ask_v2_fn)v2);
	is_int(((ask_v2_fn)v2)("cuGetProcAddress", &v1, 11030, 0, &status), 0, "v2 asked for v1");
	is_ptr(v1, (void *)cuGetProcAddress, "which is the program's");
	by_v1((ask_fn)v1);
	is_int(((ask_v2_fn)v2)("cuGetProcAddress", &v2, 13000, 0, &status), 0, "v2 asked for v2");
	is_ptr(v2, (void *)cuGetProcAddress_v2, "which is the program's");
}

static void no_export(void)
{
	const struct cuaudit_escape *(*escape)(uint32_t);
	const struct cuaudit_escape *found;
	int (*hidden)(void) = NULL, status;

	escape = (const struct cuaudit_escape *(*)(uint32_t))observe_core("cuaudit_escape_get");
	if (escape)
		ok(!escape(0), "nothing escaped so far");
	is_int(cuGetProcAddress_v2("cuHidden", (void **)&hidden, 13000, 5, &status), 0,
	       "an answer that is no export");
	is_int(hidden(), 0, "works");
	is_int(cuGetProcAddress_v2("cuHidden", (void **)&hidden, 13000, 5, &status), 0, "again");
	if (!escape)
		return;
	found = escape(0);
	if (!ok(found, "it escaped"))
		return;
	is_str(found->name, "cuHidden", "its name");
	is_int(found->kind, CUAUDIT_ESCAPE_PROCADDR, "its kind");
	is_int(found->version, 13000, "the version asked for");
	is_int((long long)found->flags, 5, "the flags");
	is_int((long long)found->count, 2, "how often");
	is_str(found->library ? found->library->name : NULL, program_invocation_short_name,
	       "who asked");
	ok(!escape(1), "nothing else escaped");
}

static void tables(void)
{
	const struct cuaudit_export_table *(*table)(uint32_t);
	const struct cuaudit_export_table *found;
	const void *answer = NULL, *again = NULL;
	static const unsigned char known[16] = { 1, 2, 3 }, unknown[16] = { 9 };
	static const unsigned char large[16] = { 2 }, pointers[16] = { 3 }, refused[16] = { 10 };

	is_int(cuGetExportTable(&answer, known), 0, "an export table");
	is_int(cuGetExportTable(&again, known), 0, "again");
	is_ptr(again, answer, "is handed out as it is");
	is_int(cuGetExportTable(&again, unknown), 500, "an unknown one");
	is_int(cuGetExportTable(NULL, (const unsigned char *)16), 1, "refused, its UUID unmapped and unread");
	is_int(cuGetExportTable(&again, NULL), 1, "no UUID");
	table = (const struct cuaudit_export_table *(*)(uint32_t))
		observe_core("cuaudit_export_table_get");
	if (!table)
		return;
	found = table(0);
	if (!ok(found && table(1) && !table(2), "two different answers were seen, of UUIDs that can be read"))
		return;
	ok(!memcmp(found->uuid, known, 16), "the first's UUID");
	is_int((long long)found->size, 24, "its size");
	is_int((long long)found->count, 2, "how often");
	is_int(table(1)->result, 500, "the second's result");
	is_int(cuGetExportTable(&again, large) + cuGetExportTable(&again, pointers), 0, "two more");
	is_int((long long)table(2)->size, 4088, "the size of a large one");
	is_int((long long)table(3)->size, 0, "one that begins with a pointer has no known size");
	is_int(cuGetExportTable(NULL, known), 1, "the first again, refused");
	is_int((long long)found->count, 2, "is none of its answers");
	ok(table(4) && table(4)->result == 1 && !memcmp(table(4)->uuid, known, 16),
	   "but one of its own");
	again = (const void *)16;
	is_int(cuGetExportTable(&again, refused), 1, "one that is refused, and nothing written");
	is_int(table(5) ? (long long)table(5)->size : -1, 0, "what was there is no table");
}

static void left_alone(void)
{
	void *answer = NULL, *own = cuaudit_fake_address("cuInit");

	is_int((void *)cuInit == own, !observe_symtab_interposed(), "&f is the driver's own address");
	is_ptr(dlsym(RTLD_DEFAULT, "cuInit"), own, "dlsym's is");
	is_int(cuGetProcAddress_v2("cuInit", &answer, 13000, 0, NULL), 0, "cuGetProcAddress_v2");
	is_ptr(answer, own, "answers the same");
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "excluded")) {
		left_alone();
		return done_testing();
	}
	observe_start(RTLD_DEFAULT);
	by_v2(cuGetProcAddress_v2);
	by_v1(cuGetProcAddress);
	by_itself();
	if (observe_routed()) {
		is_int((long long)observe_bound("cuInit", CUAUDIT_ROUTE_PROCADDR), asked,
		       "answers of cuInit");
		is_int((long long)observe_bound("cuNoSuchThing", CUAUDIT_ROUTE_PROCADDR), 0,
		       "answers of nothing");
		is_int(observe_enters("cuGetProcAddress_v2"), observe_exits("cuGetProcAddress_v2"),
		       "each look-up was seen at both its ends");
		is_int(observe_enters("cuGetProcAddress_v2"),
		       cuaudit_fake_calls("cuGetProcAddress_v2"), "and reached the driver");
		ok((void *)cuInit != cuaudit_fake_address("cuInit"), "the address is not the driver's");
	}
	no_export();
	tables();
	return done_testing();
}
