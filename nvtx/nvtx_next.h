/* SPDX-License-Identifier: Apache-2.0 */
/* The injection of another tool, which gets all that the program calls too. */
#ifndef NVTX_NVTX_NEXT_H
#define NVTX_NVTX_NEXT_H

#include "nvtx/nvtx.h"

/* The names of what it exports. */
#define NVTX_INITIALIZE "InitializeInjectionNvtx2"
#define NVTX_INITIALIZE_EXTENSION "InitializeInjectionNvtxExtension"

/* A function that the injection of CUAUDIT_NVTX exports; NULL: there is none. own: ours of that name. */
void *nvtx_next(const char *name, void *own);

#endif
