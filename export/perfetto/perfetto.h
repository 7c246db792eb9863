/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the Perfetto format share. */
#ifndef EXPORT_PERFETTO_PERFETTO_H
#define EXPORT_PERFETTO_PERFETTO_H

#include "analysis/kernel_launch.h"
#include "analysis/device_memory.h"
#include "export/convert.h"
#include "export/handles.h"
#include "export/pids.h"
#include "export/typed.h"
#include "export/wire.h"
#include "util/bytes.h"
#include "util/utf8.h"

/* Tags that are written without the library; from its descriptors, which hold the numbers. */
#define PERFETTO_TAGS(TAG) \
	TAG(packet, trace, "packet") \
	TAG(timestamp, trace_packet, "timestamp") \
	TAG(sequence, trace_packet, "trusted_packet_sequence_id") \
	TAG(flags, trace_packet, "sequence_flags") \
	TAG(event, trace_packet, "track_event") \
	TAG(interned, trace_packet, "interned_data") \
	TAG(track, track_event, "track_uuid") \
	TAG(event_name, track_event, "name_iid") \
	TAG(event_text, track_event, "name") \
	TAG(annotation, track_event, "debug_annotations") \
	TAG(flow, track_event, "flow_ids") \
	TAG(flow_end, track_event, "terminating_flow_ids") \
	TAG(counter, track_event, "counter_value") \
	TAG(entry, debug_annotation, "dict_entries") \
	TAG(name, debug_annotation, "name_iid") \
	TAG(number, debug_annotation, "uint_value") \
	TAG(integer, debug_annotation, "int_value") \
	TAG(real, debug_annotation, "double_value") \
	TAG(text, debug_annotation, "string_value") \
	TAG(interned_text, debug_annotation, "string_value_iid") \
	TAG(pointer, debug_annotation, "pointer_value")

struct perfetto_tags {
#define TAG(member, message, field) struct wire_tag member;
	PERFETTO_TAGS(TAG)
#undef TAG
};

/* Interned names of annotations; behind them those of parameters, TYPED_PARAMS a function. */
enum perfetto_name {
	PERFETTO_LIBRARY = 1,
	PERFETTO_CALLER,
	PERFETTO_CALLER_FUNCTION,
	PERFETTO_CALLER_FILE,
	PERFETTO_CALLER_LINE,
	PERFETTO_CORRELATION,
	PERFETTO_RESULT,
	PERFETTO_ERROR_TEXT,
	PERFETTO_DEPTH,
	PERFETTO_KERNEL,
	PERFETTO_STACK,
	PERFETTO_STATUS,
	PERFETTO_ARGUMENTS,
	PERFETTO_DOMAIN,
	PERFETTO_CATEGORY,
	PERFETTO_COLOUR,
	PERFETTO_PAYLOAD,
	PERFETTO_PARAMETERS
};

/* The part of an event that is the same each time, as the library packs it; in state.packed. */
struct perfetto_part {
	size_t at;
	uint32_t size;
};

/* Interned strings are numbered in this order; event names: functions, then kernels. */
struct perfetto_strings {
	uint64_t success, runtime_success, libraries, sites, functions, files, stacks, kernels;
};

struct perfetto {
	struct perfetto_tags tags;
	uint32_t sequence;	/* of the file at hand */
	uint64_t tracks;	/* numbers given so far */
	uint64_t flows;
	uint8_t stamp[16];	/* what all packets of the file have */
	size_t stamp_size;
	struct pids pids;
	/* Of the file at hand. */
	struct perfetto_strings strings;
	uint64_t process, threads, others, streams, memory;	/* tracks; those of many: of number 0 */
	int32_t pid;		/* as viewers are told */
	uint64_t last_ns;
	struct handles *seen_streams;
	struct handles *seen_others;	/* threads that nothing describes */
	struct memory_usage held;
	struct typed_function *functions;
	struct perfetto_part *sites;	/* beginnings of calls from each */
	struct perfetto_part success, runtime_success, failure, begin, instant, counter;
	struct bytes packed;
	/* Used again and again. */
	struct bytes interned;
	struct bytes body, entries;
	struct utf8_scratch scratch;
};

/* Of a file: its clock and tracks, then names and parts of events; what is needed of both in perfetto. */
int perfetto_tracks(struct convert *convert, struct perfetto *perfetto, const struct trace *trace);
int perfetto_names(struct convert *convert, struct perfetto *perfetto, const struct trace *trace);

/* A new track below the process. */
int perfetto_track(struct convert *convert, struct perfetto *perfetto, uint64_t track,
		   const char *name);

/* The same for a thread of which nothing but its number is known. */
int perfetto_unknown_thread(struct convert *convert, struct perfetto *perfetto, uint64_t track,
			    uint32_t number);

/* An instant with a text of its own. */
int perfetto_text(struct convert *convert, struct perfetto *perfetto, uint64_t ns, uint64_t track,
		  const char *text);

/*
 * A text as the library's structures want it, not const, though it does not write there.
 * Where memory is out it is "?", and no packet is written from then on.
 */
char *perfetto_library_text(struct perfetto *perfetto, const char *text);

#endif
