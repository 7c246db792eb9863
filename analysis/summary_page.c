/* SPDX-License-Identifier: Apache-2.0 */
/* What tables of traces alone have in common. */
#include "analysis/summary_page.h"

#include <string.h>

struct page page_of(const struct summary *summary, const struct summary_print *print,
		    struct out *out)
{
	return (struct page){
		.out = out, .whole = &summary->counts, .timed = true, .columns = print->columns,
		.top = print->top, .colour = print->colour, .blocks = print->blocks,
		.summary = summary, .bars = print->bars
	};
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

	if (page->blocks) {
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
