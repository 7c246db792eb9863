/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline: a line for each process and thread, to be zoomed and moved. */

const LINE = 24, DEEPER = 13, OVERVIEW = 30, AXIS = 22;
const EACH_CALL = 4000;		/* of a row in view, up to which each may be drawn by itself */
const CALL_WIDTH = 1.5;		/* pixels that each must have then, on average */
const SHORTEST_VIEW = 20;	/* ns */
const LOOKED_AT = 40;		/* pixels that a call has at least which is looked for */

class Tip {
	constructor() {
		this.element = make("div", { class: "tip", role: "tooltip", hidden: true });
		document.body.append(this.element);
	}

	show(event, facts) {
		const element = this.element;

		element.replaceChildren(factList(facts));
		element.hidden = false;
		const left = event.clientX + 14, top = event.clientY + 14;

		element.style.left = Math.max(4, Math.min(left, innerWidth - element.offsetWidth - 8)) + "px";
		element.style.top = (top + element.offsetHeight > innerHeight - 8 ?
			Math.max(4, event.clientY - element.offsetHeight - 10) : top) + "px";
	}

	hide() {
		this.element.hidden = true;
	}
}

class Timeline {
	constructor(model) {
		this.model = model;
		this.watchers = [];
		this.tip = new Tip();
		this.highlighted = -1;
		this.chosen = null;	/* { row, call } */
		this.collapsed = new Set(model.rows.length > 60 && model.processes.length > 1 ?
			model.processes : []);
		this.pad = model.length * 0.01;
		this.build();
		this.all();
	}

	/* Everything, with some room at both ends. */
	get whole() {
		return { from: -this.pad, to: this.model.length + this.pad };
	}

