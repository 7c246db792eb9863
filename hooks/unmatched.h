/* SPDX-License-Identifier: Apache-2.0 */
/* Reports globs over libraries that matched none by the end. */
#ifndef HOOKS_UNMATCHED_H
#define HOOKS_UNMATCHED_H

/* Context: setup, the end of the process. */
void unmatched_report(void);

/* Context: call, in the child of fork: its parent reports. */
void unmatched_forked(void);

#endif
