/* SPDX-License-Identifier: Apache-2.0 */
/* The stubs programs are given instead of the driver's functions. */
#include "audit/stub.h"

#include <stdatomic.h>

#include "arch.h"
#include <internal/link.h>

/* In arch/<cpu>/stub.S: LINK_SLOTS stubs, and their routes in .bss. */
extern const char stub_table[];
extern _Atomic(void *) stub_routes[LINK_SLOTS];
extern void stub_resolve(void);

void *stub_address(uint32_t slot)
{
	return (void *)(stub_table + (size_t)slot * ARCH_STUB_SIZE);
}

void *stub_resolver(void)
{
	return (void *)stub_resolve;
}

void stub_route(uint32_t slot, void *target)
{
	/* Pairs with the jump of the stub. */
	atomic_store_explicit(&stub_routes[slot], target, memory_order_release);
}

void stub_reroute(uint32_t slot, void *old, void *target)
{
	/* Pairs with the jump of the stub, and by its place among seq_cst with route() of the core. */
	atomic_compare_exchange_strong_explicit(&stub_routes[slot], &old, target,
						memory_order_seq_cst, memory_order_seq_cst);
}
