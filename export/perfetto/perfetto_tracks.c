/* SPDX-License-Identifier: Apache-2.0 */
/* Perfetto's clock and tracks, of a trace's process and threads; packed by protobuf-c. */
#include "export/perfetto/perfetto.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "export/fields.h"
#include "export/perfetto/perfetto.pb-c.h"

static int put(struct convert *convert, const struct perfetto *perfetto,
	       Perfetto__TracePacket *packet)
{
	size_t size;
	uint8_t *start, *at;

	if (perfetto->scratch.failed)
		return -ENOMEM;
	packet->has_trusted_packet_sequence_id = 1;
	packet->trusted_packet_sequence_id = perfetto->sequence;
	size = perfetto__trace_packet__get_packed_size(packet);
	start = at = sink_room(convert->sink, size + sizeof(struct wire_tag) + WIRE_VARINT_MAX);
	if (!at)
		return convert->sink->error;
	at = wire_length(at, perfetto->tags.packet, size);
	at += perfetto__trace_packet__pack(packet, at);
	sink_took(convert->sink, (size_t)(at - start));
	return 0;
}

char *perfetto_library_text(struct perfetto *perfetto, const char *text)
{
	const char *clean = utf8_clean(&perfetto->scratch, text);

	return (char *)(uintptr_t)(clean ? clean : "?");
}

static int put_track(struct convert *convert, const struct perfetto *perfetto,
		     Perfetto__TrackDescriptor *track)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

	track->has_uuid = 1;
	packet.track_descriptor = track;
	return put(convert, perfetto, &packet);
}

static int put_child(struct convert *convert, struct perfetto *perfetto, uint64_t uuid,
		     const char *name, Perfetto__CounterDescriptor *counter)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;

	track.uuid = uuid;
	track.has_parent_uuid = 1;
	track.parent_uuid = perfetto->process;
	track.name = perfetto_library_text(perfetto, name);
	track.counter = counter;
	return put_track(convert, perfetto, &track);
}

int perfetto_track(struct convert *convert, struct perfetto *perfetto, uint64_t track,
		   const char *name)
{
	return put_child(convert, perfetto, track, name, NULL);
}

static int put_counter(struct convert *convert, struct perfetto *perfetto, uint64_t track,
		     const char *name)
{
	Perfetto__CounterDescriptor counter = PERFETTO__COUNTER_DESCRIPTOR__INIT;

	counter.has_unit = 1;
	counter.unit = PERFETTO__COUNTER_DESCRIPTOR__UNIT__UNIT_SIZE_BYTES;
	return put_child(convert, perfetto, track, name, &counter);
}

int perfetto_text(struct convert *convert, struct perfetto *perfetto, uint64_t ns, uint64_t track,
		  const char *text)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__TrackEvent event = PERFETTO__TRACK_EVENT__INIT;

	event.has_type = event.has_track_uuid = 1;
	event.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_INSTANT;
	event.track_uuid = track;
	event.name = perfetto_library_text(perfetto, text);
	packet.has_timestamp = packet.has_sequence_flags = 1;
	packet.timestamp = ns;
	packet.sequence_flags =
		PERFETTO__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_NEEDS_INCREMENTAL_STATE;
	packet.track_event = &event;
	return put(convert, perfetto, &packet);
}

/* The first of a file's packets: what the timestamps of those behind it mean. */
static int put_clock(struct convert *convert, struct perfetto *perfetto, const struct trace *trace)
{
	Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__TracePacketDefaults defaults = PERFETTO__TRACE_PACKET_DEFAULTS__INIT;
	Perfetto__ClockSnapshot snapshot = PERFETTO__CLOCK_SNAPSHOT__INIT;
	Perfetto__ClockSnapshot__Clock clock = PERFETTO__CLOCK_SNAPSHOT__CLOCK__INIT;
	Perfetto__ClockSnapshot__Clock *clocks[] = { &clock };
	int error;

	clock.has_clock_id = clock.has_timestamp = 1;
	clock.clock_id = PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_REALTIME;
	clock.timestamp = trace->start_ns;
	snapshot.n_clocks = 1;
	snapshot.clocks = clocks;
	snapshot.has_primary_trace_clock = 1;
	snapshot.primary_trace_clock = PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_REALTIME;
	packet.clock_snapshot = &snapshot;
	error = put(convert, perfetto, &packet);
	if (error)
		return error;
	packet.clock_snapshot = NULL;
	defaults.has_timestamp_clock_id = 1;
	defaults.timestamp_clock_id = PERFETTO__BUILTIN_CLOCK__BUILTIN_CLOCK_REALTIME;
	packet.trace_packet_defaults = &defaults;
	packet.has_first_packet_on_sequence = packet.first_packet_on_sequence = 1;
	packet.has_sequence_flags = 1;
	packet.sequence_flags =
		PERFETTO__TRACE_PACKET__SEQUENCE_FLAGS__SEQ_INCREMENTAL_STATE_CLEARED;
	return put(convert, perfetto, &packet);
}

