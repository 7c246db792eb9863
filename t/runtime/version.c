/* SPDX-License-Identifier: Apache-2.0 */
/* A shared runtime whose one function tells which version it is of; or, with USER, a library that calls it. */
#ifdef USER
int cudaGetDevice(int *device);

static int first = -1;

static __attribute__((constructor)) void start(void)
{
	cudaGetDevice(&first);
}

__attribute__((visibility("default"))) int user_call(void);
int user_call(void)
{
	int device = -1;

	return cudaGetDevice(&device) ? -1 : device == first ? device : -2;
}
#else
__attribute__((visibility("default"))) int cudaGetDevice(int *device);
int cudaGetDevice(int *device)
{
	*device = VERSION;
	return 0;
}
#endif
