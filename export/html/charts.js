/* SPDX-License-Identifier: Apache-2.0 */
/* The latencies of a function as columns, and memory over time as lines. */

/* The end of the bucket that begins at a number: eight to an octave. */
function bucketEnd(floor) {
	return floor < 16 ? floor + 1 : floor + 2 ** (Math.floor(Math.log2(floor)) - 3);
}

class Histogram {
	constructor(data) {
		const functions = data.tables.find((table) => table.id === "functions");
		const column = (title) => functions.columns.findIndex((text) => text.endsWith(" " + title));

		this.histograms = data.histograms;
		this.rows = functions.rows;
		this.marks = ["p50", "p90", "p99"].map((title) => [title, column(title)]);
		this.choice = make("select", { id: "latency-function", onchange: () => this.draw() },
			...this.rows.map((row, i) => make("option", { value: i }, row[0])));
		this.logarithmic = make("input", { type: "checkbox", onchange: () => this.draw() });
		this.place = make("div");
		this.elements = [make("div", { class: "bar" },
			make("label", { for: "latency-function" }, "Function"), this.choice,
			make("label", {}, this.logarithmic, " logarithmic counts"),
			this.status = make("span", { class: "hint" })), this.place];
		new ResizeObserver(() => this.draw()).observe(this.place);
		this.draw();
	}

	choose(name) {
		const index = this.rows.findIndex((row) => row[0] === name);

		if (index >= 0) {
			this.choice.value = index;
			this.draw();
		}
	}

	draw() {
		const index = Number(this.choice.value || 0), pairs = this.histograms[index] || [];
		const width = Math.max(320, this.place.clientWidth), height = 240;
		const area = { left: 64, right: width - 20, top: 34, bottom: height - 28 };

		this.width = width;
		if (!pairs.length) {
			this.place.replaceChildren();
			return;
		}
		const low = Math.log(Math.max(pairs[0], 1));
		const high = Math.max(Math.log(bucketEnd(pairs[pairs.length - 2])), low + Math.log(4));
		const most = pairs.reduce((max, count, i) => i & 1 ? Math.max(max, count) : max, 0);
		const x = (ns) => area.left +
			(Math.log(Math.max(ns, 1)) - low) / (high - low) * (area.right - area.left);
		const part = this.logarithmic.checked ?
			(count) => Math.log(1 + count) / Math.log(1 + most) : (count) => count / most;
		const y = (count) => area.bottom - part(count) * (area.bottom - area.top);
		const svg = draw("svg", { width, height, role: "img",
			"aria-label": "Latencies of " + this.rows[index][0] });

		this.axes(svg, area, low, high, x, most, y);
		for (let i = 0; i < pairs.length; i += 2) {
			const from = x(pairs[i]), to = x(bucketEnd(pairs[i])), top = y(pairs[i + 1]);

			svg.append(draw("rect", { class: "column", x: from, y: top,
				width: Math.max(1, to - from - 0.6),
				height: Math.max(1, area.bottom - top) },
			draw("title", {}, `${countText(pairs[i + 1])} calls of ${timeText(pairs[i])} to ${
				timeText(bucketEnd(pairs[i]))}`)));
		}
		this.percentiles(svg, area, index, x);
		this.status.textContent = `${countText(this.rows[index][2])} calls, time on a logarithmic axis`;
		this.place.replaceChildren(svg);
	}

	axes(svg, area, low, high, x, most, y) {
		const steps = (high - low) / Math.LN10 > 4 ? [1] : [1, 2, 5];

		for (let power = 1; power < 1e18; power *= 10)
			for (const step of steps) {
				const ns = power * step;

				if (Math.log(ns) < low - 1e-9 || Math.log(ns) > high)
					continue;
				svg.append(draw("line", { class: "axis", x1: x(ns), x2: x(ns), y1: area.top,
					y2: area.bottom + 4 }),
				draw("text", { x: x(ns), y: area.bottom + 17, "text-anchor": "middle" },
					tickText(ns, power)));
			}
		for (const share of [0.25, 0.5, 1]) {
			const count = Math.max(1, Math.round(most * share));

			svg.append(draw("line", { class: "axis", x1: area.left, x2: area.right, y1: y(count),
				y2: y(count) }),
			draw("text", { x: area.left - 6, y: y(count) + 4, "text-anchor": "end" },
				countText(count)));
			if (most === 1)
				break;
		}
		svg.append(draw("line", { class: "axis", x1: area.left, x2: area.right, y1: area.bottom,
			y2: area.bottom }));
	}

	percentiles(svg, area, index, x) {
		let last = -Infinity, line = 0;

		for (const [title, column] of this.marks) {
			const ns = this.rows[index][column], at = x(ns);

			line = at - last < 100 ? line + 1 : 0;
			last = at;
			svg.append(draw("line", { class: "line", x1: at, x2: at, y1: 4 + 13 * line,
				y2: area.bottom }),
			draw("text", { x: at + 4, y: 12 + 13 * line }, `${title} ${timeText(ns)}`));
		}
	}
}

