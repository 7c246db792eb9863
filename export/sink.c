/* SPDX-License-Identifier: Apache-2.0 */
/* A stream that is written to, compressed if wanted. */
#include <config.h>

#include "export/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

enum {
	SIZE = 256 << 10,
	ROOM = 16 << 10,	/* that sink_buffer has at first */
	LEVEL = 3		/* zstd's own default */
};

static void fail(struct sink *sink, int error)
{
	if (!sink->error)
		sink->error = error;
}

static void write_all(struct sink *sink, const char *data, size_t size)
{
	while (size && !sink->error) {
		ssize_t done = write(sink->fd, data, size);

		if (done < 0 && errno != EINTR)
			fail(sink, -errno);
		if (done > 0) {
			data += done;
			size -= (size_t)done;
		}
	}
}

#ifdef HAVE_ZSTD
struct sink_zstd {
	ZSTD_CCtx *context;
	size_t size;
	char data[];
};

static int begin_compressed(struct sink *sink)
{
	size_t size = ZSTD_CStreamOutSize();

	sink->zstd = malloc(sizeof(*sink->zstd) + size);
	if (!sink->zstd)
		return -ENOMEM;
	sink->zstd->size = size;
	sink->zstd->context = ZSTD_createCCtx();
	if (!sink->zstd->context)
		return -ENOMEM;
	ZSTD_CCtx_setParameter(sink->zstd->context, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(sink->zstd->context, ZSTD_c_checksumFlag, 1);
	return 0;
}

static void compress(struct sink *sink, bool last)
{
	ZSTD_inBuffer in = { sink->data, sink->used, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { sink->zstd->data, sink->zstd->size, 0 };

		left = ZSTD_compressStream2(sink->zstd->context, &out, &in,
					    last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left)) {
			fail(sink, -ENOMEM);
			return;
		}
		write_all(sink, sink->zstd->data, out.pos);
	} while (!sink->error && (last ? left : in.pos < in.size));
}

static void end_compressed(struct sink *sink)
{
	ZSTD_freeCCtx(sink->zstd->context);
	free(sink->zstd);
}
#else
static int begin_compressed(struct sink *sink)
{
	(void)sink;
	return -ENOTSUP;
}

static void compress(struct sink *sink, bool last)
{
	(void)last;
	fail(sink, -ENOTSUP);
}

static void end_compressed(struct sink *sink)
{
	(void)sink;
}
#endif

int sink_open(struct sink *sink, int fd, bool compressed)
{
	*sink = (struct sink){ .fd = fd, .data = malloc(SIZE), .size = SIZE };
	if (!sink->data)
		fail(sink, -ENOMEM);
	else if (compressed)
		sink->error = begin_compressed(sink);
	return sink->error;
}

static int write_out(struct sink *sink, bool last)
{
	if (!sink->error && sink->zstd)
		compress(sink, last);
	else
		write_all(sink, sink->data, sink->used);
	sink->used = 0;
	return sink->error;
}

int sink_flush(struct sink *sink)
{
	return write_out(sink, false);
}

void *sink_room(struct sink *sink, size_t size)
{
	char *data;

	if (sink->error)
		return NULL;
	if (size <= sink->size - sink->used)
		return sink->data + sink->used;
	if (sink_flush(sink))
		return NULL;
	if (size <= sink->size)
		return sink->data;
	data = realloc(sink->data, size);
	if (!data) {
		fail(sink, -ENOMEM);
		return NULL;
	}
	sink->data = data;
	sink->size = size;
	return data;
}

void sink_bytes(struct sink *sink, const void *bytes, size_t size)
{
	void *room = sink_room(sink, size);

	if (!room)
		return;
	memcpy(room, bytes, size);
	sink_took(sink, size);
}

void sink_text(struct sink *sink, const char *text)
{
	sink_bytes(sink, text, strlen(text));
}

struct buffer sink_buffer(struct sink *sink)
{
	char *room = sink_room(sink, ROOM);

	/* Counts alone after an error. */
	return (struct buffer){ .at = room, .size = room ? sink->size - sink->used : 0 };
}

struct buffer *sink_again(struct sink *sink, struct buffer *out)
{
	if (sink->error)
		return NULL;
	if (out->length < out->size) {
		sink_took(sink, out->length);
		return NULL;
	}
	if (!sink_room(sink, out->length + 1))
		return NULL;
	*out = sink_buffer(sink);
	return out;
}

int sink_close(struct sink *sink)
{
	write_out(sink, true);
	if (sink->zstd)
		end_compressed(sink);
	free(sink->data);
	return sink->error;
}
