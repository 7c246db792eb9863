/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the CUAUDIT_ variables, once, before the program runs. */
#include "audit/env.h"

#include "audit/provider.h"
#include "audit/sys.h"
#include "util/globs.h"
#include "util/nearest.h"
#include "util/size.h"
#include "util/template.h"

static const char prefix[] = "CUAUDIT_";
static const char own_name[] = "libcuaudit.so";

bool env_disabled;

enum { PATH = 4096 };

const struct env_variable env_variables[ENV_VARIABLES] = {
#define VARIABLE(name, field, kind, fallback, values, summary) \
	{ #name, fallback, values, offsetof(struct link_environment, field), ENV_##kind },
#include <cuaudit/variables.def>
#undef VARIABLE
};

struct env_given env_given;

static const char **field(struct link_environment *environment, int i)
{
	return (const char **)((char *)environment + env_variables[i].field);
}

/* "sim", a path, or what the loader looks for: a name with ".so" in it. */
static bool is_driver(const char *value)
{
	if (!*value || sys_equal(value, "sim") || sys_basename(value) != value)
		return true;
	for (; *value; value++)
		if (sys_starts(value, ".so"))
			return true;
	return false;
}

/* Names with commas between; one that is not known would leave out what was meant. */
static bool are_domains(const char *value)
{
	static const char *const names[] = {
#define DOMAIN(name, word) #word,
#include <internal/domains.def>
#undef DOMAIN
		NULL
	};
	bool known = true;

	while (known) {
		size_t length = 0;

		known = false;
		for (int i = 0; names[i] && !known; i++) {
			length = sys_strlen(names[i]);
			known = sys_starts(value, names[i]) && (!value[length] || value[length] == ',');
		}
		if (known && !value[length])
			return true;
		value += length + 1;
	}
	return false;
}

static bool is_number(const char *value)
{
	while (*value >= '0' && *value <= '9')
		value++;
	return !*value;
}

/* What is between the parts of a list; 0: it is none. */
static char separator(enum env_kind kind)
{
	switch (kind) {
	case ENV_DIRECTORIES:
	case ENV_FILES:
	case ENV_GLOBS:
	case ENV_PROVIDERS:
		return ':';
	case ENV_DOMAINS:
	case ENV_HOOKS:
	case ENV_SELECTOR:
		return ',';
	default:
		return '\0';
	}
}

/* What can be judged without the core, which judges selectors and hooks. */
static bool parses(enum env_kind kind, const char *value)
{
	const char *why;
	uint64_t size;

	if (list_has_none(value, separator(kind)))
		return false;
	switch (kind) {
	case ENV_BOOL:
		return (value[0] == '0' || value[0] == '1') && !value[1];
	case ENV_STRICT:
		return sys_equal(value, "0") || sys_equal(value, "1") || sys_equal(value, "check");
	case ENV_LEVEL:
		return sys_equal(value, "error") || sys_equal(value, "warn") ||
		       sys_equal(value, "info") || sys_equal(value, "debug");
	case ENV_GLOBS:
		return globs_are(value);
	case ENV_PROVIDERS:
		return globs_are(value) && !provider_refused(value, &why);
	case ENV_TEMPLATE:
		return !template_fault(value) && !template_is_directory(value);
	case ENV_DOMAINS:
		return are_domains(value);
	case ENV_DRIVER:
		return is_driver(value);
	case ENV_BYTES:
		return size_parse(value, &size);
	case ENV_NUMBER:
		return is_number(value);
	default:
		return true;
	}
}

/* Both texts, with a comma between. */
static const char *joined(const char *first, const char *second)
{
	size_t length = sys_strlen(first), more = sys_strlen(second);
	char *both = sys_alloc(length + more + 2);

	if (!both)
		return NULL;
	for (size_t i = 0; i < length; i++)
		both[i] = first[i];
	both[length] = ',';
	for (size_t i = 0; i < more; i++)
		both[length + 1 + i] = second[i];
	return both;
}

static void take_value(struct link_environment *environment, int i, const char *value)
{
	const char *before = env_given.values[i];

	if (before && sys_equal(before, value))
		return;
	/* As getenv(3) has it, the first one counts; but no policy is lost. */
	if (before && env_variables[i].kind != ENV_HOOKS) {
		env_given.repeated |= 1u << i;
		return;
	}
	/* Kept apart: a program may write over its environment. */
	value = before ? joined(before, value) : sys_copy(value, sys_strlen(value));
	if (!value)
		return;
	env_given.values[i] = value;
	environment->given |= 1u << i;
	/* One that was joined may be right where its first part was not. */
	env_given.refused &= ~(1u << i);
	if (!parses(env_variables[i].kind, value))
		env_given.refused |= 1u << i;
	/* Not the real driver where another one was meant: the loader finds none. */
	if (!(env_given.refused & 1u << i) || env_variables[i].kind == ENV_DRIVER)
		*field(environment, i) = value;
}

/* An entry of a name that does not exist. */
static void take_unknown(const char *entry)
{
	if (env_given.nunknown < ENV_UNKNOWN)
		env_given.unknown[env_given.nunknown] = entry;
	env_given.nunknown++;
}

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* CUADIT_ and its like; CUAUDIT, CU_AUDIT_ and CUDA_AUDIT_, whatever is between. */
static bool is_misspelt(const char *text, size_t size)
{
	static const char *const words[] = { "CUAUDIT", NULL };
	enum { LEAST = 6, MOST = 9, AUDIT = 5 };
	char word[MOST + 1];
	size_t length = 0;
	bool plain = size && (text[size - 1] == '_' || text[size - 1] == '-');	/* letters before it */

	for (size_t i = 0; i < size; i++) {
		char letter = upper(text[i]);

		if (letter < 'A' || letter > 'Z') {
			plain &= i == size - 1;
			continue;
		}
		if (length == MOST)
			return false;
		word[length++] = letter;
	}
	word[length] = '\0';
	if (length < LEAST || word[0] != 'C')
		return false;
	return (plain && length < MOST && nearest(word, length, words)) ||
	       (word[1] == 'U' && sys_equal(word + length - AUDIT, "AUDIT"));
}

size_t env_own_name(const char *entry)
{
	size_t end = 0;

	if (sys_starts(entry, prefix))
		return sizeof(prefix) - 1;
	while (entry[end] && entry[end] != '=')
		end++;
	for (int i = 0; i < ENV_VARIABLES && entry[end]; i++) {
		const char *name = env_variables[i].name;
		size_t length = sys_strlen(name), same = 0;

		if (length >= end)
			continue;
		while (same < length && upper(entry[end - length + same]) == name[same])
			same++;
		if (same == length && is_misspelt(entry, end - length))
			return end - length;
	}
	return 0;
}

/* entry is "CUAUDIT_NAME=value". */
static void take(struct link_environment *environment, const char *entry)
{
	const char *name = entry + sizeof(prefix) - 1;

	for (int i = 0; i < ENV_VARIABLES; i++) {
		const char *value = name + sys_strlen(env_variables[i].name);

		if (sys_starts(name, env_variables[i].name) && *value == '=') {
			take_value(environment, i, value + 1);
			return;
		}
	}
	take_unknown(entry);
}

/* Takes every entry of ours out of a colon-separated list, in place. */
static void drop_ourselves(char *list)
{
	char *to = list;

	for (char *from = list; *from;) {
		size_t length = 0;
		char end;

		while (from[length] && from[length] != ':')
			length++;
		end = from[length];
		from[length] = '\0';
		if (!sys_equal(sys_basename(from), own_name)) {
			if (to != list)
				*to++ = ':';
			for (size_t i = 0; i < length; i++)
				to[i] = from[i];
			to += length;
		}
		from += length + (end == ':');
	}
	*to = '\0';
}

/*
 * The texts are shortened where they are and envp keeps its length: programs
 * that look for the auxiliary vector behind it (Go's runtime) still find it.
 * An empty LD_AUDIT means none.
 */
void env_unfollow(char **envp)
{
	static const char ld_audit[] = "LD_AUDIT=";

	for (; *envp; envp++)
		if (sys_starts(*envp, ld_audit))
			drop_ourselves(*envp + sizeof(ld_audit) - 1);
}

static bool is_entry(char **envp, const char *text)
{
	while (*envp && *envp != text)
		envp++;
	return *envp;
}

void env_read_loader(struct env_loader *loader, char **envp, const char *after)
{
	static const char ld_audit[] = "LD_AUDIT=", ld_bind_not[] = "LD_BIND_NOT=",
			  ld_profile[] = "LD_PROFILE=";

	for (char **entry = envp; *entry; entry++) {
		const char *at = *entry + sizeof(ld_audit) - 1;

		loader->profile |= sys_starts(*entry, ld_profile);
		loader->bind_not |= sys_starts(*entry, ld_bind_not);
		if (!sys_starts(*entry, ld_audit))
			continue;
		for (; *at; at++)
			loader->auditors += *at != ':' && (at[1] == ':' || !at[1]);
		/* Before glibc 2.26 the loader ends the text at its first colon. */
		loader->cut |= !(at + 1 == after || is_entry(envp, at + 1));
	}
}

/* A relative path means where the program was started, wherever it goes. A template stays one. */
static const char *absolute(const char *path, const char *directory, bool template)
{
	size_t size = 2 * sys_strlen(directory) + sys_strlen(path) + 2, used = 0;
	char *whole;

	if (!path[0] || path[0] == '/' || !(whole = sys_alloc(size)))
		return path;
	for (const char *from = directory; *from; from++) {
		whole[used++] = *from;
		if (*from == '%' && template)
			whole[used++] = '%';
	}
	whole[used++] = '/';
	for (const char *from = path; *from; from++)
		whole[used++] = *from;
	return whole;
}

/* Of one that was removed nothing may lead to where the program goes. */
static const char *start_directory(void)
{
	char path[PATH];
	const char *copy = sys_directory(path, sizeof(path)) ? sys_copy(path, sys_strlen(path)) : NULL;

	return copy ? copy : "/(removed directory)";
}

void env_read(struct link_environment *environment, char **envp)
{
	env_given = (struct env_given){ .nunknown = 0 };
	for (int i = 0; i < ENV_VARIABLES; i++)
		*field(environment, i) = env_variables[i].fallback;
	environment->given = 0;
	for (char **entry = envp; *entry; entry++)
		if (sys_starts(*entry, prefix))
			take(environment, *entry);
		else if (env_own_name(*entry))
			take_unknown(*entry);
	environment->directory = start_directory();
	environment->output = absolute(environment->output, environment->directory, true);
	if (sys_basename(environment->driver) != environment->driver)
		environment->driver = absolute(environment->driver, environment->directory, false);
	env_disabled = environment->disable[0] == '1';
}
