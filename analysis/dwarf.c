/* SPDX-License-Identifier: Apache-2.0 */
/* Answers which functions, files and lines are at addresses, by libdw; see analysis/dwarf.h. */
/*
 * Memory is not given back: the process ends with the last question. It need not survive
 * what it reads, but what it says must be of the file that was asked for.
 */
#include "analysis/dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "analysis/debuginfod.h"
#include "util/bytes.h"
#include "util/sort.h"

enum {
	DEPTH = 256,		/* of namespaces in each other, and of blocks in a function */
	PATHS = 8192
};

/* What a range of addresses belongs to. */
struct span {
	Dwarf_Addr start, end;
	size_t index;
};

struct spans {
	struct span *all;	/* by start */
	size_t count, room;
};

struct unit {
	Dwarf_Die lines;	/* whose line table it is */
	Dwarf_Die code;		/* the same, but where that is in a file of its own */
	bool read;
	struct spans spans;	/* of functions */
	Dwarf_Die *functions;
	size_t count, room;
};

struct name {
	Dwarf_Addr start, end;
	const char *text;
	int rank;	/* of several at an address the one that others see */
};

struct library {
	bool opened;
	Dwfl_Module *module;	/* NULL: there is no such file */
	Dwarf *dwarf;		/* NULL: it has no debugging information */
	Dwarf_Addr bias;
	struct spans spans;	/* of units */
	struct unit *units;
	size_t count, room;
	bool named;
	struct name *names;	/* by start */
	size_t nnames;
};

static void add_span(struct spans *spans, Dwarf_Addr start, Dwarf_Addr end, size_t index)
{
	struct span *all = bytes_grown(spans->all, &spans->room, spans->count, sizeof(*all));

	if (!all)
		_exit(1);
	spans->all = all;
	all[spans->count++] = (struct span){ start, end, index };
}

static int compare_spans(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return ORDER(x->start, y->start) ?: ORDER(y->end, x->end);
}

static void sort_spans(struct spans *spans)
{
	if (spans->count > 1)
		qsort(spans->all, spans->count, sizeof(*spans->all), compare_spans);
}

/* Of spans in each other the one that began last; those that end before are few. */
static const struct span *find_span(const struct spans *spans, Dwarf_Addr address)
{
	enum { BACK = 64 };
	size_t at = FIRST(spans->count, i, spans->all[i].start <= address);

	for (size_t i = 0; i < BACK && at; i++)
		if (address < spans->all[--at].end)
			return &spans->all[at];
	return NULL;
}

static void add_ranges(struct spans *spans, Dwarf_Die *die, size_t index)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0)
		/* What the linker left out is at 0. */
		if (start && start < end)
			add_span(spans, start, end, index);
}

static void read_units(struct library *library)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die lines, code;
	uint8_t type;

	while (!dwarf_get_units(library->dwarf, cu, &cu, NULL, &type, &lines, &code)) {
		struct unit *units;

		if (type == DW_UT_type || type == DW_UT_split_type || type == DW_UT_partial)
			continue;
		units = bytes_grown(library->units, &library->room, library->count, sizeof(*units));
		if (!units)
			_exit(1);
		library->units = units;
		units[library->count] = (struct unit){
			.lines = lines, .code = type == DW_UT_skeleton && dwarf_tag(&code) ? code : lines };
		add_ranges(&library->spans, &lines, library->count++);
	}
	sort_spans(&library->spans);
}

/* All functions below a DIE that have code, but not those inside of others. */
static void read_functions(struct unit *unit, Dwarf_Die *die, int depth)
{
	Dwarf_Die child;

	if (depth > DEPTH || dwarf_child(die, &child))
		return;
	do {
		Dwarf_Die *functions;

		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
			functions = bytes_grown(unit->functions, &unit->room, unit->count,
						sizeof(*functions));
			if (!functions)
				_exit(1);
			unit->functions = functions;
			functions[unit->count] = child;
			add_ranges(&unit->spans, &child, unit->count++);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
			read_functions(unit, &child, depth + 1);
			break;
		default:
			break;
		}
	} while (!dwarf_siblingof(&child, &child));
}

