/* SPDX-License-Identifier: Apache-2.0 */
/* The core's rows and all names of functions, with a table of which few rows come in the order of
 * their names. */
#include "hooks/args.c"
#include "hooks/layout.c"
#include "hooks/name_iterator.c"

#include "t/tap.h"
#include "hooks/domain.h"

bool domain_is_on(enum domain domain)
{
	(void)domain;
	return false;
}


enum { ROWS = 9, SLOTS = 4, ALIASES = 2 };

static struct link_slot slots[SLOTS];
static struct link_alias aliases[ALIASES];
static struct link_table table = { .slots = slots };
struct link_table *cuaudit_core_link = &table;

/* Not asked for here. */
void cuaudit_log(enum cuaudit_level level, const char *format, ...)
{
	(void)level;
	bail_out("%s", format);
}

/* None of the slots is a table's, nor a runtime's. */
bool export_slot_is(uint32_t slot)
{
	(void)slot;
	return false;
}

const char *export_slot_base(uint32_t slot)
{
	(void)slot;
	return "";
}

const char *export_slot_refused(void)
{
	return "d4082055";
}

const struct runtime_row *runtime_row_of_slot(uint32_t slot)
{
	(void)slot;
	return NULL;
}

static const struct row {
	const char *name, *base;
	uint32_t version, classes, nparams;
} rows_want[] = {
	{ "cuMiddle", "cuMiddle", 2000, CUAUDIT_CLASS_MEMORY, 1 },
	{ "cuZoo_v2", "cuZoo", 3020, CUAUDIT_CLASS_STREAM, 2 },
	{ "cuArk", "cuArk", 2000, CUAUDIT_CLASS_SYNC, 0 },
	{ "cuZoo", "cuZoo", 2000, CUAUDIT_CLASS_EVENT, 1 },
	{ "cuBee", "cuBee", 9000, CUAUDIT_CLASS_MEMORY | CUAUDIT_CLASS_SYNC, 3 },
	{ "cuArkade", "cuArkade", 2000, CUAUDIT_CLASS_MISC, 0 },
	{ "cuBee_ptds", "cuBee", 9000, CUAUDIT_CLASS_MEMORY | CUAUDIT_CLASS_SYNC, 3 },
	{ "cuZoo_ptsz", "cuZoo", 2000, CUAUDIT_CLASS_EVENT, 1 },
	{ "cuBees", "cuBees", 9000, CUAUDIT_CLASS_MISC, 0 },
};

static void test_rows(void)
{
	static const char *const none[] = { "",		 "cu",	    "cuAr",	"cuArka",
					    "cuArkades", "cuZoo_v", "cuZoo_v3", "zoo" };
	static const int alike[ROWS] = {
		1, 2, 3, 1, 4, 3, 4, 1, 3
	}; /* the same number: parameters are passed alike */
	struct cuaudit_function function;

	layout_setup();
	is_int(layout_count, ROWS, "rows");
	for (int i = 0; i < ROWS; i++)
		is_int(layout_find(rows_want[i].name), i, "%s is found", rows_want[i].name);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		is_int(layout_find(none[i]), -1, "'%s' is not", none[i]);
	for (int i = 0; i < ROWS; i++)
		for (int k = 0; k < ROWS; k++)
			if (layout_same(layout_row((uint32_t)i), layout_row((uint32_t)k)) !=
			    (alike[i] == alike[k]))
				ok(false, "rows %d and %d are passed alike", i, k);
	for (int i = 0; i < ROWS; i++) {
		memset(&function, 0xa5, sizeof(function));
		is_int(cuaudit_row_get((uint32_t)i, &function), 0, "row %d", i);
		ok(!strcmp(function.name, rows_want[i].name) &&
			   !strcmp(function.base, rows_want[i].base) && function.id == i &&
			   function.slot == UINT32_MAX &&
			   function.version == rows_want[i].version &&
			   function.classes == rows_want[i].classes &&
			   function.nparams == rows_want[i].nparams,
		   "... as a function of no driver");
	}
	ok(cuaudit_row_get(ROWS, &function) < 0, "no row");
}

/* A call is of a function, and of the one whose twin for the default stream per thread it is. */
static void test_twins(void)
{
	struct cuaudit_function function;
	const struct cuaudit_call call = { .function = &function };
	unsigned int wrong = 0;

	for (int i = 0; i < ROWS; i++)
		for (int k = -1; k <= ROWS; k++) {
			cuaudit_row_get((uint32_t)i, &function);
			wrong += cuaudit_call_is(&call, k) !=
				 (i == k || (i == 6 && k == 4) || (i == 7 && k == 3));
			function.id = -1;
			wrong += cuaudit_call_is(&call, k) != (k == -1);
		}
	is_int(wrong, 0, "what calls are of");
}

/* The table, then slots, then aliases; nothing is left of the name before. */
static void test_iterator(void)
{
	static const struct row want[] = {
		{ "cuBee", "cuBee", 0, CUAUDIT_CLASS_MEMORY | CUAUDIT_CLASS_SYNC, 0 },
		{ "cuNew", "cuNew", 0, 0, 0 },
		{ "cuZoo_v2", "cuZoo_v2", 0, CUAUDIT_CLASS_STREAM, 0 },
		{ "cuMiddle", "cuMiddle", 0, CUAUDIT_CLASS_MEMORY, 0 },
		{ "cuOther", "cuOther", 0, 0, 0 },
		{ "cuAnother", "cuAnother", 0, 0, 0 },
	};
	enum { WANTED = sizeof(want) / sizeof(want[0]) };
	struct cuaudit_function function;
	uint32_t index = 0, wrong = 0;

	for (int i = 0; i < SLOTS; i++)
		slots[i].name = want[i].name;
	for (int i = 0; i < ALIASES; i++) {
		aliases[i].name = want[SLOTS + i].name;
		aliases[i].next = i + 1 < ALIASES ? &aliases[i + 1] : NULL;
	}
	atomic_store(&table.nslots, SLOTS);
	atomic_store(&table.aliases, aliases);
	for (; index < ROWS + WANTED; index++) {
		const struct row *row = index < ROWS ? &rows_want[index] : &want[index - ROWS];

		memset(&function, 0xa5, sizeof(function));
		wrong += !name_iterator_get(index, &function) ||
			 strcmp(function.name, row->name) != 0 ||
			 strcmp(function.base, row->base) != 0 ||
			 function.classes != row->classes || function.id != -1;
	}
	is_int(wrong, 0, "%u names", index);
	ok(!name_iterator_get(index, &function) && !name_iterator_get(index + 1, &function) &&
		   !name_iterator_get(UINT32_MAX - 1, &function),
	   "and no more");
	atomic_store(&table.aliases, NULL);
	ok(!name_iterator_get(index - ALIASES, &function), "nor where there are no aliases");
	atomic_store(&table.nslots, 0);
	ok(!name_iterator_get(ROWS, &function) && name_iterator_get(ROWS - 1, &function),
	   "nor slots");
}

int main(void)
{
	test_rows();
	test_twins();
	test_iterator();
	return done_testing();
}
