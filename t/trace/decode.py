#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decodes traces by cuaudit-trace(5) alone, and compares them with cuaudit convert --to jsonl.

decode.py TABLES TRACE JSONL

TABLES is the directory of driver_api.def, for the names of parameters and of enumerators. JSONL is
what `cuaudit convert --to jsonl --demangle no` made of TRACE. Prints what was compared, or what
differs, with status 1. Python's standard library alone; nothing here is shared with cuaudit.
"""
import json
import re
import struct
import sys

FUNCTION, LIBRARY, SITE, THREAD, KERNEL, CALLERS, DRIVER, MARK, LAYOUT = range(1, 10)
PYTHON, ERROR_TEXT = 10, 15
NATIVE_FRAME, PYTHON_FRAME, CUT_FRAME = range(3)
RANGE_NAME, TYPES = 11, 16
LONG, STATUS, CORRELATION, STACK, WITH_ARGUMENTS, RANGE, NEXT_THREAD = 1, 2, 4, 8, 16, 64, 128
PUSH, POP, START, FINISH, RANGE_MARK, RESET, IS_OPEN = range(1, 8)
TICKS, ID, COLOUR, PAYLOAD, RANGE_TEXT, RANGE_CUT = 1, 2, 4, 8, 16, 32
NOTHING, VALUE, DEREF, TEXT, ARRAY, PARAMETERS = range(6)
SKIPPED, CUT, INPUTS, FAILED = 1, 2, 4, 8
REASONS = ['beyond its size', 'on a full or failing disk', 'for want of memory', 'that were not hooked',
           'written over', 'of which a signal handler left the hook']
RANGE_REASONS = ['ranges inside of too many others', 'ranges while too many were open',
                 'events of ranges of signal handlers', 'names of ranges, as there are too many',
                 'ends of ranges that are not open', 'ranges for want of memory', 'events of ranges for want of room']


def text_of(data):
    text = data.split(b'\0')[0].decode('utf-8', 'surrogateescape')
    return re.sub('[\udc80-\udcff]', '?', text)


def range_text_of(data):
    text = data.split(b'\0')[0].decode('utf-8', 'surrogateescape')
    return re.sub('[\udc80-\udcff]', '\ufffd', text)


class Call:
    """A record of a call; end is in ticks, at is the file's byte that it begins at."""
    def __init__(self, **fields):
        self.__dict__.update(fields)


