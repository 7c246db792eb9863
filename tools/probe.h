/* SPDX-License-Identifier: Apache-2.0 */
/* What doctor's child does: the least a program does with a driver. */
#ifndef TOOLS_PROBE_H
#define TOOLS_PROBE_H

#include <stdbool.h>

/* `cuaudit PROBE_WORD DRIVER [PROBE_DEVICES]` */
#define PROBE_WORD "--probe"
#define PROBE_DEVICES "devices"

/*
 * Opens the driver, asks its version and says what it saw on stdout, a line each:
 * "libc VERSION", "path PATH", "intercepted" if the function was the auditor's,
 * "version NUMBER", "devices NUMBER" if that is asked and the driver starts, "core" if
 * the first call loaded it; or "fault WHY". An exit status.
 */
int probe(const char *driver, bool devices);

#endif
