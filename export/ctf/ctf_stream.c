/* SPDX-License-Identifier: Apache-2.0 */
/* A stream of packets of the Common Trace Format. */
#include "export/ctf/ctf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	MAGIC = (int)0xc1fc1fc1,
	PACKET = 256 << 10	/* bytes from which a packet is full */
};

/* ns: more than any clock says, and readers can still add to it. */
static const uint64_t latest = UINT64_C(1) << 62;

/* As ctf_metadata.c declares it. */
struct __attribute__((packed)) packet_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t content_size;	/* bits, as the next */
	uint64_t packet_size;
	uint64_t packet_seq_num;
	uint64_t events_discarded;
};

struct __attribute__((packed)) event_header {
	uint32_t id;
	uint64_t timestamp;
	uint32_t vpid;
	int32_t vtid;
};

static int write_all(int fd, const uint8_t *data, size_t size)
{
	while (size) {
		ssize_t done = write(fd, data, size);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			data += done;
			size -= (size_t)done;
		}
	}
	return 0;
}

static int open_file(struct ctf_stream *stream)
{
	if (stream->fd < 0)
		stream->fd = openat(stream->directory, stream->name,
				    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return stream->fd < 0 ? -errno : 0;
}

static int flush(struct ctf_stream *stream)
{
	struct packet_header header = {
		.magic = (uint32_t)MAGIC,
		.timestamp_begin = stream->begin,
		.timestamp_end = stream->last,
		.content_size = stream->packet.used * 8,
		.packet_size = stream->packet.used * 8,
		.packet_seq_num = stream->packets,
		.events_discarded = stream->discarded,
	};
	int error;

	if (!stream->packet.used)
		return 0;
	memcpy(header.uuid, stream->uuid, sizeof(header.uuid));
	memcpy(stream->packet.data, &header, sizeof(header));
	error = open_file(stream) ?:
		write_all(stream->fd, stream->packet.data, stream->packet.used);
	stream->packets++;
	stream->packet.used = 0;
	return error;
}

int ctf_stream_discarded(struct ctf_stream *stream, uint64_t calls)
{
	int error = flush(stream);

	if (error || !calls)
		return error;
	stream->begin = stream->last;
	/* babeltrace2 takes the largest for none. */
	stream->discarded = calls < UINT64_MAX ? calls : UINT64_MAX - 1;
	stream->packet.used = sizeof(struct packet_header);
	error = flush(stream);
	stream->discarded = 0;
	return error;
}

int ctf_stream_close(struct ctf_stream *stream)
{
	int error = flush(stream);

	if (stream->fd >= 0 && close(stream->fd) && !error)
		error = -errno;
	stream->fd = -1;
	stream->packets = stream->last = 0;
	return error;
}

int ctf_stream_next(struct ctf_stream *stream, const char *format, uint32_t number)
{
	int error = ctf_stream_close(stream);

	snprintf(stream->name, sizeof(stream->name), format, number);
	return error;
}

int ctf_stream_event(struct ctf_stream *stream, uint64_t ns, uint32_t id, uint32_t pid, int32_t tid,
		     const struct bytes *body)
{
	struct event_header header = { .id = id, .vpid = pid, .vtid = tid };
	size_t needed = sizeof(header) + body->used;
	uint8_t *at;
	int error = 0;

	/* Readers refuse what goes back, and what is no signed number. */
	if (ns < stream->last || ns > latest) {
		ns = ns < stream->last ? stream->last : latest;
		stream->moved++;
	}
	if (stream->packet.used + needed > PACKET)
		error = flush(stream);
	if (error)
		return error;
	header.timestamp = stream->last = ns;
	if (!stream->packet.used) {
		needed += sizeof(struct packet_header);
		stream->begin = ns;
	}
	at = bytes_room(&stream->packet, needed);
	if (!at)
		return -ENOMEM;
	if (!stream->packet.used)
		at += sizeof(struct packet_header);
	memcpy(at, &header, sizeof(header));
	at += sizeof(header);
	memcpy(at, body->data, body->used);
	stream->packet.used += needed;
	return 0;
}
