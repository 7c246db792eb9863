/* SPDX-License-Identifier: Apache-2.0 */
/* CUAUDIT_OUTPUT, filled in. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "util/template.h"

enum {
	HOST = 256,	/* may be on a signal's stack */
	VALUE = 128	/* bytes of a value: a name with several of them can be a file's */
};

/* What stands for %letter; buffer may be used for it. */
static const char *value(const struct template_values *values, char letter, char *buffer)
{
	switch (letter) {
	case 'p':
		snprintf(buffer, HOST, "%d", (int)values->process);
		return buffer;
	case 'h':
		if (gethostname(buffer, HOST))
			return "localhost";
		buffer[HOST - 1] = '\0';
		return buffer;
	case 'e':
		return values->program;
	case 'r':
		return values->rank;
	case 't':
		snprintf(buffer, HOST, "%lld", (long long)values->time);
		return buffer;
	default:
		return "%";
	}
}

static char letter_of(char letter, bool first)
{
	return letter == '/' || (first && letter == '.') ? '_' : letter;
}

int template_path(const char *template, const struct template_values *values, char *path, size_t size)
{
	char buffer[HOST];
	int used = 0;

	path[0] = '\0';
	for (; *template; template++) {
		char plain[2] = { *template, '\0' };
		bool field = *template == '%';
		const char *text = field ? value(values, *++template, buffer) : plain;

		for (size_t i = 0; text[i] && (!field || i < VALUE); i++) {
			if ((size_t)used + 1 >= size)
				return -ENAMETOOLONG;
			path[used++] = field ? letter_of(text[i], !i) : text[i];
			path[used] = '\0';
		}
	}
	return used;
}
