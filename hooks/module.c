/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the modules CUAUDIT_HOOKS names, and ends them. */
#include "hooks/module.h"

#include <cuaudit/hook.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "hooks/core.h"
#include "hooks/crash.h"
#include "hooks/hook.h"
#include "hooks/plugin.h"
#include "hooks/thread.h"
#include "names/nearest.h"

enum { MAX_MODULES = 16, MAX_GIVEN = 64, TEXT = 4096, MAX_NAMES = 64 };

struct cuaudit_options {
	const struct cuaudit_option *known;
	struct {
		const struct cuaudit_option *option;
		const char *value;
	} given[MAX_GIVEN];	/* in the order of the text */
	uint32_t ngiven;
};

#define MODULE(name) extern const struct cuaudit_module name##_module;
#include "hooks/builtin.def"
#undef MODULE

static const struct cuaudit_module *const builtin[] = {
#define MODULE(name) &name##_module,
#include "hooks/builtin.def"
#undef MODULE
};

enum { NBUILTIN = sizeof(builtin) / sizeof(builtin[0]) };

static struct started {
	const struct cuaudit_module *module;
	const struct cuaudit_module *own;	/* as the module itself knows it */
	struct cuaudit_module copy;		/* of a plug-in's */
	struct cuaudit_options options;
} started[MAX_MODULES];
static uint32_t nstarted;

/* CUAUDIT_HOOKS cut into words; options' values stay in it. */
static char text[TEXT];

static const struct cuaudit_option *find_option(const struct cuaudit_option *known, const char *key)
{
	for (; known && known->key; known++)
		if (!strcmp(known->key, key))
			return known;
	return NULL;
}

const char *cuaudit_option_at(const struct cuaudit_options *options, const char *key,
			      uint32_t index)
{
	const struct cuaudit_option *option = find_option(options->known, key);

	for (uint32_t i = 0; option && i < options->ngiven; i++)
		if (options->given[i].option == option && !index--)
			return options->given[i].value;
	return NULL;
}

const char *cuaudit_option_get(const struct cuaudit_options *options, const char *key)
{
	const struct cuaudit_option *option = find_option(options->known, key);

	for (uint32_t i = options->ngiven; i-- > 0;)
		if (option && options->given[i].option == option)
			return options->given[i].value;
	return option ? option->fallback : NULL;
}

static const char *nearest_option(const struct cuaudit_option *known, const char *key)
{
	const char *names[MAX_NAMES + 1];
	uint32_t count = 0;

	for (; known && known->key && count < MAX_NAMES; known++)
		names[count++] = known->key;
	names[count] = NULL;
	return nearest(key, strlen(key), names);
}

const struct cuaudit_module *cuaudit_builtin(uint32_t index)
{
	return index < NBUILTIN ? builtin[index] : NULL;
}

