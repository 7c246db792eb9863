/* SPDX-License-Identifier: Apache-2.0 */
/* The data of the page: rows of the timeline, decoded, and the colours of functions. */

const PALETTE = ["#3b76b5", "#e0812f", "#3f9a52", "#c94f53", "#8b68b5", "#8f6a50", "#d67fb4",
	"#a8a235", "#35a8b5", "#5c6bc0"];

/* Those beyond the first ten look alike enough to be told from them. */
function colorOfRank(rank) {
	return rank < PALETTE.length ? PALETTE[rank] : `hsl(${(rank * 137) % 360} 22% 58%)`;
}

const MOST = 3, SLOTS = 6;	/* functions told apart in a bin; in a pixel */
const OTHERS = 0xffffffff;	/* all others of a bin */

/* Shares of time by function, a few functions at each place. */
class Shares {
	constructor(count, slots) {
		this.count = count;
		this.slots = slots;
		this.functions = new Uint32Array(count * slots);
		this.parts = new Float32Array(count * slots);
		this.others = new Float32Array(count);
	}

	add(at, name, part) {
		const end = (at + 1) * this.slots;
		let least = end - this.slots;

		if (name === OTHERS) {
			this.others[at] += part;
			return;
		}
		for (let i = least; i < end; i++) {
			if (this.parts[i] && this.functions[i] === name) {
				this.parts[i] += part;
				return;
			}
			if (this.parts[i] < this.parts[least])
				least = i;
		}
		if (this.parts[least] > part) {
			this.others[at] += part;
		} else {
			this.others[at] += this.parts[least];
			this.functions[least] = name;
			this.parts[least] = part;
		}
	}

	/* Calls tell with each function, its share and what others have together. */
	each(at, tell) {
		for (let i = at * this.slots, end = i + this.slots; i < end; i++)
			if (this.parts[i])
				tell(this.functions[i], this.parts[i]);
		if (this.others[at])
			tell(OTHERS, this.others[at]);
	}

	total(at) {
		let total = this.others[at];

		for (let i = at * this.slots, end = i + this.slots; i < end; i++)
			total += this.parts[i];
		return total;
	}
}

class Bins extends Shares {
	constructor(count) {
		super(count, MOST);
		this.calls = new Uint32Array(count);
	}

	/* From what export/html/bins.h describes. */
	static decoded(numbers, count) {
		const bins = new Bins(count), width = 2 * MOST + 2;
		let at = 0, from = -1;

		const put = () => {
			if (from >= 0) {
				for (let i = 0; i < MOST; i++) {
					bins.functions[at * MOST + i] = numbers[from + 2 * i];
					bins.parts[at * MOST + i] = numbers[from + 2 * i + 1] / 100;
				}
				bins.others[at] = numbers[from + 2 * MOST] / 100;
				bins.calls[at] = numbers[from + 2 * MOST + 1];
			}
			at++;
		};
		for (let i = 0; i < numbers.length && at < count;) {
			if (numbers[i] < 0) {
				for (let n = -numbers[i++]; n && at < count; n--)
					put();
			} else {
				from = i;
				i += width;
				put();
			}
		}
		return bins;
	}

	/* Two in one. */
	halved() {
		const bins = new Bins(Math.ceil(this.count / 2));

		for (let i = 0; i < this.count; i++) {
			this.each(i, (name, part) => bins.add(i >> 1, name, part / 2));
			bins.calls[i >> 1] += this.calls[i];
		}
		return bins;
	}
}

