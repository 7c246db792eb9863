/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much static TLS a program's libraries want beside an auditor.
 *
 * With any auditor glibc lays out the first thread's static TLS before it has
 * mapped the program's libraries (its bug 31991): their initial-exec TLS has
 * to fit into what is kept for libraries loaded later. The first thread's size is
 * every thread's, and is taken from its stack: as little as does it.
 */
#include "tools/tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/auditor.h"
#include "tools/child.h"
#include "tools/elf_file.h"

struct trial {
	const char *auditor, *bytes;
};

static void prepare(const void *data)
{
	const struct trial *trial = data;

	auditor_first(trial->auditor);
	if (trial->bytes)
		auditor_tls_set(trial->bytes);
	/* As ldd -r: all is relocated, nothing is run. */
	setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
	setenv("LD_WARN", "1", 1);
}

/*
 * The loader that this command itself was started by, if the program's is the
 * same file; NULL otherwise. A file may name anything as its loader.
 */
static const char *system_loader(const struct program *program)
{
	static char own[PATH_MAX];
	struct stat ours, its;
	struct elf_file object;

	if (!*own && !elf_file_open(&object, "/proc/self/exe")) {
		const char *loader = elf_file_loader(&object);

		snprintf(own, sizeof(own), "%s", loader ? loader : "");
		elf_file_close(&object);
	}
	return *own && !stat(own, &ours) && !stat(program->loader, &its) &&
	       ours.st_dev == its.st_dev && ours.st_ino == its.st_ino ? own : NULL;
}

bool tls_can_ask(const struct program *program)
{
	return system_loader(program);
}

const char *tls_fault(const struct program *program, const char *auditor, const char *bytes)
{
	static char message[1024];
	const char *loader = system_loader(program);
	char *argv[] = { (char *)loader, (char *)program->binary, NULL };
	struct trial trial = { auditor, bytes };
	const char *fault = NULL;
	struct child child;
	char *found;

	if (!loader || child_run(&child, argv, prepare, &trial))
		return NULL;
	found = strstr(child.err, "static TLS block");
	if (found) {
		while (found > child.err && found[-1] != '\n')
			found--;
		found[strcspn(found, "\n")] = '\0';
		message[0] = '\0';
		fault = strncat(message, found, sizeof(message) - 1);
	}
	child_free(&child);
	return fault;
}

static void prepare_list(const void *data)
{
	(void)data;
	unsetenv("LD_AUDIT");
	unsetenv("LD_PRELOAD");
	setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
}

int tls_libraries(const struct program *program, struct child *child)
{
	const char *loader = system_loader(program);
	char *argv[] = { (char *)loader, (char *)program->binary, NULL };

	return loader ? child_run(child, argv, prepare_list, NULL) : -1;
}

const char *tls_search(const struct program *program, const char *auditor, const char **bytes)
{
	static const char *const sizes[] = { TLS_LEAST, "16384", "65536", "1048576" };
	const char *fault = NULL;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		*bytes = sizes[i];
		fault = tls_fault(program, auditor, sizes[i]);
		if (!fault)
			break;
	}
	return fault;
}
