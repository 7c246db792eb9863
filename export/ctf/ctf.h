/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the Common Trace Format share. */
#ifndef EXPORT_CTF_CTF_H
#define EXPORT_CTF_CTF_H

#include "analysis/kernel_launch.h"
#include "export/convert.h"
#include "export/labels.h"
#include "export/nest.h"
#include "export/typed.h"
#include "util/bytes.h"
#include "util/utf8.h"

/* Events by number: two of each function, then the others. */
enum ctf_half {
	CTF_ENTRY,
	CTF_EXIT,
	CTF_HALVES
};

enum ctf_other {
	CTF_MARK,
	CTF_LOST,
	/* Of a trace that has ranges; all have the same fields. */
	CTF_RANGE_PUSH,
	CTF_RANGE_POP,
	CTF_RANGE_START,
	CTF_RANGE_END,
	CTF_RANGE_MARK,
	CTF_OTHERS
};

/* A stream of packets in a file, which is there once something is written. */
struct ctf_stream {
	int directory;		/* file descriptor of the trace's */
	int fd;			/* -1: no file yet */
	char name[32];
	uint8_t uuid[16];	/* the trace's */
	struct bytes packet;	/* what is not yet written, with room for its header */
	uint64_t begin, last;	/* ns of the first event in it, of the last so far */
	uint64_t packets;
	uint64_t discarded;	/* calls, so far */
	uint64_t moved;		/* times that went back, and were moved to the last */
};

struct ctf {
	struct ctf_stream stream;
	struct nest nest;
	uint32_t thread;	/* whose calls nest has */
	int32_t tid;
	struct bytes body;	/* of an event */
	struct utf8_scratch scratch;
	struct bytes others;	/* marks and calls that had not ended */
	struct bytes ranges;	/* beginnings and ends of ranges */
	uint64_t latest;	/* ns: of all events of the file */
	/* Of the file at hand. */
	const struct trace *trace;
	struct typed_function *functions;
	struct labels libraries, callers, stacks;
	bool arguments;		/* are written */
};

/* Bytes of a parameter's value, 0 for strings; and in which half of the call it stands. */
uint32_t ctf_size(const struct print_param *param);
enum ctf_half ctf_half(const struct print_param *param);

/* Writes the file `metadata` into the stream's directory. 0 or -errno. */
int ctf_metadata(const struct ctf *ctf);

/* Another file of the directory, the one before is complete then. 0 or -errno. */
int ctf_stream_next(struct ctf_stream *stream, const char *format, uint32_t number);

/* An event; a file begins with a packet of its own. 0 or -errno. */
int ctf_stream_event(struct ctf_stream *stream, uint64_t ns, uint32_t id, uint32_t pid, int32_t tid,
		     const struct bytes *body);

/* Says that so many calls are missing: readers compare a packet's count with that of the one before. */
int ctf_stream_discarded(struct ctf_stream *stream, uint64_t calls);

/* Writes what there is, and closes the file. */
int ctf_stream_close(struct ctf_stream *stream);

#endif
