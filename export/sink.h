/* SPDX-License-Identifier: Apache-2.0 */
/* A stream that is written to, compressed if wanted. */
#ifndef EXPORT_SINK_H
#define EXPORT_SINK_H

#include "util/buffer.h"

/* Errors are kept: everything after the first one is dropped. */
struct sink {
	int fd;
	int error;		/* -errno, 0 for none */
	char *data;		/* what is not yet written */
	size_t used, size;
	struct sink_zstd *zstd;	/* NULL: as it is */
};

/* 0, or -errno, -ENOTSUP if it cannot be compressed here; sink_close in both cases. */
int sink_open(struct sink *sink, int fd, bool compressed);

void sink_bytes(struct sink *sink, const void *bytes, size_t size);
void sink_text(struct sink *sink, const char *text);

/* Room for size bytes, NULL after an error; sink_took says how many were used. */
void *sink_room(struct sink *sink, size_t size);

static inline void sink_took(struct sink *sink, size_t size)
{
	sink->used += size;
}

/* Room for what print/ writes. NULL once it fitted, or the sink failed; else out with more room. */
struct buffer sink_buffer(struct sink *sink);
struct buffer *sink_again(struct sink *sink, struct buffer *out);

/* What stands behind it prints into the struct buffer *out, again where the room was too small. */
#define SINK_PRINT(sink, out) \
	for (struct buffer out##_room = sink_buffer(sink), *out = &out##_room; out; \
	     out = sink_again(sink, out))

/* Writes what there is; 0 or the first error. */
int sink_flush(struct sink *sink);

/* The same, ends what is compressed, and frees; the file descriptor stays open. */
int sink_close(struct sink *sink);

#endif
