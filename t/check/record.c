/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leaves the files that the rules hook would leave in processes, as its arguments say, where
 * CUAUDIT_HOOKS has save=. A word and its values follow the other; "--" begins the next process.
 */
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/check_record.h"

static struct check_file file;
static struct check_rule *rule = file.rules - 1;
static struct check_finding *finding = file.findings - 1;
static char **arguments, directory[4096];
static size_t used, size;
static unsigned int number;

static const struct {
	const char *name;
	size_t offset;
} damages[] = {
	{ "magic", 0 },
	{ "version", offsetof(struct check_file, header.version) },
	{ "nrules", offsetof(struct check_file, header.nrules) },
	{ "nmarks", offsetof(struct check_file, header.nmarks) },
	{ "nallows", offsetof(struct check_file, header.nallows) },
	{ "nlibraries", offsetof(struct check_file, header.nlibraries) },
	{ "nfindings", offsetof(struct check_file, header.nfindings) },
	{ "kind", offsetof(struct check_file, rules[0].kind) },
	{ "unit", offsetof(struct check_file, rules[0].unit) },
	{ "id_size", offsetof(struct check_file, libraries[0].id_size) },
	{ "finding-rule", offsetof(struct check_file, findings[0].rule) },
	{ "nframes", offsetof(struct check_file, findings[0].nframes) },
	{ "call", offsetof(struct check_file, findings[0].call) },
	{ "note", offsetof(struct check_file, findings[0].note) },
	{ "frame-library", offsetof(struct check_file, findings[0].frames[0].library) },
	{ "frame-function", offsetof(struct check_file, findings[0].frames[0].function) },
	{ "frame-file", offsetof(struct check_file, findings[0].frames[0].file) },
};

static char *next(void)
{
	if (*arguments)
		return *arguments++;
	fprintf(stderr, "record: a value is missing\n");
	exit(99);
}

static uint64_t next_number(void)
{
	return strtoull(next(), NULL, 0);
}

/* %% is one. */
static void find_directory(void)
{
	const char *hooks = getenv("CUAUDIT_HOOKS"), *from = hooks ? strstr(hooks, "save=") : NULL;
	char *to = directory;

	if (!from)
		exit(98);
	for (from += 5; *from && *from != ')' && *from != ';'; from++) {
		*to++ = *from;
		from += from[0] == '%' && from[1] == '%';
	}
	*to = '\0';
	*strrchr(directory, '/') = '\0';
}

static void begin(void)
{
	memset(&file, 0, sizeof(file));
	memcpy(file.header.magic, CHECK_MAGIC, sizeof(file.header.magic));
	file.header.version = CHECK_VERSION;
	/* No process has such a number. */
	file.header.pid = 90000001 + number;
	file.header.process_start = 1 + number;
	file.header.ended = 1;
	file.header.calls = 1;
	file.header.scope = check_scope(getenv("CUAUDIT_DOMAINS"), getenv("CUAUDIT_LIBC"), getenv("CUAUDIT_PROVIDERS"));
	strcpy(file.header.rules, "/rules");
	strcpy(file.header.command, "record");
	rule = file.rules - 1;
	finding = file.findings - 1;
	used = 1;
	size = sizeof(file);
}

static uint32_t text(const char *value)
{
	uint32_t at = (uint32_t)used;

	memcpy(finding->text + used, value, strlen(value) + 1);
	used += strlen(value) + 1;
	return at;
}

static struct check_frame *frame(void)
{
	return &finding->frames[finding->nframes++];
}

static int find_id(struct dl_phdr_info *info, size_t unused, void *data)
{
	struct check_library *library = data;

	(void)unused;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const char *at = (const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		const char *end = at + info->dlpi_phdr[i].p_memsz;

		while (info->dlpi_phdr[i].p_type == PT_NOTE && at < end) {
			const ElfW(Nhdr) *note = (const void *)at;
			const char *id = at + sizeof(*note) + (note->n_namesz + 3) / 4 * 4;

			if (note->n_type == NT_GNU_BUILD_ID && note->n_descsz <= sizeof(library->id)) {
				library->id_size = (uint8_t)note->n_descsz;
				memcpy(library->id, id, note->n_descsz);
			}
			at = id + (note->n_descsz + 3) / 4 * 4;
		}
	}
	file.findings[0].unused = 0;
	library->path[readlink("/proc/self/exe", library->path, sizeof(library->path) - 1)] = '\0';
	frame()->offset = (uint64_t)(uintptr_t)&find_id + 1 - info->dlpi_addr;
	return 1;
}