class Trace:
    def __init__(self, path):
        with open(path, 'rb') as file:
            self.data = file.read()
        self.functions, self.libraries, self.sites, self.threads = {}, {}, {}, {}
        self.kernels, self.stacks, self.drivers, self.marks = {}, {}, {}, []
        self.kinds, self.layouts, self.error_texts, self.pythons = {}, {}, {}, {}
        self.names, self.events, self.ends, self.damaged, self.thread_names = {}, [], {}, 0, {}
        self.header()
        self.chunks()
        self.clock()

    def number(self, form, at):
        return struct.unpack_from(self.order + form, self.data, at)[0]

    def header(self):
        data = self.data
        assert data[:8] == b'cuatrace'
        self.order = '<' if data[12:16] == b'\x04\x03\x02\x01' else '>'
        assert self.number('I', 12) == 0x01020304 and self.number('I', 8) == 1
        assert not self.number('Q', 16) & ~15
        self.again = self.number('Q', 16) & 1
        self.chunk, self.flags, self.pid, self.parent = (self.number('I', at) for at in (32, 36, 40, 44))
        self.rank = self.number('i', 48)
        self.clock_source = self.number('I', 52)
        self.mult, self.shift = self.number('Q', 56), self.number('I', 64)
        self.start_ticks, self.start_ns, self.end_ticks, self.end_ns = (
            self.number('Q', at) for at in (80, 88, 96, 104))
        self.lost = [self.number('Q', 120 + 8 * i) for i in range(8)]
        self.host, self.program = text_of(data[184:248]), text_of(data[248:1272])
        self.command = data[1272:3320].rstrip(b'\0').replace(b'\0', b' ').decode('utf-8', 'replace')
        self.size, self.start_raw, self.end_raw = (self.number('Q', at) for at in (3320, 3328, 3336))
        self.ending, self.status = self.number('I', 3344), self.number('I', 3348)
        self.lost_ranges = [self.number('Q', 3352 + 8 * i) for i in range(8)]

    def chunks(self):
        described, self.rows = [(0, 4096, min(self.chunk, len(self.data)))], []
        for at in range(self.chunk, len(self.data) - 255, self.chunk):
            end = min(at + self.chunk, len(self.data))
            kind, sequence = self.number('I', at), self.number('Q', at + 8)
            if kind == 1:
                described.append((sequence, at + 256, end))
            elif kind == 2:
                self.rows.append((sequence, at, end))
        for _, at, end in sorted(described):
            self.descriptions(at, end)
        self.rows.sort()

    def descriptions(self, at, end):
        while at + 8 <= end:
            kind, size = self.number('I', at), self.number('I', at + 4)
            if not kind:
                return
            assert size >= 8 and size % 8 == 0 and at + size <= end
            self.kinds[kind] = self.kinds.get(kind, 0) + 1
            self.describe(kind, at, self.data[at:at + size])
            at += size

    def describe(self, kind, at, record):
        if kind == FUNCTION:
            nsteps = self.number('I', at + 28)
            texts = record[128:].split(b'\0')
            steps = [struct.unpack_from(self.order + 'BBH', record, 32 + 4 * i) for i in range(nsteps)]
            self.functions[self.number('I', at + 8)] = {
                'name': texts[0].decode(), 'base': texts[1].decode(), 'steps': steps,
                'driver': self.number('I', at + 12), 'id': self.number('i', at + 16),
                'classes': self.number('I', at + 20), 'version': self.number('I', at + 24)}
        elif kind == LIBRARY:
            self.libraries[self.number('I', at + 8)] = {
                'base': self.number('Q', at + 16), 'path': text_of(record[56:]),
                'build_id': record[24:24 + self.number('I', at + 12)]}
        elif kind == SITE:
            self.sites[self.number('I', at + 8)] = (
                self.number('I', at + 12), self.number('I', at + 16), self.number('Q', at + 24))
        elif kind == THREAD:
            self.threads[self.number('I', at + 8)] = (self.number('i', at + 12), text_of(record[16:32]))
            self.ends[self.number('I', at + 8)] = self.number('Q', at + 40)
        elif kind == KERNEL:
            self.kernels.setdefault(self.number('Q', at + 8), []).append(
                (self.number('Q', at + 16), text_of(record[24:])))
        elif kind == CALLERS:
            self.stacks[self.number('I', at + 8)] = [
                struct.unpack_from(self.order + 'QII', record, 16 + 16 * i)
                for i in range(self.number('I', at + 12))]
        elif kind == DRIVER:
            self.drivers[self.number('I', at + 8)] = (self.number('I', at + 12), text_of(record[16:]))
        elif kind == RANGE_NAME:
            named, domain, what = self.number('Q', at + 8), self.number('I', at + 16), self.number('I', at + 20)
            self.names[what, domain, named if what != 1 else 0] = range_text_of(record[24:])
            if what == 3:
                self.thread_names[named] = range_text_of(record[24:])
        elif kind == LAYOUT:
            self.layouts[self.number('I', at + 8)] = [
                struct.unpack_from(self.order + 'II', record, 16 + 8 * i)
                for i in range(self.number('I', at + 12))]
        elif kind == PYTHON:
            texts = record[16:].split(b'\0')
            self.pythons[self.number('I', at + 8)] = (
                texts[0], texts[1], self.number('I', at + 12))
        elif kind == TYPES:
            text, behind = record[32:].split(b'\0', 1)
            words = list(record[16:16 + self.number('H', at + 12)])
            words += [word - 1 for word in behind.split(b'\0')[0]] if len(words) == 16 else []
            lines = [line.split('\t') for line in text.decode().splitlines()]
            self.functions[self.number('I', at + 8)]['types'] = {
                'params': list(zip(words, [field.split(' ', 2) for field in lines[0][3:]])),
                'more': len(lines[0]) - 3 > len(words) or lines[0][-1] == '...',
                'result': (self.number('H', at + 14), lines[0][2].split(' ', 1)),
                'enums': {line[1]: dict(value.split('=') for value in line[2:]) for line in lines[1:]}}
        elif kind == ERROR_TEXT:
            self.error_texts.setdefault(self.number('Q', at + 8), text_of(record[24:]))
        elif kind == MARK:
            self.marks.append((self.number('Q', at + 8), self.number('I', at + 16), text_of(record[24:])))

    def clock(self):
        readings = [(self.start_ticks, self.start_ns, self.start_raw)]
        readings += [tuple(self.number('Q', at + field) for field in (16, 24, 56)) for _, at, _ in self.rows]
        if self.end_ticks:
            readings.append((self.end_ticks, self.end_ns, self.end_raw))
        if self.start_raw:
            readings[1:] = [reading for reading in readings[1:] if reading[2]]
        readings.sort(key=lambda reading: reading[0])
        which, most = (2, 0.01) if self.start_raw else (1, 0.001)
        ticks = readings[-1][0] - readings[0][0]
        ns = readings[-1][which] - readings[0][which]
        if self.clock_source != 1 or ticks <= 0 or ns < 100000000:
            return
        said = self.mult / (1 << self.shift)
        if (1 - most) * said <= ns / ticks <= (1 + most) * said:
            self.mult, self.shift = ((ns << 32) + ticks // 2) // ticks, 32

    def time(self, ticks):
        return self.start_ns + ((ticks - self.start_ticks) * self.mult >> self.shift)

    def duration(self, ticks):
        return ticks * self.mult >> self.shift

    def address(self, address, library):
        known = self.libraries.get(library)
        if not known or not known['base'] or address < known['base']:
            return hex(address)
        return '%s+%s' % (known['path'].rsplit('/', 1)[-1], hex(address - known['base']))

    def frame(self, address, library, kind):
        if not self.number('Q', 16) & 4 or kind == NATIVE_FRAME:
            return self.address(address, library)
        self.counted.add('python' if kind == PYTHON_FRAME else 'cut')
        if kind == CUT_FRAME:
            return '...'
        name, file, line = self.pythons[address]
        return '%s (%s%s)' % (text_of(name), text_of(file), ':%d' % line if line else '')

    def calls(self):
        """The calls, chunk by chunk, and what is open in a thread's last chunk."""
        self.open, self.seen, self.counted = {}, max(self.start_ticks, self.end_ticks), set()
        for sequence, start, end in self.rows:
            thread = first = self.number('I', start + 4)
            last, correlation = self.number('Q', start + 16), self.number('Q', start + 32)
            at, records = start + 256, {}
            while at + 8 <= end:
                word = self.number('Q', at)
                words, flags = word & 255, word >> 8 & 255
                if not words or at + 8 * words > end:
                    break
                more = struct.unpack_from('%s%dQ' % (self.order, words - 1), self.data, at + 8)
                call = Call(at=at, result=0, depth=0, status=0, stack=None, data=None)
                if words == 1:
                    self.counted.add('again')
                    assert self.again
                    correlation += 1
                    last += word >> 42
                    call.took = word >> 24 & 0x3ffff
                    call.site, call.data = records[at - 8 * (word >> 8 & 0xffff)]
                elif flags & RANGE:
                    self.counted.add('ranges')
                    last += more[1] if flags & LONG else word >> 32
                    event = self.event(word, more, last, thread)
                    if event:
                        self.events.append((sequence, at, event))
                    else:
                        self.damaged += 1
                    at += 8 * words
                    continue
                elif flags & NEXT_THREAD:
                    self.counted.add('next')
                    thread, last, correlation, records = more[0] & 0xffffffff, more[1], more[3], {}
                    at += 8 * words
                    continue
                else:
                    low = (word >> 16 & 0xffff) - correlation & 0xffff
                    correlation += low - 0x10000 if low >= 0x8000 else low
                    delta, call.took, call.site = word >> 32, more[0] & 0xffffffff, more[0] >> 32
                    rest = 1
                    if flags & LONG:
                        self.counted.add('long')
                        delta, call.took, rest = more[rest], more[rest + 1], rest + 2
                    last += delta
                    if flags & STATUS:
                        self.counted.add('status')
                        said, rest = more[rest], rest + 1
                        call.result, call.depth = said & 0xffffffff, said >> 32 & 0xffff
                        call.result -= (call.result & 0x80000000) << 1
                        call.status = said >> 48
                    if flags & CORRELATION:
                        self.counted.add('correlation')
                        correlation, rest = more[rest], rest + 1
                    if flags & STACK:
                        self.counted.add('stack')
                        call.stack, rest = more[rest] & 0xffffffff, rest + 1
                    if flags & WITH_ARGUMENTS:
                        call.data = self.data[at + 8 + 8 * rest:at + 8 * words]
                    if 8 * (words - 1 - rest) <= 64 or call.data is None:
                        records[at] = call.site, call.data
                call.thread, call.end, call.correlation = thread, last, correlation
                at += 8 * words
                yield call
            self.seen = max(self.seen, last, *(self.number('Q', start + 128 + 16 * i) for i in range(4)))
            self.open[first] = [(thread,) + struct.unpack_from(self.order + 'QII', self.data, start + 128 + 16 * i)
                                for i in range(4)]
            self.seen = max([self.seen] + [one[1] for one in self.open[first]])

    def event(self, word, more, ticks, thread):
        """A record of a range, as a dictionary; None: it has not the words that it says."""
        what, rest = word >> 20 & 255, 2 if word >> 8 & LONG else 1
        event = {'kind': word >> 16 & 15, 'what': what, 'payload_type': word >> 28 & 15, 'ticks': ticks,
                 'thread': thread, 'domain': more[0] & 0xffffffff, 'category': more[0] >> 32, 'text': ''}
        for bit in (TICKS, ID, COLOUR, PAYLOAD):
            if what & bit and rest == len(more):
                return None
            if what & bit:
                event[bit], rest = more[rest], rest + 1
        if what & RANGE_TEXT:
            event['text'] = range_text_of(struct.pack('%s%dQ' % (self.order, len(more) - rest), *more[rest:]))
        return event

    def ranges(self):
        """All ranges and marks, once calls() has gone through the chunks; .end is None for unfinished ones."""
        found, stacks, old, started = [], {}, {}, {}

        def add(event, kind, start):
            one = dict(event, kind=kind, start=start, end=None, end_thread=event['thread'], depth=0)
            found.append(one)
            return one

        def drop(thread):
            for one in old[thread][0]:
                one['until'] = old[thread][1]
            del old[thread]

        for _, _, event in sorted(self.events, key=lambda one: one[:2]):
            kind, thread = event['kind'], event['thread']
            stack = stacks.setdefault(thread, [])
            if kind != IS_OPEN and thread in old:
                drop(thread)
            if kind == RESET:
                old[thread] = (stack, event['ticks'])
                stacks[thread] = []
            elif kind == PUSH:
                one = add(event, PUSH, event['ticks'])
                one['depth'] = len(stack)
                stack.append(one)
            elif kind == IS_OPEN:
                known = [one for one in old.get(thread, ([],))[0]
                         if (one['start'], one['domain']) == (event[TICKS], event['domain'])]
                one = known[0] if known else add(event, PUSH, event[TICKS])
                if known:
                    old[thread][0].remove(one)
                one['depth'] = len(stack)
                stack.append(one)
            elif kind == POP:
                at = [i for i, one in enumerate(stack) if one['domain'] == event['domain']]
                if at:
                    stack.pop(at[-1])['end'] = event['ticks']
                else:
                    self.damaged += 1
            elif kind == RANGE_MARK:
                add(event, RANGE_MARK, event['ticks'])['end'] = event['ticks']
            elif kind not in (START, FINISH):
                self.damaged += 1
            else:
                one = started.get(event[ID])
                if one is None:
                    one = add(event, START, event[TICKS] if kind == FINISH else event['ticks'])
                    started[event[ID]] = one
                    if kind == FINISH:
                        one['thread'] = 0
                elif kind == START:
                    one['thread'] = thread
                if kind == FINISH:
                    one['end'], one['end_thread'] = event['ticks'], thread
        for thread in list(old):
            drop(thread)
        return found

    def arguments(self, call):
        """By the first of its words: bytes, text, a list of bytes; None for a pointer that was NULL."""
        steps = self.functions[self.sites[call.site][0]]['steps']
        data, at, mask, bit, found = call.data, 0, 0, 0, {}
        if any(how >= DEREF for how, _, _ in steps):
            mask, at = struct.unpack_from(self.order + 'H', data)[0], 2
        for how, word, size in steps:
            if how == VALUE:
                found[word] = data[at:at + size]
                for i in range(8, size, 8):
                    found[word + i // 8] = data[at + i:at + size]
                at += size
            if how < DEREF:
                continue
            there, bit = mask >> bit & 1, bit + 1
            if not there:
                if not call.result and not call.status & (SKIPPED | FAILED):
                    found.setdefault(word, None)
                continue
            if how == DEREF:
                found[word] = [data[at:at + size]]
                at += size
                continue
            count = struct.unpack_from(self.order + 'H', data, at)[0]
            count, cut, at = count & 0x7fff, ['...'] if count & 0x8000 else [], at + 2
            if how == PARAMETERS:
                layout, at = struct.unpack_from(self.order + 'I', data, at)[0], at + 4
                self.counted.add('unknown' if layout == 0xffffffff else 'parameters')
                if layout != 0xffffffff:
                    found[word] = self.parameters(layout, data[at:at + count]) + cut
                at += count
            elif how == TEXT:
                found[word] = text_of(data[at:at + count]) + ''.join(cut)
                at += count
            else:
                found[word] = [data[at + i * size:at + (i + 1) * size] for i in range(count)] + cut
                at += count * size
        assert at <= len(data) and len(data) - at < 8 and not any(data[at:])
        return found

    def parameters(self, layout, data):
        assert self.number('Q', 16) & 2
        whole = [(offset, offset + size) for offset, size in self.layouts[layout] if offset + size <= len(data)]
        return [data[begin:end] for begin, end in whole]

    def kernel(self, handle, ticks):
        named = sorted(self.kernels.get(handle, []), key=lambda one: one[0])
        before = [name for since, name in named if since <= ticks]
        return before[-1] if before else named[0][1] if named else None


class Tables:
    """What the page does not tell: names of parameters and of enumerators."""
    def __init__(self, directory):
        self.params, self.launches, self.values = {}, set(), {}
        with open(directory + '/driver_api.def') as file:
            for line in file:
                row = re.match(r'CUAPI\(\d+, (\w+), \w+, \d+, \d+, \w+, \d+, ([\w |]+), \d+, ?(.*)\)$', line)
                if row:
                    self.params[row[1]] = re.findall(r'P\((\w+), (.*?), (\w+)\)(?: SEP|$)', row[3])
                    if 'LAUNCH' in row[2]:
                        self.launches.add(row[1])
        for name in ('driver_enums.def', 'driver_params.def'):
            with open(directory + '/' + name) as file:
                for enumerator, value in re.findall(r'^ENUMERATOR\([^,]*, (\w+), (-?\w+)\)', file.read(), re.M):
                    self.values[enumerator] = int(value, 0)

    def enumerators(self, text):
        total = 0
        for part in text.split('|'):
            if part not in self.values and not re.match(r'(0x)?[0-9a-f]+$', part):
                return None
            total |= self.values[part] if part in self.values else int(part, 0)
        return total


class Differs(Exception):
    pass


def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [leaf for one in value for leaf in leaves(one)]
    return [value]


class Comparison:
    def __init__(self, trace, tables):
        self.trace, self.tables, self.compared = trace, tables, 0

    def scalar(self, value, raw):
        size = len(raw)
        number = int.from_bytes(raw, 'little' if self.trace.order == '<' else 'big')
        if value is None:
            return not number
        if isinstance(value, float) or value in ('nan', 'inf', '-inf'):
            real = struct.unpack(self.trace.order + ('f' if size == 4 else 'd'), raw)[0]
            return str(real) == value if isinstance(value, str) else real == value
        if isinstance(value, int):
            return value % (1 << 8 * size) == number
        if value.startswith('0x'):
            return int(value, 16) == number or value == '0x' + raw.hex()
        if re.match(r'-?[0-9]+$', value):
            return int(value) % (1 << 8 * size) == number
        known = self.tables.enumerators(value)
        return known is not None and known % (1 << 8 * size) == number

    def inside(self, value, raw):
        """All members of a structure are among its bytes, aligned."""
        for leaf in leaves(value):
            if leaf is None or leaf == '...':
                continue
            text = leaf if isinstance(leaf, str) and leaf.startswith('0x') else ''
            if len(text) % 2 == 0 and text[2:] and text[2:] in raw.hex():
                continue
            if not any(self.scalar(leaf, raw[at:at + size]) for size in (1, 2, 4, 8)
                       for at in range(0, len(raw) - size + 1, size)):
                return False
        return True

    def value(self, value, raw):
        if isinstance(value, dict):
            return self.inside(value, raw)
        return self.scalar(value, raw)

    def argument(self, value, found):
        self.compared += 1
        if found is None or isinstance(found, str):
            return value == found
        if isinstance(found, bytes):
            return self.value(value, found)
        if not isinstance(value, list):
            return len(found) == 1 and self.value(value, found[0])
        if len(found) == 1 and len(value) > 1 and value[1] != '...':
            size = len(found[0]) // len(value)
            found = [found[0][i * size:(i + 1) * size] for i in range(len(value))]
        return len(value) == len(found) and all(
            one == raw if isinstance(raw, str) else self.value(one, raw) for one, raw in zip(value, found))

    def arguments(self, function, call, line):
        given, word = line.get('arguments', {}), 0
        if call.data is None or 'arguments' not in line:
            assert call.data is None and 'arguments' not in line
            return
        found = self.trace.arguments(call)
        if 'types' in function:
            self.typed(function['types'], found, given)
            return
        sizes = {at: size for how, at, size in function['steps'] if how == VALUE}
        followed = {at for how, at, _ in function['steps'] if how >= DEREF}
        for direction, kind, name in self.tables.params.get(function['name'], []):
            if call.status & INPUTS and direction in ('IN', 'INOUT') and word in followed:
                found.setdefault(word, None)
            if (word in found) != (name in given):
                raise Differs('%s: recorded %s' % (name, found.get(word, 'not')))
            if name in given and not self.argument(given[name], found[word]):
                raise Differs('%s: %r is recorded' % (name, found[word]))
            word += max(1, (sizes.get(word, 8) + 7) // 8)

    def typed(self, types, found, given):
        """Arguments of a function of a library, by the types that the user has given."""
        shown = {}
        for word, (kind, name, of) in types['params']:
            if kind[0] == 'm':
                continue
            shown[name] = found.get(word, '?')
            if isinstance(shown[name], bytes):
                shown[name] = self.of_kind(kind, shown[name], types['enums'].get(of, {}))
        if types['more']:
            shown['...'] = '?'
        if shown != given:
            raise Differs('%r is recorded' % shown)
        self.trace.counted.add('typed')
        self.compared += len(shown)

    def of_kind(self, kind, raw, values):
        size = int(kind[1:].split(':')[0]) if kind[1:].isdigit() else 8
        number = int.from_bytes(raw[:size], 'little' if self.trace.order == '<' else 'big', signed=kind[0] in 'ie')
        if kind[0] == 'f':
            return struct.unpack(self.trace.order + ('f' if size == 4 else 'd'), raw[:size])[0]
        if kind in ('ptr', 'str'):
            return hex(number) if number else None
        named = [name for name, value in values.items() if int(value) == number]
        return bool(number) if kind[0] == 'b' else named[0] if named else number

    def kernel(self, function, call):
        if function['name'] not in self.tables.launches or call.result or call.data is None:
            return None
        for word, (_, kind, _) in enumerate(self.tables.params[function['name']]):
            if kind in ('CUfunction', 'CUkernel'):
                handle = int.from_bytes(self.trace.arguments(call)[word],
                                        'little' if self.trace.order == '<' else 'big')
                return self.trace.kernel(handle, call.end - call.took)
        return None

    def result(self, text, function, call):
        if 'types' not in function:
            return text == str(call.result) or self.tables.values.get(text) == call.result
        types = function['types']
        word, (kind, of) = types['result']
        if kind[0] in 'mv' or not word or call.data is None:
            return text == {'m': '{...}', 'v': 'returned'}.get(kind[0], '?')
        found = self.trace.arguments(call)[word]
        if isinstance(found, str):
            return json.loads(text) == found
        found = self.of_kind(kind, found, types['enums'].get(of, {}))
        return float(text) == found if kind[0] == 'f' else text == {None: 'NULL', True: 'true', False: 'false'}.get(
            found if found is None or isinstance(found, bool) else '', str(found))

    def of_thread(self, number):
        tid, name = self.trace.threads.get(number, (0, ''))
        named = self.trace.thread_names.get(tid, '') if tid > 0 else ''
        if named:
            name = named.encode()[:63].decode('utf-8', 'ignore')
        return {'pid': self.trace.pid, 'thread': number, **({'tid': tid, 'thread_name': name} if tid else {})}

    def of_site(self, number):
        slot, library, caller = self.trace.sites[number]
        return {'function': self.trace.functions[slot]['name'],
                'library': self.trace.libraries[library]['path'].rsplit('/', 1)[-1],
                'caller': self.trace.address(caller, library)}

    def call(self, call, line):
        trace, function = self.trace, self.trace.functions[self.trace.sites[call.site][0]]
        start = call.end - call.took
        want = {'type': 'call', **self.of_thread(call.thread), 'start': trace.time(start),
                'duration': trace.duration(call.took), 'correlation': call.correlation,
                'depth': call.depth, **self.of_site(call.site)}
        if call.status & SKIPPED:
            want['skipped'] = True
        if call.result and call.correlation in trace.error_texts:
            want['error_text'] = trace.error_texts[call.correlation]
            trace.counted.add('error_text')
        if call.stack is not None:
            want['stack'] = [trace.frame(*frame) for frame in trace.stacks[call.stack]]
        kernel = self.kernel(function, call)
        if kernel is not None:
            want['kernel'] = kernel
        if not self.result(line['result'], function, call):
            raise Differs('result %d' % call.result)
        self.arguments(function, call, line)
        self.same(want, {key: value for key, value in line.items() if key not in ('result', 'arguments')})

    def same(self, want, line):
        for key in sorted(set(want) | set(line)):
            if want.get(key) != line.get(key) or (key in want) != (key in line):
                raise Differs('%s: %r' % (key, want.get(key)))

    def process(self, path):
        trace = self.trace
        want = {'type': 'process', 'pid': trace.pid, 'parent': trace.parent, 'host': trace.host,
                'program': trace.program, 'command': trace.command, 'start': trace.start_ns,
                'finished': bool(trace.flags & 4), 'file': path}
        if trace.rank >= 0:
            want['rank'] = trace.rank
        finished = bool(trace.flags & 4)
        if finished or trace.ending == 2:
            want['ending'] = 'exit' if finished else '_exit'
            if trace.ending in (1, 2) and trace.status < 256:
                want['status'] = trace.status
        if trace.end_ticks:
            want['end'] = trace.time(trace.end_ticks)
        return want

    def unfinished(self):
        for opens in self.trace.open.values():
            for thread, ticks, site, depth in opens:
                if ticks:
                    yield {'type': 'unfinished', **self.of_thread(thread), 'start': self.trace.time(ticks),
                           'duration': self.trace.duration(max(self.trace.seen - ticks, 0)), 'depth': depth,
                           **self.of_site(site)}

    def range(self, one):
        trace, kind = self.trace, one['kind']
        end = one['end']
        if end is None:
            end = one.get('until') or (kind == PUSH and trace.ends.get(one['thread'])) or trace.seen
        end = max(end, one['start'])
        want = {'type': 'range', 'event': {PUSH: 'push', START: 'start', RANGE_MARK: 'mark'}[kind],
                **self.of_thread(one['thread']), 'start': trace.time(one['start']),
                'duration': trace.duration(end - one['start']), 'text': one['text']}
        if kind == PUSH:
            want['depth'] = one['depth']
        elif kind == START:
            want['id'], want['end_thread'] = one[ID] & (1 << 62) - 1, one['end_thread']
        if one['domain']:
            domain = one['domain']
            want['domain'] = '(unknown domain)' if domain == 0xffffffff else trace.names.get((1, domain, 0), '')
        if one['category']:
            want['category'] = one['category']
            if (2, one['domain'], one['category']) in trace.names:
                want['category_name'] = trace.names[2, one['domain'], one['category']]
        if one['what'] & COLOUR:
            want['colour'] = '#%08x' % (one[COLOUR] & 0xffffffff)
        if one['what'] & PAYLOAD:
            form = ' QqdIif'[one['payload_type']]
            value = struct.unpack_from('<' + form, struct.pack('<Q', one[PAYLOAD]))[0]
            want['payload'] = {'d': '%.17g', 'f': '%.9g'}.get(form, '%d') % value
        if one['what'] & RANGE_CUT:
            want['cut'] = True
        if one['end'] is None:
            want['unfinished'] = True
        return want

    def others(self):
        for ticks, thread, text in self.trace.marks:
            yield {'type': 'mark', **self.of_thread(thread), 'time': self.trace.time(ticks), 'text': text}
        yield from self.unfinished()
        yield from map(self.range, self.trace.ranges())
        for reason, count in zip(RANGE_REASONS, self.trace.lost_ranges):
            if count:
                yield {'type': 'loss', 'pid': self.trace.pid, 'reason': reason, 'count': count}
        size, trace = len(self.trace.data), self.trace
        for reason, count in zip(REASONS, trace.lost):
            if count:
                yield {'type': 'loss', 'pid': trace.pid, 'reason': reason, 'count': count}
        if trace.damaged:
            yield {'type': 'loss', 'pid': trace.pid, 'reason': 'damaged parts', 'count': trace.damaged}
        torn = size % trace.chunk
        if 0 < torn < 256 and size > trace.chunk:
            yield {'type': 'loss', 'pid': trace.pid, 'reason': 'bytes of a torn chunk', 'count': torn}
        cut = trace.size - size if trace.flags & 4 else -size % trace.chunk
        if cut > 0:
            yield {'type': 'loss', 'pid': trace.pid, 'reason': 'bytes that were cut off', 'count': cut}


def compare(comparison, path, lines):
    """The lines of one trace; returns how many calls and other lines were the same."""
    trace, threads, last = comparison.trace, {}, 0
    for call in trace.calls():
        threads.setdefault(call.thread, []).append(call)
    calls = [line for line in lines if line['type'] == 'call']
    count = sum(map(len, threads.values()))
    if len(calls) != count:
        raise Differs('%d calls in the trace, %d lines' % (count, len(calls)))
    ways = {thread: iter(of) for thread, of in threads.items()}
    for line in calls:
        call = next(ways.get(line['thread'], iter(())), None)
        try:
            if not call:
                raise Differs('no such call')
            if call.end < last and 'next' not in trace.counted:
                raise Differs('out of order')
            comparison.call(call, line)
        except (AssertionError, Differs) as differs:
            raise Differs('the record at byte %s: %s\n%s' % (call and call.at, differs, json.dumps(line)))
        last = call.end
    want = [comparison.process(path)] + list(comparison.others())
    others = [line for line in lines if line['type'] != 'call']
    wanted, found = (sorted(json.dumps(one, sort_keys=True) for one in some) for some in (want, others))
    for some, where in ((set(found) - set(wanted), 'the trace'), (set(wanted) - set(found), 'jsonl')):
        if some:
            raise Differs('is not in %s: %s' % (where, min(some)))
    if len(want) != len(others):
        raise Differs('%d other lines are in the trace, %d in jsonl' % (len(want), len(others)))
    return count, len(others)


def main(tables, path, jsonl):
    trace = Trace(path)
    comparison = Comparison(trace, Tables(tables))
    with open(jsonl) as file:
        lines = [json.loads(line) for line in file]
    try:
        calls, others = compare(comparison, path, lines)
    except Differs as differs:
        print('differs: %s' % differs)
        return 1
    kinds = {line['type'] for line in lines} | trace.counted
    print('%d calls, %d other lines, %d arguments: %s' % (
        calls, others, comparison.compared, ' '.join(sorted(kinds))))
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
