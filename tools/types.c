/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit types: writes what C headers say of functions, by the parser of our own tables, types.pl. */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/atomic_file.h"
#include "tools/auditor.h"
#include "tools/options.h"
#include "tools/tool.h"

enum { NOT_FOUND = 127 };

/* What types.pl is run with: perl, its path, "--from HEADER" and "-I DIR" in their order. */
struct words {
	char **at;
	int count, headers;
};

static void add(struct words *words, const char *word)
{
	words->at[words->count++] = (char *)(uintptr_t)word;
}

static int parse(int argc, char **argv, struct words *words, const char **output)
{
	int option;

	while ((option = options_next(argc, argv)) > 0) {
		if (option == 'o') {
			*output = optarg;
			continue;
		}
		add(words, option == 'U' ? "--from" : "-I");
		add(words, optarg);
		words->headers += option == 'U';
	}
	if (option != OPTIONS_END) {
		words->headers = 0;
		return options_status(option);
	}
	if (optind < argc || !words->headers) {
		tool_complain("types takes headers as --from HEADER, and no more; see cuaudit types --help");
		return TOOL_FAILED;
	}
	return TOOL_OK;
}

/* Its messages are its own. */
static int run(char **argv, int fd)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		if (dup2(fd, STDOUT_FILENO) >= 0)
			execvp(argv[0], argv);
		_exit(NOT_FOUND);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0) {
		tool_complain("types: no process can be started: %s", strerror(errno));
		return TOOL_FAILED;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		tool_complain("types: there is no perl, which reads the headers; install it");
	return WIFEXITED(status) && !WEXITSTATUS(status) ? TOOL_OK : TOOL_FAILED;
}

/* A header that is read is no output. */
static bool is_read(const struct words *words, const char *output)
{
	for (int i = 1; output && i < words->count; i++)
		if (!strcmp(words->at[i - 1], "--from") && atomic_file_same(output, words->at[i])) {
			tool_complain("%s: it is read, and would be written over; choose another name", output);
			return true;
		}
	return false;
}

static int write_types(struct words *words, const char *output)
{
	struct atomic_file file;
	int status = is_read(words, output) ? TOOL_FAILED : atomic_file_begin(&file, output, ATOMIC_FILE);

	if (status != TOOL_OK)
		return status;
	status = run(words->at, file.fd);
	if (status == TOOL_OK)
		return atomic_file_end(&file);
	atomic_file_drop(&file);
	return status;
}

int tool_types(int argc, char **argv)
{
	struct words words = { .at = calloc(2 * (size_t)argc + 3, sizeof(char *)) };
	const char *output = NULL, *first, *auditor;
	enum finding finding;
	int status;

	if (!words.at) {
		tool_complain("no memory");
		return TOOL_FAILED;
	}
	add(&words, "perl");
	auditor = auditor_path(&finding, &first);
	if (auditor)
		add(&words, auditor_beside(auditor, "types/types.pl"));
	status = parse(argc, argv, &words, &output);
	if (status == TOOL_OK && words.headers && auditor) {
		status = write_types(&words, output);
	} else if (status == TOOL_OK && words.headers) {
		finding_complain(finding, first, NULL);
		status = TOOL_FAILED;
	}
	free(words.at);
	return status;
}
