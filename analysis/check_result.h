/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules hook found in all processes of a run, as one result. */
#ifndef ANALYSIS_CHECK_RESULT_H
#define ANALYSIS_CHECK_RESULT_H

#include "analysis/baseline.h"
#include "analysis/check_stack.h"

/* Exit statuses of cuaudit check. */
enum {
	CHECK_BROKEN_STATUS = 88,
	CHECK_NOT_MADE_STATUS = 89
};

/* A file of a process. */
struct check_process {
	struct check_file *file;
	bool runs;		/* it has not ended */
};

/* What became of the lock file. */
enum check_lock_state {
	CHECK_NO_LOCK,		/* none was given */
	CHECK_LOCK_UNKNOWN,	/* the check was not made */
	CHECK_LOCK_SKIPPED,	/* the command failed, which no run of a lock file did */
	CHECK_LOCK_COMPARED
};

enum check_verdict { CHECK_HOLDS, CHECK_BROKEN, CHECK_UNREACHED };

/* A rule, of all processes. */
struct check_sum {
	const struct check_rule *rule;
	uint64_t value, broken, allowed;
	uint16_t missing;	/* enum check_reach: what it wants and was nowhere */
	enum check_verdict verdict;
	size_t first, count;	/* its groups */
};

/* Equal findings of all processes. */
struct check_group {
	const struct check_file *file;	/* of the earliest */
	const struct check_finding *finding;
	const char *kernel;	/* for people; NULL: none */
	uint64_t count;
	struct check_stack stack;
};

struct check_result {
	const char *command;	/* what was run */
	const char *rules;	/* the path of the rules file; NULL: none */
	const char *baseline;	/* the path of the lock file; NULL: none */
	int status;		/* of wait(2), of the command */
	bool ended;		/* it was started, and has ended */
	bool may_be_idle;	/* no call of the driver is fine */

	struct check_process *processes;
	size_t nprocesses;
	struct check_sum sums[CHECK_RULES];
	uint32_t nsums;
	uint64_t used[CHECK_ALLOWS];	/* of allow lines */
	struct check_group *groups;	/* by rule, the most frequent first */
	size_t ngroups;
	size_t nbroken, nunreached;	/* rules */
	enum check_lock_state lock;
	size_t nfacts;		/* of the lock file */
	struct baseline_differences differences;
	char *driver_note;	/* where those may come from: another version; NULL: it is the same */
	char **problems;	/* why the check was not made */
	size_t nproblems;
	struct check_names names;
	bool no_memory;
};

/* One more reason why the check was not made. */
__attribute__((format(printf, 2, 3)))
void check_problem(struct check_result *result, const char *format, ...);

/* One more process, whose file is the result's then. */
void check_add(struct check_result *result, struct check_file *file, bool runs);

/* Forgets the processes and the problems. */
void check_drop(struct check_result *result);

/* Judges what was added; once. */
void check_judge(struct check_result *result);

/* 0: all rules hold. */
int check_status(const struct check_result *result);

void check_free(struct check_result *result);

/* The file by which the result as a whole is called. */
static inline const char *check_file_name(const struct check_result *result)
{
	return result->rules ? result->rules : result->baseline;
}

/* The file that tells the rules; NULL: there is none. */
const struct check_file *check_rules(const struct check_result *result);

/* Whether an allow line was in no stack, which is to be reported. */
bool check_unused(const struct check_result *result, uint32_t allow);

/* What of a rule that holds was nowhere. */
extern const char check_no_frame[], check_no_kernel[];

/* A line of the rules file that is to be looked at, though nothing fails for it. */
struct check_warning {
	uint32_t line;
	const char *text;	/* the line */
	const char *what, *advice;	/* what is wrong, what to do */
};

/* The next one, *at being 0 at first; false: there is no more. */
bool check_warning_next(const struct check_result *result, uint32_t *at, struct check_warning *warning);

/* What of the rule was never reached: "mark warm, range step". */
void check_missing_text(const struct check_result *result, const struct check_sum *sum,
			struct out *out);

/* Why the rule does not hold, a line: "broken 3 times". */
void check_why_text(const struct check_result *result, const struct check_sum *sum,
		    struct out *out);

#endif
