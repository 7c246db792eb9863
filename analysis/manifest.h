/* SPDX-License-Identifier: Apache-2.0 */
/* What programs ask of the driver, as their traces tell: functions, versions, what they rely on. */
#ifndef ANALYSIS_MANIFEST_H
#define ANALYSIS_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefile/ending.h"
#include "tracefile/losses.h"
#include "tracefile/tracefile.h"
#include "util/hash_table.h"
#include "util/out.h"

/* What cuGetProcAddress answered. */
enum manifest_answer {
	MANIFEST_FOUND,
	MANIFEST_NOT_FOUND,	/* no function of that name */
	MANIFEST_TOO_OLD,	/* none by the version that was asked for */
	MANIFEST_REFUSED,	/* an error, as for a version newer than the driver's */
	MANIFEST_ANSWERS
};

/* Where something was called first. */
struct manifest_site {
	uint32_t library;
	uint32_t known;
	uint64_t offset;	/* in the library; 0 with library 0 of unknown code */
	uint64_t ns;		/* since the epoch */
};

/* Since when the process that is being read has had such an answer. */
struct manifest_in {
	uint32_t process;	/* its number + 1 */
	uint64_t ns;
};

struct manifest_function {
	const char *symbol, *base;
	uint32_t version;	/* CUDA_VERSION it came with; 0: newer than the table */
	bool called;
};

/* Calls of one function by one library. */
struct manifest_calls {
	uint32_t function, library;
	uint64_t count;
	struct manifest_site first;
};

/* Requests for one name, version and flags by one library that had one answer. */
struct manifest_request {
	const char *base;
	uint64_t flags, count;
	uint32_t library;
	int32_t version;
	enum manifest_answer answer;
	const char *symbol;	/* what the table says that the answer is; NULL: it has none */
	uint32_t since;		/* its version, else that of the first of that name; 0: not known */
	uint64_t called;	/* by this library, of that base */
	uint64_t called_by_others;
	bool went_on;		/* a process called the driver after it */
	struct manifest_site first;
	struct manifest_in in;
};

/* Calls of one function by one library that the driver does not support. */
struct manifest_unsupported {
	uint32_t function, library;
	int32_t result;
	bool went_on;
	uint64_t count;
	struct manifest_site first;
	struct manifest_in in;
};

struct manifest_process {
	const char *path;	/* the caller's */
	const char *fault;	/* not NULL: it could not be read, and nothing below is known */
	const char *host, *program;
	const char *command;	/* arguments, quoted for a shell; "": not known */
	uint32_t pid, parent;
	bool partial, unrecorded;	/* unrecorded: requests without arguments */
	enum trace_ending ending;
	int status;		/* -1: not known */
	uint64_t calls, last_ns;
	uint64_t first_call, initialised;	/* correlation ids; 0: none */
	uint64_t initialised_at;		/* ns */
	bool no_device;
	bool works;		/* a call succeeded that wants an initialised driver, or makes it one */
	struct trace_losses losses;
};

enum manifest_question {
#define QUESTION(NAME, key, works, lacks) MANIFEST_##NAME,
#include "analysis/manifest.def"
	MANIFEST_QUESTIONS
};

enum manifest_verdict { MANIFEST_YES, MANIFEST_NO, MANIFEST_UNKNOWN };

/* Calls that decide a question. */
struct manifest_evidence {
	uint32_t question;
	enum manifest_verdict verdict;
	uint32_t function, library;
	const char *text;
	uint64_t count;
	struct manifest_site first;
};

/* The newest function of some. */
struct manifest_newest {
	uint32_t version;	/* 0: none */
	uint32_t library;
	const char *symbol;
};

struct manifest {
	struct table libraries;		/* paths, without rows */
	struct table functions;		/* symbols -> struct manifest_function */
	struct table texts;
	struct table calls, requests, unsupported, evidence, refused;
	struct manifest_process *processes;
	size_t nprocesses, nfaults;
	uint64_t ncalls;
	uint64_t unknown;		/* functions called that the table does not have */
	uint32_t driver;		/* the newest CUDA version of these runs; 0: not known */
	bool partial, unrecorded;
	/* By manifest_finish; rows by library and name. */
	struct manifest_calls **by_calls;
	struct manifest_request **by_request;
	struct manifest_unsupported **by_unsupported;
	struct manifest_evidence **by_evidence;	/* by question */
	struct manifest_newest called, wanted, asked;	/* wanted: asked for, never called */
	enum manifest_verdict verdicts[MANIFEST_QUESTIONS];
	const char *reasons[MANIFEST_QUESTIONS];
};

/* Reads all traces; the paths have to stay. 0 or -ENOMEM; manifest_free in both cases. */
int manifest_read(struct manifest *manifest, char *const *paths, size_t count);

/* Behind it: what follows from all that was read. The same. */
int manifest_finish(struct manifest *manifest);
void manifest_free(struct manifest *manifest);

/* Adds calls that decide a question. NULL when memory is out. */
struct manifest_evidence *manifest_evidence(struct manifest *manifest, enum manifest_question question,
					    enum manifest_verdict verdict, const char *text,
					    uint32_t function, uint32_t library);
void manifest_site_first(struct manifest_site *site, const struct manifest_site *other);

/* The row of the function that has this name, version and kind of stream; -1: none has. */
int32_t manifest_resolve(const char *base, int32_t version, uint64_t flags);
const char *manifest_symbol(int32_t row);

/* The version a row came with; of a base, that of its first. 0: not known. */
uint32_t manifest_since(int32_t row);
uint32_t manifest_base_since(const char *base);

/* The first branch of the driver that has a version; 0: newer than the table. */
unsigned int manifest_branch(uint32_t version);

/* Words, for both outputs. */
extern const char *const manifest_question_keys[MANIFEST_QUESTIONS];
extern const char *const manifest_verdict_words[], *const manifest_answer_words[MANIFEST_ANSWERS];

/* A command that runs the program without a device; "" if its arguments are not known. */
void manifest_trial(const struct manifest *manifest, struct out *out);

static inline const char *manifest_library(const struct manifest *manifest, uint32_t library)
{
	return manifest->libraries.keys[library].bytes;
}

static inline struct manifest_function *manifest_function(const struct manifest *manifest,
							  uint32_t number)
{
	return table_row(&manifest->functions, number);
}

void manifest_text(const struct manifest *manifest, struct out *out);
void manifest_json(const struct manifest *manifest, struct out *out);

#endif
