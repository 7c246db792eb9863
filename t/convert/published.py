# SPDX-License-Identifier: Apache-2.0
# Reads a Perfetto trace by the published schema, and says what of it that schema does not know.
import sys

from google.protobuf import unknown_fields
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema


def strangers(message, path):
    for field in unknown_fields.UnknownFieldSet(message):
        yield "%s.%d" % (path, field.field_number)
    for field, value in message.ListFields():
        if field.message_type:
            for one in value if not hasattr(value, "ListFields") else [value]:
                yield from strangers(one, path + "." + field.name)


trace = schema.Trace()
with open(sys.argv[1], "rb") as file:
    trace.ParseFromString(file.read())
for name in sorted(set(strangers(trace, "trace"))):
    print("unknown", name)
events = [packet.track_event for packet in trace.packet if packet.HasField("track_event")]
kinds = schema.TrackEvent
for name, kind in (("begins", kinds.TYPE_SLICE_BEGIN), ("ends", kinds.TYPE_SLICE_END),
                   ("instants", kinds.TYPE_INSTANT), ("counters", kinds.TYPE_COUNTER)):
    print(name, sum(event.type == kind for event in events))
print("flows", sum(len(event.flow_ids) for event in events))
print("threads", sum(packet.track_descriptor.HasField("thread") for packet in trace.packet))
print("clock", {packet.clock_snapshot.primary_trace_clock for packet in trace.packet
                if packet.HasField("clock_snapshot")} == {schema.BUILTIN_CLOCK_REALTIME})
