/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, files and lines by libdw, in a process of its own. */
/*
 * libdw reads what a file says of itself, and a damaged file may lead it anywhere. It runs in
 * a child of the tool, whose memory is bounded and whose answers are waited for with a
 * deadline: where it ends or answers too late, the library has no lines.
 */
#ifndef ANALYSIS_DWARF_H
#define ANALYSIS_DWARF_H

#include <stdint.h>
#include <sys/types.h>

#include "analysis/elf_symbols.h"

enum {
	DWARF_FRAMES = 64,	/* functions inlined into each other; more are left out, the outer ones */
	DWARF_TEXT = 32767	/* bytes of a name; a longer one is left out */
};

/* Texts are not ended by a NUL. */
struct dwarf_frame {
	const char *function, *file;
	uint16_t function_size, file_size;	/* file: 0 if not known */
	uint32_t line;
};

struct dwarf_answer {
	uint32_t count;
	int download;	/* of analysis/debuginfod.h, -ENOENT: neither file; 0: nothing to say */
	struct dwarf_frame frames[DWARF_FRAMES];	/* the innermost first */
};

struct dwarf_question {
	uint32_t library;	/* a number of the caller's; path and id are read at its first question */
	const char *path;
	const uint8_t *id;
	uint32_t id_size;
	uint64_t address;
};

struct dwarf;

/* Starts no process yet. NULL when memory is out. */
struct dwarf *dwarf_new(void);

/*
 * Valid until the next question. 0; -ENOENT: there is no file of that build ID; -EIO: the
 * child ended; -ETIMEDOUT: it took too long; -EAGAIN: none could be started; -ENOMEM: memory is
 * out here. After all of these the library should not be asked for again.
 */
int dwarf_ask(struct dwarf *dwarf, const struct dwarf_question *question,
	      struct dwarf_answer *answer);

void dwarf_free(struct dwarf *dwarf);

/* In the child: answers what comes by the socket until it is closed. */
void dwarf_serve(int socket) __attribute__((noreturn));

/* Both ways: a struct, then the bytes it tells of. */
struct dwarf_wire_question {
	uint32_t library;
	uint32_t path_size;	/* 0: it is known */
	uint32_t id_size;
	uint8_t id[ELF_ID];
	uint64_t address;
};

struct dwarf_wire_answer {
	int32_t error;		/* of dwarf_ask */
	int32_t download;	/* of struct dwarf_answer */
	uint32_t count;		/* of struct dwarf_wire_frame */
};

struct dwarf_wire_frame {
	uint32_t line;
	uint16_t function_size, file_size;
};

#endif
