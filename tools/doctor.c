/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit doctor: finds out whether programs can be audited here, and says what to do. */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/auditor.h"
#include "tools/child.h"
#include "tools/doctor_output.h"
#include "tools/doctor_providers.h"
#include "tools/finding.h"
#include "tools/interpreter.h"
#include "tools/options.h"
#include "tools/probe.h"
#include "tools/program.h"
#include "tools/tls.h"
#include "tools/tool.h"
#include "tools/trial.h"

enum { TEXT = 512 };

/* The rest of the line of what a child wrote that begins with word, or NULL. */
static const char *line(const char *text, const char *word, char value[TEXT])
{
	size_t length = strlen(word);

	for (; text && *text; text = strchr(text, '\n'), text += !!text)
		if (!strncmp(text, word, length) && strchr(" \n", text[length])) {
			text += length + (text[length] == ' ');
			snprintf(value, TEXT, "%.*s", (int)strcspn(text, "\n"), text);
			return value;
		}
	return NULL;
}

static const char *said;	/* all that the audited program was told, NULL: nothing of ours */

/* Each line of ours or the loader's. */
static void print_said(char *text)
{
	char *rest = NULL, *copy = strdup(text);

	for (char *at = strtok_r(text, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
		if (!strncmp(at, "cuaudit: ", 9))
			at += 9;
		else if (!strstr(at, "ld.so"))
			continue;
		finding_print(FINDING_SAID, at, NULL);
		said = copy;
	}
	if (!said)
		free(copy);
}

/* One that ends a process is the beginning of the one that does not. */
static bool was_said(const char *line)
{
	return said && strstr(said, line);
}

static void print_end(int status)
{
	char text[TEXT];

	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "signal %d, %s", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(text, sizeof(text), "status %d", WEXITSTATUS(status));
	finding_print(FINDING_PROBE_FAILED, text, NULL);
}

struct trial {
	const char *auditor, *directory;
};

/* The user's settings, but for what would keep the one call from the core. */
static void prepare_trial(const void *data)
{
	const struct trial *trial = data;
	char output[PATH_MAX];
	const char *level = getenv("CUAUDIT_LOG");

	auditor_first(trial->auditor);
	auditor_tls_set(TLS_LEAST);
	setenv("CUAUDIT_DRIVER", "sim", 1);
	unsetenv("CUAUDIT_INCLUDE");
	unsetenv("CUAUDIT_EXCLUDE");
	snprintf(output, sizeof(output), "%s/output", trial->directory);
	setenv("CUAUDIT_OUTPUT", output, 1);
	/* One that is not understood is reported; the others are heard as by default. */
	if (level && options_among("error|warn|info|debug", level))
		unsetenv("CUAUDIT_LOG");
	level = getenv("CUAUDIT_STRICT");
	if (level && !strcmp(level, "check"))
		unsetenv("CUAUDIT_STRICT");
	level = getenv("CUAUDIT_DISABLE");
	if (level && !strcmp(level, "1"))
		unsetenv("CUAUDIT_DISABLE");
}

/* A directory of files alone. */
static void remove_directory(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (*entry->d_name != '.')
			unlinkat(dirfd(directory), entry->d_name, 0);
	if (directory)
		closedir(directory);
	rmdir(path);
}

/* A program that calls the simulated driver, audited as the user's would be. */
static int check_trial(const char *auditor)
{
	char *argv[] = { (char *)child_self(), (char *)PROBE_WORD, (char *)"libcuda.so.1",
			 NULL };
	char directory[PATH_MAX], value[TEXT];
	struct trial trial = { auditor, directory };
	const char *temporary = getenv("TMPDIR"), *libc;
	struct child child;
	int error;

	if (!temporary || !*temporary)
		temporary = "/tmp";
	/* A reader that went away ends us here, with no directory to be left. */
	fflush(stdout);
	snprintf(directory, sizeof(directory), "%s/cuaudit.XXXXXX", temporary);
	if (!mkdtemp(directory)) {
		tool_complain("cannot create a directory in %s: %s; set TMPDIR to a directory that "
			      "can be written to", temporary, strerror(errno));
		return -1;
	}
	error = child_run(&child, argv, prepare_trial, &trial);
	remove_directory(directory);
	if (error) {
		tool_complain("no program can be started: %s", strerror(-error));
		return -1;
	}
	print_said(child.err);
	libc = line(child.out, "libc", value);
	if (!libc || WIFSIGNALED(child.status))
		print_end(child.status);
	else if (!strstr(child.out, "\nintercepted\n"))
		finding_print(FINDING_NOT_INTERCEPTED, libc, NULL);
	else if (strstr(child.out, "\ncore\n"))
		finding_print(FINDING_INTERCEPTED, libc, NULL);
	else if (WEXITSTATUS(child.status) > TOOL_FOUND)
		print_end(child.status);
	else
		finding_print(FINDING_NO_CORE, NULL, NULL);
	child_free(&child);
	return 0;
}

static void check_others(void)
{
	const char *others = auditor_others();

	if (others)
		finding_print(FINDING_OTHER_AUDITORS, others, NULL);
	else
		finding_print(FINDING_NO_OTHER_AUDITORS, NULL, NULL);
	free((void *)others);
}

static bool prints;	/* stat's report goes to CUAUDIT_OUTPUT, to which other modules append a suffix */

enum { DEVICES = 64 };

static uint64_t limited;	/* devices that limit names, unless it chooses which of them programs see */

static void take_limits(const char *options)
{
	static const char device[] = " device";
	unsigned long number;
	char *end;

	while (!strstr(options, " visible=") && (options = strstr(options, device))) {
		options += sizeof(device) - 1;
		number = strtoul(options, &end, 10);
		if (end > options && *end == '=' && number < DEVICES)
			limited |= UINT64_C(1) << number;
	}
}

static void take_setting(const char *text)
{
	static const char stat[] = "hook module stat", limit[] = "hook module limit:";

	if (!strncmp(text, limit, sizeof(limit) - 1))
		take_limits(text + sizeof(limit) - 1);
	if (!strncmp(text, stat, sizeof(stat) - 1) && strchr(":;,", text[sizeof(stat) - 1]))
		prints = !strstr(text, "print=no");
	finding_print(FINDING_SETTING, text, NULL);
}

/* What a child that only judges has listed, and what it said beside that. 0, or -1 after a message. */
static int check_list(const char *auditor)
{
	static const char own[] = "cuaudit: ", listed[] = TRIAL_LINE, end[] = TRIAL_END;
	struct child child;
	int passes = trial_list(auditor, &child);
	char *rest = NULL;

	if (passes < 0) {
		tool_complain("no program can be started: %s", strerror(-passes));
		return -1;
	}
	for (char *at = strtok_r(child.err, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(at, own, sizeof(own) - 1) != 0)
			continue;
		at += sizeof(own) - 1;
		if (strncmp(at, listed, sizeof(listed) - 1) != 0 && !was_said(at))
			finding_print(FINDING_SAID, at, NULL);
		else if (!strncmp(at, listed, sizeof(listed) - 1) &&
			 strncmp(at + sizeof(listed) - 1, end, sizeof(end) - 1) != 0)
			take_setting(at + sizeof(listed) - 1);
	}
	if (!passes)
		finding_print(FINDING_NOT_LISTED, NULL, NULL);
	else if (!said)
		finding_print(FINDING_VARIABLES, NULL, NULL);
	child_free(&child);
	return 0;
}

/* What becomes of a mistake; a value of CUAUDIT_STRICT that is none is one itself. */
static void check_strict(void)
{
	static const struct {
		const char *value;
		enum finding finding;
	} values[] = {
		{ "0", FINDING_STRICT_NEVER },
		{ "1", FINDING_STRICT_ALWAYS },
		{ "check", FINDING_STRICT_CHECK },
	};
	const char *strict = getenv("CUAUDIT_STRICT");
	enum finding finding = strict ? FINDING_STRICT_ALWAYS : FINDING_STRICT_UNSET;

	for (size_t i = 0; strict && i < sizeof(values) / sizeof(values[0]); i++)
		if (!strcmp(strict, values[i].value))
			finding = values[i].finding;
	finding_print(finding, NULL, NULL);
}

static void prepare_same(const void *data)
{
	(void)data;
}

/* A name without a slash is searched for by the loader, which says if it is nowhere. */
static bool loader_finds(const char *name)
{
	char *argv[] = { (char *)child_self(), (char *)"--version", NULL };
	char text[TEXT];
	struct child child;
	bool finds;

	if (strchr(name, '/') || child_run(&child, argv, prepare_same, NULL))
		return true;
	snprintf(text, sizeof(text), "object '%s' cannot be loaded", name);
	finds = !strstr(child.err, text);
	child_free(&child);
	return finds;
}

/* Whether programs that are started here are audited by the environment alone. */
static void check_environment(const char *auditor)
{
	bool first;
	const char *given = auditor_given(&first);
	char *real = given ? realpath(given, NULL) : NULL;

	finding_print(getauxval(AT_SECURE) ? FINDING_IS_SECURE : FINDING_NOT_SECURE, NULL, NULL);
	if (!given)
		finding_print(FINDING_LD_AUDIT_UNSET, NULL, NULL);
	else if (auditor && strchr(given, '/') && (!real || strcmp(real, auditor)))
		finding_print(FINDING_LD_AUDIT_FOREIGN, given, auditor);
	else if (auditor && !loader_finds(given))
		finding_print(FINDING_LD_AUDIT_NOWHERE, given, auditor);
	else
		finding_print(first ? FINDING_LD_AUDIT_FIRST : FINDING_LD_AUDIT_BEHIND, given, NULL);
	free(real);
	free((void *)given);
}

static void print_missing(const char *devices)
{
	int count = atoi(devices);
	char number[16], seen[32];

	snprintf(seen, sizeof(seen), "%d device%s", count, count == 1 ? "" : "s");
	for (int i = count; i < DEVICES; i++) {
		snprintf(number, sizeof(number), "%d", i);
		if (limited >> i & 1)
			finding_print(FINDING_NO_DEVICE, number, seen);
	}
}

static void prepare_plain(const void *data)
{
	(void)data;
	unsetenv("LD_AUDIT");
}

/* The driver programs get, asked without us. */
static void check_driver(const char *auditor)
{
	const char *driver = getenv("CUAUDIT_DRIVER"), *path, *version;
	char *argv[] = { (char *)child_self(), (char *)PROBE_WORD, NULL,
			 limited ? (char *)PROBE_DEVICES : NULL, NULL };
	char values[2][TEXT], text[TEXT];
	struct child child;
	int number;

	if (!driver || !*driver)
		driver = "libcuda.so.1";
	else if (!strcmp(driver, "sim"))
		driver = auditor_beside(auditor, "sim/libcuda.so.1");
	argv[2] = (char *)driver;
	if (child_run(&child, argv, prepare_plain, NULL))
		return;
	path = line(child.out, "path", values[0]);
	version = line(child.out, "version", values[1]);
	if (!path) {
		path = line(child.out, "fault", values[0]);
		finding_print(FINDING_NO_DRIVER, path ? path : driver, NULL);
	} else if (!version) {
		finding_print(FINDING_DRIVER_MUTE, path, NULL);
	} else {
		number = atoi(version);
		snprintf(text, sizeof(text), "%d.%d", number / 1000, number % 1000 / 10);
		finding_print(FINDING_DRIVER, path, text);
		if (limited && line(child.out, "devices", values[0]))
			print_missing(values[0]);
	}
	child_free(&child);
}

static void check_tls(const struct program *program, const char *auditor)
{
	const char *fault = tls_fault(program, auditor, NULL), *bytes;

	if (!tls_can_ask(program)) {
		finding_print(FINDING_TLS_UNKNOWN, program->loader, NULL);
		return;
	}
	if (!fault) {
		finding_print(FINDING_TLS_FITS, NULL, NULL);
		return;
	}
	fault = tls_search(program, auditor, &bytes);
	if (fault)
		finding_print(FINDING_TLS_NO_ROOM, fault, NULL);
	else
		finding_print(FINDING_TLS_TUNABLE, bytes, NULL);
}

static void check_program(const char *name, const char *auditor)
{
	static struct program program;
	const char *first, *second;
	enum finding finding = program_judge(&program, name, &first, &second);

	if (finding == FINDING_PROGRAM && strcmp(program.path, program.binary))
		finding_print(FINDING_SCRIPT, program.path, program.binary);
	else
		finding_print(finding, first, second);
	if (program.opens_device)
		finding_print(FINDING_DEVICE, program.binary, NULL);
	if (*program.own_auditor)
		finding_print(FINDING_OWN_AUDITOR, program.binary, program.own_auditor);
	if (finding == FINDING_PROGRAM && *program.loader && auditor)
		check_tls(&program, auditor);
	if (finding == FINDING_PROGRAM)
		doctor_providers(&program);
	if (finding == FINDING_PROGRAM && interpreter_judge(&program, &finding, &first, &second))
		finding_print(finding, first, second);
}

int tool_doctor(int argc, char **argv)
{
	const char *auditor, *first, *disable = getenv("CUAUDIT_DISABLE");
	enum finding finding;
	bool strict = false;
	int option;

	while ((option = options_next(argc, argv)) > 0)
		strict = true;
	if (option != OPTIONS_END)
		return options_status(option);
	auditor = auditor_path(&finding, &first);
	if (auditor) {
		finding_print(FINDING_AUDITOR, auditor, NULL);
		if (check_trial(auditor) || check_list(auditor))
			return TOOL_FAILED;
		check_driver(auditor);
	} else {
		finding_print(finding, first, NULL);
	}
	if (disable && !strcmp(disable, "1"))
		finding_print(FINDING_DISABLED, NULL, NULL);
	doctor_output(prints);
	check_strict();
	check_environment(auditor);
	check_others();
	if (optind < argc)
		check_program(argv[optind], auditor);
	return finding_problems(strict) ? TOOL_FOUND : TOOL_OK;
}