/* Whether one of the alternatives of values is the value; in capitals: free text. */
static bool allowed(const char *values, const char *value)
{
	while (values && *values) {
		size_t length = strcspn(values, "|");

		if (strspn(values, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_.") == length ||
		    (strlen(value) == length && !memcmp(values, value, length)))
			return true;
		values += length + (values[length] == '|');
	}
	return !values;
}

/* Whether an option may be given several times: "RULE...". */
static bool repeated(const struct cuaudit_option *option)
{
	size_t length = option->values ? strlen(option->values) : 0;

	return length > 3 && !strcmp(option->values + length - 3, "...");
}

static void add_option(struct cuaudit_options *options, const struct cuaudit_option *option,
		       const char *value)
{
	options->given[options->ngiven].option = option;
	options->given[options->ngiven++].value = value;
}

/* pair is "key=value" or "key"; the latter means key=yes. */
static void take_option(const struct cuaudit_module *module, struct cuaudit_options *options,
			char *pair)
{
	static const char yes[] = "yes";
	char *equals = strchr(pair, '=');
	const char *value = equals ? equals + 1 : yes, *near;
	const struct cuaudit_option *option;

	if (equals)
		*equals = '\0';
	option = find_option(options->known, pair);
	if (option) {
		const char *now = cuaudit_option_get(options, pair);

		if (!allowed(option->values, value))
			cuaudit_log(CUAUDIT_WARN, "%s: %s takes %s, not '%s'; it is %s now",
				    module->name, pair, option->values, value,
				    now ? now : "not set");
		else if (cuaudit_option_at(options, pair, 0) && !repeated(option))
			cuaudit_log(CUAUDIT_WARN, "%s: %s is given once; it is %s, not '%s'",
				    module->name, pair, now, value);
		else if (options->ngiven == MAX_GIVEN)
			cuaudit_log(CUAUDIT_WARN, "%s: only %d options at once; %s=%s is left out",
				    module->name, MAX_GIVEN, pair, value);
		else
			add_option(options, option, value);
		return;
	}
	near = nearest_option(options->known, pair);
	cuaudit_log(CUAUDIT_WARN, "%s has no option '%s'%s%s%s", module->name, pair,
		    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* Sets module and own; what hinders that is said. */
static bool find(const char *name, struct started *found)
{
	const char *names[NBUILTIN + 1] = { NULL };
	char path[PATH_MAX];
	const char *near;

	for (int i = 0; i < NBUILTIN; i++) {
		if (!strcmp(builtin[i]->name, name)) {
			found->module = found->own = builtin[i];
			return true;
		}
		names[i] = builtin[i]->name;
	}
	if (!plugin_find(name, path, sizeof(path))) {
		found->module = &found->copy;
		found->own = plugin_open(path, name, &found->copy);
		return found->own;
	}
	near = nearest(name, strlen(name), names);
	cuaudit_log(CUAUDIT_WARN, "there is no hook module '%s'%s%s%s", name,
		    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return false;
}

static bool is_started(const struct cuaudit_module *own)
{
	for (uint32_t i = 0; i < nstarted; i++)
		if (started[i].own == own)
			return true;
	return false;
}

/* One that does not start leaves nothing behind that would be called. */
static bool run(const char *name, const struct started *from)
{
	int error, crash = 0;

	if (!from->module->init)
		return true;
	hook_module(from->own);
	error = crash_run(from->module->init, &from->options, &crash);
	hook_module(NULL);
	if (!error && !crash)
		return true;
	if (crash)
		cuaudit_log(CUAUDIT_ERROR, "%s does not start: it crashed in init: %s", name,
			    strsignal(crash));
	else if (error != -ECANCELED)
		cuaudit_log(CUAUDIT_ERROR, "%s does not start: %s", name, strerror(-error));
	hook_drop(from->own);
	thread_disown(from->own);
	return false;
}

/* options is "key=value;..." without its brackets, or NULL. */
static void start(const char *name, char *options)
{
	struct started *next = &started[nstarted];
	char *rest = NULL, *pair;

	if (nstarted == MAX_MODULES) {
		cuaudit_log(CUAUDIT_WARN, "%s: only %d modules at once", name, MAX_MODULES);
		return;
	}
	if (!find(name, next))
		return;
	if (is_started(next->own)) {
		cuaudit_log(CUAUDIT_WARN, "%s is started once, by its first options", name);
		return;
	}
	/* What a module that did not start was given is none of this one's. */
	next->options = (struct cuaudit_options){ .known = next->module->options };
	for (pair = options ? strtok_r(options, ";", &rest) : NULL; pair;
	     pair = strtok_r(NULL, ";", &rest))
		take_option(next->module, &next->options, pair);
	if (run(name, next))
		nstarted++;
}

/* The bracket that closes the one before at, or the end. */
static char *closing(char *at)
{
	for (int open = 1; *at; at++) {
		open += (*at == '(') - (*at == ')');
		if (!open)
			break;
	}
	return at;
}

/* Ends the word at the comma or bracket that closes it; returns what follows, or NULL. */
static char *cut(char *word, char **options)
{
	char *end = word + strcspn(word, ",(");

	*options = NULL;
	if (*end == '(') {
		*end = '\0';
		*options = ++end;
		end = closing(end);
		if (!*end)
			return NULL;
		*end++ = '\0';
		if (*end && *end != ',')
			return NULL;
	}
	if (*end)
		*end++ = '\0';
	return end;
}

void module_start_all(void)
{
	const char *value = cuaudit_core_link->environment.hooks;
	char *word = text, *options;

	if (strlen(value) >= sizeof(text)) {
		cuaudit_log(CUAUDIT_WARN, "CUAUDIT_HOOKS is longer than %d bytes; no hooks", TEXT);
		return;
	}
	strcpy(text, value);
	while (*word) {
		char *next = cut(word, &options);

		if (!next) {
			cuaudit_log(CUAUDIT_WARN, "CUAUDIT_HOOKS takes NAME[(KEY=VALUE;...)][,...]; "
				    "'%s' and what follows it is left out", word);
			return;
		}
		if (*word)
			start(word, options);
		word = next;
	}
}

void module_finish_all(void)
{
	while (nstarted) {
		const struct cuaudit_module *module = started[--nstarted].module;

		if (module->finish)
			module->finish();
	}
}

void module_forked(void)
{
	for (uint32_t i = 0; i < nstarted; i++)
		if (started[i].module->forked)
			started[i].module->forked();
}
