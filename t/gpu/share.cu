/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share KIND SECONDS FILE NUMBER PROCESSES: works with the device for so long, from when all PROCESSES,
 * who tell each other by FILE, are ready. Prints how often it went round, the time in which it did nothing
 * at most, and a sum of what the first rounds have computed. KIND: gemm, long, tiny, graph, sync; burst,
 * tiny for 15 ms, then nothing for 35, which its rate leaves out; step and
 * loss, training steps of 60 and 40 kernels between which the host computes for 0.3 and for 1 ms;
 * capture, a graph captured, instantiated, launched and destroyed in each round, in the three modes by
 * turns; ms, then a number, a kernel of so many milliseconds;
 * nap, for which it is the median of a round in milliseconds in place of rounds a second. Of several,
 * separated by commas, process NUMBER does the NUMBERth, or the last. SHARE_TIMES: a file for the moments,
 * of CLOCK_MONOTONIC in seconds, at which rounds were done.
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cuda_runtime.h>

enum { THREADS = 256, BLOCKS = 132 * 4, SUMMED = 32, NODES = 20 };

struct shared {
	std::atomic<int> ready;
	std::atomic<long> rounds[64];
};

static cudaStream_t stream;
static cudaGraphExec_t graph;
static float *data;

static void must(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "share: %s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* About so many microseconds of one device: 1.7 GHz, 4 cycles an instruction. */
__global__ void work(float *data, int loops)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x;
	float value = data[at];

	for (int i = 0; i < loops; i++)
		value = value * 0.999999f + 0.000001f;
	data[at] = value;
}

static void launch(int us)
{
	work<<<BLOCKS, THREADS, 0, stream>>>(data, us * 400);
	must(cudaGetLastError(), "launch");
}

static void make_graph(cudaStreamCaptureMode mode)
{
	size_t nodes = 0;
	cudaGraph_t made;

	must(cudaStreamBeginCapture(stream, mode), "capture");
	for (int i = 0; i < NODES; i++)
		launch(20);
	must(cudaStreamEndCapture(stream, &made), "capture's end");
	must(cudaGraphGetNodes(made, NULL, &nodes), "nodes");
	if (nodes != NODES) {
		fprintf(stderr, "share: %zu nodes were captured, not %d\n", nodes, NODES);
		exit(1);
	}
	must(cudaGraphInstantiateWithFlags(&graph, made, 0), "graph");
	must(cudaGraphDestroy(made), "capture's graph");
}

/* One round, of a few hundred microseconds but for `long` and `ms`; how many may be on their way. */
static int round_of(const char *kind, long round)
{
	if (!strcmp(kind, "long")) {
		launch(5000);
		return 8;
	}
	if (!strncmp(kind, "ms", 2)) {
		launch(atoi(kind + 2) * 1000);
		return 2;
	}
	if (!strcmp(kind, "capture")) {
		must(cudaGraphExecDestroy(graph), "graph's end");
		make_graph((cudaStreamCaptureMode)(round % 3));
		must(cudaGraphLaunch(graph, stream), "graph");
		return 1;
	}
	if (!strcmp(kind, "tiny") || !strcmp(kind, "burst")) {
		for (int i = 0; i < 50; i++)
			launch(0);
		return 40;
	}
	if (!strcmp(kind, "step") || !strcmp(kind, "loss")) {
		bool step = *kind == 's';
		double until = now() + (step ? 0.0003 : 0.001);

		while (now() < until)
			;
		for (int i = 0; i < (step ? 60 : 40); i++)
			launch(step ? 30 : 50);
		return 1;
	}
	if (!strcmp(kind, "graph")) {
		must(cudaGraphLaunch(graph, stream), "graph");
		return 16;
	}
	launch(200);
	return !strcmp(kind, "sync") || !strcmp(kind, "nap") ? 1 : 200;
}

static unsigned long long sum(void)
{
	static unsigned int host[BLOCKS * THREADS];
	unsigned long long all = 0;

	must(cudaMemcpyAsync(host, data, sizeof(host), cudaMemcpyDeviceToHost, stream), "copy");
	must(cudaStreamSynchronize(stream), "copy's end");
	for (int i = 0; i < BLOCKS * THREADS; i++)
		all = all * 1000003 + host[i];
	return all;
}

static const char *kind_of(char *kinds, int number)
{
	char *kind = strtok(kinds, ","), *next;

	for (int i = 0; i < number && (next = strtok(NULL, ",")); i++)
		kind = next;
	return kind;
}

static int less(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

int main(int argc, char **argv)
{
	int fd = argc == 6 ? open(argv[3], O_RDWR | O_CREAT, 0600) : -1;
	double until, last, gap = 0, start, burst = 0;
	unsigned long long summed = 0;
	struct shared *all;
	long rounds = 0;
	static double naps[100000];
	const char *kind, *times = getenv("SHARE_TIMES");
	FILE *file = times ? fopen(times, "w") : NULL;
	bool napping;
	int number;

	if (fd < 0 || ftruncate(fd, sizeof(*all)))
		return 2;
	number = atoi(argv[4]);
	kind = kind_of(argv[1], number);
	napping = !strcmp(kind, "nap");
	all = (struct shared *)mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
	must(cudaMalloc(&data, BLOCKS * THREADS * sizeof(*data)), "memory");
	must(cudaMemsetAsync(data, 0, BLOCKS * THREADS * sizeof(*data), stream), "memset");
	make_graph(cudaStreamCaptureModeGlobal);
	must(cudaStreamSynchronize(stream), "start");
	for (all->ready++; all->ready < atoi(argv[5]);)
		usleep(1000);
	start = last = now();
	until = start + atof(argv[2]);
	while (last < until) {
		double time;
		int most;

		if (napping) {
			usleep(15000 + rounds * 7919 % 10000);
			last = now();
		}
		most = round_of(kind, rounds);

		if (++rounds % most && rounds != SUMMED)
			continue;
		must(cudaStreamSynchronize(stream), "round");
		time = now();
		gap = time - last > gap ? time - last : gap;
		if (time - last > 0.05)
			fprintf(stderr, "%.2f gap of %.0f ms until then\n", time, (time - last) * 1000);
		if (rounds < 100000)
			naps[rounds] = (time - last) * 1000;
		last = time;
		if (file)
			fprintf(file, "%.4f\n", time);
		all->rounds[number] = rounds;
		if (rounds == SUMMED)
			summed = sum();
		if (!strcmp(kind, "burst") && last > burst + 0.015) {
			usleep(35000);
			burst = now();
			start += burst - last;
			last = burst;
		}
	}
	qsort(naps + 1, rounds < 100000 ? rounds : 99999, sizeof(naps[0]), less);
	printf("%ld %.3f %.1f %llx\n", rounds, napping ? naps[rounds / 2] : (double)rounds / (last - start),
	       gap * 1000, summed);
	return file && fclose(file) ? 1 : 0;
}
