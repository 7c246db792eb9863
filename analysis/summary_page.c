/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables of a summary have in common. */
#include "analysis/summary_page.h"

#include <string.h>

enum {
	NAME_MIN = 24,
	HEADING_MAX = 1000
};

void page_plural(const struct page *page, uint64_t count, const char *thing, const char *plural)
{
	out_u64(page->out, count);
	out_text(page->out, " ");
	out_text(page->out, count == 1 ? thing : plural);
}

void page_heading(const struct page *page, const char *text)
{
	out_text(page->out, page->print->colour ? "\n\033[1m" : "\n");
	out_fit(page->out, text, HEADING_MAX);
	out_text(page->out, page->print->colour ? "\033[0m\n" : "\n");
}

void page_number(const struct page *page, struct out_number number, size_t width)
{
	out_right(page->out, number.text, width);
}

void page_errors(const struct page *page, uint64_t count, size_t width)
{
	bool red = count && page->print->colour;

	if (red)
		out_text(page->out, "\033[31m");
	page_number(page, out_count(count), width);
	if (red)
		out_text(page->out, "\033[0m");
}

void page_lead(const struct page *page, uint64_t total_ns, uint64_t calls)
{
	page_number(page, out_percent(total_ns, page->summary->counts.total_ns), 6);
	page_number(page, out_time(total_ns, 5), 8);
	page_number(page, out_count(calls), 9);
}

void page_name(const struct page *page, const char *text, size_t before)
{
	size_t columns = page->print->columns;

	out_fit(page->out, text, columns > before + NAME_MIN ? columns - before : NAME_MIN);
	out_text(page->out, "\n");
}

size_t page_rows(const struct page *page, size_t count)
{
	size_t top = page->print->top;

	return top && top < count ? top : count;
}

void page_more(const struct page *page, size_t count, const char *thing, const char *plural)
{
	size_t rows = page_rows(page, count);

	if (count == rows)
		return;
	out_spaces(page->out, 28);
	out_text(page->out, "and ");
	page_plural(page, count - rows, thing, plural);
	out_text(page->out, " more\n");
}

const char *page_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void page_process(const struct page *page, uint32_t process)
{
	const struct summary_process *row = &page->summary->processes[process];

	out_fit(page->out, page_component(row->program), 32);
	out_text(page->out, " (pid ");
	out_u64(page->out, row->pid);
	if (row->rank >= 0) {
		out_text(page->out, ", rank ");
		out_u64(page->out, (uint64_t)row->rank);
	}
	out_text(page->out, ")");
}

void page_block(const struct page *page, unsigned int height)
{
	static const char ascii[] = "_.:-=+*#";
	char block[] = "\342\226\201";

	if (page->print->blocks) {
		block[2] = (char)(block[2] + (int)(height & 7));
		out_text(page->out, block);
	} else {
		out_bytes(page->out, &ascii[height & 7], 1);
	}
}

struct out_number summary_size(uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	struct out_number number;
	unsigned int unit = 0;
	uint64_t whole = bytes, rest = 0;
	size_t length;

	for (; whole >= 1000 && unit < 6; unit++) {
		rest = whole % 1024;
		whole /= 1024;
	}
	number = out_count(whole);
	length = strlen(number.text);
	if (unit && whole < 10) {
		struct out_number hundredths = out_count(100 + rest * 100 / 1024);

		number.text[length] = '.';
		memcpy(number.text + length + 1, hundredths.text + 1, 2);
		length += 3;
	} else if (unit && whole < 100) {
		number.text[length] = '.';
		number.text[length + 1] = (char)('0' + rest * 10 / 1024);
		length += 2;
	}
	strcpy(number.text + length, units[unit]);
	return number;
}
