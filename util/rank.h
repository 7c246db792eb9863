/* SPDX-License-Identifier: Apache-2.0 */
/* Which variables tell a process its number in a job. */
#ifndef UTIL_RANK_H
#define UTIL_RANK_H

/* The first that is set holds; NULL after the last. */
extern const char *const rank_variables[];

#endif
