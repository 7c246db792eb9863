/* SPDX-License-Identifier: Apache-2.0 */
/* Further instances of this auditor in the process. Context: bind. */
#ifndef AUDIT_PEER_H
#define AUDIT_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "audit/elf.h"

/* Instances that came behind this one. */
extern uint32_t peer_count;

/*
 * Tells an object that is another instance, by its own exported variable, that
 * this one was there first. The loader reports an auditor to those before it
 * when it is mapped, before its constructor runs.
 */
void peer_open(struct elf_image *image);

/* Whether another instance was there first: this one does nothing. */
bool peer_is_first(void);

#endif
