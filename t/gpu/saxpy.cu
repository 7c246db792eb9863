/* SPDX-License-Identifier: Apache-2.0 */
/* Saxpy by the runtime API; prints the sum of what the GPU computed. */
#include <cstdio>

__global__ void saxpy(int n, float a, const float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = a * x[i] + y[i];
}

static int check(cudaError_t error)
{
	if (error)
		fprintf(stderr, "%s\n", cudaGetErrorString(error));
	return error;
}

int main()
{
	const int n = 1 << 16;
	float *host = new float[n], *x, *y;
	double sum = 0;

	for (int i = 0; i < n; i++)
		host[i] = (float)(i % 1000);
	if (check(cudaMalloc(&x, n * sizeof(*x))) || check(cudaMalloc(&y, n * sizeof(*y))) ||
	    check(cudaMemcpy(x, host, n * sizeof(*x), cudaMemcpyHostToDevice)) ||
	    check(cudaMemcpy(y, host, n * sizeof(*y), cudaMemcpyHostToDevice)))
		return 1;
	saxpy<<<(n + 255) / 256, 256>>>(n, 2, x, y);
	if (check(cudaGetLastError()) ||
	    check(cudaMemcpy(host, y, n * sizeof(*y), cudaMemcpyDeviceToHost)) ||
	    check(cudaFree(x)) || check(cudaFree(y)))
		return 1;
	for (int i = 0; i < n; i++)
		sum += host[i];
	printf("saxpy %.0f\n", sum);
	delete[] host;
	return 0;
}
