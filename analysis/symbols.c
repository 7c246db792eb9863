/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, files and lines of addresses in libraries, looked up when they are asked for. */
/*
 * libdw is asked first, in its own process; where the tool is built without it, or a library's
 * debugging information is damaged, names come from the ELF symbol tables.
 */
#include <config.h>

#include "analysis/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/dwarf.h"
#include "analysis/elf_symbols.h"
#include "util/hash_table.h"

struct library {
	const char *path;
	const uint8_t *id;
	uint32_t id_size;
	bool judged;		/* whether there is a file of it */
	bool here;		/* there is, and it is the one that ran */
	bool no_lines;		/* libdw could not read it */
	bool opened;
	struct elf_symbols *symbols;
};

/* An address that was asked for. */
struct answer {
	struct symbol *at;
	uint32_t count;
};

struct address {
	uint64_t address;
	uint32_t library, zero;
};

struct symbols {
	enum demangle names;
	symbols_complain_fn complain;
	void *data;
	struct table libraries;	/* struct key -> struct library */
	struct table addresses;	/* struct address -> struct answer */
	struct table texts;
	struct dwarf *dwarf;
	int error;
	const char *fault;
	struct dwarf_answer answer;
};

/* What tells libraries apart; the path follows. */
struct key {
	uint32_t id_size;
	uint8_t id[ELF_ID];
};

bool symbols_have_lines(void)
{
#ifdef HAVE_LIBDW
	return true;
#else
	return false;
#endif
}

struct symbols *symbols_new(enum demangle names, symbols_complain_fn complain, void *data)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (!symbols)
		return NULL;
	symbols->names = names;
	symbols->complain = complain;
	symbols->data = data;
	symbols->libraries.row = sizeof(struct library);
	symbols->addresses.row = sizeof(struct answer);
	symbols->texts.row = 1;
	return symbols;
}

uint32_t symbols_library(struct symbols *symbols, const char *path, const uint8_t *build_id,
			 uint32_t id_size)
{
	size_t length = strlen(path) + 1;
	struct key *key = calloc(1, sizeof(*key) + length);
	uint32_t number;

	if (!key)
		return TABLE_NONE;
	key->id_size = id_size < ELF_ID ? id_size : ELF_ID;
	if (key->id_size)
		memcpy(key->id, build_id, key->id_size);
	memcpy(key + 1, path, length);
	number = table_find(&symbols->libraries, key, sizeof(*key) + length);
	free(key);
	if (number != TABLE_NONE) {
		const struct key *kept = symbols->libraries.keys[number].bytes;
		struct library *library = table_row(&symbols->libraries, number);

		library->path = (const char *)(kept + 1);
		library->id = kept->id;
		library->id_size = kept->id_size;
	}
	return number;
}

static void complain(const struct symbols *symbols, const struct library *library, const char *text)
{
	if (symbols->complain)
		symbols->complain(symbols->data, library->path, text);
}

/* 0 or -errno. */
static int judge(struct symbols *symbols, struct library *library)
{
	enum elf_match match = ELF_NONE;
	int fd, error;

	library->judged = true;
	if (!library->id_size)
		return 0;
	error = elf_open(library->path, library->id, library->id_size, &match, &fd);
	if (error)
		return error;
	if (fd >= 0)
		close(fd);
	library->here = match == ELF_SAME;
	if (match == ELF_OTHER)
		complain(symbols, library, "not the file that ran, by its build ID; names of its "
			 "functions are not taken from it");
	return 0;
}

/* A text that is kept; NULL when memory is out. */
static const char *keep(struct symbols *symbols, const char *bytes, size_t size)
{
	char *text = malloc(size + 1);
	uint32_t number;

	if (!text)
		return NULL;
	memcpy(text, bytes, size);
	text[size] = '\0';
	number = table_text(&symbols->texts, text);
	free(text);
	return number == TABLE_NONE ? NULL : symbols->texts.keys[number].bytes;
}

/* The name of a function for people; NULL when memory is out. */
static const char *spell(struct symbols *symbols, const char *name)
{
	const char *kept;
	char *spelled;

	if (symbols->names == DEMANGLE_NO)
		return name;
	errno = 0;
	spelled = demangle(name, symbols->names);
	if (!spelled)
		return errno == ENOMEM ? NULL : name;
	kept = keep(symbols, spelled, strlen(spelled));
	free(spelled);
	return kept;
}

/* One more function of an address. 0 or -ENOMEM. */
static int add(struct symbols *symbols, struct answer *answer, const char *function, size_t size,
	       const char *file, size_t file_size, uint32_t line)
{
	struct symbol *symbol = &answer->at[answer->count];
	const char *name = keep(symbols, function, size);

	symbol->function = name ? spell(symbols, name) : NULL;
	symbol->file = file_size ? keep(symbols, file, file_size) : NULL;
	symbol->line = symbol->file ? line : 0;
	if (!symbol->function || (file_size && !symbol->file))
		return -ENOMEM;
	answer->count++;
	return 0;
}

static int by_elf(struct symbols *symbols, struct library *library, uint64_t address,
		  struct answer *answer)
{
	const char *name;
	int error;

