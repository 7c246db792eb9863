/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a file, as they are judged: cuaudit-rules(5). */
#ifndef HOOKS_MODULES_RULES_RULES_H
#define HOOKS_MODULES_RULES_RULES_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cuaudit/coverage.h>
#include <cuaudit/hook.h>
#include <cuaudit/range.h>

#include "analysis/check_record.h"
#include "hooks/safe_read.h"
#include "util/globs.h"

/* What is counted, or is not to be. */
enum rule_what {
	RULE_CALLS,
	RULE_RESULTS,		/* calls with a result of a set */
	RULE_TIME,		/* of calls, on the host */
	RULE_COPIED,		/* bytes, in a direction */
	RULE_KERNELS,		/* distinct ones that are launched */
	RULE_MEMORY,		/* the most device memory there was at a time */
	RULE_GROWTH,		/* what there is more of it at the end of a range */
	RULE_THREADS,		/* calls on another thread than the first */
	RULE_FORKED,		/* calls in a child of a process that had started the driver */
	RULE_VERSION,		/* functions that a driver of a version lacks */
	RULE_UNCHECKED,		/* a call after one that failed, as if it had not */
	RULE_UNROUTED,
	RULE_LEAKS,
	RULE_WHATS
};

enum rule_results { RESULTS_ERRORS, RESULTS_STICKY, RESULTS_CAPTURE };

/* What calls of which the conditions hold do: break it, are counted, reach it. */
enum rule_form { FORM_CALL, FORM_BOUND, FORM_MARK };

enum { RULE_EXCEPTIONS = 8, RULE_LIBRARIES = 1024, RULE_PER = 16, NO_MARK = -1 };

/* Calls whose errors are none: of functions, with a result; -1: any. */
struct rule_exception {
	const char *functions;
	struct selector *selector;
	int32_t result;
};

struct rule {
	uint32_t index;
	uint8_t what;		/* enum rule_what */
	uint8_t results;	/* enum rule_results */
	uint8_t form;		/* enum rule_form */
	bool blocking;		/* the selector has %blocking: of such calls those alone that wait */
	bool provided;		/* the selector has parts LIBRARY:FUNCTION, or %providers */
	bool legacy;		/* on legacy stream: those for which streams wait, not the host */
	bool before_main;
	int16_t after, before;	/* marks; NO_MARK */
	int16_t range, per;	/* range selectors; -1 */
	int16_t direction;	/* enum rule_direction; -1: any */
	int32_t device;		/* -1: any */
	uint32_t version;
	uint32_t slot;		/* of what threads count per range */
	const char *functions;	/* a selector; "": all */
	struct selector *selector;
	struct selector *others;	/* its parts beside %blocking; NULL: there are none */
	const char *library, *kernel, *frame, *in_range, *per_range;	/* globs; NULL: any */
	const char *frame_library;	/* of the frame, if it is of no Python file */
	struct rule_exception exceptions[RULE_EXCEPTIONS];
	uint32_t nexceptions;
	_Atomic int32_t thread;		/* RULE_THREADS: the first */
};

/* Where a name is reached: at calls of functions, in ranges, or by a signal to cuaudit check. */
struct rule_mark {
	const char *name;
	struct rule call;	/* functions NULL: it is of no call */
	const char *in_range;
	uint64_t number;	/* of the call */
	_Atomic uint64_t calls;
	int32_t signal;
};

struct rule_allow {
	const char *frame;
};

struct rules {
	struct rule rules[CHECK_RULES];
	struct rule_mark marks[CHECK_MARKS];
	struct rule_allow allows[CHECK_ALLOWS];
	uint32_t nrules, nmarks, nallows, nper;
	bool all_functions;	/* some rule looks at all of them */
	bool timed, ranges, memory, leaks, blocking;
};

/* Of a process that is judged without cuaudit check. */
enum { RULES_BROKEN = 88, RULES_NOT_MADE = 89 };

extern struct rules rules;

/* What calls and ends are counted in; never NULL after init. */
extern struct check_file *rules_file;

/*
 * Context: setup. Reads a rules file into `rules`, and what is to be in rules_file into
 * file. saved: by cuaudit check. 0, or -ECANCELED after a message with file, line and column.
 */
