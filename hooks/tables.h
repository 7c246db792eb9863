/* SPDX-License-Identifier: Apache-2.0 */
/* Observes the driver's export tables; they are handed out as they are. */
#ifndef HOOKS_TABLES_H
#define HOOKS_TABLES_H

/* Context: setup. Adds the core's hook; 0 or -errno. */
int tables_setup(void);

#endif
