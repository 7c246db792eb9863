/* SPDX-License-Identifier: Apache-2.0 */
/* The report of a process by itself, without cuaudit check: functions as libraries export them. */
#include <string.h>

#include "hooks/modules/rules/rules.h"
#include "util/out.h"

enum { SHOWN = 10 };

static const struct {
	enum check_loss loss;
	const char *text;
} losses[] = {
#define LOSS(name, bit, text) { CHECK_LOST_##name, text },
#include "analysis/check_losses.def"
};

static const char *text_at(const struct check_finding *finding, uint32_t at)
{
	return finding->text + at;
}

static void print_frame(struct out *out, const struct check_finding *finding,
			const struct check_frame *frame)
{
	const char *function = text_at(finding, frame->function);

	out_text(out, "      ");
	out_printed(out, function, strlen(function));
	if (frame->file) {
		const char *file = text_at(finding, frame->file);

		out_text(out, " (");
		out_printed(out, file, strlen(file));
		out_text(out, ":");
		out_u64(out, frame->line);
		out_text(out, ")\n");
		return;
	}
	if (*function) {
		out_text(out, "+");
		out_hex(out, frame->distance);
	}
	if (frame->library != CHECK_NO_LIBRARY) {
		const char *path = rules_file->libraries[frame->library].path;

		out_text(out, *function ? " (" : "(");
		out_printed(out, path, strlen(path));
		out_text(out, "+");
		out_hex(out, frame->offset);
		out_text(out, ")");
	} else if (!*function) {
		out_hex(out, frame->offset);
	}
	out_text(out, "\n");
}

static void print_line(struct out *out, const struct check_finding *finding, const char *title,
		       uint32_t at)
{
	if (!at)
		return;
	out_text(out, title);
	out_printed(out, text_at(finding, at), strlen(text_at(finding, at)));
	out_text(out, "\n");
}

static void print_finding(struct out *out, const struct check_finding *finding)
{
	out_text(out, "  ");
	out_u64(out, finding->count);
	out_text(out, finding->count == 1 ? " time:" : " times:");
	print_line(out, finding, " ", finding->call ? finding->call : finding->function);
	if (!finding->call && !finding->function)
		out_text(out, "\n");
	print_line(out, finding, "    ", finding->note);
	print_line(out, finding, "    kernel ", finding->kernel);
	print_line(out, finding, "    range ", finding->range);
	for (uint32_t i = 0; i < finding->nframes; i++)
		print_frame(out, finding, &finding->frames[i]);
}

static bool holds(const struct check_rule *rule, const char **why)
{
	*why = "broken";
	if (rule->broken)
		return false;
	if (rule->kind == CHECK_COUNT && (rule->value < rule->least || rule->value > rule->most))
		return false;
	*why = "never reached";
	return rule->optional || !(rule->wants & ~rule->reached & check_must_reach(rule));
}

static bool print_rule(struct out *out, uint32_t index)
{
	const struct check_rule *rule = &rules_file->rules[index];
	const char *why;
	uint32_t shown = 0;

	if (holds(rule, &why))
		return true;
	out_printed(out, rules_file->header.rules, strlen(rules_file->header.rules));
	out_text(out, ":");
	out_u64(out, rule->line);
	out_text(out, ": ");
	out_text(out, why);
	out_text(out, ": ");
	out_printed(out, rule->text, strlen(rule->text));
	if (rule->kind == CHECK_COUNT) {
		out_text(out, " (it was ");
		out_u64(out, rule->value);
		out_text(out, ")");
	}
	out_text(out, "\n");
	for (uint32_t i = 0; i < rules_file->header.nfindings && shown < SHOWN; i++)
		if (rules_file->findings[i].count && rules_file->findings[i].rule == index) {
			print_finding(out, &rules_file->findings[i]);
			shown++;
		}
	return false;
}

void rules_print(void)
{
	struct out out = { 0 };
	uint32_t broken = 0;
	int error = 0, fd;

	for (uint32_t i = 0; i < rules.nrules; i++)
		broken += !print_rule(&out, i);
	if (broken) {
		fd = cuaudit_output(".rules");
		error = fd < 0 ? 0 : out_write(&out, fd, IO_REPORT);
		if (fd >= 0)
			io_close(fd);
	}
	out_free(&out);
	if (error)
		cuaudit_log(CUAUDIT_ERROR, "rules: no report: %s", io_remedy(error));
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		if (rules_file->header.losses & losses[i].loss)
			cuaudit_log(CUAUDIT_ERROR, "rules: %s", losses[i].text);
	if (broken)
		cuaudit_set_exit_status(RULES_BROKEN);
	else if (rules_file->header.losses)
		cuaudit_set_exit_status(RULES_NOT_MADE);
}
