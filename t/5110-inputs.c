/* SPDX-License-Identifier: Apache-2.0 */
/* Files and directories that subcommands are given to read. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cuaudit/stat.h>
#include <cuaudit/trace.h>

#include "t/tool/unit.h"
#include "tools/inputs.h"

enum { BOTH = INPUT_TRACE | INPUT_STAT };

static void make_files(void)
{
	static const char *const empty[] = { "locked", "many", "none", "odd",
					     "odd/in.cutrace", "one", "void" };

	directory_enter();
	for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++)
		if (mkdir(empty[i], 0777))
			bail_out("cannot make a directory");
	if (mkfifo("pipe", 0666) || symlink("nowhere", "dangling"))
		bail_out("cannot make a pipe");
	directory_file("trace", "cuatrace and more");
	directory_file("stat", "cuaustat and more");
	directory_file("text", "hello, world");
	directory_file("short", "cua");
	directory_file("empty", "");
	directory_file("void/x.txt", "cuatrace");
	directory_file("void/.cutrace.x", "cuatrace");
	directory_file("void/a.cutraced", "cuatrace");
	directory_file("void/a.cutrace.", "cuatrace");
	directory_file("void/a.cutrace.1x", "cuatrace");
	directory_file("many/r10.cutrace", "cuatrace");
	directory_file("many/r9.cutrace", "cuatrace");
	directory_file("many/r9.cutrace.1", "cuatrace");
	directory_file("many/r9.cutrace.10", "cuatrace");
	directory_file("many/r9.cutrace.2", "cuatrace");
	directory_file("many/r10.10.cutrace", "cuatrace");
	directory_file("many/r10.2.cutrace", "cuatrace");
	directory_file("many/r9.part", "cuaustat");
	directory_file("many/a.cutrace.cutrace", "cuatrace");
	directory_file("one/a.cutrace", "cuatrace");
	directory_file("odd/b.cutrace", "no trace");
	directory_file("odd/c.cutrace", "cuatrace");
	directory_file("odd/d.cutrace", "cuaustat");
}

/* How a trace begins, or saved statistics. */
static void recording(const char *path, enum input_kind kind, uint32_t pid, uint64_t start)
{
	union {
		char bytes[CUAUDIT_TRACE_HEADER];
		struct cuaudit_trace_header trace;
		struct cuaudit_stat_header stat;
	} header = { "" };
	FILE *file = fopen(path, "w");

	if (kind == INPUT_TRACE) {
		header.trace = (struct cuaudit_trace_header){ .pid = pid, .start_ns = start, .host = "here" };
		memcpy(header.trace.magic, CUAUDIT_TRACE_MAGIC, sizeof(header.trace.magic));
	} else {
		header.stat = (struct cuaudit_stat_header){ .pid = pid, .start_ns = start, .host = "here" };
		memcpy(header.stat.magic, CUAUDIT_STAT_MAGIC, sizeof(header.stat.magic));
	}
	if (!file || fwrite(&header, sizeof(header), 1, file) != 1 || fclose(file))
		bail_out("cannot write a file");
}

static void make_copies(void)
{
	if (mkdir("copies", 0777))
		bail_out("cannot make a directory");
	recording("copies/a.cutrace", INPUT_TRACE, 1, 10);
	recording("copies/b.cutrace", INPUT_TRACE, 1, 10);
	recording("copies/c.cutrace", INPUT_TRACE, 2, 10);
	recording("copies/d.cutrace", INPUT_TRACE, 1, 11);
	recording("copies/e.part", INPUT_STAT, 1, 10);
	recording("copies/f.part", INPUT_STAT, 1, 10);
	recording("copies/g.part", INPUT_STAT, 1, 0);
	recording("copies/h.part", INPUT_STAT, 1, 0);
	if (link("copies/c.cutrace", "copies/i.cutrace"))
		bail_out("cannot link");
}

/* The names taken, and what was said; a status that does not fit is a name of its own. */
static const char *taken(const char *const *arguments, unsigned int kinds)
{
	static char text[8192];
	struct inputs inputs;
	size_t count = 0, used = 0;
	int status;

	said[0] = '\0';
	while (arguments[count])
		count++;
	status = inputs_take(&inputs, (char *const *)arguments, count, kinds);
	text[0] = '\0';
	for (size_t i = 0; i < inputs.count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s ",
					 inputs.files[i].path,
					 inputs.files[i].kind == INPUT_STAT ? "(stat)" : "");
	if (status != (*said ? TOOL_FAILED : TOOL_OK))
		snprintf(text + used, sizeof(text) - used, "status %d", status);
	inputs_free(&inputs);
	return text;
}