static struct check_library *library(void)
{
	return &file.libraries[file.header.nlibraries++];
}

static void native(const char *path)
{
	struct check_frame *its = frame();

	its->library = file.header.nlibraries;
	strcpy(library()->path, path);
	its->offset = next_number();
	its->function = text(next());
	its->distance = (uint32_t)next_number();
	if (!finding->text[its->function])
		its->function = 0;
}

static void python(void)
{
	struct check_frame *its = frame();

	its->library = CHECK_NO_LIBRARY;
	its->file = text(next());
	its->line = (uint32_t)next_number();
	its->function = text(next());
}

static void own(void)
{
	uint32_t its = file.header.nlibraries;

	dl_iterate_phdr(find_id, library());
	finding->frames[finding->nframes - 1].library = its;
}

static void damage(const char *name)
{
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++)
		if (!strcmp(damages[i].name, name)) {
			memset((char *)&file + damages[i].offset, 0x7f, strcmp(name, "kind") &&
			       strcmp(name, "unit") && strcmp(name, "id_size") ? 4 : 1);
			return;
		}
	exit(97);
}

/* No NUL at its end. */
static void fill(const char *name)
{
	if (!strcmp(name, "rule"))
		memset(file.rules[0].text, 'x', sizeof(file.rules[0].text));
	else if (!strcmp(name, "mark"))
		memset(file.marks[0].name, 'x', sizeof(file.marks[0].name));
	else if (!strcmp(name, "allow"))
		memset(file.allows[0].text, 'x', sizeof(file.allows[0].text));
	else if (!strcmp(name, "command"))
		memset(file.header.command, 'x', sizeof(file.header.command));
	else if (!strcmp(name, "rules"))
		memset(file.header.rules, 'x', sizeof(file.header.rules));
	else if (!strcmp(name, "library"))
		memset(file.libraries[0].path, 'x', sizeof(file.libraries[0].path));
	else if (!strcmp(name, "finding"))
		memset(file.findings[0].text + 1, 'x', sizeof(file.findings[0].text) - 1);
	else
		exit(96);
}

/* Whatever of a rule. */
static int of_rule(const char *word)
{
	if (!strcmp(word, "rule")) {
		rule++;
		strcpy(rule->text, next());
		rule->line = ++file.header.nrules;
		rule->most = UINT64_MAX;
	} else if (!strcmp(word, "kind")) {
		rule->kind = (uint8_t)next_number();
	} else if (!strcmp(word, "optional")) {
		rule->optional = 1;
	} else if (!strcmp(word, "wants")) {
		rule->wants = (uint8_t)next_number();
	} else if (!strcmp(word, "reached")) {
		rule->reached = (uint8_t)next_number();
	} else if (!strcmp(word, "unit")) {
		rule->unit = (uint8_t)next_number();
	} else if (!strcmp(word, "bounds")) {
		rule->least = next_number();
		rule->most = next_number();
	} else if (!strcmp(word, "value")) {
		rule->value = next_number();
	} else if (!strcmp(word, "broken")) {
		rule->broken = next_number();
	} else if (!strcmp(word, "allowed")) {
		rule->allowed = next_number();
	} else {
		return 0;
	}
	return 1;
}

static int of_finding(const char *word)
{
	if (!strcmp(word, "finding")) {
		finding++;
		file.header.nfindings++;
		finding->rule = (uint32_t)next_number();
		finding->count = next_number();
		finding->thread = 77;
		finding->time_ns = 1000 + number;
		used = 1;
	} else if (!strcmp(word, "function")) {
		finding->function = text(next());
	} else if (!strcmp(word, "call")) {
		finding->call = text(next());
	} else if (!strcmp(word, "kernel")) {
		finding->kernel = text(next());
	} else if (!strcmp(word, "range")) {
		finding->range = text(next());
	} else if (!strcmp(word, "thread")) {
		finding->name = text(next());
	} else if (!strcmp(word, "note")) {
		finding->note = text(next());
	} else if (!strcmp(word, "python")) {
		python();
	} else if (!strcmp(word, "nframes")) {
		finding->nframes = (uint32_t)next_number();
	} else if (!strcmp(word, "native")) {
		native(next());
	} else if (!strcmp(word, "own")) {
		own();
	} else {
		return 0;
	}
	return 1;
}

