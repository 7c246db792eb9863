# SPDX-License-Identifier: Apache-2.0
# cuaudit convert --to otlp: requests that a collector of OpenTelemetry takes.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

helper trace/synth
mkdir "$tmp/traces"
synth -a -i -n 6000 -t 3 -p 11 -s 5 "$tmp/traces/one.cutrace"
ok "there are errors" test "$(truth errors)" -gt 0
calls=$(truth calls) errors=$(truth errors) ns=$(truth ns) launches=$(truth launches)
nested=$(truth nested) allocated=$(truth allocated)
stacks=$(truth cuMemAlloc_v2 | cut -d " " -f 1)
synth -i -n 1000 -t 1 -p 12 -s 7 "$tmp/traces/two.cutrace"
calls=$((calls + $(truth calls))) errors=$((errors + $(truth errors))) ns=$((ns + $(truth ns)))
nested=$((nested + $(truth nested)))
stacks=$((stacks + $(truth cuMemAlloc_v2 | cut -d " " -f 1)))
tool convert --to otlp -o "$tmp/out.jsonl" "$tmp/traces"
is "$status $(cat "$tmp/err")" "0 " "two files"

# Without any library: what the specification asks for, and what was put in.
cat >"$tmp/check.py" <<'END'
import json, re, sys
spans = ids = inside = failures = kernels = total = allocated = 0
known, parents, traces, sizes, roots, instances, stacks = {}, [], {}, [], {}, {}, 0
def value(attribute):
    (kind, of), = attribute['value'].items()
    assert kind in ('stringValue', 'intValue', 'boolValue', 'arrayValue'), kind
    assert isinstance(of, {'stringValue': str, 'intValue': str, 'boolValue': bool, 'arrayValue': dict}[kind])
    return int(of) if kind == 'intValue' else of
for line in open(sys.argv[1]):
    request = json.loads(line)
    (resource,), = request.values()
    attributes = {a['key']: value(a) for a in resource['resource']['attributes']}
    (scope,) = resource['scopeSpans']
    assert scope['scope']['name'] == 'cuaudit'
    sizes.append(len(scope['spans']))
    for span in scope['spans']:
        assert re.fullmatch('[0-9a-f]{32}', span['traceId']) and int(span['traceId'], 16)
        assert re.fullmatch('[0-9a-f]{16}', span['spanId']) and int(span['spanId'], 16)
        assert span['kind'] == 1
        traces.setdefault(span['traceId'], set()).add(attributes['process.pid'])
        start, end = int(span['startTimeUnixNano']), int(span['endTimeUnixNano'])
        of = {a['key']: value(a) for a in span['attributes']}
        instances.setdefault(attributes['service.instance.id'], set()).add(span['traceId'])
        if 'parentSpanId' not in span:
            assert span['traceId'] not in roots and span['name'] == 'python3.12'
            roots[span['traceId']] = span['spanId'], start, end
            assert of == {'cuda.finished': True}
            continue
        stacks += 'code.stacktrace' in of
        assert 'code.stacktrace' not in of or all(re.fullmatch(r'[a-zA-Z0-9_.]+\+0x[0-9a-f]+', frame)
                                                  for frame in of['code.stacktrace'].split('\n'))
        assert len(of) == len(span['attributes'])
        assert span['spanId'] not in known
        known[span['spanId']] = (span['traceId'], of['thread.id'], start, end)
        parents.append((span['spanId'], span['parentSpanId']))
        failed = of['cuda.result'] not in ('CUDA_SUCCESS', 'CUDA_ERROR_NOT_READY')
        assert failed == ('status' in span) and of.get('error.type') == (of['cuda.result'] if failed else None)
        if failed:
            assert span['status'] == {'code': 2, 'message': of['cuda.result']}
        failures += failed
        kernels += 'cuda.kernel' in of or (failed and span['name'] == 'cuLaunchKernel')
        total += end - start
        if span['name'] == 'cuMemAlloc_v2':
            allocated += of.get('cuda.argument.bytesize', 0)
for span, (trace, _, start, end) in known.items():
    assert roots[trace][1] <= start and end <= roots[trace][2]
parents = [(child, parent) for child, parent in parents if parent != roots[known[child][0]][0]]
for child, parent in parents:
    a, b = known[child], known[parent]
    assert a[:2] == b[:2] and b[2] <= a[2] and a[3] <= b[3], (a, b)
assert max(sizes) == 512 and len(roots) == 2
assert len(instances) == 2 and all(len(of) == 1 for of in instances.values())
assert all(re.fullmatch('[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}', of) for of in instances)
assert sorted(map(sorted, traces.values())) == [[11], [12]], traces
assert attributes['service.name'] == 'python3.12' and attributes['host.name'] == 'node017'
assert [v['stringValue'] for v in attributes['process.command_args']['values']] == \
    ['python3', 'train.py', '--steps=10']
