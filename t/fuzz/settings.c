/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives everything that reads the CUAUDIT_ variables made-up environments:
 * SEED FIRST COUNT. Prints how many cases there were of each outcome.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <string.h>
#include <unistd.h>

#include <cuaudit/hook.h>

#include "audit/env.h"
#include "audit/filter.h"
#include "audit/judge.h"
#include "audit/stub.h"
#include "audit/sys.h"
#include "audit/unchecked.h"
#include "hooks/core_link.h"
#include "hooks/crash.h"
#include "hooks/hook.h"
#include "hooks/layout.h"
#include "hooks/log.h"
#include "hooks/module.h"
#include "hooks/name_iterator.h"
#include "hooks/output.h"
#include "hooks/plugin.h"
#include "hooks/settings.h"
#include "hooks/strict.h"
#include "hooks/thread.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/text.h"
#include "util/io.h"
#include "util/selector.h"

enum { MAX_ENTRIES = 48, MAX_MESSAGE = 1024 };

struct link_table *cuaudit_core_link;

struct link_table object_table;
const char *object_program = "";

static struct link_table table;

static bool always(void)
{
	return true;
}
static char *entries[MAX_ENTRIES + 1];
static struct { unsigned int cases, silent, lines, opened, disabled, stopped; } seen;
static jmp_buf stopped;

void unchecked_leave(const char *saved, const char *name)
{
	(void)saved;
	(void)name;
}

/* In the place of both the core's and the auditor's end of the process. */
void settings_exit(int status);

void settings_exit(int status)
{
	fuzz_check(status == 85 || (!status && !strcmp(table.environment.strict, "check")));
	longjmp(stopped, 1);
}

/* What the core's messages and files are written by, in the place of util/io.c. */
int io_write(int fd, const void *bytes, size_t size, int patience)
{
	const unsigned char *text = bytes;

	fuzz_check(fd == STDERR_FILENO && size > 1 && size <= MAX_MESSAGE && patience >= 0);
	fuzz_check(!memcmp(text, "cuaudit: ", 9));
	fuzz_check(text[--size] == '\n');
	while (size--)
		fuzz_check(text[size] >= ' ' && text[size] != 127);
	fuzz_lines++;
	return 0;
}

int io_open(const char *path, int flags, int patience)
{
	fuzz_check((flags & O_ACCMODE) == O_WRONLY && strlen(path) < PATH_MAX && patience >= 0);
	seen.opened++;
	return -EACCES;
}

int io_append(const char *path, const void *data, size_t count)
{
	fuzz_check(strlen(path) < PATH_MAX && data && count);
	seen.opened++;
	return -EACCES;
}

mode_t io_type(const char *path)
{
	fuzz_check(strlen(path) < PATH_MAX);
	return 0;
}

int io_copy(int fd)
{
	fuzz_check(fd == STDERR_FILENO);
	return -EMFILE;
}

int io_close(int fd)
{
	fuzz_check(fd >= 0);
	return 0;
}

const char *io_reason(int error)
{
	fuzz_check(error < 0);
	return "no reason";
}

const char *io_remedy(int error)
{
	return io_reason(error);
}

/* A table of few functions: what is fuzzed here are texts. */
static const struct layout rows[] = {
	{ .name = "cuMemAlloc_v2", .base = "cuMemAlloc", .classes = 1 },
	{ .name = "cuMemcpyHtoDAsync_v2", .base = "cuMemcpyHtoDAsync", .classes = 4 },
};
const uint32_t layout_count = 2;

const struct layout *layout_row(uint32_t id)
{
	fuzz_check(id < layout_count);
	return &rows[id];
}

int layout_find(const char *symbol)
{
	for (uint32_t i = 0; i < layout_count; i++)
		if (!strcmp(rows[i].name, symbol))
			return (int)i;
	return -1;
}

/* No plug-ins; nothing that starts crashes. */
int plugin_find(const char *name, char *path, size_t size)
{
	fuzz_check(*name && size >= PATH_MAX);
	path[0] = '\0';
	return -ENOENT;
}

