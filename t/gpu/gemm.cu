/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix product by cuBLAS, which has a cudart of its own inside. */
#include <cstdio>
#include <cublas_v2.h>

int main()
{
	const int n = 256;
	const float one = 1, zero = 0;
	float *host = new float[n * n], *a, *c;
	cublasHandle_t handle;
	double sum = 0;

	for (int i = 0; i < n * n; i++)
		host[i] = (float)(i % 7);
	if (cudaMalloc(&a, n * n * sizeof(*a)) || cudaMalloc(&c, n * n * sizeof(*c)) ||
	    cudaMemcpy(a, host, n * n * sizeof(*a), cudaMemcpyHostToDevice) ||
	    cublasCreate(&handle) ||
	    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, a, n, &zero, c, n) ||
	    cudaMemcpy(host, c, n * n * sizeof(*c), cudaMemcpyDeviceToHost) ||
	    cublasDestroy(handle))
		return 1;
	for (int i = 0; i < n * n; i++)
		sum += host[i];
	printf("gemm %.0f\n", sum);
	return 0;
}
