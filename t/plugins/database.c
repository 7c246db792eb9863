/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in that keeps its figures in SQLite, whose headers need not be here. */
#include <cuaudit/coverage.h>
#include <cuaudit/hook.h>
#include <errno.h>
#include <stdio.h>

struct sqlite3;
int sqlite3_open(const char *path, struct sqlite3 **database);
int sqlite3_exec(struct sqlite3 *database, const char *text,
		 int (*row)(void *data, int count, char **values, char **names), void *data,
		 char **error);
int sqlite3_close(struct sqlite3 *database);

static struct sqlite3 *database;
static _Atomic unsigned int calls[CUAUDIT_SLOTS_MAX];

static int enter(struct cuaudit_call *call, void *data)
{
	(void)data;
	calls[call->function->slot]++;
	return CUAUDIT_CONTINUE;
}

static int init(const struct cuaudit_options *options)
{
	const struct cuaudit_hook hook = { .size = sizeof(hook), .name = "database", .enter = enter };

	if (sqlite3_open(cuaudit_option_get(options, "path"), &database) ||
	    sqlite3_exec(database, "create table calls (name text, count integer)", NULL, NULL, NULL))
		return -EIO;
	return cuaudit_hook_add(&hook);
}

static int print(void *data, int count, char **values, char **names)
{
	(void)data, (void)names;
	for (int i = 0; i < count; i++)
		printf("%s%s", i ? " " : "database: ", values[i]);
	putchar('\n');
	return 0;
}

static void finish(void)
{
	char text[256];

	for (uint32_t i = 0; i < cuaudit_functions(); i++) {
		snprintf(text, sizeof(text), "insert into calls values ('%s', %u)",
			 cuaudit_function_get(i)->name, calls[i]);
		if (calls[i] && sqlite3_exec(database, text, NULL, NULL, NULL))
			cuaudit_log(CUAUDIT_ERROR, "database: cannot insert");
	}
	sqlite3_exec(database, "select * from calls order by name", print, NULL, NULL);
	sqlite3_close(database);
}

static const struct cuaudit_option options[] = {
	{ "path", ":memory:", "PATH", "the database" },
	{ NULL, NULL, NULL, NULL },
};

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "database",
	.summary = "counts in SQLite", .options = options, .init = init, .finish = finish,
};