	build() {
		const button = (text, label, onclick) => make("button", { type: "button", title: label,
			"aria-label": label, onclick }, text);

		this.head = make("canvas", { "aria-hidden": "true",
			onpointerdown: (event) => this.steer(event), onpointermove: (event) => this.steer(event) });
		this.canvas = make("canvas", { tabindex: 0, role: "application",
			"aria-label": "Timeline of calls. Arrow keys move, plus and minus zoom, Home shows " +
			"everything, full stop and comma go from call to call.",
			onpointerdown: (event) => this.grab(event), onpointermove: (event) => this.move(event),
			onpointerup: (event) => this.drop(event), onpointerleave: () => this.tip.hide(),
			ondblclick: (event) => this.zoom(0.25, this.time(event)),
			onkeydown: (event) => this.key(event) });
		this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
		this.labels = make("div", { class: "labels" });
		this.sheet = make("div", { class: "sheet" }, this.canvas);
		this.body = make("div", { class: "body", onscroll: () => this.draw() }, this.labels, this.sheet);
		this.where = make("div");
		this.choice = make("div", { class: "chosen", role: "status", hidden: true });
		this.elements = [
			make("div", { class: "bar" },
				button("+", "Zoom in", () => this.zoom(0.5)),
				button("\u2212", "Zoom out", () => this.zoom(2)),
				button("\u2190", "Earlier", () => this.shift(-0.5)),
				button("\u2192", "Later", () => this.shift(0.5)),
				button("Show all", "Show all", () => this.all()),
				make("span", { class: "hint" }, "Wheel or + and \u2212 to zoom, drag or arrow keys to " +
				"move, click for details. ", this.note())),
			make("div", { class: "frame" },
				make("div", { class: "head" }, this.where, make("div", {}, this.head)), this.body),
			this.legend(), this.choice];
		const observer = new ResizeObserver(() => this.layout());

		observer.observe(this.body);
		observer.observe(this.sheet);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.changed());
		this.fillLabels();
	}

	note() {
		const { timeline } = this.model;
		let text = timeline.rows.every((row) => row.complete) ? "Every call is drawn." :
			`Of ${countText(timeline.calls)} calls, colours show the share of time by function; ` +
			`${countText(timeline.shown)} of them (the longest, errors, synchronisation) are also ` +
			"drawn by themselves.";

		if (timeline.hiddenRanges)
			text += ` ${countText(timeline.hiddenRanges)} NVTX ranges, the shortest, are not drawn.`;
		if (timeline.hidden)
			text += ` ${countText(timeline.hidden)} processes with the fewest calls have no row.`;
		return text;
	}

	legend() {
		const { model } = this, order = model.ranks.map((rank, i) => i)
			.filter((name) => model.ranks[name] < model.called)
			.sort((a, b) => model.ranks[a] - model.ranks[b]).slice(0, 14);

		this.keys = order.map((name) => make("button", { type: "button", "aria-pressed": "false",
			onclick: () => this.highlight(this.highlighted === name ? -1 : name) },
		swatch(model.colors[name]), model.functionName(name)));
		this.keyed = order;
		return make("ul", { class: "legend", "aria-label": "Functions; choose one to highlight it" },
			...this.keys.map((key) => make("li", {}, key)));
	}

	highlight(name) {
		this.highlighted = name;
		this.keys.forEach((key, i) => key.setAttribute("aria-pressed", this.keyed[i] === name));
		this.columns = null;
		this.draw();
	}

	fillLabels() {
		this.lines = [];
		const elements = [];
		let y = 0;

		for (const process of this.model.processes) {
			const closed = this.collapsed.has(process);

			const label = this.processLabel(process, closed), tall = LINE + DEEPER * process.ranges.lanes;

			label.style.height = tall + "px";
			elements.push(label);
			this.lines.push({ process, y, height: tall, above: 0, inner: LINE, ranges: process.ranges,
				lanes: LINE });
			y += tall;
			for (const row of closed ? [] : process.own) {
				const above = DEEPER * row.ranges.lanes;
				const inner = LINE + DEEPER * Math.min(row.shownCalls.deepest, 3), height = above + inner;
				const label = make("div", { class: "thread", title: `thread ${row.tid}, ${
					countText(row.calls)} calls` }, make("span", {}, row.title),
				make("span", { class: "quiet" }, countText(row.calls)));

				label.style.height = height + "px";
				elements.push(label);
				this.lines.push({ process, row, y, height, above, inner, ranges: row.ranges, lanes: 0 });
				y += height;
			}
		}
		this.labels.replaceChildren(...elements);
		this.total = y;
		this.layout();
	}

	processLabel(process, closed) {
		const rank = process.rank >= 0 ? `rank ${process.rank}` : "";

		return make("button", { type: "button", "aria-expanded": !closed,
			title: `${process.command || process.program}\n${process.host} ${process.file}`,
			onclick: () => {
				if (!this.collapsed.delete(process))
					this.collapsed.add(process);
				this.fillLabels();
				this.labels.children[this.lines.findIndex((line) => line.process === process)].focus();
			} }, closed ? "\u25b8" : "\u25be", make("span", {}, processTitle(process)),
		make("span", { class: "quiet" }, rank));
	}

	layout() {
		this.width = this.sheet.clientWidth;
		if (!this.width)
			return;
		this.height = Math.min(this.total, this.body.clientHeight || this.total);
		this.overview = null;
		this.changed();
	}

	all() {
		this.look(this.whole.from, this.whole.to);
	}

	/* Shows a time, as far as there is any. */
	look(from, to) {
		const whole = this.whole, longest = whole.to - whole.from;
		const length = Math.min(Math.max(to - from, SHORTEST_VIEW), longest);

		from = Math.min(Math.max((from + to - length) / 2, whole.from), whole.to - length);
		this.view = { from, to: from + length };
		this.changed();
	}

	zoom(factor, center) {
		const { from, to } = this.view, at = center ?? (from + to) / 2;

		this.look(at - (at - from) * factor, at + (to - at) * factor);
	}

	shift(part) {
		const { from, to } = this.view, by = (to - from) * part;

		this.look(from + by, to + by);
	}

	changed() {
		this.columns = null;
		if (this.width && this.view)
			this.draw();
		for (const watcher of this.watchers)
			watcher();
	}

	x(time) {
		return (time - this.view.from) / (this.view.to - this.view.from) * this.width;
	}

	time(event) {
		const left = this.canvas.getBoundingClientRect().left;

		return this.view.from + (event.clientX - left) / this.width * (this.view.to - this.view.from);
	}

	heightAt(event) {
		return event.clientY - this.canvas.getBoundingClientRect().top + this.body.scrollTop;
	}

	lineAt(event) {
		const y = this.heightAt(event);

		return this.lines.find((line) => y >= line.y && y < line.y + line.height);
	}

	draw() {
		if (!this.width || !this.view)
			return;
		const top = this.body.scrollTop, context = sized(this.canvas, this.width, this.height);

		this.colors = { track: themed("--track"), line: themed("--line"), text: themed("--text"),
			muted: themed("--muted"), bad: themed("--bad"), panel: themed("--panel") };
		this.columns = this.columns || new Map();
		for (const line of this.lines) {
			if (line.y + line.height < top || line.y > top + this.height)
				continue;
			context.save();
			context.translate(0, line.y - top);
			context.beginPath();
			context.rect(0, 0, this.width, line.height);
			context.clip();
			this.line(context, line);
			context.restore();
		}
		this.drawHead();
	}

	/* Kept while the view is the same: only scrolling needs it again. */
	columnsOf(key, rows) {
		let columns = this.columns.get(key);

		if (!columns) {
			const threads = rows.reduce((sum, row) => sum + row.threads, 0);

			columns = new Columns(Math.ceil(this.width), this.view.from, this.view.to);
			for (const row of rows)
				columns.addRow(row, row.threads / threads);
			this.columns.set(key, columns);
		}
		return columns;
	}

	color(name) {
		if (this.highlighted >= 0 && name !== this.highlighted)
			return this.colors.line;
		return name === OTHERS ? "#98a1aa" : this.model.colors[name];
	}

	/* Shares of time, one on the other, the greatest function of all lowest. */
	drawColumns(context, columns, top, bottom, faint, whole = 1) {
		const { ranks } = this.model, order = (name) => name === OTHERS ? Infinity : ranks[name];

		context.globalAlpha = faint ? 0.35 : 1;
		for (let x = 0; x < columns.count; x++) {
			const parts = [];

			columns.each(x, (name, part) => parts.push([name, part]));
			if (!parts.length)
				continue;
			parts.sort((a, b) => order(a[0]) - order(b[0]));
			const total = Math.max(parts.reduce((sum, part) => sum + part[1], 0), whole);
			let y = bottom;

			for (const [name, part] of parts) {
				const height = part / total * (bottom - top);

				context.fillStyle = this.color(name);
				context.fillRect(x, y - height, 1, height);
				y -= height;
			}
			if (bottom - y < 1.5) {
				context.fillStyle = this.color(parts[0][0]);
				context.fillRect(x, bottom - 1.5, 1, 1.5);
			}
		}
		context.globalAlpha = 1;
	}

	line(context, line) {
		context.fillStyle = line.row ? this.colors.track : this.colors.panel;
		context.fillRect(0, 1, this.width, line.height - 2);
		this.drawRanges(context, line);
		context.save();
		context.translate(0, line.above);
		if (!line.row) {
			if (line.process.own.length > 1 || this.collapsed.has(line.process))
				this.drawProcess(context, line);
		} else if (!this.drawCalls(context, line)) {
			this.drawColumns(context, this.columnsOf(line.row, [line.row]), 2, line.inner - 2);
			if (!line.row.complete)
				this.drawWide(context, line);
		}
		if (line.row) {
			this.drawErrors(context, line);
			this.drawOpen(context, line);
		}
		context.restore();
		for (const mark of line.process.marks)
			this.drawMark(context, line, mark);
		context.fillStyle = this.colors.line;
		context.fillRect(0, line.height - 1, this.width, 1);
	}

	/* All its threads together; the busiest moment in view has the full height. */
	drawProcess(context, line) {
		const columns = this.columnsOf(line.process, line.process.own);
		let most = 0;

		for (let x = 0; x < columns.count; x++)
			most = Math.max(most, columns.total(x));
		this.drawColumns(context, columns, 4, line.inner - 2, !this.collapsed.has(line.process), most);
	}

	/* Every call of the line, where these are not too many. */
	drawCalls(context, line) {
		const calls = line.row.shownCalls, first = calls.from(this.view.from);
		const end = calls.after(this.view.to);

		if (!line.row.complete || end - first > EACH_CALL)
			return false;
		if (end > first) {
			const left = Math.max(0, this.x(calls.start[first]));
			const right = Math.min(this.width, this.x(calls.reach[end - 1]));

			if (end - first > Math.max(20, (right - left) / CALL_WIDTH))
				return false;
		}
		for (let i = first; i < end; i++)
			this.box(context, line, i);
		return true;
	}

	/* Those of the longest calls that have a width. */
	drawWide(context, line) {
		const calls = line.row.shownCalls, least = (this.view.to - this.view.from) / this.width * 3;

		for (let i = calls.from(this.view.from), end = calls.after(this.view.to); i < end; i++)
			if (calls.duration[i] >= least)
				this.box(context, line, i);
	}

	top(depth) {
		return 2 + DEEPER * Math.min(depth, 3);
	}

	box(context, line, i) {
		const calls = line.row.shownCalls, name = calls.function[i];
		const left = Math.max(-2, this.x(calls.start[i]));
		const right = Math.min(this.width + 2, this.x(calls.end(i)));
		const width = Math.max(1, right - left), top = this.top(calls.depth[i]);
		const height = calls.depth[i] || calls.deepest ? (calls.depth[i] ? DEEPER - 1 : LINE - 4) : LINE - 4;

		context.fillStyle = this.color(name);
		context.fillRect(left, top, width > 3 ? width - 0.5 : width, height);
		if (this.chosen && this.chosen.row === line.row && this.chosen.call === i) {
			context.strokeStyle = this.colors.text;
			context.lineWidth = 2;
			context.strokeRect(left - 1, top, width + 2, height);
			context.lineWidth = 1;
		}
		if (width > 34)
			this.write(context, this.model.functionName(name), left + 4, top + height / 2 + 0.5,
				width - 8, this.highlighted >= 0 && name !== this.highlighted);
	}

	/* A text as far as there is room. */
	write(context, text, x, y, width, quiet) {
		const fit = Math.floor(width / 6.2);

		if (fit < 4)
			return;
		context.fillStyle = quiet ? this.colors.muted : "#ffffff";
		context.fillText(text.length > fit ? text.slice(0, fit - 1) + "\u2026" : text, x, y);
	}

	/* A triangle each; where there are many, a stroke. */
	drawErrors(context, line) {
		const calls = line.row.shownCalls, places = new Set();

		for (const i of calls.result.keys()) {
			const x = Math.round(this.x(calls.start[i]));

			if (calls.failed(i) && x >= 0 && x <= this.width)
				places.add(x);
		}
		context.fillStyle = this.colors.bad;
		for (const x of places) {
			if (places.size > this.width / 16) {
				context.fillRect(x, 0, 1, 3);
				continue;
			}
			context.beginPath();
			context.moveTo(x - 4, 1);
			context.lineTo(x + 4, 1);
			context.lineTo(x, 8);
			context.fill();
		}
	}

	drawOpen(context, line) {
		for (const open of line.row.open) {
			const left = this.x(open.start), right = this.x(line.process.end);
			const top = this.top(0), width = Math.max(3, right - left);

			context.save();
			context.beginPath();
			context.rect(left, top, width, LINE - 4);
			context.clip();
			context.fillStyle = this.color(this.model.numbers.get(open.function));
			context.globalAlpha = 0.45;
			context.fillRect(left, top, width, LINE - 4);
			context.globalAlpha = 1;
			context.strokeStyle = this.colors.bad;
			for (let x = Math.max(left, -30) - LINE; x < Math.min(right + 3, this.width); x += 8) {
				context.beginPath();
				context.moveTo(x, top + LINE);
				context.lineTo(x + LINE, top);
				context.stroke();
			}
			context.restore();
			this.write(context, open.function + ", not ended",
				Math.max(left, 0) + 4, top + LINE / 2 - 2, width - 8, true);
		}
	}

	/* Above the calls that they are around; those that any thread may end below the process. */
	drawRanges(context, line) {
		for (const range of line.ranges.all) {
			const left = Math.max(-2, this.x(range.start)), right = Math.min(this.width + 2, this.x(range.end));
			const width = Math.max(1, right - left), top = line.lanes + 1 + DEEPER * range.lane;

			if (right < 0 || left > this.width)
				continue;
			context.globalAlpha = range.unfinished ? 0.45 : 0.8;
			context.fillStyle = range.color;
			context.fillRect(left, top, width > 3 ? width - 0.5 : width, DEEPER - 1);
			context.globalAlpha = 1;
			if (width > 34)
				this.write(context, range.text, left + 4, top + DEEPER / 2, width - 8, false);
		}
	}

	/* The range below a pointer, or the one beside it. */
	rangeFacts(line, time, y) {
		const lane = Math.floor((y - line.y - line.lanes - 1) / DEEPER);
		const slack = (this.view.to - this.view.from) / this.width * 2;
		const found = line.ranges.all.findLast((range) => range.lane === lane &&
			range.start - slack <= time && time <= range.end + slack);

		return found ? Ranges.facts(found) : null;
	}

	drawMark(context, line, mark) {
		const x = Math.round(this.x(mark.at)) + 0.5;

		if (x < 0 || x > this.width)
			return;
		context.strokeStyle = context.fillStyle = this.colors.text;
		context.setLineDash([3, 3]);
		context.beginPath();
		context.moveTo(x, 0);
		context.lineTo(x, line.height);
		context.stroke();
		context.setLineDash([]);
		if (line.row)
			return;
		context.textAlign = x > this.width - 120 ? "right" : "left";
		context.fillText(mark.text.slice(0, 60), x + (x > this.width - 120 ? -4 : 4), 9);
		context.textAlign = "left";
	}

	drawHead() {
		const context = sized(this.head, this.width, OVERVIEW + AXIS), { from, to } = this.view;
		const whole = this.whole, length = whole.to - whole.from;

		if (!this.overview) {
			this.overview = new Columns(Math.ceil(this.width), whole.from, whole.to);
			for (const row of this.model.rows)
				this.overview.addRow(row, 1 / this.model.rows.length);
			this.most = 0;
			for (let x = 0; x < this.overview.count; x++)
				this.most = Math.max(this.most, this.overview.total(x));
		}
		const left = (from - whole.from) / length * this.width;
		const width = (to - from) / length * this.width;

		this.drawColumns(context, this.overview, 4, OVERVIEW - 2, false, this.most);
		if (width < this.width - 1) {
			context.fillStyle = themed("--muted");
			context.globalAlpha = 0.3;
			context.fillRect(0, 0, left, OVERVIEW);
			context.fillRect(left + width, 0, this.width, OVERVIEW);
			context.globalAlpha = 1;
			context.strokeStyle = themed("--accent");
			context.strokeRect(left + 0.5, 0.5, Math.max(2, width - 1), OVERVIEW - 1);
		}
		this.axis(context, from, to);
		this.where.textContent = `${timeText(Math.round(to - from))} in view${this.coarse() ? `, steps of ${
			timeText(2 ** this.model.timeline.shift)}` : ""}`;
	}

	/* Whether steps can be seen that have no finer ones. */
	coarse() {
		const { timeline } = this.model, step = 2 ** timeline.shift;

		return step * this.width > 8 * (this.view.to - this.view.from) &&
			this.model.rows.some((row) => !row.complete);
	}

	axis(context, from, to) {
		const step = roundStep((to - from) * 90 / this.width);

		context.fillStyle = themed("--muted");
		context.strokeStyle = themed("--line");
		context.textAlign = "center";
		for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
			const x = this.x(at);

			context.beginPath();
			context.moveTo(x, OVERVIEW);
			context.lineTo(x, OVERVIEW + 5);
			context.stroke();
			if (x > 20 && x < this.width - 24)
				context.fillText(tickText(Math.round(at / step) * step, step), x, OVERVIEW + 14);
		}
		context.textAlign = "left";
	}

	/* The overview's window follows the pointer. */
	steer(event) {
		if (!(event.buttons & 1))
			return;
		const box = this.head.getBoundingClientRect(), whole = this.whole;
		const at = whole.from + (event.clientX - box.left) / box.width * (whole.to - whole.from);
		const half = (this.view.to - this.view.from) / 2;

		this.head.setPointerCapture(event.pointerId);
		this.look(at - half, at + half);
	}

	grab(event) {
		if (event.button)
			return;
		this.canvas.setPointerCapture(event.pointerId);
		this.grabbed = { x: event.clientX, y: event.clientY, view: this.view,
			scroll: this.body.scrollTop, moved: false };
		this.tip.hide();
	}

	move(event) {
		const grabbed = this.grabbed;

		if (!grabbed) {
			this.point(event);
			return;
		}
		const dx = event.clientX - grabbed.x, dy = event.clientY - grabbed.y;

		grabbed.moved = grabbed.moved || Math.abs(dx) + Math.abs(dy) > 4;
		if (!grabbed.moved)
			return;
		const by = dx / this.width * (grabbed.view.to - grabbed.view.from);

		this.body.scrollTop = grabbed.scroll - dy;
		this.look(grabbed.view.from - by, grabbed.view.to - by);
	}

	drop(event) {
		const moved = this.grabbed && this.grabbed.moved, line = this.lineAt(event);

		this.grabbed = null;
		if (moved || !line || !line.row)
			return;
		this.choose(line.row, this.callAt(line.row, this.time(event)));
	}

	wheel(event) {
		const { from, to } = this.view, whole = this.whole;
		const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
		const delta = sideways ? event.deltaX || event.deltaY : event.deltaY;

		/* What cannot be zoomed out any more scrolls the page. */
		if (to - from >= (whole.to - whole.from) * 0.9999 && (sideways || delta > 0))
			return;
		event.preventDefault();
		if (sideways)
			this.shift(delta / this.width);
		else
			this.zoom(Math.exp(Math.max(-1, Math.min(1, delta / 300))), this.time(event));
	}

	key(event) {
		const keys = {
			ArrowLeft: () => this.shift(-0.15), ArrowRight: () => this.shift(0.15),
			ArrowUp: () => this.body.scrollBy(0, -LINE), ArrowDown: () => this.body.scrollBy(0, LINE),
			"+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2),
			Home: () => this.all(), ".": () => this.step(1), ",": () => this.step(-1),
			Escape: () => this.choose(null, -1),
		};
		const action = event.ctrlKey || event.metaKey || event.altKey ? null : keys[event.key];

		if (!action)
			return;
		event.preventDefault();
		action();
	}

	/* The call of a row at a moment or a few pixels beside it, the innermost; -1. */
	callAt(row, time) {
		const calls = row.shownCalls, slack = (this.view.to - this.view.from) / this.width * 3;
		let best = -1;

		for (let i = calls.from(time - slack), end = calls.after(time + slack); i < end; i++)
			if (calls.end(i) >= time - slack && (best < 0 || calls.depth[i] >= calls.depth[best]) &&
			    (best < 0 || calls.start[i] <= time))
				best = i;
		return best;
	}

	/* The call after or before the chosen one. */
	step(by) {
		const { row, call } = this.chosen || { row: this.model.rows[0], call: -1 };

		if (row && call + by >= 0 && call + by < row.shownCalls.count)
			this.show(row, call + by);
	}

	choose(row, call) {
		this.chosen = call >= 0 ? { row, call } : null;
		this.choice.hidden = !this.chosen;
		this.choice.replaceChildren(this.chosen ? factList(this.model.callFacts(row, call)) : "");
		this.draw();
	}

	/* Chooses a call that may be out of view. */
	show(row, call) {
		const calls = row.shownCalls, start = calls.start[call], end = calls.end(call);
		const process = this.model.timeline.processes[row.process];

		if (this.collapsed.delete(process))
			this.fillLabels();
		this.choose(row, call);
		if (start < this.view.from || end > this.view.to ||
		    (end - start) / (this.view.to - this.view.from) * this.width < LOOKED_AT) {
			const room = Math.max(end - start, 100) * 4;

			this.look(start - room, end + room);
		}
		const line = this.lines.find((other) => other.row === row);

		if (line.y < this.body.scrollTop || line.y + line.height > this.body.scrollTop + this.height)
			this.body.scrollTop = line.y - this.height / 2;
	}

	point(event) {
		const line = this.lineAt(event), time = this.time(event);

		if (!line) {
			this.tip.hide();
			return;
		}
		const facts = this.rangeFacts(line, time, this.heightAt(event)) || this.markFacts(line, time) || this.openFacts(line, time) ||
			this.callFacts(line, time) || this.shareFacts(line, time);

		if (facts)
			this.tip.show(event, facts);
		else
			this.tip.hide();
	}

	markFacts(line, time) {
		const slack = (this.view.to - this.view.from) / this.width * 4;
		const mark = line.process.marks.find((other) => Math.abs(other.at - time) <= slack);

		return mark ? [["Mark", mark.text], ["Time", timeText(mark.at)]] : null;
	}

	openFacts(line, time) {
		const open = line.row && line.row.open.find((other) => time >= other.start);

		return open ? [["Function", open.function], ["Start", timeText(open.start)],
			["Result", "had not ended"], ["For", timeText(open.for)]] : null;
	}

	callFacts(line, time) {
		const i = line.row ? this.callAt(line.row, time) : -1;

		if (i < 0)
			return null;
		const wide = line.row.shownCalls.duration[i] / (this.view.to - this.view.from) * this.width;

		return line.row.complete || wide >= 3 || line.row.shownCalls.failed(i) ?
			this.model.callFacts(line.row, i) : null;
	}

	shareFacts(line, time) {
		const columns = this.columns.get(line.row || line.process);
		const x = Math.floor(this.x(time));

		if (!columns || !columns.total(x))
			return null;
		const parts = [];

		columns.each(x, (name, part) => parts.push([name === OTHERS ? "others" :
			this.model.functionName(name), part]));
		parts.sort((a, b) => b[1] - a[1]);
		return [["Time", timeText(Math.round(time))],
			["In the driver", percentText(Math.min(1, columns.total(x)), 1)],
			...parts.slice(0, 4).map(([name, part]) => [name, percentText(part, 1)]),
			["Calls", line.row && !line.row.complete ? this.callsAt(line.row, time) : null]];
	}

	callsAt(row, time) {
		const { timeline } = this.model, at = Math.floor(time / 2 ** timeline.shift);

		return at >= 0 && at < timeline.bins ? `${countText(row.level(0).calls[at])} within ${
			timeText(2 ** timeline.shift)}` : null;
	}
}
