/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel with the parameters and variables of the PTX text in module.c. */
struct s {
	double d[3];
};

extern "C" __device__ float table[10];

extern "C" __global__ void saxpy(unsigned int n, float a, unsigned char flag,
				 float *x, struct s s)
{
	if (threadIdx.x < n && flag)
		x[threadIdx.x] = a * table[threadIdx.x % 10] + (float)s.d[0];
}
