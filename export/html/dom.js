/* SPDX-License-Identifier: Apache-2.0 */
/* Elements with their properties; texts never become markup. */

function fill(element, properties, children) {
	for (const [name, value] of Object.entries(properties || {})) {
		if (name.startsWith("on"))
			element.addEventListener(name.slice(2), value);
		else if (value !== undefined && value !== null && value !== false)
			element.setAttribute(name, value === true ? "" : value);
	}
	for (const child of children)
		if (child !== null && child !== undefined)
			element.append(child);
	return element;
}

function make(tag, properties, ...children) {
	return fill(document.createElement(tag), properties, children);
}

function draw(tag, properties, ...children) {
	return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

function swatch(color) {
	const element = make("span", { class: "swatch" });

	element.style.background = color;
	return element;
}

/* Pairs of a name and a value; those without a value are left out. */
function factList(facts) {
	const list = make("dl", { class: "facts" });

	for (const [name, value] of facts)
		if (value !== undefined && value !== null && value !== "")
			list.append(make("dt", {}, name), make("dd", {}, value));
	return list;
}

function themed(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/* A canvas of the width of its place, sharp on any screen. Returns its context. */
function sized(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	const context = canvas.getContext("2d");

	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.height = height + "px";
	}
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.clearRect(0, 0, width, height);
	context.font = "11px system-ui, \"Segoe UI\", \"Noto Sans\", \"Liberation Sans\", sans-serif";
	context.textBaseline = "middle";
	return context;
}