/* The part of a function that the address is in; false: there is none of its own. */
static bool descend(Dwarf_Die *die, Dwarf_Addr address)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return false;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_inlined_subroutine:
		case DW_TAG_lexical_block:
		case DW_TAG_subprogram:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_with_stmt:
			if (dwarf_haspc(&child, address) > 0) {
				*die = child;
				return true;
			}
			break;
		default:
			break;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static const char *text_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

/*
 * As the linker knows it, or as the source has it; NULL for none. symbol: what the symbol
 * tables say of code that is not inlined, whose name is a whole one where the other has no
 * namespace.
 */
static const char *name_of(Dwarf_Die *die, const char *symbol)
{
	const char *name = text_of(die, DW_AT_linkage_name) ?: text_of(die, DW_AT_MIPS_linkage_name);
	bool mangled = symbol && *symbol == '_' && (symbol[1] == 'Z' || symbol[1] == 'R');

	if (!name && !mangled)
		name = text_of(die, DW_AT_name);
	return name ?: symbol;
}

static uint64_t number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) ? 0 : value;
}

/* With the directory that the compiler ran in; text has PATHS bytes, and is used where it is needed. */
static const char *whole_path(Dwarf_Die *unit, const char *path, char *text)
{
	Dwarf_Attribute attribute;
	const char *directory;

	if (!path || *path == '/')
		return path;
	directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	if (!directory)
		return path;
	snprintf(text, PATHS, "%s/%s", directory, path);
	return text;
}

/* An answer that is being written. */
struct answering {
	struct dwarf_wire_answer head;
	struct bytes bytes;
};

static void put(struct answering *answer, const void *data, size_t size)
{
	uint8_t *room = size ? bytes_room(&answer->bytes, size) : NULL;

	if (!size)
		return;
	if (!room)
		_exit(1);
	memcpy(room, data, size);
	answer->bytes.used += size;
}

static void put_frame(struct answering *answer, const char *function, const char *file, int line)
{
	size_t function_size = function ? strlen(function) : 0, file_size = file ? strlen(file) : 0;
	struct dwarf_wire_frame frame = {
		.function_size = function_size <= DWARF_TEXT ? (uint16_t)function_size : 0,
		.file_size = file_size <= DWARF_TEXT ? (uint16_t)file_size : 0,
	};

	if (answer->head.count == DWARF_FRAMES)
		return;
	frame.line = frame.file_size && line > 0 ? (uint32_t)line : 0;
	put(answer, &frame, sizeof(frame));
	put(answer, function, frame.function_size);
	put(answer, file, frame.file_size);
	answer->head.count++;
}

static struct unit *unit_at(struct library *library, Dwarf_Addr address)
{
	const struct span *span = find_span(&library->spans, address);
	struct unit *unit = span ? &library->units[span->index] : NULL;

	if (unit && !unit->read) {
		unit->read = true;
		read_functions(unit, &unit->code, 0);
		sort_spans(&unit->spans);
	}
	return unit;
}

static const char *symbol_at(struct library *library, Dwarf_Addr address);

/* The functions of the address, the innermost first. */
static void answer_by_dwarf(struct answering *answer, struct library *library, Dwarf_Addr address)
{
	struct unit *unit = unit_at(library, address - library->bias);
	Dwarf_Die chain[DWARF_FRAMES], die;
	char directory[PATHS];
	const struct span *span;
	Dwarf_Line *line;
	Dwarf_Files *files = NULL;
	const char *file = NULL, *function;
	size_t count = 0, nfiles = 0;
	int number = 0, depth = 0;

	if (!unit)
		return;
	address -= library->bias;
	line = dwarf_getsrc_die(&unit->lines, address);
	if (line && !dwarf_lineno(line, &number) && number)
		file = whole_path(&unit->lines, dwarf_linesrc(line, NULL, NULL), directory);
	span = find_span(&unit->spans, address);
	if (!span) {
		/* An assembler's lines have no functions. */
		function = symbol_at(library, address + library->bias);
		if (function)
			put_frame(answer, function, file, number);
		return;
	}
	die = unit->functions[span->index];
	chain[count++] = die;
	while (depth++ < DEPTH && descend(&die, address)) {
		if (dwarf_tag(&die) == DW_TAG_subprogram)
			count = 0;
		else if (dwarf_tag(&die) != DW_TAG_inlined_subroutine)
			continue;
		if (count < DWARF_FRAMES)
			chain[count++] = die;
	}
	dwarf_getsrcfiles(&unit->code, &files, &nfiles);
	while (count--) {
		function = name_of(&chain[count], count ? NULL : symbol_at(library, address + library->bias));
		put_frame(answer, function, file, number);
		if (!count)
			break;
		number = (int)number_of(&chain[count], DW_AT_call_line);
		file = NULL;
		if (number && files && number_of(&chain[count], DW_AT_call_file) < nfiles)
			file = whole_path(&unit->lines, dwarf_filesrc(
				files, number_of(&chain[count], DW_AT_call_file), NULL, NULL), directory);
	}
}

