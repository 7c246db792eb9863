# SPDX-License-Identifier: Apache-2.0
"""JAX under limit(device0=4GiB): it takes its share of what it is told."""
import jax
import jax.numpy as jnp

GIB = 1 << 30
print("sum", float(jnp.ones((1024, 1024)).sum()))
print("share", 0 < jax.devices()[0].memory_stats()["bytes_limit"] <= 4 * GIB)
try:
    jax.block_until_ready(jnp.zeros((5 << 30,), dtype=jnp.uint8))
    print("refused", False)
except Exception as error:
    print("refused", "RESOURCE_EXHAUSTED" in str(error))
