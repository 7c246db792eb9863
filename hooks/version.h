/* SPDX-License-Identifier: Apache-2.0 */
/* Asks each driver its version. */
#ifndef HOOKS_VERSION_H
#define HOOKS_VERSION_H

/* Context: setup, on the thread of a driver call. Of every driver not asked yet. */
void version_ask(void);

#endif
