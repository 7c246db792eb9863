/* SPDX-License-Identifier: Apache-2.0 */
/* What the NVML of the tests answers, as the program has it. */
#ifndef T_LIMIT_NVML_H
#define T_LIMIT_NVML_H

#include <stdbool.h>

enum { NVML_MOST = 8 };

struct nvml_process {
	unsigned int pid;
	unsigned long long used;
	unsigned int instance, compute_instance;
};

/* On a simulated device. */
struct nvml_processes {
	int error;
	bool ended;		/* it has to be begun again, */
	bool stale;		/* and its handle to be asked for */
	unsigned int count, before;	/* before: of them, those that are told the first time */
	bool asked;
	unsigned int asks;
	void (*inside)(void);	/* what is done once while it is asked, but for the first time */
	struct nvml_process list[NVML_MOST];
};

extern struct nvml_processes nvml_processes, nvml_second;

/* How often it was begun, and what is done then. */
extern unsigned int nvml_begun;
extern int (*nvml_beginning)(void);

#endif