int rules_read(const char *path, bool saved, struct check_file *file);

/* Context: setup (init). What calls are judged by. 0 or -errno. */
int rules_judge_setup(void);

/* Context: call, of enter hooks: why the call waits is asked before it frees anything. */
int rules_blocking(struct cuaudit_call *call, void *data);

/* Context: call, of exit hooks; of the functions that the rules look at. */
void rules_judge(struct cuaudit_call *call, void *data);

enum rules_process { PROCESS_NEW, PROCESS_BEGINS, PROCESS_KNOWN };

/* Whole pages, which the kernel clears in each child with memory of its own: clone(2) by itself runs no handlers. */
struct rules_own {
	/*
	 * By slot: rules_judge has nothing to do for a call that succeeds. Most end with that: it is one byte, since
	 * between two calls the program has had the cache for itself.
	 */
	_Alignas(PEEK_PAGE) _Atomic uint8_t idle[CUAUDIT_SLOTS_MAX];
	_Atomic uint32_t process;	/* enum rules_process */
};

extern struct rules_own rules_own;

/* Context: call, in the child of fork. */
void rules_judge_forked(void);

/* Context: call. Libraries that were loaded are reached by the rules that name them. */
void rules_libraries(void);

/* Context: call. Marks that are reached, by a signal too, are so for the rules that name them. */
void rules_marks(void);

/* Context: call. The program made an NVTX range or mark, or ended one. */
void rules_range(const struct cuaudit_range *range, const struct cuaudit_call *call, void *data);

/*
 * Context: call. A rule was broken, by a call unless it is NULL: kept with its stack, if that is
 * not allowed. frame: only if a frame of the stack is matched by this glob, NULL: always.
 */
void rules_broken(const struct rule *rule, const struct cuaudit_call *call, const char *note,
		  const char *frame);

/*
 * The same, at the end of an NVTX range, of which value was counted. Its call is the last since that
 * number of which the memory is left, see rules_grown.h; UINT64_MAX: of none.
 */
void rules_broken_in(const struct rule *rule, const struct cuaudit_range *range, uint64_t value,
		     uint64_t since);

/* The same, of a call site that was. */
void rules_broken_at(const struct rule *rule, const void *caller,
		     const struct cuaudit_library *library, const char *function, const char *note);

void rules_broken_forked(void);

/* Rules with a frame that was in no stack yet, by bit. */
extern _Atomic uint64_t rules_sought;

/* Context: call. Looks for these frames in the call's stack. */
void rules_seek(const struct cuaudit_call *call);

/* Context: call. What a rule wants to be there, and that it was. */
static inline void rules_want(uint32_t index, enum check_reach what)
{
	atomic_fetch_or_explicit(&rules_file->rules[index].wants, (uint16_t)what, memory_order_relaxed);
}

static inline void rules_reach(uint32_t index, enum check_reach what)
{
	_Atomic uint16_t *reached = &rules_file->rules[index].reached;

	if (!(atomic_load_explicit(reached, memory_order_relaxed) & what))
		atomic_fetch_or_explicit(reached, (uint16_t)what, memory_order_relaxed);
}

/* Context: call. Whether all of a text is matched. */
static inline bool rules_glob(const char *glob, const char *text)
{
	return glob_matches(glob, strlen(glob), text);
}

/* A glob of paths takes a whole one, or the last components of one. */
static inline bool rules_tail_glob(const char *glob, const char *path)
{
	if (rules_glob(glob, path))
		return true;
	for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/'))
		if (rules_glob(glob, at + 1))
			return true;
	return false;
}

/* No signal and no cancellation between the two: errno, as well, is as before. */
struct rules_lock {
	sigset_t signals;
	int error;
};

/* Context: call. */
void rules_block(struct rules_lock *saved);
void rules_unblock(const struct rules_lock *saved);

/* Context: call. What of this process no rule saw, up to now. */
void rules_losses(void);

/* Context: setup, or the process's end. The same of a call that ends it. */
void rules_inside(void);

/* Context: setup. What of the process is known to be lost from the start. */
void rules_end_setup(void);

/* Context: setup (finish). What is judged at the end. */
void rules_end(void);

/* Context: setup (finish), without cuaudit check: the report, and the status. */
void rules_print(void);

#endif