const struct cuaudit_module *plugin_open(const char *path, const char *name,
					 struct cuaudit_module *module)
{
	fuzz_check(!path && !name && !module);
	return NULL;
}

int crash_run(int (*init)(const struct cuaudit_options *options),
	      const struct cuaudit_options *options, int *number)
{
	*number = 0;
	return init(options);
}

void hook_module(const void *module, bool policy)
{
	(void)module;
	(void)policy;
}

void hook_drop(const void *module)
{
	fuzz_check(module);
}

void thread_disown(const struct cuaudit_module *owner)
{
	fuzz_check(owner);
}

static void make_environment(void)
{
	int count = 1 + (int)chance(chance(16) ? 4 : MAX_ENTRIES);

	for (int i = 0; i < count; i++)
		entries[i] = text_entry();
	entries[count] = NULL;
}

/* At most one line for each thing that can be wrong. */
static unsigned int most_lines(void)
{
	unsigned int most = 5;

	for (char **entry = entries; *entry; entry++) {
		most++;
		if (strncmp(*entry, "CUAUDIT_HOOKS=", 14))
			continue;
		/* each module: its name, or its options and that it does not start */
		most += 2;
		for (const char *c = *entry; *c; c++)
			most += *c == ',' ? 2 : *c == ';' || *c == '(';
	}
	return most;
}

static void check_follow(size_t before)
{
	static const char variable[] = "LD_AUDIT=";
	size_t after = 0;

	for (char **entry = entries; *entry; entry++) {
		const char *at = *entry;

		after += strlen(*entry);
		if (table.environment.follow[0] != '0' || strncmp(at, variable, 9))
			continue;
		for (at += 9; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
			const char *name = at, *end = at + strcspn(at, ":");

			for (const char *c = at; c < end; c++)
				if (*c == '/')
					name = c + 1;
			fuzz_check(end - name != 13 || memcmp(name, "libcuaudit.so", 13));
		}
	}
	fuzz_check(table.environment.follow[0] == '0' ? after <= before : after == before);
}

/* The fault is one part of the selector, as it stands there. */
static void check_part(const char *selector, const char *fault, size_t length)
{
	char near[SELECTOR_NEAR];

	if (!fault)
		return;
	selector_near(fault, length, near, name_iterator_get);
	fuzz_check(strlen(near) < sizeof(near));
	fuzz_check(fault >= selector && length <= strlen(fault));
	fuzz_check(fault == selector || strchr(", \t!", fault[-1]));
	fuzz_check(strchr(", \t", fault[length]));
}

static void match(void)
{
	static const struct cuaudit_function functions[] = {
		{ .name = "cuMemcpyHtoDAsync_v2", .base = "cuMemcpyHtoDAsync", .classes = 4 },
		{ .name = "", .base = "" },
	};
	static const char *const paths[] = {
		"/usr/lib/x86_64-linux-gnu/libcudart.so.12", "libx.so", "", "/", "a/[b]\\*"
	};
	char *text = text_value();
	const char *part;
	struct selector *selector;
	size_t length = 0;

	part = selector_fault(text, &length);
	check_part(text, part, length);
	if (!part) {
		const char *stranger = selector_unknown_name(text, &length, name_iterator_get);

		check_part(text, stranger, length);
	}
	selector = selector_open(part || chance(2) ? table.environment.functions : text);
	for (int i = 0; selector && i < 2; i++)
		selector_takes(selector, &functions[i]);
	if (selector)
		selector_close(selector);
	for (int i = 0; i < 5; i++) {
		filter_list(table.environment.exclude, paths[i], chance(2));
		filter_list(text, paths[i], chance(2));
		filter_list(paths[i], text, false);
	}
	free(text);
}

static void write_somewhere(void)
{
	size_t size = 1 + chance(chance(2) ? 64 : PATH_MAX);
	char *path = malloc(size);

	if (cuaudit_output_path(".part", path, size) != -ENOENT)
		fuzz_check(memchr(path, '\0', size));
	free(path);
	if (table.environment.output[0])
		fuzz_check(cuaudit_output(".json") < 0);
}

