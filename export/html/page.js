/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the page together. */

const LISTED = 200;		/* of the longest calls, and of those that failed */

function section(id, elements) {
	document.getElementById(id).append(...elements);
}

function showTotals(data) {
	const { totals } = data, { processes } = data.timeline;
	const names = new Set(processes.map((process) => lastPart(process.program)));
	const hosts = new Set(processes.map((process) => process.host));
	const name = names.size === 1 && [...names][0] ? [...names][0] : `${names.size} programs`;
	const single = processes.length === 1 ? processes[0] : null;
	const facts = [
		["Calls", countText(totals.calls)],
		["Time in the driver", timeText(totals.total_ns), countText(totals.total_ns) + " ns"],
		["Span", timeText(totals.span_ns), countText(totals.span_ns) + " ns"],
		["Errors", countText(totals.errors)],
		["Functions", countText(totals.functions)],
		["Processes", countText(totals.processes)],
		["Threads", countText(totals.threads)],
		...totals.ranks > 1 ? [["Ranks", countText(totals.ranks)]] : [],
	];

	document.title = `${name} \u2013 cuaudit report`;
	document.getElementById("title").textContent = single ? single.command || name : name;
	document.getElementById("subtitle").textContent = [single ? `process ${single.pid}` : "",
		hosts.size === 1 ? [...hosts][0] : `${hosts.size} hosts`, dateText(totals.first_ns)]
		.filter((text) => text).join(", ");
	document.getElementById("totals").append(...facts.map(([title, text, exact]) =>
		make("div", { class: title === "Errors" && totals.errors ? "bad" : null, title: exact },
			make("dt", {}, title), make("dd", {}, text))));
	document.getElementById("made").textContent =
		`Made by cuaudit ${data.cuaudit}. Driver calls as the host made them; times are of the calls.`;
}

function showWarnings(warnings) {
	const place = document.getElementById("warnings");

	place.hidden = !warnings.length;
	place.querySelector("ul").append(...warnings.map((text) => make("li", {}, text)));
}

/* Rows of calls, chosen and ordered, as a table. */
function callTable(model, id, title, sorted, keep) {
	const all = [];

	for (const row of model.rows)
		for (let i = 0; i < row.shownCalls.count; i++)
			if (keep(row.shownCalls, i))
				all.push([row, i]);
	all.sort((a, b) => b[0].shownCalls.duration[b[1]] - a[0].shownCalls.duration[a[1]]);
	return { id, title, sorted, cut: Math.max(0, all.length - LISTED),
		columns: ["name Function", "time Host time", "at Start", "text Result", "text Thread",
			"text Process", "text Called from", "text Kernel", "show "],
		rows: all.slice(0, LISTED).map(([row, i]) => [
			model.functionName(row.shownCalls.function[i]), row.shownCalls.duration[i],
			row.shownCalls.start[i], row.shownCalls.resultText(i), row.title,
			processTitle(model.timeline.processes[row.process]),
			model.timeline.callers[row.shownCalls.caller[i]], row.shownCalls.kernelText(i),
			{ row, call: i }]) };
}

function openTable(model) {
	return { id: "open", title: "Calls that had not ended", sorted: 1, cut: 0,
		columns: ["name Function", "time For", "at Start", "id Tid", "text Process"],
		rows: model.timeline.open.map((open) => [open.function, open.for, open.start, open.tid,
			processTitle(model.timeline.processes[open.process])]) };
}

function showAll(data) {
	const model = new Model(data), timeline = new Timeline(model), histogram = new Histogram(data);
	const actions = {
		name: (name) => {
			timeline.highlight(model.numbers.get(name) ?? -1);
			histogram.choose(name);
		},
		show: (call) => {
			timeline.show(call.row, call.call);
			document.getElementById("timeline").scrollIntoView();
		},
	};

	showTotals(data);
	showWarnings(data.warnings);
	section("timeline", timeline.elements);
	if (data.memory.some((curve) => curve.peak))
		section("memory", new MemoryChart(data.memory, timeline).elements);
	else
		document.getElementById("memory").hidden = true;
	section("tables", tabbed([...data.tables.filter((table) => table.rows.length > 1 ||
		table.id !== "ranks"), openTable(model),
	callTable(model, "longest", "Longest calls", 1, () => true),
	callTable(model, "failed", "Failed calls", 1, (calls, i) => calls.failed(i))], actions));
	section("latency", histogram.elements);
	document.getElementById("latency").hidden = !data.histograms.length;
	for (const [event, printed] of [["beforeprint", true], ["afterprint", false]])
		addEventListener(event, () => {
			document.documentElement.classList.toggle("printed", printed);
			timeline.changed();
		});
}

showAll(JSON.parse(document.getElementById("data").textContent));
