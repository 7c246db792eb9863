/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that kernels are called by: each once, for as long as the process lives. */
#ifndef HOOKS_KERNEL_TEXT_H
#define HOOKS_KERNEL_TEXT_H

#include <stdint.h>

/* Bytes of a name; of a longer one the beginning, then "...". All together have 64 MiB. */
enum { KERNEL_TEXT_MOST = 32767 };

/* Context: call. NULL for 0. */
const char *kernel_text(uint32_t number);

/* Context: call, under LOCK_KERNELS. The number of a name, the same for an equal one; 0: no room. */
uint32_t kernel_text_number(const char *name);

#endif
