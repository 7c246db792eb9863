/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as people read them, and exactly. */

const TIME_UNITS = [["ns", 1], ["\u00b5s", 1e3], ["ms", 1e6], ["s", 1e9]];
const BYTE_UNITS = [["B", 1], ["KiB", 2 ** 10], ["MiB", 2 ** 20], ["GiB", 2 ** 30], ["TiB", 2 ** 40]];

/* A number of so many digits at least, no zeros behind them. */
function digits(value, count) {
	const whole = Math.abs(value) >= 1 ? Math.floor(Math.log10(Math.abs(value))) + 1 : 1;

	return value.toFixed(Math.max(0, count - whole));
}

function scaled(value, units, limit) {
	let unit = units[0];

	for (const next of units)
		if (Math.abs(value) >= next[1] * limit)
			unit = next;
	return (unit[1] === 1 ? String(value) : digits(value / unit[1], 4)) + "\u00a0" + unit[0];
}

function timeText(ns) {
	return scaled(ns, TIME_UNITS, 1);
}

function bytesText(bytes) {
	return scaled(bytes, BYTE_UNITS, 1);
}

function countText(count) {
	return count.toLocaleString("en-US");
}

function percentText(part, whole) {
	return whole ? digits(part / whole * 100, 3) + "\u00a0%" : "";
}

/* A point of an axis whose steps are so large: no more digits than they need. */
function tickText(ns, step) {
	let unit = TIME_UNITS[0];

	for (const next of TIME_UNITS)
		if (Math.max(Math.abs(ns), step) >= next[1])
			unit = next;
	const places = Math.max(0, Math.min(9, -Math.floor(Math.log10(step / unit[1]) + 1e-9)));

	return (ns / unit[1]).toFixed(ns ? places : 0) + "\u00a0" + unit[0];
}

/* A step of 1, 2 or 5 times a power of ten that is no less. */
function roundStep(least) {
	const power = 10 ** Math.floor(Math.log10(least));

	for (const factor of [1, 2, 5])
		if (factor * power >= least)
			return factor * power;
	return 10 * power;
}

/* A day and time of ns since the epoch, given as text, in UTC. */
function dateText(ns) {
	const milliseconds = Number(BigInt(ns) / 1000000n);

	if (!milliseconds || milliseconds > 8.64e15)
		return "";
	return new Date(milliseconds).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
}