static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return ORDER(x->start, y->start) ?: ORDER(x->rank, y->rank) ?: strcmp(y->text, x->text);
}

/* All function symbols of the file and of its debug file. */
static void read_names(struct library *library)
{
	int count = dwfl_module_getsymtab(library->module);

	library->named = true;
	library->names = count > 0 ? calloc((size_t)count, sizeof(*library->names)) : NULL;
	if (!library->names)
		return;
	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address;
		const char *text = dwfl_module_getsym_info(library->module, i, &symbol, &address, NULL,
							   NULL, NULL);
		int type = GELF_ST_TYPE(symbol.st_info), binding = GELF_ST_BIND(symbol.st_info);

		if (!text || !*text || (type != STT_FUNC && type != STT_GNU_IFUNC) || !symbol.st_size ||
		    symbol.st_shndx == SHN_UNDEF)
			continue;
		library->names[library->nnames++] = (struct name){
			address, address + symbol.st_size, text,
			binding == STB_GLOBAL ? 2 : binding == STB_WEAK ? 1 : 0 };
	}
	qsort(library->names, library->nnames, sizeof(*library->names), compare_names);
}

static const char *symbol_at(struct library *library, Dwarf_Addr address)
{
	size_t at;

	if (!library->named)
		read_names(library);
	at = FIRST(library->nnames, i, library->names[i].start <= address);
	return at && address < library->names[at - 1].end ? library->names[at - 1].text : NULL;
}

static void answer_by_symbols(struct answering *answer, struct library *library, Dwarf_Addr address)
{
	const char *name = symbol_at(library, address);

	if (name)
		put_frame(answer, name, NULL, 0);
}

static int find_no_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			char **file, Elf **elf)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)file;
	(void)elf;
	return -1;
}

/* What servers did not give for the question at hand. */
static int download_error;

static int download(enum debuginfod_kind kind, const uint8_t *id, uint32_t size, char *found)
{
	int fd = debuginfod_open(kind, id, size, found, PATHS);

	if (fd < 0 && fd != -ENOSYS && (!download_error || download_error == -ENOENT))
		download_error = fd;
	return fd;
}

/* Beside the file, by its build ID, or from a server, where libdwfl does not check what comes. */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **debug)
{
	char *urls = getenv("DEBUGINFOD_URLS"), found[PATHS];
	const unsigned char *id;
	GElf_Addr address;
	int size, fd;

	/* A second debug file, which others share, has no file that asks for it. */
	if (!file || !urls)
		return dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, debug);
	urls = strdup(urls);
	unsetenv("DEBUGINFOD_URLS");
	fd = dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, debug);
	if (!urls || setenv("DEBUGINFOD_URLS", urls, 1))
		_exit(1);
	free(urls);
	size = fd < 0 ? dwfl_module_build_id(module, &id, &address) : 0;
	if (size <= 0)
		return fd;
	fd = download(DEBUGINFOD_DEBUGINFO, id, (uint32_t)size, found);
	/* Few files have it: that is nothing to say. */
	if (download_error == -ENOENT)
		download_error = 0;
	*debug = fd < 0 ? NULL : strdup(found);
	return fd < 0 ? -1 : fd;
}

