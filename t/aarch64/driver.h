/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of driver.c. */
#ifndef T_AARCH64_DRIVER_H
#define T_AARCH64_DRIVER_H

struct aarch64_large {
	long words[5];	/* returned where x8 says */
};

struct aarch64_vectors {
	double a, b, c, d;	/* returned in d0-d3 */
};

struct aarch64_pair {
	long first, second;
};

struct aarch64_handle {
	unsigned char bytes[64];	/* passed by reference to a copy */
};

struct aarch64_large cuNewLarge(long a, long b);
struct aarch64_vectors cuNewVectors(double x);
long cuNewSpilled(long a, long b, long c, long d, long e, long f, long g,
		  struct aarch64_pair pair, long last);
int cuIpcOpenMemHandle_v2(unsigned long long *pointer, struct aarch64_handle handle,
			  unsigned int flags);
int cuInit(unsigned int flags);

#endif
