/* SPDX-License-Identifier: Apache-2.0 */
/* Routes what the driver's own look-up hands out. */
#ifndef HOOKS_PROCADDR_H
#define HOOKS_PROCADDR_H

/* Context: setup. Adds the core's hooks on the look-up functions; 0 or -errno. */
int procaddr_setup(void);

#endif