print(len(known), len(parents), failures, kernels, allocated, abs(total - int(sys.argv[2])) < len(known), stacks)
END
if command -v "$PYTHON3" >"$tmp/which"; then
	is "$("$PYTHON3" "$tmp/check.py" "$tmp/out.jsonl" "$ns" 2>&1)" \
		"$calls $nested $errors $launches $allocated True $stacks" "spans, parents, errors, kernels, bytes"
	# Calls whose outer ones are not taken.
	tool convert --to otlp -f '%launch,%memory' -o "$tmp/some.jsonl" "$tmp/traces"
	like "$("$PYTHON3" "$tmp/check.py" "$tmp/some.jsonl" 0 2>&1)" \
		"^[0-9]+ [1-9][0-9]* [0-9]+ $launches $allocated False [0-9]+\$" "parents are those there are"
else
	skip 2 "no python3"
fi

# A number that intValue cannot hold is a text.
if command -v "$PYTHON3" >"$tmp/which"; then
	$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="trace(file=$tmp/large.cutrace)" \
		"$PYTHON3" -c 'import ctypes
driver = ctypes.CDLL("libcuda.so.1")
for size in (2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1):
    driver.cuMemAlloc_v2(ctypes.byref(ctypes.c_uint64()), ctypes.c_uint64(size))' >"$tmp/ran.out" 2>&1
	tool convert --to otlp "$tmp/large.cutrace"
	is "$(grep -o '"cuda.argument.bytesize","value":{[^}]*}' "$tmp/out" | sed 's/.*value"://')" \
		'{"intValue":"9223372036854775807"}
{"stringValue":"9223372036854775808"}
{"stringValue":"18446744073709551615"}' "numbers of more than 63 bits"
	is "$("$PYTHON3" -c '
import json, sys
for line in sys.stdin:
    for span in json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        if "parentSpanId" not in span:
            print(*(a["key"] + str(a["value"]) for a in span["attributes"]))' <"$tmp/out" 2>&1)" \
		"process.exit.code{'intValue': '0'} cuda.finished{'boolValue': True}" "the exit status of a process"
else
	skip 2 "no python3"
fi

# Two calls that had not ended, the one inside of the other, which is first in the file.
synth -a -k -n 3000 -t 1 "$tmp/killed.cutrace"
for open in "24 2000009000000 0 0" "6 2000009000100 1 1"; do
	# shellcheck disable=SC2086 # several arguments
	"$PERL" "$top_srcdir/t/convert/alter.pl" "$tmp/killed.cutrace" open $open || bail_out "alter.pl"
done
tool convert --to otlp "$tmp/killed.cutrace"
if command -v "$PYTHON3" >"$tmp/which"; then
	is "$("$PYTHON3" -c '
import json, sys
spans = [s for line in sys.stdin for s in json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"]]
of = {s["spanId"]: s for s in spans}
for span in spans:
    if any(a["key"] == "cuda.unfinished" for a in span["attributes"]):
        print(span["name"], "in", of[span["parentSpanId"]]["name"])' <"$tmp/out" | sort)" \
		"cuCtxGetCurrent in cuStreamSynchronize
cuStreamSynchronize in python3.12" "calls that had not ended are inside of others, too"
else
	skip 1 "no python3"
fi

# The published messages. In OTLP's JSON ids are hexadecimal, where protobuf's has base64.
cat >"$tmp/proto.py" <<'END'
import base64, json, sys
from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
def ids(value):
    if isinstance(value, list):
        return [ids(v) for v in value]
    if not isinstance(value, dict):
        return value
    return {k: base64.b64encode(bytes.fromhex(v)).decode()
            if k in ('traceId', 'spanId', 'parentSpanId') else ids(v) for k, v in value.items()}
spans = failures = parents = 0
for line in open(sys.argv[1]):
    request = Parse(json.dumps(ids(json.loads(line))), ExportTraceServiceRequest())
    for resource in request.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                assert len(span.trace_id) == 16 and len(span.span_id) == 8
                assert span.end_time_unix_nano >= span.start_time_unix_nano > 17 * 10 ** 17
                spans += 1
                failures += span.status.code == 2
                parents += len(span.parent_span_id) == 8
print(spans, parents, failures)
END
if "$PYTHON3" -c 'import opentelemetry.proto.collector.trace.v1.trace_service_pb2' 2>"$tmp/which"; then
	is "$("$PYTHON3" "$tmp/proto.py" "$tmp/out.jsonl" 2>&1)" "$((calls + 2)) $calls $errors" \
		"the published schema takes every request"
	sed 's/"startTimeUnixNano"/"startTimeUnixNanos"/' "$tmp/out.jsonl" >"$tmp/wrong"
	like "$("$PYTHON3" "$tmp/proto.py" "$tmp/wrong" 2>&1)" 'has no field named' "... and no other"
else
	skip 2 "no opentelemetry.proto"
fi
done_testing