#define TAKEN(kinds, ...) taken((const char *const[]){ __VA_ARGS__, NULL }, kinds)

static void refused(const char *name, const char *want)
{
	is_str(TAKEN(BOTH, name, "trace"), "trace ", "%s is left out, what follows is not", name);
	is_str(said, want, "%s: one line", name);
}

static void copies(void)
{
	make_copies();
	is_str(TAKEN(BOTH, "copies"), "copies/a.cutrace copies/c.cutrace copies/d.cutrace copies/e.part(stat) "
	       "copies/g.part(stat) copies/h.part(stat) ",
	       "a copy is not taken, nor a file by its second name");
	is_str(said, "copies/b.cutrace: of the same recording as copies/a.cutrace, which counts once\n"
	       "copies/f.part: of the same recording as copies/e.part, which counts once\n",
	       "... which is said of the copy");
	is_str(TAKEN(BOTH, "copies/b.cutrace", "copies/a.cutrace"), "copies/b.cutrace ",
	       "of files, the first is taken");
}

/* For anybody but root. */
static void locked(void)
{
	if (chmod("locked", 0) || chmod("stat", 0) || chmod(".", 0755))
		bail_out("cannot lock");
	if (!getuid() && (seteuid(65534) || !eaccess("/root", R_OK)))
		return skip(4, "only root can be somebody else");
	refused("locked", "locked: Permission denied\n");
	refused("stat", "stat: Permission denied\n");
	if (seteuid(getuid()))
		bail_out("who am I?");
}

int main(void)
{
	make_files();
	is_str(TAKEN(BOTH, "trace", "stat", "trace"), "trace stat(stat) ", "in their order, each once");
	is_str(TAKEN(BOTH, "many"),
	       "many/a.cutrace.cutrace many/r9.cutrace many/r9.cutrace.1 many/r9.cutrace.2 "
	       "many/r9.cutrace.10 many/r9.part(stat) many/r10.cutrace "
	       "many/r10.2.cutrace many/r10.10.cutrace ",
	       "a directory: its traces and statistics, by numbers");
	is_str(TAKEN(INPUT_TRACE, "many"),
	       "many/a.cutrace.cutrace many/r9.cutrace many/r9.cutrace.1 many/r9.cutrace.2 "
	       "many/r9.cutrace.10 many/r10.cutrace many/r10.2.cutrace "
	       "many/r10.10.cutrace ", "... its traces alone");
	is_str(TAKEN(INPUT_TRACE, "trace", "one/", "trace"), "trace one//a.cutrace ",
	       "a directory among files");
	is_str(TAKEN(INPUT_STAT, "stat"), "stat(stat) ", "stat files alone");

	refused("missing", "missing: No such file or directory\n");
	refused("dangling", "dangling: No such file or directory\n");
	refused("empty", "empty: empty\n");
	refused("text", "text: neither a trace nor a stat record file\n");
	refused("short", "short: neither a trace nor a stat record file\n");
	refused("none", "none: no trace or saved statistics in this directory, that is no "
		"*.cutrace or *.part\n");
	refused("void", "void: no trace or saved statistics in this directory, that is no "
		"*.cutrace or *.part\n");
	refused("pipe", "pipe: a pipe cannot be read twice; save it to a file\n");
	refused("/dev/zero", "/dev/zero: not a file\n");
	refused("-", "-: standard input cannot be read twice; give a file\n");
	refused("text/x", "text/x: Not a directory\n");
	refused("", "'': No such file or directory\n");
	is_str(TAKEN(INPUT_TRACE, "odd"), "odd/c.cutrace ", "of a directory too, the good");
	is_str(said, "odd/b.cutrace: not a trace file\n"
	       "odd/d.cutrace: a record file of the stat hook, for cuaudit report\n"
	       "odd/in.cutrace: Is a directory\n", "... and a line for each other");
	is_str(TAKEN(INPUT_STAT, "trace"), "", "a trace where none is wanted");
	is_str(said, "trace: not a stat record file\n", "... is said");
	is_str(TAKEN(INPUT_STAT, "many"), "many/r9.part(stat) ", "its statistics alone");
	is_str(TAKEN(INPUT_TRACE, "none"), "", "a directory without what is wanted");
	is_str(said, "none: no trace in this directory, that is no *.cutrace\n", "... is said");
	copies();
	locked();
	directory_leave();
	return done_testing();
}
