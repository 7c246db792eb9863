/* SPDX-License-Identifier: Apache-2.0 */
/* That no process had a library of CUAUDIT_PROVIDERS, or of CUAUDIT_LIBC. */
#ifndef TOOLS_UNLOADED_H
#define TOOLS_UNLOADED_H

/*
 * A command has ended and none of its processes has left anything: says so of CUAUDIT_PROVIDERS and of
 * CUAUDIT_LIBC, if that is set. Of a process that called anything the core says which of them were not loaded.
 */
void unloaded_complain(const char *command);

#endif
