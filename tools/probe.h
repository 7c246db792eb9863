/* SPDX-License-Identifier: Apache-2.0 */
/* What doctor's child does: the least a program does with a driver. */
#ifndef TOOLS_PROBE_H
#define TOOLS_PROBE_H

/* `cuaudit PROBE_WORD DRIVER` */
#define PROBE_WORD "--probe"

/*
 * Opens the driver, asks its version and says what it saw on stdout, a line each:
 * "libc VERSION", "path PATH", "intercepted" if the function was the auditor's,
 * "version NUMBER", "core" if the call loaded it; or "fault WHY". An exit status.
 */
int probe(const char *driver);

#endif