/* A row's calls that are shown by themselves, as columns. */
class Calls {
	constructor(shown, timeline) {
		const count = this.count = shown.count;
		const column = (key) => shown[key] || new Uint32Array(count);
		let at = 0;

		this.start = Float64Array.from(column("start"), (step) => at += step);
		this.duration = Float64Array.from(column("duration"));
		this.function = Uint32Array.from(column("function"));
		this.caller = Uint32Array.from(column("caller"));
		this.depth = Uint16Array.from(column("depth"));
		this.kernel = shown.kernel;
		this.text = shown.text;
		this.correlation = shown.correlation;
		this.result = new Map();
		for (let i = 0; i < shown.result.length; i += 2)
			this.result.set(shown.result[i], shown.result[i + 1]);
		this.failures = new Set(shown.failed);
		this.skipped = new Set(shown.skipped);
		this.timeline = timeline;
		/* Where the longest call so far ends: what begins before a moment may still last. */
		this.reach = new Float64Array(count);
		this.deepest = 0;
		for (let i = 0, reach = 0; i < count; i++) {
			this.reach[i] = reach = Math.max(reach, this.start[i] + this.duration[i]);
			this.deepest = Math.max(this.deepest, this.depth[i]);
		}
	}

	end(i) {
		return this.start[i] + this.duration[i];
	}

