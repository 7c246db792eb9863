/* SPDX-License-Identifier: Apache-2.0 */
/* What the shells' completions ask. */
#ifndef TOOLS_COMPLETE_H
#define TOOLS_COMPLETE_H

/*
 * words: what stands after "cuaudit", the last one being typed. Prints what it
 * may become, a line each, with a tab and a summary where there is one; or
 * ":files" where a file is wanted, or ":program N" where the words from the
 * N-th on, from 0, are another program's. An exit status.
 */
int complete(int count, char **words);

#endif
