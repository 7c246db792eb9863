# SPDX-License-Identifier: Apache-2.0
"""An array of 256 MiB; what JAX makes of allocations that fail."""
import os

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import jax.numpy as jnp

try:
    print("made", jnp.ones((64 << 20,), jnp.float32).block_until_ready().shape)
except Exception as error:
    print("failed", "RESOURCE_EXHAUSTED" in str(error))
print("and works", float((jnp.ones(1000) + 1).sum()))
