/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a program can be audited, told from its file. */
#include "tools/program.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tools/elf_file.h"

enum { DEEPEST = 5, LINE = 256 };	/* Linux: scripts in a row, bytes of a #! line read */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* 0 or an errno of execve(2). */
static int executable(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return errno;
	if (!S_ISREG(status.st_mode))
		return S_ISDIR(status.st_mode) ? EISDIR : EACCES;
	return access(path, X_OK) ? errno : 0;
}

/* As execv(2). 0 or an errno. */
static int find_here(const char *name, char path[PATH_MAX])
{
	if (snprintf(path, PATH_MAX, "%s", name) >= PATH_MAX)
		return ENAMETOOLONG;
	return executable(path);
}

int program_find(const char *name, char path[PATH_MAX])
{
	const char *directories = getenv("PATH");
	int error = ENOENT;

	if (strchr(name, '/'))
		return find_here(name, path);
	if (!directories)
		directories = "/bin:/usr/bin";
	for (;;) {
		int length = (int)strcspn(directories, ":"), found;

		if (snprintf(path, PATH_MAX, "%.*s%s%s", length, directories, length ? "/" : "./",
			     name) < PATH_MAX) {
			found = executable(path);
			if (!found)
				return 0;
			if (found == EACCES)
				error = EACCES;
		}
		directories += length;
		if (!*directories++)
			break;
	}
	snprintf(path, PATH_MAX, "%s", name);
	return error;
}

/*
 * The interpreter of "#!INTERPRETER [ARGUMENT]"; for env(1) the program it is
 * told to search for. NULL if the file does not begin so, or env has an option that
 * may take the auditor away, which finding says.
 */
static char *interpreter(const struct elf_file *object, char line[LINE], bool *search,
			 enum finding *finding)
{
	size_t length = object->size < LINE ? object->size : LINE - 1;
	char *word, *rest = NULL;

	if (length < 2 || memcmp(object->data, "#!", 2))
		return NULL;
	memcpy(line, object->data + 2, length - 2);
	line[length - 2] = '\0';
	line[strcspn(line, "\n")] = '\0';
	word = strtok_r(line, " \t", &rest);
	*search = word && !strcmp(base_name(word), "env");
	if (!*search)
		return word;
	do {
		word = strtok_r(NULL, " \t", &rest);
		if (word && !strncmp(word, "-S", 2))
			word += 2;
	} while (word && (!*word || (*word != '-' && strchr(word, '='))));
	if (!word || *word != '-')
		return word;
	*finding = FINDING_ENV_OPTION;
	return NULL;
}

/* Whether the kernel starts it with AT_SECURE. */
static bool is_secure(const char *path)
{
	struct statvfs system;
	struct stat status;

	if (stat(path, &status))
		return false;
	/* Nothing is gained in a container that forbids it, nor from such a file system. */
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
	    (!statvfs(path, &system) && system.f_flag & ST_NOSUID))
		return false;
	if ((status.st_mode & S_ISUID) && status.st_uid != getuid())
		return true;
	if ((status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
	    status.st_gid != getgid())
		return true;
	return getuid() && getxattr(path, "security.capability", NULL, 0) > 0;
}

static enum finding judge_elf(struct program *program, const struct elf_file *object)
{
	const char *loader, *text;

	if (object->size < sizeof(Elf64_Ehdr))
		return FINDING_DAMAGED;
	if (!elf_file_is_native(object))
		return FINDING_MACHINE;
	if (!elf_file_is_whole(object))
		return FINDING_DAMAGED;
	program->opens_device = elf_file_holds(object, "/dev/nvidia");
	loader = elf_file_loader(object);
	if (!loader) {
		text = elf_file_text(object, DT_SONAME);
		/* The loader itself, which audits what it is given. */
		return text && !strncmp(text, "ld-linux", 8) ? FINDING_PROGRAM : FINDING_STATIC;
	}
	snprintf(program->loader, PATH_MAX, "%s", loader);
	if (strstr(base_name(loader), "musl"))
		return FINDING_MUSL;
	if (strncmp(base_name(loader), "ld-linux", 8))
		return FINDING_FOREIGN_LOADER;
	if (access(loader, X_OK))
		return FINDING_NO_LOADER;
	if (is_secure(program->binary))
		return FINDING_SECURE;
	text = elf_file_text(object, DT_AUDIT);
	if (!text)
		text = elf_file_text(object, DT_DEPAUDIT);
	snprintf(program->own_auditor, PATH_MAX, "%s", text ? text : "");
	return FINDING_PROGRAM;
}

static enum finding judge_file(struct program *program, const char **second)
{
	char line[LINE], *next;

	for (int depth = 0; depth < DEEPEST; depth++) {
		enum finding finding = FINDING_NOT_ELF;
		struct elf_file object;
		bool search;
		int error = elf_file_open(&object, program->binary);

		if (error == -EACCES)	/* may be run and not be read: nothing is known of it */
			return FINDING_PROGRAM;
		if (error) {
			*second = strerror(-error);
			return FINDING_NOT_EXECUTABLE;
		}
		next = object.data ? interpreter(&object, line, &search, &finding) : NULL;
		if (!next && elf_file_is_elf(&object))
			finding = judge_elf(program, &object);
		elf_file_close(&object);
		if (!next)
			return finding;
		error = search ? program_find(next, program->binary) : find_here(next, program->binary);
		if (error) {
			*second = strerror(error);
			return FINDING_NOT_EXECUTABLE;
		}
	}
	return FINDING_SCRIPT_DEPTH;
}

enum finding program_judge(struct program *program, const char *name, const char **first,
			   const char **second)
{
	enum finding finding;
	int error;

	memset(program, 0, sizeof(*program));
	*first = program->path;
	*second = program->loader;
	error = program_find(name, program->path);
	if (error == ENOENT || error == ENOTDIR)
		return FINDING_NO_PROGRAM;
	if (error) {
		*second = strerror(error);
		return FINDING_NOT_EXECUTABLE;
	}
	strcpy(program->binary, program->path);
	finding = judge_file(program, second);
	*first = program->binary;
	return finding;
}
