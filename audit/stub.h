/* SPDX-License-Identifier: Apache-2.0 */
/* The stubs programs are given instead of the driver's functions. Context: bind. */
#ifndef AUDIT_STUB_H
#define AUDIT_STUB_H

#include <stdint.h>

/* The address of stub slot. */
void *stub_address(uint32_t slot);

/* What a route holds until its slot's first call: loads the core, see core_loader.h. */
void *stub_resolver(void);

/* Sends stub slot to target. */
void stub_route(uint32_t slot, void *target);

/* The same, only if it goes to old now. */
void stub_reroute(uint32_t slot, void *old, void *target);

/* Calls function on the stack that ends at top, a multiple of 16. */
void stub_call_on(void *top, void (*function)(void *), void *argument);

#endif