/* The file itself, the debug file that has its build ID for a name, or what a server has. */
static int open_file(const char *path, const struct dwarf_wire_question *question, char *found)
{
	char by_id[64 + 2 * ELF_ID] = "/usr/lib/debug/.build-id/";
	size_t length = strlen(by_id);
	enum elf_match match;
	int fd;

	snprintf(found, PATHS, "%s", path);
	if (!question->id_size || elf_open(path, question->id, question->id_size, &match, &fd))
		return -1;
	if (fd >= 0)
		return fd;
	for (uint32_t i = 0; i < question->id_size; i++)
		length += (size_t)snprintf(by_id + length, sizeof(by_id) - length, i ? "%02x" : "%02x/",
					   question->id[i]);
	snprintf(by_id + length, sizeof(by_id) - length, ".debug");
	snprintf(found, PATHS, "%s", by_id);
	if (elf_open(by_id, question->id, question->id_size, &match, &fd))
		return -1;
	if (fd < 0)
		fd = download(DEBUGINFOD_EXECUTABLE, question->id, question->id_size, found);
	if (fd < 0)
		fd = download(DEBUGINFOD_DEBUGINFO, question->id, question->id_size, found);
	/* One of them will do. */
	if (fd >= 0 && download_error == -ENOENT)
		download_error = 0;
	return fd;
}

static void open_library(struct library *library, const char *path,
			 const struct dwarf_wire_question *question)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_no_file,
		.find_debuginfo = find_debuginfo,
	};
	char found[PATHS];
	int fd = open_file(path, question, found);
	Dwfl *dwfl;

	library->opened = true;
	if (fd < 0)
		return;
	dwfl = dwfl_begin(&callbacks);
	if (!dwfl)
		_exit(1);
	/* Addresses are those of the file. */
	library->module = dwfl_report_elf(dwfl, found, found, fd, 0, true);
	dwfl_report_end(dwfl, NULL, NULL);
	if (!library->module) {
		close(fd);
		return;
	}
	library->dwarf = dwfl_module_getdwarf(library->module, &library->bias);
	if (library->dwarf)
		read_units(library);
}

/* Whole, or the tool has gone. */
static void receive(int socket, void *data, size_t size)
{
	char *at = data;

	while (size) {
		ssize_t got = recv(socket, at, size, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			_exit(0);
		at += got;
		size -= (size_t)got;
	}
}

static void reply(int socket, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			_exit(0);
		at += sent;
		size -= (size_t)sent;
	}
}

static struct library *library_of(struct library **libraries, size_t *room, uint32_t number)
{
	if (number >= *room) {
		size_t more = 2 * (size_t)number + 16;
		struct library *grown = reallocarray(*libraries, more, sizeof(*grown));

		if (!grown)
			_exit(1);
		memset(grown + *room, 0, (more - *room) * sizeof(*grown));
		*libraries = grown;
		*room = more;
	}
	return &(*libraries)[number];
}

void dwarf_serve(int socket)
{
	struct answering answer = { .head = { 0 } };
	struct library *libraries = NULL;
	size_t room = 0;
	char *path = malloc(UINT16_MAX + 1);

	for (;;) {
		struct dwarf_wire_question question;
		struct library *library;

		receive(socket, &question, sizeof(question));
		if (!path || question.path_size > UINT16_MAX)
			_exit(1);
		receive(socket, path, question.path_size);
		path[question.path_size] = '\0';
		library = library_of(&libraries, &room, question.library);
		download_error = 0;
		debuginfod_new_deadline();
		if (!library->opened)
			open_library(library, path, &question);
		answer.head = (struct dwarf_wire_answer){ .error = library->module ? 0 : -ENOENT };
		answer.bytes.used = 0;
		put(&answer, &answer.head, sizeof(answer.head));
		if (library->dwarf)
			answer_by_dwarf(&answer, library, question.address);
		if (library->module && !answer.head.count)
			answer_by_symbols(&answer, library, question.address);
		answer.head.download = download_error;
		memcpy(answer.bytes.data, &answer.head, sizeof(answer.head));
		reply(socket, answer.bytes.data, answer.bytes.used);
	}
}
