/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the modules CUAUDIT_HOOKS names, and ends them. */
#include "hooks/module.h"

#include <cuaudit/hook.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "hooks/core_link.h"
#include "hooks/crash.h"
#include "hooks/hook.h"
#include "hooks/log.h"
#include "hooks/plugin.h"
#include "hooks/settings_list.h"
#include "hooks/strict.h"
#include "hooks/thread.h"
#include "util/buffer.h"
#include "util/nearest.h"

enum { MAX_MODULES = 16, MAX_GIVEN = 64, TEXT = 4096, MAX_NAMES = 64, MAX_INSTEAD = 256 };

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
	const char *name;	/* as CUAUDIT_HOOKS has it */
	const struct cuaudit_module *module;
	const struct cuaudit_module *own;	/* as the module itself knows it */
	struct cuaudit_module copy;		/* of a plug-in's */
	struct cuaudit_options options;
	bool runs;	/* its init has succeeded */
	bool strict;	/* an option that is not understood is one of a module that enforces */
} started[MAX_MODULES];
static uint32_t nprepared;
static _Atomic uint32_t nstarted;	/* those at the start, release */

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

/* Whether one of the alternatives of values is the value; in capitals: free text, if that counts. */
static bool is_among(const char *values, const char *value, bool free_text)
{
	while (*values) {
		size_t length = strcspn(values, "|");
		bool is_free = strspn(values, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_.") == length;

		if (is_free ? free_text : strlen(value) == length && !memcmp(values, value, length))
			return true;
		values += length + (values[length] == '|');
	}
	return false;
}

static bool ends_in(const char *values, const char *end)
{
	size_t length = strlen(values), its = strlen(end);

	return length >= its && !strcmp(values + length - its, end);
}

/* An empty path would be the default, or no file, where one was meant. */
static bool allowed(const char *values, const char *value)
{
	return !values || (is_among(values, value, true) &&
			   (*value || !(ends_in(values, "PATH") || ends_in(values, "TEMPLATE"))));
}

/* Whether the value is a path, not another of the option's words: auto|no|PATH. */
static bool is_path(const struct cuaudit_option *option, const char *value)
{
	return option->values && ends_in(option->values, "PATH") &&
	       !is_among(option->values, value, false);
}

/*
 * A relative path means where the program was started, not where it is at its
 * first driver call. What is returned is never freed.
 */
static const char *resolve(const char *path)
{
	char *whole;

	if (*path == '/' || asprintf(&whole, "%s/%s", cuaudit_directory(), path) < 0)
		return path;
	return whole;
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

/* Whether a key that a module does not know may have been the one that makes it enforce. */
static bool may_enforce(const struct cuaudit_module *module, const char *key, size_t length)
{
	const char *const keys[] = { module->enforces, NULL };
	char word[MAX_INSTEAD];

	if (!module->enforces || !*module->enforces)
		return module->enforces;
	snprintf(word, sizeof(word), "%.*s", (int)length, key);
	return strcasestr(word, module->enforces) || nearest(key, length, keys);
}

static void refuse_option(const struct started *from, const char *key)
{
	const char *near = nearest_option(from->options.known, key);
	bool policy = from->strict || may_enforce(from->module, key, strlen(key));

	strict_fault(policy, "; it is left out", "%s has no option '%s'%s%s%s",
		     from->module->name, key, near ? "; did you mean " : "", near ? near : "",
		     near ? "?" : "");
}

/* pair is "key=value" or "key"; the latter means key=yes. */
static void take_option(struct started *from, char *pair)
{
	static const char yes[] = "yes";
	struct cuaudit_options *options = &from->options;
	const char *name = from->module->name, *now;
	char *equals = strchr(pair, '='), instead[MAX_INSTEAD];
	const char *value = equals ? equals + 1 : yes;
	const struct cuaudit_option *option;

	if (equals)
		*equals = '\0';
	option = find_option(options->known, pair);
	if (!option) {
		refuse_option(from, pair);
		return;
	}
	now = cuaudit_option_get(options, pair);
	snprintf(instead, sizeof(instead), "; it is %s now", now ? now : "not set");
	if (!allowed(option->values, value))
		strict_fault(from->strict, instead, "%s: %s takes %s, not '%s'", name, pair,
			     option->values, value);
	else if (cuaudit_option_at(options, pair, 0) && !repeated(option))
		strict_fault(from->strict, instead, "%s: %s is given once, not also as '%s'", name,
			     pair, value);
	else if (options->ngiven == MAX_GIVEN)
		strict_fault(from->strict, "; it is left out", "%s: only %d options at once, %s=%s "
			     "is one more", name, MAX_GIVEN, pair, value);
	else
		add_option(options, option, is_path(option, value) ? resolve(value) : value);
}

static const struct cuaudit_module *find_builtin(const char *name)
{
	for (int i = 0; i < NBUILTIN; i++)
		if (!strcmp(builtin[i]->name, name))
			return builtin[i];
	return NULL;
}

/* Whether the module enforces something with such options, its own ones misspelt perhaps. */
static bool enforcing_module(const char *name, const char *options)
{
	const struct cuaudit_module *module = find_builtin(name);

	if (!module || !module->enforces || !*module->enforces)
		return module && module->enforces;
	while (options && *options) {
		if (may_enforce(module, options, strcspn(options, "=;")))
			return true;
		options += strcspn(options, ";");
		options += *options == ';';
	}
	return false;
}

/* Whether a path may have been to be a name. */
static bool ends_in_policy(const char *path, const char *options)
{
	const char *slash = strrchr(path, '/');

	return slash && enforcing_module(slash + 1, options);
}

/* Whether a text that is not understood may have been to enforce something. */
static bool has_policy(const char *word)
{
	for (int i = 0; word && i < NBUILTIN; i++) {
		const char *enforces = builtin[i]->enforces;

		if (enforces && strcasestr(word, *enforces ? enforces : builtin[i]->name))
			return true;
	}
	return false;
}

static bool has_key(const char *word, const char *key)
{
	size_t length = strlen(key);
	const char *at = word;

	for (; (at = strcasestr(at, key)); at++)
		if (at[length] == '=' && (at == word || strchr("(;:,[{ ", at[-1])))
			return true;
	return false;
}

/* Whether it has an option that only modules have which always enforce something. */
static bool has_policy_option(const char *word)
{
	for (int i = 0; word && i < NBUILTIN; i++) {
		const struct cuaudit_option *option = builtin[i]->options;

		if (!builtin[i]->enforces || *builtin[i]->enforces)
			continue;
		for (; option && option->key; option++) {
			bool common = false;

			for (int k = 0; k < NBUILTIN; k++)
				common |= (!builtin[k]->enforces || *builtin[k]->enforces) &&
					  find_option(builtin[k]->options, option->key);
			if (!common && has_key(word, option->key))
				return true;
		}
	}
	return false;
}

/* Sets module and own; what hinders that is reported. options: NULL or its text. */
static bool find(const char *name, const char *options, struct started *found)
{
	const char *names[NBUILTIN + 1] = { NULL };
	char path[PATH_MAX];
	const char *near;

	found->module = found->own = find_builtin(name);
	if (found->module)
		return true;
	for (int i = 0; i < NBUILTIN; i++)
		names[i] = builtin[i]->name;
	if (!plugin_find(name, path, sizeof(path))) {
		found->module = &found->copy;
		found->own = plugin_open(path, name, &found->copy);
		if (!found->own && strict_stops(has_policy(options) || ends_in_policy(name, options)))
			strict_stop();
		return found->own;
	}
	/* Other brackets than ours may follow the name. */
	near = nearest(name, strcspn(name, ":=;[{ "), names);
	if (!near)
		near = nearest(name, strlen(name), names);
	/* Its options may be what enforces something. */
	strict_fault((near && enforcing_module(near, options)) || has_policy(name) ||
		     has_policy(options) || has_policy_option(name) || has_policy_option(options),
		     "; it is left out", "there is no hook module '%s'%s%s%s", name,
		     near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return false;
}

static bool is_prepared(const struct cuaudit_module *own)
{
	for (uint32_t i = 0; i < nprepared; i++)
		if (started[i].own == own)
			return true;
	return false;
}

/* Whether it enforces something with the options it was given. */
static bool enforces(const struct started *from)
{
	const char *key = from->module->enforces, *value;
	const struct cuaudit_option *option = key ? find_option(from->options.known, key) : NULL;

	if (!option)
		return key && !*key;
	value = cuaudit_option_get(&from->options, key);
	return value && (!option->fallback || strcmp(value, option->fallback) != 0);
}

/* A reason to those who have not read errno(3). */
static const char *reason(int error, char buffer[MAX_INSTEAD])
{
	switch (error) {
	case -ENOMEM:
		return "no memory is left";
	case -ENOSPC:
		return "there is no room for its hooks; leave out another module";
	case -E2BIG:
		return "it was built for a newer cuaudit; install that, or build it again";
	case -ENOTSUP:
		return "its hooks would change calls that can only be observed";
	default:
		snprintf(buffer, MAX_INSTEAD, "it answered error %d (%s)", -error, strerror(-error));
		return buffer;
	}
}

/* The module's own function, which may crash. 0, 1, or an error that has been reported. */
static int call(const struct started *from, int (*function)(const struct cuaudit_options *options),
		bool strict)
{
	const char *name = from->name;
	char buffer[MAX_INSTEAD];
	int error, crash = 0;

	if (!function)
		return 0;
	log_raise(strict_stops(strict));
	error = crash_run(function, &from->options, &crash);
	log_raise(false);
	if (crash)
		cuaudit_log(CUAUDIT_ERROR, "%s does not start: it crashed in %s: %s", name,
			    function == from->module->init ? "init" : "check", strsignal(crash));
	else if (error < 0 && error != -ECANCELED)
		cuaudit_log(CUAUDIT_ERROR, "%s does not start: %s", name, reason(error, buffer));
	return crash ? -ECANCELED : error;
}

/* One that does not start leaves nothing behind that would be called. */
static bool run(const struct started *from)
{
	int error;

	hook_module(from->own, enforces(from));
	error = call(from, from->module->init, enforces(from));
	hook_module(NULL, false);
	if (!error)
		return true;
	if (strict_stops(enforces(from)))
		strict_stop();
	if (enforces(from))
		strict_left_out();
	hook_drop(from->own);
	thread_disown(from->own);
	return false;
}

/* options is "key=value;..." without its brackets, or NULL. */
static void prepare(const char *name, char *options)
{
	struct started *next = &started[nprepared];
	char *rest = NULL, *pair;
	const char *key;
	int error;

	if (nprepared == MAX_MODULES) {
		strict_fault(true, "; it is left out", "%s: only %d modules at once", name,
			     MAX_MODULES);
		return;
	}
	if (!find(name, options, next))
		return;
	key = next->module->enforces;
	next->strict = key && (!*key || (options && strstr(options, key)));
	if (is_prepared(next->own)) {
		strict_fault(next->strict, "; its first options hold",
			     "%s is given twice; give all of its options at once", name);
		return;
	}
	/* What a module that did not start was given is none of this one's. */
	next->name = name;
	next->runs = false;
	next->options = (struct cuaudit_options){ .known = next->module->options };
	for (pair = options ? strtok_r(options, ";", &rest) : NULL; pair;
	     pair = strtok_r(NULL, ";", &rest))
		take_option(next, pair);
	error = call(next, next->module->check, next->strict);
	if (error && strict_stops(next->strict))
		strict_stop();
	if (error < 0 && next->strict)
		strict_left_out();
	if (error >= 0)
		nprepared++;
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

void module_prepare_all(void)
{
	const char *value = cuaudit_core_link->environment.hooks;
	char *word = text, *options;

	if (strlen(value) >= sizeof(text)) {
		strict_fault(has_policy(value), "; no hooks",
			     "CUAUDIT_HOOKS is longer than %d bytes", TEXT);
		return;
	}
	strcpy(text, value);
	while (*word) {
		const char *from = value + (word - text);
		char *next = cut(word, &options);

		if (!next) {
			strict_fault(has_policy(from), "; that and what follows is left out",
				     "CUAUDIT_HOOKS takes NAME[(KEY=VALUE;...)][,...], not '%s'",
				     from);
			return;
		}
		if (*word)
			prepare(word, options);
		else if (options)
			strict_fault(has_policy(options), "; it is left out",
				     "CUAUDIT_HOOKS takes NAME[(KEY=VALUE;...)][,...], and there is "
				     "no name before '(%s)'", options);
		word = next;
	}
}

void module_start_all(void)
{
	for (uint32_t i = 0; i < nprepared; i++)
		started[i].runs = run(&started[i]);
	atomic_store_explicit(&nstarted, nprepared, memory_order_release);
}

/* The names of those that enforce something, or "". */
static void list_enforcing(char *list, size_t size, bool running)
{
	size_t used = 0;

	*list = '\0';
	for (uint32_t i = 0; i < nprepared; i++)
		if ((started[i].runs || !running) && enforces(&started[i]) && used < size)
			used += (size_t)snprintf(list + used, size - used, "%s%s",
						 used ? ", " : "", started[i].name);
}

static void report_gaps(const char *list)
{
	const struct link_environment *environment = &cuaudit_core_link->environment;

	if (!*list)
		return;
	if (*environment->include)
		cuaudit_log(CUAUDIT_WARN, "CUAUDIT_INCLUDE=%s: other libraries are not held to: %s",
			    environment->include, list);
	if (*environment->exclude)
		cuaudit_log(CUAUDIT_WARN, "CUAUDIT_EXCLUDE=%s: these libraries are not held to: %s",
			    environment->exclude, list);
	if (*environment->follow == '0')
		cuaudit_log(CUAUDIT_WARN, "CUAUDIT_FOLLOW=0: programs that this one starts are not "
			    "held to: %s", list);
}

void module_report_gaps(void)
{
	char list[MAX_INSTEAD];

	list_enforcing(list, sizeof(list), true);
	report_gaps(list);
}

static bool is_given(const struct cuaudit_options *options, const struct cuaudit_option *option)
{
	for (uint32_t i = 0; i < options->ngiven; i++)
		if (options->given[i].option == option)
			return true;
	return false;
}

/* The options that were given, in their order, then the defaults of the others. */
static void list_options(const struct started *from)
{
	const struct cuaudit_options *options = &from->options;
	char list[TEXT] = "";
	struct buffer out = { list, sizeof(list), 0 };
	const struct cuaudit_option *option = options->known;

	for (uint32_t i = 0; i < options->ngiven; i++) {
		buffer_text(&out, i ? ", " : ": ");
		buffer_text(&out, options->given[i].option->key);
		buffer_char(&out, '=');
		buffer_text(&out, options->given[i].value);
	}
	for (const char *before = "; by default "; option && option->key; option++) {
		if (!option->fallback || is_given(options, option))
			continue;
		buffer_text(&out, before);
		buffer_text(&out, option->key);
		buffer_char(&out, '=');
		buffer_text(&out, option->fallback);
		before = ", ";
	}
	buffer_end(&out);
	strict_list("hook module %s%s%s", from->name,
		    cuaudit_core_link->environment.given & 1u << VARIABLE_HOOKS ? "" : ", as CUAUDIT_HOOKS is not set",
		    list);
}

void module_list(void)
{
	char list[MAX_INSTEAD];

	for (uint32_t i = 0; i < nprepared; i++)
		list_options(&started[i]);
	list_enforcing(list, sizeof(list), false);
	strict_list(nprepared ? *list ? "enforced, by CUAUDIT_HOOKS: %s" : "nothing is enforced%s" :
		    "no hook module is to start%s", list);
	/* Who asked hears it, whatever CUAUDIT_LOG is. */
	log_raise(true);
	report_gaps(list);
	log_raise(false);
}

void module_finish_all(void)
{
	while (nprepared) {
		const struct started *last = &started[--nprepared];

		if (last->runs && last->module->finish)
			last->module->finish();
	}
}

/* One of before may be smaller. */
static bool has_process_exit(const struct started *from)
{
	return from->runs &&
	       from->module->size >= offsetof(struct cuaudit_module, process_exit) +
				     sizeof(from->module->process_exit) &&
	       from->module->process_exit;
}

bool module_wants_process_exit(void)
{
	for (uint32_t i = 0; i < nprepared; i++)
		if (has_process_exit(&started[i]))
			return true;
	return false;
}

void module_process_exit(int status, int by_exit)
{
	/* Pairs with module_start_all. */
	uint32_t count = atomic_load_explicit(&nstarted, memory_order_acquire);

	for (uint32_t i = 0; i < count; i++)
		if (has_process_exit(&started[i]))
			started[i].module->process_exit(status, by_exit);
}

void module_forked(void)
{
	for (uint32_t i = 0; i < nprepared; i++)
		if (started[i].runs && started[i].module->forked)
			started[i].module->forked();
}
