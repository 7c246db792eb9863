/* SPDX-License-Identifier: Apache-2.0 */
/* Names of C++ functions, as kernels and libraries have them, for people. */
/*
 * GCC's own demangler does it, by the entry of libsupc++ that hands over what
 * it finds piece by piece: a hundred bytes can mean gigabytes, as a name may
 * say twice what itself says something twice, and whoever made a trace may
 * know that. The entry of <cxxabi.h> would take memory for all of it.
 */
#include <config.h>

#include "tracefile/demangle.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
	SYMBOL_MOST = 1023,	/* the demangler's stack grows with it; newer ones take no more */
	NAME_MOST = 65536,
	NESTED = 64
};

enum demangle demangle_named(const char *word)
{
	return *word == 'f' ? DEMANGLE_FULL : *word == 's' ? DEMANGLE_SHORT :
	       *word == 'b' ? DEMANGLE_BASE : DEMANGLE_NO;
}

#ifdef HAVE_SUPCXX

/* Of libsupc++, which no header declares: 0, or less if it is none of C++'s. */
int __gcclibcxx_demangle_callback(const char *symbol,
				  void (*take)(const char *piece, size_t size, void *name),
				  void *name);

struct name {
	char text[NAME_MOST + 1];
	char brief[NAME_MOST + 1];
	size_t length;
	jmp_buf enough;
};

/* Nothing between this and whoever asked keeps memory or a lock. */
static void take(const char *piece, size_t size, void *data)
{
	struct name *name = data;

	if (size > NAME_MOST - name->length)
		longjmp(name->enough, 1);
	memcpy(name->text + name->length, piece, size);
	name->length += size;
}

static bool spell(struct name *name, const char *symbol)
{
	name->length = 0;
	if (setjmp(name->enough) || __gcclibcxx_demangle_callback(symbol, take, name))
		return false;
	name->text[name->length] = '\0';
	return name->length;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool in_word(char c)
{
	return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* The length of an operator's name that text begins with, "operator<<", or 0. */
static size_t operator_at(const char *text)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1, sign;

	if (!begins(text, word) || in_word(text[length]))
		return 0;
	if (begins(text + length, "()") || begins(text + length, "[]"))
		return length + 2;
	sign = strspn(text + length, "<>=!+-*/%^&|~,");
	/* To a type, or new: up to the arguments. */
	return sign ? length + sign : length + strcspn(text + length, "(");
}

/* From an opening bracket to behind the one that closes it; NULL: they do not pair. */
static const char *skip(const char *at)
{
	static const char open[] = "<([{", close[] = ">)]}";
	char stack[NESTED];
	size_t depth = 0;

	do {
		size_t name = operator_at(at);
		const char *bracket;

		if (name) {
			at += name;
			continue;
		}
		if (at[0] == '-' && at[1] == '>') {
			at += 2;
			continue;
		}
		bracket = *at ? strchr(open, *at) : NULL;
		if (bracket) {
			if (depth == NESTED)
				return NULL;
			stack[depth++] = close[bracket - open];
		} else if (!*at) {
			return NULL;
		} else if (strchr(close, *at)) {
			if (stack[depth - 1] == *at)
				depth--;
			else if (*at != '>')	/* or is it greater */
				return NULL;
		}
		at++;
	} while (depth);
	return at;
}

/* Qualifiers of a function, behind its arguments. */
static const char *skip_qualifiers(const char *at)
{
	static const char *const words[] = { " const", " volatile", " &&", " &" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (begins(at, words[i]) && !in_word(at[strlen(words[i])]))
			return skip_qualifiers(at + strlen(words[i]));
	return at;
}

static void copy(char **to, const char **at, size_t length)
{
	memcpy(*to, *at, length);
	*to += length;
	*at += length;
}

/*
 * Leaves out types of results and arguments, and arguments of templates unless
 * they are wanted. False: it is none that this understands.
 */
static bool shorten(char *brief, const char *text, bool templates)
{
	static const char anonymous[] = "(anonymous namespace)";
	const char *at = text, *end;
	char *to = brief;

	while (*at) {
		size_t length = begins(at, anonymous) ? sizeof(anonymous) - 1 :
				at == text || !in_word(at[-1]) ? operator_at(at) : 0;

		if (length || !strchr("<([ ", *at)) {
			copy(&to, &at, length ? length : 1);
		} else if (*at != ' ') {
			end = skip(at);
			if (!end)
				return false;
			if (*at == '<' && templates)
				copy(&to, &at, (size_t)(end - at));
			at = skip_qualifiers(end);
		} else if (at[1] == '[') {
			break;	/* [clone .part.0] */
		} else if (at[1] == '<') {
			if (templates)	/* operator< <int> */
				copy(&to, &at, 1);
			else
				at++;
		} else {
			at++;	/* behind the type of the result */
			to = brief;
		}
	}
	*to = '\0';
	return to > brief;
}

/* The longest of the name's ways from that one on that has no more than so many bytes, or NULL. */
static const char *choose(struct name *name, enum demangle how, size_t most)
{
	bool understood = true;

	if (how == DEMANGLE_FULL && name->length <= most)
		return name->text;
	for (int i = how == DEMANGLE_BASE; i < 2 && understood; i++) {
		understood = shorten(name->brief, name->text, !i);
		if (understood && strlen(name->brief) <= most)
			return name->brief;
	}
	return !understood && name->length <= most ? name->text : NULL;
}

bool demangle_is_there(void)
{
	return true;
}

char *demangle(const char *symbol, enum demangle how)
{
	const char *chosen = NULL;
	struct name *name;
	char *text = NULL;

	if (how == DEMANGLE_NO || symbol[0] != '_' || symbol[1] != 'Z' ||
	    strnlen(symbol, SYMBOL_MOST + 1) > SYMBOL_MOST)
		return NULL;
	name = malloc(sizeof(*name));
	if (!name)
		return NULL;
	if (spell(name, symbol))
		chosen = choose(name, how, DEMANGLE_TIMES * strlen(symbol));
	if (chosen)
		text = strdup(chosen);
	free(name);
	return text;
}

#else

bool demangle_is_there(void)
{
	return false;
}

char *demangle(const char *symbol, enum demangle how)
{
	(void)symbol;
	(void)how;
	return NULL;
}

#endif
