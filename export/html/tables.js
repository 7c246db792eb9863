/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that can be sorted and searched, a tab each. */

const ROWS_AT_ONCE = 100;

/* What a cell shows, by the kind of its column: a text, and the exact value where that is another. */
const KINDS = {
	time: { right: true, text: timeText, exact: (value) => countText(value) + " ns" },
	at: { right: true, text: timeText, exact: (value) => countText(value) + " ns" },
	bytes: { right: true, text: bytesText, exact: (value) => countText(value) + " bytes" },
	count: { right: true, text: countText },
	errors: { right: true, text: countText },
	id: { right: true, text: String },
	path: { text: lastPart, exact: (value) => value },
	text: { text: String, exact: (value) => value },
	name: { text: String, exact: (value) => value },
	show: { text: () => "Show" },
};

class Table {
	/* actions: what a click on a cell of kind name or show does. */
	constructor(data, actions) {
		this.data = data;
		this.actions = actions;
		this.columns = data.columns.map((column) => {
			const space = column.indexOf(" ");

			return { kind: column.slice(0, space), title: column.slice(space + 1) };
		});
		this.rows = data.rows.slice();
		this.shown = ROWS_AT_ONCE;
		this.wanted = "";
		this.sorted = data.sorted ?? this.columns.findIndex((column) => column.title === "Total");
		this.descending = true;
		/* Shares of the whole are drawn beside the first column of times. */
		this.whole = data.rows.reduce((sum, row) => sum + (row[this.sorted] || 0), 0);
		this.body = make("tbody");
		this.headings = this.columns.map((column, i) => make("th", {
			scope: "col", class: KINDS[column.kind].right ? null : "left",
		}, column.kind === "show" ? column.title : make("button", {
			type: "button", onclick: () => this.sort(i),
		}, column.title)));
		this.more = make("button", { type: "button", onclick: () => {
			this.shown = Infinity;
			this.fill();
		} });
		this.status = make("span", { class: "hint", role: "status" });
		this.element = make("div", {},
			make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": data.title },
				make("table", {}, make("caption", {}, data.title),
					make("thead", {}, make("tr", {}, ...this.headings)), this.body)),
			make("p", { class: "more" }, this.more, " ", this.status));
		this.fill();
	}

	sort(column) {
		const texts = !KINDS[this.columns[column].kind].right;

		this.descending = column === this.sorted ? !this.descending : !texts;
		this.sorted = column;
		this.rows.sort((a, b) => {
			const x = a[column], y = b[column];
			const order = texts ? (String(x) > String(y)) - (String(x) < String(y)) : x - y;

			return this.descending ? -order : order;
		});
		this.fill();
	}

	filter(text) {
		this.wanted = text.toLowerCase();
		this.fill();
	}

	matches(row) {
		return !this.wanted || this.columns.some((column, i) => !KINDS[column.kind].right &&
			String(row[i] ?? "").toLowerCase().includes(this.wanted));
	}

	fill() {
		const rows = this.rows.filter((row) => this.matches(row));
		const count = Math.min(rows.length, this.shown);

		this.body.replaceChildren(...rows.slice(0, count).map((row) => this.row(row)));
		this.headings.forEach((heading, i) => {
			if (i === this.sorted)
				heading.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
			else
				heading.removeAttribute("aria-sort");
		});
		this.more.hidden = count === rows.length;
		this.more.textContent = `Show all ${countText(rows.length)} rows`;
		this.status.textContent = this.wanted ? `${countText(rows.length)} of ${
			countText(this.rows.length)} rows match` : this.data.cut ? `${
			countText(this.data.cut)} more are left out` : "";
	}

	row(row) {
		return make("tr", {}, ...this.columns.map((column, i) => this.cell(column, row[i], i, row)));
	}

	cell(column, value, i, row) {
		const kind = KINDS[column.kind];
		const missing = value === null || value === undefined || value === "" ||
			(kind.right && value < 0);
		const classes = [kind.right ? "" : "left", missing || (column.kind === "errors" && !value) ?
			"nothing" : column.kind === "errors" ? "bad" : ""];
		const cell = make("td", { class: classes.join(" ").trim() || null,
			title: missing || !kind.exact ? null : kind.exact(value) });

		if (missing)
			cell.append("\u2013");
		else if (column.kind === "show" || (column.kind === "name" && this.actions.name))
			cell.append(make("button", { type: "button",
				onclick: () => this.actions[column.kind](value, row) }, kind.text(value)));
		else if (column.kind === "time" && column.title === "Total")
			cell.append(make("span", { class: "total" }, this.part(value), kind.text(value)));
		else
			cell.append(kind.text(value));
		return cell;
	}

	part(value) {
		const inner = make("span"), part = make("span", { class: "part",
			title: percentText(value, this.whole) }, inner);

		inner.style.width = this.whole ? value / this.whole * 100 + "%" : 0;
		return part;
	}
}

/* One table at a time, with a field to search it. */
function tabbed(tables, actions) {
	const search = make("input", { type: "search", placeholder: "Filter by name",
		"aria-label": "Filter the table by name", oninput: () => {
			for (const tab of tabs)
				tab.table.filter(search.value);
		} });
	const tabs = tables.filter((data) => data.rows.length).map((data) => {
		const table = new Table(data, actions);

		return { table, panel: make("div", { role: "tabpanel", id: "table-" + data.id,
			"aria-labelledby": "tab-" + data.id }, table.element),
		button: make("button", { type: "button", role: "tab", id: "tab-" + data.id,
			"aria-controls": "table-" + data.id, onclick: () => choose(data.id),
			onkeydown: (event) => turn(event, data.id) }, data.title) };
	});

	const choose = (id) => {
		for (const tab of tabs) {
			const on = tab.button.id === "tab-" + id;

			tab.button.setAttribute("aria-selected", on);
			tab.button.tabIndex = on ? 0 : -1;
			tab.panel.hidden = !on;
		}
	};
	const turn = (event, id) => {
		const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];

		if (!step)
			return;
		const at = tabs.findIndex((tab) => tab.button.id === "tab-" + id);
		const next = tabs[(at + step + tabs.length) % tabs.length].button;

		next.click();
		next.focus();
	};

	if (tabs.length)
		choose(tabs[0].table.data.id);
	return [make("div", { class: "bar" },
		make("div", { role: "tablist", "aria-label": "Tables" }, ...tabs.map((tab) => tab.button)),
		search), ...tabs.map((tab) => tab.panel)];
}