	if (!library->here)
		return 0;
	if (!library->opened) {
		error = elf_symbols_open(&library->symbols, library->path, library->id,
					 library->id_size);
		if (error)
			return error;
		library->opened = true;
	}
	name = library->symbols ? elf_symbols_find(library->symbols, address) : NULL;
	if (!name)
		return 0;
	answer->at = calloc(1, sizeof(*answer->at));
	return answer->at ? add(symbols, answer, name, strlen(name), NULL, 0, 0) : -ENOMEM;
}

#ifdef HAVE_LIBDW
/* What servers did not give, for people. */
static const char *servers_text(int error, char *text, size_t size)
{
	switch (error) {
	case -ENOENT:
		return "not here, and the servers of DEBUGINFOD_URLS do not have it";
	case -EBADMSG:
		return "what a server of DEBUGINFOD_URLS has is not used: its build ID is another";
	case -EFBIG:
		return "what a server of DEBUGINFOD_URLS has is not used: it is larger than 4 GiB";
	case -ELIBACC:
		return "the servers of DEBUGINFOD_URLS are not asked: libdebuginfod.so.1 is not "
		       "installed";
	case -ETIME:
	case -ETIMEDOUT:
		return "the servers of DEBUGINFOD_URLS are not asked further: they take too long";
	default:
		snprintf(text, size, "the servers of DEBUGINFOD_URLS are not asked further: %s",
			 strerror(-error));
		return text;
	}
}

/* 0; -EIO: libdw did not answer; or -ENOMEM. */
static int by_dwarf(struct symbols *symbols, struct library *library, uint32_t number,
		    uint64_t address, struct answer *answer)
{
	const struct dwarf_question question = {
		number, library->path, library->id, library->id_size, address
	};
	const struct dwarf_answer *given = &symbols->answer;
	char text[256];
	int error;

	if (!symbols->dwarf)
		symbols->dwarf = dwarf_new();
	if (!symbols->dwarf)
		return -ENOMEM;
	error = dwarf_ask(symbols->dwarf, &question, &symbols->answer);
	if (symbols->answer.download)
		complain(symbols, library, servers_text(symbols->answer.download, text, sizeof(text)));
	if (error && error != -ENOMEM) {
		library->no_lines = true;
		if (error == -EIO)
			complain(symbols, library, "its debugging information is not used: it is "
				 "damaged, or takes too much memory");
		else if (error != -ENOENT)
			complain(symbols, library, error == -ETIMEDOUT ?
				 "its debugging information is not used: reading it takes too long" :
				 "its debugging information is not used: no process can be started "
				 "to read it");
		return -EIO;
	}
	answer->at = !error && given->count ? calloc(given->count, sizeof(*answer->at)) : NULL;
	if (!error && given->count && !answer->at)
		error = -ENOMEM;
	for (uint32_t i = 0; !error && i < given->count; i++) {
		const struct dwarf_frame *frame = &given->frames[i];
		bool named = frame->function_size;

		if (named || frame->file_size)
			error = add(symbols, answer, named ? frame->function : "(unknown)",
				    named ? frame->function_size : strlen("(unknown)"), frame->file,
				    frame->file_size, frame->line);
	}
	return error;
}
#else
static int by_dwarf(struct symbols *symbols, struct library *library, uint32_t number,
		    uint64_t address, struct answer *answer)
{
	(void)symbols;
	(void)number;
	(void)address;
	(void)answer;
	library->no_lines = true;
	return -EIO;
}
#endif

static int look_up(struct symbols *symbols, struct library *library, uint32_t number,
		   uint64_t address, struct answer *answer)
{
	int error = library->judged ? 0 : judge(symbols, library);

	if (error || !library->id_size)
		return error;
	error = library->no_lines ? -EIO : by_dwarf(symbols, library, number, address, answer);
	return error == -EIO ? by_elf(symbols, library, address, answer) : error;
}

int symbols_find(struct symbols *symbols, uint32_t library, uint64_t address,
		 struct symbol_stack *found)
{
	const struct address key = { address, library, 0 };
	size_t before = symbols->addresses.count;
	uint32_t number = table_find(&symbols->addresses, &key, sizeof(key));
	struct library *at;
	struct answer *answer;
	int error = 0;

	*found = (struct symbol_stack){ .count = 0 };
	if (library == TABLE_NONE || number == TABLE_NONE) {
		symbols->error = symbols->error ?: -ENOMEM;
		return -ENOMEM;
	}
	at = table_row(&symbols->libraries, library);
	answer = table_row(&symbols->addresses, number);
	if (number == before) {
		error = look_up(symbols, at, library, address, answer);
	}
	if (error && !symbols->error) {
		symbols->error = error;
		symbols->fault = error == -ENOMEM ? NULL : at->path;
	}
	*found = (struct symbol_stack){ answer->at, answer->count };
	return error;
}

int symbols_error(const struct symbols *symbols)
{
	return symbols->error;
}

const char *symbols_fault(const struct symbols *symbols)
{
	return symbols->fault;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (uint32_t i = 0; i < symbols->libraries.count; i++)
		elf_symbols_close(((struct library *)table_row(&symbols->libraries, i))->symbols);
	for (uint32_t i = 0; i < symbols->addresses.count; i++)
		free(((struct answer *)table_row(&symbols->addresses, i))->at);
	table_free(&symbols->libraries);
	table_free(&symbols->addresses);
	table_free(&symbols->texts);
#ifdef HAVE_LIBDW
	dwarf_free(symbols->dwarf);
#endif
	free(symbols);
}
