/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What AFL++ gives texts to: rule, rules, selector or settings, and the file with the text. A setting
 * is a line. The fuzzers beside this one make texts that are nearly right and check what is made
 * of them; here any text is tried that leads to new code.
 */
#include <cuaudit/hook.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/env.h"
#include "hooks/core_link.h"
#include "hooks/layout.h"
#include "hooks/modules/fault/fault_rule.h"
#include "hooks/modules/rules/rules.h"
#include "hooks/modules/rules/rules_driver.h"
#include "util/selector.h"

enum { LONGEST = 4096, LINES = 64 };

struct link_table *cuaudit_core_link;

static struct link_table table = { .environment.providers = "" };

void cuaudit_log(enum cuaudit_level level, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	(void)level;
	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
}

uint32_t cuaudit_functions(void)
{
	return 0;
}

int rules_current_device(void)
{
	return -1;
}

bool rules_is_device(uint64_t address)
{
	return address & 1;
}

static void read_rule(const char *text)
{
	static struct fault_rule rule;
	char *copy = malloc(strlen(text) + 1);

	fault_rule_read(&rule, 1, text, copy);
	free(copy);
}

/* Each process reads one, which may be longer than the others. */
static void read_rules(const char *path)
{
	static struct check_file rules_of;

	rules_read(path, true, &rules_of);
}

static void read_selector(const char *text)
{
	struct cuaudit_function function;
	struct selector *selector;
	size_t length;

	if (selector_fault(text, &length))
		return;
	selector = selector_open(text);
	for (uint32_t i = 0; selector && i < 20 && !cuaudit_row_get(i, &function); i++)
		selector_takes(selector, &function);
	if (selector)
		selector_close(selector);
}

static void read_settings(char *text)
{
	static struct link_environment environment;
	struct env_loader loader = { 0 };
	char *entries[LINES + 1];
	size_t count = 0;

	for (char *line = strtok(text, "\n"); line && count < LINES; line = strtok(NULL, "\n"))
		entries[count++] = strdup(line);
	entries[count] = NULL;
	env_read_loader(&loader, entries, "");
	env_read(&environment, entries);
	while (count)
		free(entries[--count]);
}

int main(int argc, char **argv)
{
	FILE *file = argc == 3 ? fopen(argv[2], "r") : NULL;
	char text[LONGEST], *exact;
	size_t length;

	if (!file)
		return 2;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = '\0';
	exact = strdup(text);
	cuaudit_core_link = &table;
	layout_setup();
	if (!strcmp(argv[1], "rule"))
		read_rule(exact);
	else if (!strcmp(argv[1], "rules"))
		read_rules(argv[2]);
	else if (!strcmp(argv[1], "selector"))
		read_selector(exact);
	else
		read_settings(exact);
	free(exact);
	return 0;
}
