/* SPDX-License-Identifier: Apache-2.0 */
/* A file of the rules hook in memory, safe to walk whatever it holds. */
#ifndef ANALYSIS_CHECK_FILE_H
#define ANALYSIS_CHECK_FILE_H

#include "analysis/check_record.h"

/*
 * Reads a file of that directory, which its process may still be writing. NULL, and *file is
 * the caller's to free; or what is wrong with it. A link is not followed.
 */
const char *check_file_read(int directory, const char *name, struct check_file **file);

/* A text of a finding; NULL where it has none. */
static inline const char *check_finding_text(const struct check_finding *finding, uint32_t offset)
{
	return offset ? finding->text + offset : (const char *)0;
}

#endif