static void write_file(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, &file, size) != (ssize_t)size || close(fd))
		exit(95);
}

static void leave(void)
{
	char name[8192];

	snprintf(name, sizeof(name), "%s/host-%u.check", directory, file.header.pid);
	write_file(name);
	number++;
	begin();
}

/* A process that has its file, and still runs until it may read the FIFO. */
static void stay(const char *fifo)
{
	char line[1024], *at;
	int fd, ready[2];

	if (pipe(ready))
		exit(95);
	if (fork()) {
		close(ready[1]);
		if (read(ready[0], line, 1))
			exit(96);
		close(ready[0]);
		return;
	}
	file.header.pid = (uint32_t)getpid();
	file.header.ended = 0;
	fd = open("/proc/self/stat", O_RDONLY);
	line[read(fd, line, sizeof(line) - 1)] = '\0';
	at = strrchr(line, ')') + 1;
	for (int i = 0; i < 19; i++)
		at = strchr(at + 1, ' ');
	file.header.process_start = strtoull(at, NULL, 10);
	leave();
	close(ready[0]);
	close(ready[1]);
	fd = open(fifo, O_RDONLY);
	_exit(read(fd, line, 1) != 0);
}

/* Until cuaudit check has the mark of a signal reached in this process's file. */
static void await(const char *name)
{
	struct check_file *its;
	char path[8192];
	int fd;

	strcpy(file.marks[0].name, name);
	file.marks[0].signal = SIGUSR1;
	file.header.nmarks = 1;
	snprintf(path, sizeof(path), "%s/host-%u.check", directory, file.header.pid);
	write_file(path);
	fd = open(path, O_RDWR);
	its = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	/* Or it is never to come. */
	alarm(120);
	kill(getppid(), SIGUSR1);
	while (!its->marks[0].reached)
		sched_yield();
	file.marks[0].reached = its->marks[0].reached;
}

static int of_file(const char *word)
{
	char name[8192];

	snprintf(name, sizeof(name), "%s/planted.check", directory);
	if (!strcmp(word, "mark")) {
		strcpy(file.marks[file.header.nmarks].name, next());
		file.marks[file.header.nmarks++].reached = (uint32_t)next_number();
	} else if (!strcmp(word, "await")) {
		await(next());
	} else if (!strcmp(word, "allow")) {
		file.allows[file.header.nallows].line = 100 + file.header.nallows;
		strcpy(file.allows[file.header.nallows].text, next());
		file.allows[file.header.nallows].optional = (uint32_t)next_number();
		file.allows[file.header.nallows++].used = next_number();
	} else if (!strcmp(word, "caller")) {
		strcpy(file.callers[file.header.ncallers++].name, next());
	} else if (!strcmp(word, "loss")) {
		file.header.losses = (uint32_t)next_number();
	} else if (!strcmp(word, "calls")) {
		file.header.calls = next_number();
	} else if (!strcmp(word, "idle")) {
		file.header.may_be_idle = 1;
	} else if (!strcmp(word, "killed")) {
		file.header.ended = 0;
	} else if (!strcmp(word, "cut")) {
		size = next_number();
	} else if (!strcmp(word, "damage")) {
		damage(next());
	} else if (!strcmp(word, "fill")) {
		fill(next());
	} else if (!strcmp(word, "fifo")) {
		mkfifo(name, 0600);
	} else if (!strcmp(word, "link")) {
		return !symlink(next(), name);
	} else if (!strcmp(word, "directory")) {
		return !mkdir(name, 0700);
	} else {
		return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	int status = 0, none = 0;

	(void)argc;
	arguments = argv + 1;
	find_directory();
	begin();
	while (*arguments) {
		const char *word = next();

		if (of_rule(word) || of_finding(word) || of_file(word))
			continue;
		if (!strcmp(word, "--"))
			leave();
		else if (!strcmp(word, "exit"))
			status = (int)next_number();
		else if (!strcmp(word, "say"))
			puts(next());
		else if (!strcmp(word, "stay"))
			stay(next());
		else if (!strcmp(word, "none"))
			none = 1;
		else if (!strcmp(word, "die"))
			kill(getpid(), (int)next_number());
		else
			return 94;
	}
	if (!none)
		leave();
	return status;
}