/* Of entries that lie in memory of their own, any list may be cut. */
static void check_loader(void)
{
	struct env_loader loader = { .auditors = 0 }, wanted = { .auditors = 0 };

	env_read_loader(&loader, entries, NULL);
	for (char **entry = entries; *entry; entry++) {
		wanted.bind_not |= !strncmp(*entry, "LD_BIND_NOT=", 12);
		wanted.profile |= !strncmp(*entry, "LD_PROFILE=", 11);
		if (strncmp(*entry, "LD_AUDIT=", 9))
			continue;
		wanted.cut = true;
		for (const char *at = *entry + 9; *at; at += strspn(at, ":")) {
			size_t length = strcspn(at, ":");

			wanted.auditors += length != 0;
			at += length;
		}
	}
	fuzz_check(loader.auditors == wanted.auditors && loader.cut == wanted.cut);
	fuzz_check(loader.bind_not == wanted.bind_not && loader.profile == wanted.profile);
}

/* The entries as the kernel lays them out, one behind the other, and the program's name. */
static void check_cut(const char *whole, size_t size, unsigned int auditors, bool cut)
{
	struct env_loader loader = { .auditors = 0 };
	char block[64], *envp[4];
	unsigned int count = 0;

	memcpy(block, whole, size);
	/* "+" begins what the loader cut off its list: no entry. */
	for (size_t at = 0; at < size && block[at] != '@'; at += strlen(block + at) + 1)
		if (block[at] != '+')
			envp[count++] = block + at;
	envp[count] = NULL;
	env_read_loader(&loader, envp, memchr(block, '@', size));
	fuzz_check(loader.auditors == auditors && loader.cut == cut);
}

static void check_cuts(void)
{
#define CUT(whole, auditors, cut) check_cut(whole, sizeof(whole), auditors, cut)
	CUT("A=1\0LD_AUDIT=/a.so:/b.so\0B=2\0@", 2, false);
	CUT("A=1\0B=2\0LD_AUDIT=:/a.so::/b.so:\0@", 2, false);
	CUT("LD_AUDIT=/a.so\0+/b.so\0B=2\0@", 1, true);
	CUT("A=1\0LD_AUDIT=/a.so\0+/b.so\0@", 1, true);
	CUT("LD_AUDIT=\0+/b.so\0@", 0, true);
	CUT("LD_AUDIT=\0@", 0, false);
	CUT("A=1\0@", 0, false);
#undef CUT
}

static void run(void)
{
	size_t before = 0;

	make_environment();
	for (char **entry = entries; *entry; entry++)
		before += strlen(*entry);
	table = (struct link_table){ .envp = entries, .stderr_usable = always };
	check_loader();
	env_read(&table.environment, entries);
	if (table.environment.follow[0] == '0')
		env_unfollow(entries);
	check_follow(before);
	if (setjmp(stopped)) {
		seen.stopped++;
	} else {
		judge_start(&table, false);
		log_setup();
		output_setup();
		settings_check();
		module_prepare_all();
		if (strict_checks())
			strict_pass();
		match();
		module_start_all();
		write_somewhere();
	}
	module_finish_all();
	fuzz_check(fuzz_lines <= most_lines());
	for (char **entry = entries; *entry; entry++)
		free(*entry);
}

int main(int argc, char **argv)
{
	uint64_t seed, first, count;

	fuzz_start(argc, argv, &seed, &first, &count);
	cuaudit_core_link = &table;
	check_cuts();
	for (uint64_t i = first; i < first + count; i++) {
		chance_begin(seed, i);
		fuzz_number = i;
		fuzz_lines = 0;
		run();
		seen.cases++;
		seen.silent += !fuzz_lines;
		seen.lines += fuzz_lines;
		seen.disabled += env_disabled;
	}
	printf("cases %u silent %u lines %u opened %u disabled %u stopped %u\n", seen.cases, seen.silent,
	       seen.lines, seen.opened, seen.disabled,
	       seen.stopped);
	return 0;
}
