# SPDX-License-Identifier: Apache-2.0
"""A jitted product by JAX."""
import os

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import jax
import jax.numpy as jnp

x = jnp.arange(1000000.0).reshape(1000, 1000) / 1e6
print("jax %.6e" % float(jax.jit(lambda x: (x @ x).sum())(x)))
