/* SPDX-License-Identifier: Apache-2.0 */
/* The injection of another tool, which gets all that the program calls too. */
#ifndef NVTX_NVTX_NEXT_H
#define NVTX_NVTX_NEXT_H

#include "nvtx/nvtx.h"

/* The names of what it exports. */
#define NVTX_INITIALIZE "InitializeInjectionNvtx2"
#define NVTX_INITIALIZE_EXTENSION "InitializeInjectionNvtxExtension"

enum { NVTX_WHY = 512 };

/*
 * A function that the injection of CUAUDIT_NVTX exports; NULL: there is none, or it is an injection
 * of ours, too. why: what is wrong with the variable, or "".
 */
void *nvtx_next(const char *name, char why[NVTX_WHY]);

#endif