/* Memory of processes over the time that the timeline shows. */
class MemoryChart {
	constructor(curves, timeline) {
		this.curves = curves.map((curve, i) => Object.assign(curve, { color: colorOfRank(i) }))
			.sort((a, b) => b.peak - a.peak);
		this.timeline = timeline;
		this.canvas = make("canvas", { role: "img", "aria-label": this.summary(),
			onpointermove: (event) => this.point(event),
			onpointerleave: () => this.timeline.tip.hide() });
		this.elements = [make("div", { class: "frame curve" }, this.labels(),
			this.place = make("div", {}, this.canvas))];
		timeline.watchers.push(() => this.draw());
	}

	summary() {
		const first = this.curves[0];

		return `Device memory over time; the most is ${bytesText(first.peak)}, of ${first.name}`;
	}

	labels() {
		const labels = make("div", { class: "labels" });

		for (const curve of this.curves.slice(0, 8))
			labels.append(make("div", { title: `${curve.name}: ${countText(curve.allocated)
			} bytes allocated all in all, ${countText(curve.held)} held at the end` },
			swatch(curve.color), make("span", {}, curve.name),
			make("span", { class: "quiet", title: "the most" }, bytesText(curve.peak))));
		return labels;
	}

	/* Bytes at a moment; undefined where nothing is known. */
	value(curve, time) {
		return curve.points[Math.floor((time - curve.start) / curve.step)];
	}

	draw() {
		const { from, to } = this.timeline.view, width = this.place.clientWidth, height = 180;

		if (!width)
			return;
		const context = sized(this.canvas, width, height);
		const most = this.curves[0].peak || 1, top = 22, bottom = height - 6;
		const x = (time) => (time - from) / (to - from) * width;
		const y = (bytes) => bottom - bytes / most * (bottom - top);

		for (const curve of this.curves.slice().reverse())
			this.line(context, curve, x, y, width);
		this.scale(context, width, most, y);
		for (const curve of this.curves.slice(0, 1))
			this.peak(context, curve, x, y, width);
	}

	scale(context, width, most, y) {
		const step = 2 ** Math.ceil(Math.log2(most / 4));

		context.strokeStyle = themed("--line");
		for (let bytes = 0; bytes <= most; bytes += step) {
			const at = Math.round(y(bytes)) + 0.5;

			context.beginPath();
			context.moveTo(0, at);
			context.lineTo(width, at);
			context.stroke();
			if (bytes) {
				context.fillStyle = themed("--back");
				context.fillRect(2, at - 14, context.measureText(bytesText(bytes)).width + 4, 13);
				context.fillStyle = themed("--muted");
				context.fillText(bytesText(bytes), 4, at - 7);
			}
		}
	}

	line(context, curve, x, y, width) {
		const { from, to } = this.timeline.view, count = curve.points.length;
		let i = Math.max(0, Math.floor((from - curve.start) / curve.step));
		const end = Math.min(count, Math.ceil((to - curve.start) / curve.step) + 1);

		context.strokeStyle = context.fillStyle = curve.color;
		context.lineWidth = 1.5;
		context.beginPath();
		context.moveTo(x(curve.start + i * curve.step), y(0));
		for (; i < end; i++) {
			context.lineTo(x(curve.start + i * curve.step), y(curve.points[i]));
			context.lineTo(x(curve.start + (i + 1) * curve.step), y(curve.points[i]));
		}
		context.stroke();
		context.lineTo(Math.min(width, x(curve.start + end * curve.step)), y(0));
		context.globalAlpha = 0.12;
		context.fill();
		context.globalAlpha = 1;
		context.lineWidth = 1;
	}

	peak(context, curve, x, y, width) {
		const at = x(curve.peak_at), text = `peak ${bytesText(curve.peak)}`;

		if (at < 0 || at > width)
			return;
		context.fillStyle = curve.color;
		context.beginPath();
		context.arc(at, y(curve.peak), 4, 0, 2 * Math.PI);
		context.fill();
		context.fillStyle = themed("--text");
		context.textAlign = at > width - 130 ? "right" : "left";
		context.fillText(text, at + (at > width - 130 ? -8 : 8), y(curve.peak) - 9);
		context.textAlign = "left";
	}

	point(event) {
		const { from, to } = this.timeline.view, box = this.canvas.getBoundingClientRect();
		const time = from + (event.clientX - box.left) / box.width * (to - from);
		const facts = this.curves.slice(0, 8).map((curve) => [curve.name, this.value(curve, time)])
			.filter((fact) => fact[1] !== undefined)
			.map(([name, bytes]) => [name, bytesText(bytes)]);

		this.timeline.tip.show(event, [["Time", timeText(time)], ...facts]);
	}
}
