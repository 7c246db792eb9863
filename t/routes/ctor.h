/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose constructor calls the driver. */
#ifndef T_ROUTES_CTOR_H
#define T_ROUTES_CTOR_H

/* Called by the constructor before it calls the driver, if set. */
extern void (*ctor_waits)(void);

/* What the driver answered it. */
extern int ctor_result;

#endif
