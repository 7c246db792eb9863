/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns take what libc's matcher takes, in a time that hostile ones do not change. */
#include "util/pattern.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "t/fuzz/chance.h"
#include "t/tap.h"

enum { PATTERNS = 60000, TEXTS = 6, PIECES = 8, LONGEST = 7, LIMIT = 300 };

static void any_text(char *text, const char *characters)
{
	uint32_t length = (uint32_t)chance(LONGEST);

	for (uint32_t i = 0; i < length; i++)
		text[i] = characters[(uint32_t)chance((uint32_t)strlen(characters))];
	text[length] = '\0';
}

static void any_pattern(char *pattern, const char *const *pieces, uint32_t count)
{
	*pattern = '\0';
	for (uint32_t i = (uint32_t)chance(PIECES); i > 0; i--)
		strcat(pattern, pieces[(uint32_t)chance(count)]);
}

static uint32_t wrong_regex(const char *text)
{
	struct pattern *pattern = pattern_regex(text);
	regex_t regex;
	bool right = !regcomp(&regex, text, REG_EXTENDED | REG_NOSUB);
	uint32_t wrong = right != !!pattern;

	if (wrong)
		diag("/%s/ is %s", text, right ? "one to libc" : "none to libc");
	for (int i = 0; right && pattern && i < TEXTS; i++) {
		char name[LONGEST];

		any_text(name, "abc_- .");
		if (!regexec(&regex, name, 0, NULL, 0) == pattern_matches(pattern, name))
			continue;
		diag("/%s/ and '%s'", text, name);
		wrong++;
	}
	if (right)
		regfree(&regex);
	pattern_free(pattern);
	return wrong;
}

static uint32_t wrong_glob(const char *text)
{
	struct pattern *pattern = pattern_glob(text);
	uint32_t wrong = !pattern;

	for (int i = 0; pattern && i < TEXTS; i++) {
		char name[LONGEST];

		any_text(name, "abc_-[]!\\");
		if (!fnmatch(text, name, 0) == pattern_matches(pattern, name))
			continue;
		diag("'%s' and '%s'", text, name);
		wrong++;
	}
	pattern_free(pattern);
	return wrong;
}

static void as_libc(void)
{
	static const char *const of_regex[] = {
		"a", "b", "c", "_", "-", "(", ")", "|", "*", "+", "?", ".", "^", "$", "[", "]",
		"[ab]", "[^a]", "\\b", "\\<", "\\>", "\\w", "\\W", "\\s", "\\S", "\\B", "[[:alpha:]]",
		"[a-c]", "\\`", "\\'", "\\(", "[:", "()", "\\.", "[]a-]", "[[.a.]-c]", "[[=b=]]", "[c-a]",
	};
	static const char *const of_glob[] = {
		"a", "b", "c", "_", "-", "*", "?", "[", "]", "!", "^", "\\", "[ab]", "[!a]", "[a-c]",
		"[[:alpha:]]", "[^b-c]", "[]a]", "[!]]", "[a\\]]", "\\*", "**", "[c-a]",
	};
	uint32_t regex = 0, glob = 0;
	char pattern[128];

	for (int i = 0; i < PATTERNS; i++) {
		any_pattern(pattern, of_regex, sizeof(of_regex) / sizeof(of_regex[0]));
		regex += wrong_regex(pattern);
		any_pattern(pattern, of_glob, sizeof(of_glob) / sizeof(of_glob[0]));
		glob += wrong_glob(pattern);
	}
	is_int(regex, 0, "expressions take what regexec takes");
	/* Before glibc 2.33 a bracket that nothing closes is not always one of itself. */
	if (fnmatch("[*[?", "[[c", 0))
		skip(1, "this libc's fnmatch takes an open bracket for none");
	else
		is_int(glob, 0, "globs take what fnmatch takes");
}

/* before, so often, middle, so often behind. */
static void around(char *text, const char *before, const char *middle, const char *behind, int count)
{
	*text = '\0';
	for (int i = 0; i < count; i++)
		strcat(text, before);
	strcat(text, middle);
	for (int i = 0; i < count; i++)
		strcat(text, behind);
}

static void hostile(void)
{
	static const struct {
		const char *before, *middle, *behind;
		int count;
	} patterns[] = {
		{ "(", "a", "+)", 25 }, { "(", "a", "+)", 84 }, { "(", "a", "*)+", 50 },
		{ "(", "a|b", "*)*", 50 }, { "", "b", "(a|a)", 50 }, { "", "x", "(a|)", 60 },
		{ "", "", "a?", 127 }, { "", "", "a*", 127 }, { "(", "", ")*", 80 },
		{ "(", "", "|)+", 60 }, { "", "", ".*", 127 }, { "(a*)*", "", "", 50 },
		{ "a|", "b", "", 127 }, { "(^|", "a", "$)", 40 },
	};
	char text[512], name[4096];
	uint32_t compiled = 0, count = sizeof(patterns) / sizeof(patterns[0]);

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (uint32_t i = 0; i < count; i++) {
		struct pattern *pattern;

		around(text, patterns[i].before, patterns[i].middle, patterns[i].behind,
		       patterns[i].count);
		pattern = pattern_regex(text);
		compiled += !!pattern;
		if (pattern)
			pattern_matches(pattern, name);
		else
			diag("%s", text);
		pattern_free(pattern);
	}
	is_int(compiled, count, "hostile expressions are matched");
	around(text, "*a", "", "*b", 63);
	ok(!pattern_matches(pattern_glob(text), name), "so is a glob of stars");
}

static void limits(void)
{
	static const char *const wrong[] = {
		"a{2}", "a{", "(", "a(b", "*", "+a", "(?a)", "a|*", "[a", "[", "[[:none:]]", "\\", "(a)\\1",
		"[b-a]", "[a-c-e]", "^*", "\\d", "a\\Z", "\\0",
	};
	struct pattern *pattern;
	char text[PATTERN_MAX + 2];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ok(!pattern_regex(wrong[i]), "/%s/ is none", wrong[i]);
	memset(text, 'a', sizeof(text));
	text[PATTERN_MAX + 1] = '\0';
	ok(!pattern_regex(text) && !pattern_glob(text), "one that is too long is none");
	text[PATTERN_MAX] = '\0';
	ok(pattern_matches(pattern_regex(text), text), "the longest expression is one");
	memset(text, '?', PATTERN_MAX);
	ok(pattern_matches(pattern_glob(text), text), "and so is the longest glob");
	pattern = pattern_regex("");
	ok(pattern && pattern_matches(pattern, "") && pattern_matches(pattern, "a"),
	   "an empty expression is found anywhere");
	pattern_free(pattern);
	pattern = pattern_glob("");
	ok(pattern && pattern_matches(pattern, "") && !pattern_matches(pattern, "a"),
	   "an empty glob takes nothing");
	pattern_free(pattern);
}

int main(void)
{
	/* Exponential ones would take for ever. */
	alarm(LIMIT);
	limits();
	as_libc();
	hostile();
	return done_testing();
}
