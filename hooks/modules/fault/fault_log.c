/* SPDX-License-Identifier: Apache-2.0 */
/* What the fault hook says it did. */
#include "hooks/modules/fault/fault_log.h"

#include <cuaudit/hook.h>
#include <cuaudit/params.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hooks/call_site.h"
#include "hooks/provider_types.h"
#include "util/io.h"
#include "util/text.h"
#include "util/writer.h"

enum { LINE = 768, CALL = 300, OBJECT = 2048, SYMBOL = 256 };

struct line {
	char text[LINE];
	size_t used;
};

static uint64_t most;
static bool objects;	/* JSON */
static _Atomic uint64_t reported;
static _Atomic uint64_t unwritten;
static char path[PATH_MAX]; /* "" for standard error */

static void add(struct line *line, const char *text)
{
	while (*text && line->used < sizeof(line->text) - 2)
		line->text[line->used++] = *text++;
}

/* A name, in place of which there may be anything. */
static void add_name(struct line *line, const char *text)
{
	line->used += text_print(line->text + line->used, sizeof(line->text) - 1 - line->used, text,
				 strlen(text));
}

static void add_number(struct line *line, uint64_t value)
{
	char digits[24], *at = digits + sizeof(digits);

	*--at = '\0';
	do
		*--at = (char)('0' + value % 10);
	while (value /= 10);
	add(line, at);
}

/* By the driver's name, or by that of types of another library's function. */
static void add_result(struct line *line, int32_t result, const struct cuaudit_call *call)
{
	const char *name = call->flags & CUAUDIT_CALL_NO_STATUS ?
			   provider_types_value_name(call->function, result) : cuaudit_result_name(result);

	if (name)
		add(line, name);
	else
		add_number(line, (uint32_t)result);
}

static void add_time(struct line *line, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" } };
	size_t unit = 0;

	while (ns % units[unit].ns)
		unit++;
	add_number(line, ns / units[unit].ns);
	add(line, units[unit].name);
}

static void say(struct line *line)
{
	line->text[line->used] = '\0';
	if (!*path) {
		cuaudit_log(CUAUDIT_WARN, "%s", line->text);
	} else {
		line->text[line->used++] = '\n';
		if (io_append(path, line->text, line->used))
			atomic_fetch_add_explicit(&unwritten, 1, memory_order_relaxed);
	}
}

/* Ends an object, and writes it if all of it did fit. */
static void say_object(struct writer *json)
{
	struct out *out = json->out;

	writer_end(json, '}');
	out_text(out, "\n");
	if (out->error || io_append(path, out->data, out->used))
		atomic_fetch_add_explicit(&unwritten, 1, memory_order_relaxed);
}

static void begin_object(struct writer *json, const struct fault_rule *rule)
{
	writer_begin(json, NULL, '{');
	writer_number(json, "version", 1);
	writer_number(json, "pid", (uint64_t)getpid());
	writer_number(json, "fault_rule", rule->number);
}

/* What the program got, where it is not the driver's own answer. */
static void answer_object(struct writer *json, const struct fault_rule *rule, enum fault_answer answer,
			  int32_t driver)
{
	writer_flag(json, "called", answer != FAULT_ERROR);
	if (answer != FAULT_NONE)
		writer_signed(json, "result", rule->result);
	if (answer == FAULT_RESULT)
		writer_signed(json, "driver_result", driver);
	writer_number(json, "delay_enter", rule->delay_enter);
	writer_number(json, "delay_exit", rule->delay_exit);
}

static __attribute__((noinline)) void injection_object(const struct fault_rule *rule,
						       const struct cuaudit_call *call, uint64_t number,
						       enum fault_answer answer, int32_t driver)
{
	char data[OBJECT], name[SYMBOL];
	struct out out = { .data = data, .size = sizeof(data), .fixed = true };
	struct writer json = { .out = &out };

	begin_object(&json, rule);
	writer_number(&json, "call", number);
	writer_number(&json, "thread", (uint64_t)syscall(SYS_gettid));
	writer_text(&json, "function", call->function->name);
	answer_object(&json, rule, answer, driver);
	call_site_json(&json, call->caller, cuaudit_call_library(call), name, sizeof(name));
	say_object(&json);
}

static void summary_object(const struct fault_rule *rule)
{
	struct out out = { .used = 0 };
	struct writer json = { .out = &out };

	begin_object(&json, rule);
	writer_text(&json, "inject", rule->text);
	writer_number(&json, "matched", rule->matched);
	writer_number(&json, "injected", rule->injected);
	say_object(&json);
	out_free(&out);
}

static void begin(struct line *line, const struct fault_rule *rule)
{
	line->used = 0;
	add(line, "fault: rule ");
	add_number(line, rule->number);
}

static void set_path(void)
{
	if (cuaudit_output_path(".fault", path, sizeof(path)))
		path[0] = '\0';
}

void fault_log_setup(uint64_t lines, bool json)
{
	int file;

	most = lines;
	objects = json;
	set_path();
	if (!*path)
		return;
	file = cuaudit_output(".fault");
	if (file >= 0)
		io_close(file);
	else
		path[0] = '\0';
}

void fault_log_injection(const struct fault_rule *rule, const struct cuaudit_call *call,
			 uint64_t number, enum fault_answer answer, int32_t driver)
{
	uint64_t before = atomic_fetch_add_explicit(&reported, 1, memory_order_relaxed);
	unsigned int flags = answer == FAULT_RESULT ? CUAUDIT_PRINT_AFTER : 0;
	struct cuaudit_call seen = *call;
	struct line line;
	char text[CALL], site[CALL_SITE_TEXT];

	if (before > most || (objects && before == most))
		return;
	if (objects) {
		injection_object(rule, call, number, answer, driver);
		return;
	}
	begin(&line, rule);
	if (before == most) {
		add(&line, ": what comes further is only counted");
		say(&line);
		return;
	}
	add(&line, ", call ");
	add_number(&line, number);
	add(&line, ", thread ");
	add_number(&line, (uint64_t)syscall(SYS_gettid));
	add(&line, ", ");
	add_name(&line, call_site_text(site, call->caller, cuaudit_call_library(call)));
	add(&line, ": ");
	seen.result = driver;
	if (cuaudit_call_print(&seen, flags, text, sizeof(text)) >= sizeof(text))
		text_cut(text, sizeof(text));
	add_name(&line, text);
	if (answer != FAULT_NONE) {
		add(&line, answer == FAULT_ERROR ? " is not called but returns " : " is made ");
		add_result(&line, rule->result, call);
	}
	if (rule->delay_enter) {
		add(&line, ", waits before: ");
		add_time(&line, rule->delay_enter);
	}
	if (rule->delay_exit) {
		add(&line, ", waits after: ");
		add_time(&line, rule->delay_exit);
	}
	say(&line);
}

void fault_log_summary(const struct fault_rule *rule)
{
	struct line line;
	uint64_t lost;

	if (objects) {
		summary_object(rule);
	} else {
		begin(&line, rule);
		add(&line, ": of ");
		add_number(&line, rule->matched);
		add(&line, " calls ");
		add_number(&line, rule->injected);
		add(&line, " injected, ");
		add(&line, rule->text);
		say(&line);
	}
	/* The summary's own line among them. */
	lost = atomic_exchange_explicit(&unwritten, 0, memory_order_relaxed);
	if (lost)
		cuaudit_log(CUAUDIT_WARN, "fault: %llu line%s could not be written: %s",
			    (unsigned long long)lost, lost == 1 ? "" : "s", path);
}

void fault_log_forked(void)
{
	reported = unwritten = 0;
	if (*path)
		set_path();
}