	/* The first call that may end after a moment. */
	from(time) {
		let low = 0, high = this.count;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (this.reach[middle] < time)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	/* The first call that begins after a moment. */
	after(time) {
		let low = 0, high = this.count;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (this.start[middle] <= time)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	failed(i) {
		return this.failures.has(i);
	}

	resultText(i) {
		const result = this.result.get(i) || 0;
		const runtime = this.timeline.runtime[this.function[i]] ? "runtime" : "";

		return this.timeline.results[runtime + result] || String(result);
	}

	kernelText(i) {
		return this.kernel && this.kernel[i] ? this.timeline.kernels[this.kernel[i] - 1] : null;
	}
}

class Row {
	constructor(data, index, timeline) {
		Object.assign(this, data);
		this.index = index;
		this.timeline = timeline;
		this.shownCalls = new Calls(data.shown, timeline);
		this.levels = [];
		this.open = timeline.open.filter((open) => open.row === index);
		this.ranges = [];
	}

	get title() {
		if (this.name === null)
			return `${countText(this.threads)} other threads`;
		return this.name || `thread ${this.tid}`;
	}

	/* Bins of 2 ** level of the finest. */
	level(level) {
		if (!this.levels[0])
			this.levels[0] = Bins.decoded(this.bins || [], this.timeline.bins);
		while (this.levels.length <= level)
			this.levels.push(this.levels[this.levels.length - 1].halved());
		return this.levels[level];
	}
}

const RANGE = { cut: 1, colour: 2, unfinished: 4 };
const RANGE_KINDS = { 1: "push", 3: "start", 5: "mark" };
const RANGE_LANES = 4, RANGE_NUMBERS = 7;

/*
 * NVTX ranges of a row, by their start. Those of a domain are inside of each other or apart, those of
 * several domains overlap as they like: each is in the first lane that is free, which is below those
 * that it is inside of. Deeper ones share the last lane.
 */
class Ranges {
	constructor(all) {
		const ends = [];

		this.all = all;
		for (const range of all) {
			const free = ends.findIndex((end) => end <= range.start);

			range.lane = free >= 0 ? free : Math.min(ends.length, RANGE_LANES - 1);
			ends[range.lane] = Math.max(ends[range.lane] || 0, range.end);
		}
		this.lanes = ends.length;
	}

	/* As export/html/timeline_ranges.c writes them. */
	static decoded({ ranges, rangeTexts }) {
		const all = [];

		for (let i = 0; i < ranges.length; i += RANGE_NUMBERS) {
			const [process, row, start, duration, text, flags, colour] =
				ranges.slice(i, i + RANGE_NUMBERS);

			all.push({ process, row, start, end: start + duration, text: rangeTexts[text] || "(no name)",
				kind: RANGE_KINDS[flags >> 8], unfinished: (flags & RANGE.unfinished) !== 0,
				color: flags & RANGE.colour ? "#" + colour.toString(16).padStart(6, "0") :
					PALETTE[text % PALETTE.length] });
		}
		return all;
	}

	static facts(range) {
		return [["NVTX range", range.text], ["Kind", range.kind], ["Start", timeText(range.start)],
			["Time", range.kind === "mark" ? null : timeText(range.end - range.start)],
			["End", range.unfinished ? "had not ended" : null]];
	}
}

/* How busy each pixel of a view is, and by what. */
class Columns extends Shares {
	constructor(width, from, to) {
		super(width, SLOTS);
		this.from = from;
		this.scale = width / (to - from);	/* pixels a ns */
	}

	span(from, to, name, part) {
		const left = Math.max(0, (from - this.from) * this.scale);
		const right = Math.min(this.count, (to - this.from) * this.scale);

		for (let x = Math.floor(left); x < right; x++)
			this.add(x, name, part * (Math.min(x + 1, right) - Math.max(x, left)));
	}

	addCalls(calls, part) {
		const to = this.from + this.count / this.scale;

		for (let i = calls.from(this.from), end = calls.after(to); i < end; i++)
			if (!calls.depth[i])
				this.span(calls.start[i], calls.end(i), calls.function[i], part);
	}

	addBins(row, part) {
		const timeline = row.timeline, finest = 2 ** timeline.shift;
		let level = 0;

		while (finest * 2 ** (level + 1) * this.scale <= 1 && timeline.bins >> level > 64)
			level++;
		const size = finest * 2 ** level, bins = row.level(level);
		const last = Math.min(bins.count - 1, Math.floor((this.from + this.count / this.scale) / size));

		for (let i = Math.max(0, Math.floor(this.from / size)); i <= last; i++)
			bins.each(i, (name, share) => this.span(i * size, (i + 1) * size, name, part * share));
	}

	addRow(row, part) {
		if (row.complete)
			this.addCalls(row.shownCalls, part);
		else
			this.addBins(row, part);
	}
}

class Model {
	constructor(data) {
		const timeline = this.timeline = data.timeline;
		const names = data.tables.find((table) => table.id === "functions").rows;
		const ranks = new Map(names.map((row, i) => [row[0], i]));

		this.data = data;
		this.called = names.length;
		this.length = Math.max(timeline.length, 1);
		this.ranks = timeline.functions.map((name, i) => ranks.get(name) ?? names.length + i);
		this.colors = this.ranks.map(colorOfRank);
		this.numbers = new Map(timeline.functions.map((name, i) => [name, i]));
		this.rows = timeline.rows.map((row, i) => new Row(row, i, timeline));
		const ranges = Ranges.decoded(timeline);

		for (const process of timeline.processes)
			process.ranges = [];
		for (const range of ranges)
			(range.row < 0 ? timeline.processes[range.process] : this.rows[range.row]).ranges.push(range);
		for (const row of this.rows)
			row.ranges = new Ranges(row.ranges);
		this.processes = timeline.processes.map((process, i) => Object.assign(process, {
			index: i,
			own: this.rows.slice(process.first, process.first + process.rows),
			marks: timeline.marks.filter((mark) => mark.process === i),
			ranges: new Ranges(process.ranges),
		})).filter((process) => process.rows);
	}

	functionName(number) {
		return this.timeline.functions[number] || "";
	}

	/* What is known of a row's call, as pairs for factList. */
	callFacts(row, i) {
		const calls = row.shownCalls, process = this.timeline.processes[row.process];

		return [
			["Function", this.functionName(calls.function[i])],
			["Call", calls.text ? calls.text[i] : null],
			["Start", timeText(calls.start[i])],
			["Host time", timeText(calls.duration[i])],
			["Result", calls.resultText(i) + (calls.skipped.has(i) ? ", by a hook" : "")],
			["Kernel", calls.kernelText(i)],
			["Called from", this.timeline.callers[calls.caller[i]]],
			["Thread", `${row.title}${row.tid ? ` (${row.tid})` : ""} of ${processTitle(process)}`],
			["Depth", calls.depth[i] || null],
			["Correlation", calls.correlation ? calls.correlation[i] : null],
		];
	}
}

function lastPart(path) {
	return path.slice(path.lastIndexOf("/") + 1) || path;
}

function processTitle(process) {
	return `${lastPart(process.program) || "process"} (${process.pid})`;
}
