/* SPDX-License-Identifier: Apache-2.0 */
/* What the records of several hooks say of their process. */
#ifndef HOOKS_MODULES_PROCESS_H
#define HOOKS_MODULES_PROCESS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Context: setup, or call. When it began, in clock ticks since boot: with the pid, this tells it from all
 * others of the boot. 0 without /proc.
 */
uint64_t process_start(void);

/* Context: setup, or call. Its arguments with blanks between, of what size has room for. */
void process_command(char *text, size_t size);

#endif
