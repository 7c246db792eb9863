/* SPDX-License-Identifier: Apache-2.0 */
/* A file of the rules hook in memory, safe to walk whatever it holds. */
#include "analysis/check_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/bytes.h"

static const char damaged[] = "damaged: it holds numbers or texts that no rules hook writes";

enum {
	REACHES = CHECK_REACH_MARK | CHECK_REACH_SECOND_MARK | CHECK_REACH_RANGE |
		  CHECK_REACH_LIBRARY | CHECK_REACH_FRAME | CHECK_REACH_STACK |
		  CHECK_REACH_KERNEL | CHECK_REACH_RANGE_END | CHECK_REACH_PROVIDER
};

/* Whether the text ends in its array. */
#define ENDS(array) (memchr(array, '\0', sizeof(array)) != NULL)

static bool header_is_good(const struct check_header *header)
{
	return header->nrules <= CHECK_RULES && header->nmarks <= CHECK_MARKS &&
	       header->nallows <= CHECK_ALLOWS && ENDS(header->rules) && ENDS(header->command);
}

static bool rules_are_good(const struct check_file *file)
{
	for (uint32_t i = 0; i < file->header.nrules; i++) {
		const struct check_rule *rule = &file->rules[i];

		if (rule->kind > CHECK_AT_END || rule->unit > CHECK_KERNELS || !ENDS(rule->text) ||
		    rule->wants & ~REACHES || rule->reached & ~REACHES)
			return false;
	}
	for (uint32_t i = 0; i < file->header.nmarks; i++)
		if (!ENDS(file->marks[i].name))
			return false;
	for (uint32_t i = 0; i < file->header.nallows; i++)
		if (!ENDS(file->allows[i].text))
			return false;
	return true;
}

static bool libraries_are_good(const struct check_file *file)
{
	for (uint32_t i = 0; i < file->header.nlibraries; i++)
		if (file->libraries[i].id_size > sizeof(file->libraries[i].id) ||
		    !ENDS(file->libraries[i].path))
			return false;
	for (uint32_t i = 0; i < file->header.ncallers; i++)
		if (!ENDS(file->callers[i].name))
			return false;
	return true;
}

static bool finding_is_good(const struct check_file *file, const struct check_finding *finding)
{
	const uint32_t texts[] = { finding->function, finding->call, finding->kernel,
				   finding->range, finding->name, finding->note };

	if (finding->rule >= file->header.nrules || finding->nframes > CHECK_FRAMES ||
	    finding->text[0] || finding->text[CHECK_TEXT - 1])
		return false;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i] >= CHECK_TEXT)
			return false;
	for (uint32_t i = 0; i < finding->nframes; i++) {
		const struct check_frame *frame = &finding->frames[i];

		if (frame->function >= CHECK_TEXT || frame->file >= CHECK_TEXT ||
		    (frame->library != CHECK_NO_LIBRARY &&
		     frame->library >= file->header.nlibraries))
			return false;
	}
	return true;
}

static const char *judge(struct check_file *file)
{
	struct check_header *header = &file->header;

	/* Those for which there was no room are counted, too. */
	if (header->nfindings > CHECK_FINDINGS) {
		header->nfindings = CHECK_FINDINGS;
		header->losses |= CHECK_LOST_FINDINGS;
	}
	if (header->nlibraries > CHECK_LIBRARIES)
		header->nlibraries = CHECK_LIBRARIES;
	if (header->ncallers > CHECK_CALLERS)
		header->ncallers = CHECK_CALLERS;
	if (!header_is_good(header) || !rules_are_good(file) || !libraries_are_good(file))
		return damaged;
	for (uint32_t i = 0; i < header->nfindings; i++)
		if (file->findings[i].count && !finding_is_good(file, &file->findings[i]))
			return damaged;
	return NULL;
}

static const char *fill(int fd, struct check_file *file)
{
	ssize_t got = bytes_read(fd, (char *)file, 0, sizeof(*file));
	size_t used = got > 0 ? (size_t)got : 0;

	if (got < 0)
		return strerror(errno);
	if (used < sizeof(file->header) || !file->header.version)
		return "without a header: its process was killed in its first call of the driver, "
		       "could not be audited, or had no room for the file";
	if (memcmp(file->header.magic, CHECK_MAGIC, sizeof(file->header.magic)))
		return "not a file of the rules hook";
	if (file->header.version != CHECK_VERSION)
		return "written by another version of cuaudit";
	return used < sizeof(*file) ? "cut short" : judge(file);
}

const char *check_file_read(int directory, const char *name, struct check_file **file)
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	const char *fault = NULL;

	*file = NULL;
	if (fd < 0)
		return errno == ELOOP ? "no regular file" : strerror(errno);
	if (fstat(fd, &status))
		fault = strerror(errno);
	else if (!S_ISREG(status.st_mode))
		fault = "no regular file";
	else if (status.st_size > (off_t)sizeof(**file))
		fault = "larger than a file of the rules hook";
	if (!fault && !(*file = calloc(1, sizeof(**file))))
		fault = strerror(ENOMEM);
	if (!fault)
		fault = fill(fd, *file);
	close(fd);
	if (!fault)
		return NULL;
	free(*file);
	*file = NULL;
	return fault;
}
