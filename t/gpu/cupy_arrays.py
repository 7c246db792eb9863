# SPDX-License-Identifier: Apache-2.0
"""Arrays, a reduction and a product by CuPy."""
import cupy

x = cupy.arange(1000000, dtype=cupy.float64)
print("cupy", float((x * x).sum()), "%.6e" % float(cupy.linalg.norm(x.reshape(1000, 1000) @ x.reshape(1000, 1000))))
