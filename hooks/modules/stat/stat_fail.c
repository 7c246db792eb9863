/* SPDX-License-Identifier: Apache-2.0 */
/* What fail=errors does at the end: names the errors, and sets the exit status. */
#include "hooks/modules/stat/stat_fail.h"

#include <cuaudit/hook.h>

#include "util/buffer.h"

enum {
	BROKEN = 88,
	NOT_CHECKED = 89,
	SHOWN = 4,
	TEXT = 1024	/* a line of four results and functions */
};

static void print_row(struct buffer *out, const struct error_row *row)
{
	char text[ERROR_TEXT];

	buffer_text(out, error_result_text(text, row));
	buffer_text(out, " of ");
	buffer_name(out, row->function);
	buffer_text(out, " (");
	buffer_unsigned(out, row->count);
	buffer_char(out, ')');
}

static void print_rows(struct buffer *out, const struct error_rows *rows)
{
	for (size_t i = 0; i < rows->count && i < SHOWN; i++) {
		buffer_text(out, i ? ", " : ": ");
		print_row(out, &rows->rows[i]);
	}
	if (rows->count > SHOWN) {
		buffer_text(out, ", and ");
		buffer_unsigned(out, rows->count - SHOWN);
		buffer_text(out, " more");
	}
	buffer_end(out);
}

static void complain(const struct report *report)
{
	char text[TEXT];
	struct buffer out = { text, sizeof(text), 0 };

	print_rows(&out, &report->errors);
	cuaudit_log(CUAUDIT_ERROR, "stat: %llu call%s failed%s; the process ends with status %d, as "
		    "fail=errors asks", (unsigned long long)report->counts.errors,
		    report->counts.errors == 1 ? "" : "s", text, BROKEN);
}

void stat_fail(const struct report *report)
{
	if (report && report->counts.errors) {
		complain(report);
		cuaudit_set_exit_status(BROKEN);
	} else if (!report || report->lost) {
		cuaudit_log(CUAUDIT_ERROR, "stat: whether calls failed is not known for want of memory; "
			    "the process ends with status %d, as fail=errors asks", NOT_CHECKED);
		cuaudit_set_exit_status(NOT_CHECKED);
	}
}
