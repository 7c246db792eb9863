/* SPDX-License-Identifier: Apache-2.0 */
/* The file in which the rules hook keeps what it finds: mapped while the process runs, read by cuaudit check. */
#ifndef ANALYSIS_CHECK_RECORD_H
#define ANALYSIS_CHECK_RECORD_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * One file a process, all of it there from the beginning, so that whoever
 * ends the process ends nothing else. It is of this machine's byte order, and
 * read by the cuaudit it was written for. Texts end with a NUL.
 */
#define CHECK_MAGIC "cuacheck"

enum {
	CHECK_VERSION = 1,
	CHECK_RULES = 64,
	CHECK_MARKS = 32,
	CHECK_ALLOWS = 64,
	CHECK_LIBRARIES = 256,
	CHECK_CALLERS = 16,
	CHECK_FINDINGS = 256,
	CHECK_FRAMES = 48,
	CHECK_TEXT = 6144
};

/* Why a file says less than the program did, or-ed. */
enum check_loss {
#define LOSS(name, bit, text) CHECK_LOST_##name = (bit),
#include "analysis/check_losses.def"
};

enum check_kind {
	CHECK_NEVER,	/* a call that is not to be, or a result: broken when it is */
	CHECK_COUNT,	/* least to most, of all processes together */
	CHECK_BUDGET,	/* least to most, judged by the process: per range, or the most there was at a time */
	CHECK_AT_END	/* judged when the process ends: nothing is known of one that was killed */
};

/* What a rule wants to be there, or it looks at nothing. */
enum check_reach {
	CHECK_REACH_MARK = 1,
	CHECK_REACH_SECOND_MARK = 2,	/* of between */
	CHECK_REACH_RANGE = 4,
	CHECK_REACH_LIBRARY = 8,
	CHECK_REACH_FRAME = 16,		/* the library of from */
	CHECK_REACH_STACK = 32,		/* of the stacks that were looked at, one with the frame of from */
	CHECK_REACH_KERNEL = 64,	/* of the kernels that were launched, that of by */
	CHECK_REACH_RANGE_END = 128,	/* of a bound that is judged then */
	CHECK_REACH_PROVIDER = 256	/* the libraries of the selector's parts LIBRARY:FUNCTION */
};

enum check_unit { CHECK_CALLS, CHECK_BYTES, CHECK_NS, CHECK_KERNELS };

struct check_rule {
	uint32_t line;		/* of the rules file, from 1 */
	uint8_t kind;		/* enum check_kind */
	uint8_t optional;	/* it may reach nothing */
	_Atomic uint16_t wants;	/* enum check_reach, or-ed ... */
	_Atomic uint16_t reached;	/* ... and what of it was there */
	uint8_t unit;		/* enum check_unit, of least, most and value */
	uint8_t unused[5];
	uint64_t least, most;	/* most is UINT64_MAX for none */
	_Atomic uint64_t value;	/* COUNT: so far; BUDGET: the one furthest from its bounds */
	_Atomic uint64_t broken;	/* how often, without what is allowed */
	_Atomic uint64_t allowed;	/* how often by a stack with a frame of an allow line */
	char text[448];		/* the rule as it stands in the file, without blanks around it */
};

/* What a rule fails for if it was nowhere. The rest is reported: it may be nowhere as the rule holds. */
static inline uint16_t check_must_reach(const struct check_rule *rule)
{
	uint16_t may = CHECK_REACH_STACK;

	if (rule->kind == CHECK_NEVER || !rule->most)
		may |= CHECK_REACH_KERNEL;
	return (uint16_t)~may;
}

struct check_mark {
	_Atomic uint32_t reached;
	uint32_t signal;	/* that cuaudit check is to get for it, 0: none */
	char name[56];
};

struct check_allow {
	uint32_t line;
	uint32_t optional;	/* it may be in no stack */
	_Atomic uint64_t used;
	char text[240];		/* with its reason */
};

struct check_library {
	uint8_t id[31];		/* the build ID */
	uint8_t id_size;	/* 0: it has none */
	char path[480];
};

/* A library that called the driver while one that a rule names was not there, by its last component. */
struct check_caller {
	char name[64];
};

#define CHECK_NO_LIBRARY UINT32_MAX

/* Texts are offsets in the finding's text; 0: none. */
struct check_frame {
	uint64_t offset;	/* native: of the call in the library's file, else an address */
	uint32_t library;	/* its number; CHECK_NO_LIBRARY: Python's frame, or no library is there */
	uint32_t line;		/* Python's; 0: not known */
	uint32_t function;	/* Python's name, or what the library exports there */
	uint32_t distance;	/* native: from that function's beginning to the call */
	uint32_t file;		/* Python's; 0: native */
	uint32_t unused;
};

/* A rule was broken, always by an equal stack. */
struct check_finding {
	_Atomic uint64_t count;	/* 0: not complete */
	uint64_t key;
	uint64_t time_ns;	/* of the first, since 1970 */
	uint32_t rule;		/* its index */
	uint32_t thread;	/* the system's number of it */
	uint32_t nframes;	/* from the caller outwards */
	uint32_t function;	/* the function called; 0: of no call */
	uint32_t call;		/* the same with arguments and result */
	uint32_t kernel;	/* as C++ mangles it */
	uint32_t range;		/* the innermost NVTX range */
	uint32_t name;		/* of the thread */
	uint32_t note;		/* what happened, beyond the rule */
	uint32_t unused;
	struct check_frame frames[CHECK_FRAMES];
	char text[CHECK_TEXT];	/* begins with a NUL */
};

/* A number for values of CUAUDIT_DOMAINS, CUAUDIT_LIBC and CUAUDIT_PROVIDERS, NULL where they are not set: FNV-1a, of 64 bits. */
static inline uint64_t check_scope(const char *domains, const char *libc, const char *providers)
{
	const char *const values[] = { domains ? domains : "", libc ? libc : "", providers ? providers : "" };
	uint64_t number = UINT64_C(0xcbf29ce484222325);

	for (int i = 0; i < 3; i++)
		for (const char *at = values[i];; at++) {
			number = (number ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
			if (!*at)
				break;
		}
	return number;
}

struct check_header {
	char magic[8];
	uint32_t version;	/* CHECK_VERSION; nonzero last */
	uint32_t pid;
	uint32_t parent;
	uint32_t ended;		/* 1: what CHECK_AT_END asks for is there */
	uint64_t process_start;	/* field 22 of /proc/PID/stat */
	uint64_t calls;		/* not 0: the driver was called */
	uint32_t nrules, nmarks, nallows;
	_Atomic uint32_t nlibraries, nfindings;	/* nfindings: begun */
	_Atomic uint32_t losses;	/* enum check_loss, or-ed */
	_Atomic uint32_t ncallers;	/* those for which there was no room, too */
	uint8_t may_be_idle;	/* `optional calls`: no call at all is fine */
	uint8_t unused[3];
	uint64_t scope;		/* check_scope of the process's environment */
	char rules[4096];	/* the path of the rules file */
	char command[256];
};

struct check_file {
	struct check_header header;
	struct check_rule rules[CHECK_RULES];
	struct check_mark marks[CHECK_MARKS];
	struct check_allow allows[CHECK_ALLOWS];
	struct check_library libraries[CHECK_LIBRARIES];
	struct check_caller callers[CHECK_CALLERS];
	struct check_finding findings[CHECK_FINDINGS];
};

#endif
