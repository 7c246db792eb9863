/* SPDX-License-Identifier: Apache-2.0 */
/* Call stacks of the rules hook, as functions, files and lines. */
#include "analysis/check_stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/check_file.h"

const char *check_name(struct check_names *names, const char *symbol)
{
	char *name;
	uint32_t number;

	errno = 0;
	name = demangle(symbol, DEMANGLE_FULL);
	if (!name)
		return errno == ENOMEM ? NULL : symbol;
	number = table_text(&names->texts, name);
	free(name);
	return number == TABLE_NONE ? NULL : names->texts.keys[number].bytes;
}

static struct symbol_stack look_up(struct check_names *names, const struct check_library *library,
				   uint64_t offset)
{
	struct symbol_stack found = { .count = 0 };

	/* What fails leaves the library and the offset, which are printed then. */
	if (names->symbols && library && library->id_size)
		symbols_find(names->symbols, symbols_library(names->symbols, library->path,
							     library->id, library->id_size),
			     offset, &found);
	return found;
}

/* The next line, of zeros; NULL when memory is out. */
static struct check_line *add(struct check_stack *stack)
{
	struct check_line *lines = stack->lines;

	/* At each power of two there is no more room. */
	if (!(stack->count & (stack->count - 1)))
		lines = reallocarray(lines, stack->count ? 2 * stack->count : 1, sizeof(*lines));
	if (!lines)
		return NULL;
	stack->lines = lines;
	lines += stack->count++;
	return memset(lines, 0, sizeof(*lines));
}

static int add_python(struct check_stack *stack, const struct check_finding *finding,
		      const struct check_frame *frame)
{
	struct check_line *line = add(stack);

	if (!line)
		return -ENOMEM;
	line->python = true;
	line->function = check_finding_text(finding, frame->function);
	line->file = check_finding_text(finding, frame->file);
	line->line = frame->line;
	return 0;
}

static int add_exported(struct check_stack *stack, struct check_names *names,
			const struct check_finding *finding, const struct check_frame *frame,
			const char *library)
{
	const char *name = check_finding_text(finding, frame->function);
	struct check_line *line = add(stack);

	if (!line)
		return -ENOMEM;
	line->library = library;
	line->offset = frame->offset;
	line->exported = name;
	line->distance = frame->distance;
	line->function = name ? check_name(names, name) : NULL;
	return name && !line->function ? -ENOMEM : 0;
}

static int add_native(struct check_stack *stack, struct check_names *names,
		      const struct check_file *file, const struct check_finding *finding,
		      const struct check_frame *frame)
{
	const struct check_library *library = frame->library == CHECK_NO_LIBRARY ? NULL :
					      &file->libraries[frame->library];
	const char *path = library ? library->path : NULL;
	struct symbol_stack found = look_up(names, library, frame->offset);

	/* A function alone says less than the file, which has the distance as well. */
	if (!found.count || (!found.at->file && frame->function))
		return add_exported(stack, names, finding, frame, path);
	for (uint32_t i = 0; i < found.count; i++) {
		struct check_line *line = add(stack);

		if (!line)
			return -ENOMEM;
		line->function = found.at[i].function;
		line->file = found.at[i].file;
		line->line = found.at[i].line;
		line->inlined = i + 1 < found.count;
		line->library = path;
		line->offset = frame->offset;
	}
	return 0;
}

/* Python's own and installed files, and what is in none, as <string>. */
static bool is_users_python(const char *file)
{
	static const char *const others[] = { "/site-packages/", "/dist-packages/", "/lib/python",
					      "/lib64/python" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strstr(file, others[i]))
			return false;
	return *file != '<';
}

static bool is_system(const char *library)
{
	return !library || !strncmp(library, "/lib", 4) ||
	       (!strncmp(library, "/usr/", 5) && strncmp(library, "/usr/local/", 11));
}

/* How much a line is the user's own; 0: it has no line, or is the system's, as what calls main() is. */
static int rank(const struct check_line *line)
{
	if (!line->file || !line->line)
		return 0;
	if (line->python)
		return is_users_python(line->file) ? 3 : 1;
	return is_system(line->library) ? 0 : 2;
}

static const struct check_line *find_user(const struct check_stack *stack)
{
	const struct check_line *best = NULL;

	for (uint32_t i = 0; i < stack->count; i++)
		if (rank(&stack->lines[i]) > (best ? rank(best) : 0))
			best = &stack->lines[i];
	return best;
}

int check_stack_find(struct check_stack *stack, struct check_names *names,
		     const struct check_file *file, const struct check_finding *finding)
{
	int error = 0;

	*stack = (struct check_stack){ .count = 0 };
	for (uint32_t i = 0; !error && i < finding->nframes; i++) {
		const struct check_frame *frame = &finding->frames[i];

		error = frame->file ? add_python(stack, finding, frame) :
				      add_native(stack, names, file, finding, frame);
	}
	stack->user = find_user(stack);
	return error;
}

static void printed(struct out *out, const char *text)
{
	out_printed(out, text, strlen(text));
}

const char *check_library_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void check_line_text(struct out *out, const struct check_line *line)
{
	printed(out, line->function ? line->function : "(unknown)");
	if (line->exported) {
		out_text(out, "+");
		out_hex(out, line->distance);
	}
	if (line->file) {
		out_text(out, " at ");
		printed(out, line->file);
	}
	if (line->file && line->line) {
		out_text(out, ":");
		out_u64(out, line->line);
	}
	if (line->inlined)
		out_text(out, " (inlined)");
	if (line->python || line->inlined)
		return;
	out_text(out, line->library ? " in " : ", ");
	if (line->library)
		printed(out, check_library_name(line->library));
	if (!line->file) {
		out_text(out, line->library ? "+" : "");
		out_hex(out, line->offset);
	}
}