enum { ARGUMENTS = 512 };

/* The command's arguments as UTF-8, each ended by a NUL. */
static size_t split(const char *command, size_t size, char *clean, char *arguments[ARGUMENTS])
{
	size_t count = 0, length;

	for (size_t at = 0; at < size && command[at] && count < ARGUMENTS; at += length + 1) {
		length = strnlen(command + at, size - at);
		arguments[count++] = clean;
		clean += utf8_copy(clean, command + at, length) + 1;
	}
	return count;
}

static int put_process(struct convert *convert, struct perfetto *perfetto,
		       const struct trace *trace)
{
	const struct cuaudit_trace_header *header = &trace->header;
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;
	char command[UTF8_GROWTH * sizeof(header->command) + 1], name[256], *arguments[ARGUMENTS];
	char host[UTF8_GROWTH * sizeof(header->host) + 8], rank[32], pid[32], *labels[3] = { host, rank };
	int length;

	process.n_cmdline = split(header->command, sizeof(header->command), command, arguments);
	process.cmdline = arguments;
	length = snprintf(name, 200, "%s", perfetto_library_text(perfetto, fields_program(trace)));
	if (length > 199)
		length = 199;
	snprintf(host, sizeof(host), "host %s", perfetto_library_text(perfetto, header->host));
	process.n_process_labels = 1;
	process.process_labels = labels;
	if (header->rank >= 0) {
		snprintf(rank, sizeof(rank), "rank %d", header->rank);
		snprintf(name + length, sizeof(name) - (size_t)length, " (%s)", rank);
		process.n_process_labels = 2;
	}
	if (perfetto->pid != (int64_t)header->pid) {
		snprintf(pid, sizeof(pid), "pid %u", header->pid);
		labels[process.n_process_labels++] = pid;
	}
	process.has_pid = process.has_start_timestamp_ns = 1;
	process.pid = perfetto->pid;
	process.process_name = perfetto_library_text(perfetto, name);
	process.start_timestamp_ns = (int64_t)trace->start_ns;
	track.uuid = perfetto->process;
	track.process = &process;
	return put_track(convert, perfetto, &track);
}

int perfetto_unknown_thread(struct convert *convert, struct perfetto *perfetto, uint64_t track,
			    uint32_t number)
{
	char name[32];

	snprintf(name, sizeof(name), "thread %u", number);
	return perfetto_track(convert, perfetto, track, name);
}

static int put_thread(struct convert *convert, struct perfetto *perfetto,
		      const struct trace_thread *from)
{
	Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;

	if (!from->tid)
		return perfetto_unknown_thread(convert, perfetto, perfetto->threads + from->number,
					       from->number);
	thread.has_pid = thread.has_tid = 1;
	thread.pid = perfetto->pid;
	thread.tid = from->tid;
	thread.thread_name = perfetto_library_text(perfetto, from->name);
	track.uuid = perfetto->threads + from->number;
	track.has_parent_uuid = 1;
	track.parent_uuid = perfetto->process;
	track.thread = &thread;
	return put_track(convert, perfetto, &track);
}

static int put_all(struct convert *convert, struct perfetto *perfetto,
		      const struct trace *trace)
{
	uint32_t last = trace->nthreads ? trace->threads[trace->nthreads - 1].number : 0;
	int error;

	perfetto->pid = (int32_t)pids_take(&perfetto->pids, trace->header.pid);
	if (!perfetto->pid)
		return -ENOMEM;
	perfetto->process = ++perfetto->tracks;
	perfetto->threads = ++perfetto->tracks;
	perfetto->tracks += last;
	perfetto->streams = perfetto->tracks;
	perfetto->tracks += HANDLES_MAX;
	perfetto->others = perfetto->tracks;
	perfetto->tracks += HANDLES_MAX;
	error = put_process(convert, perfetto, trace);
	if (!error && perfetto->held.known) {
		perfetto->memory = ++perfetto->tracks;
		error = put_counter(convert, perfetto, perfetto->memory, "device memory");
	}
	for (size_t i = 0; !error && i < trace->nthreads; i++)
		error = put_thread(convert, perfetto, &trace->threads[i]);
	return error;
}

int perfetto_tracks(struct convert *convert, struct perfetto *perfetto, const struct trace *trace)
{

	return put_clock(convert, perfetto, trace) ?: put_all(convert, perfetto, trace);
}
