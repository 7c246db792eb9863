/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in in C++: static constructors, a thread of its own that calls the driver, exceptions. */
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <semaphore.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include <cuaudit/hook.h>

#include "t/fake/driver.h"

namespace {

/* Hooks are called until the process is gone: what they use is never destroyed. */
struct state {
	sem_t posted;
	std::atomic<int> seen{0}, own{0};
	std::atomic<bool> stop{false}, asked{false};
	std::map<std::string, int> drained;
	std::mutex mutex;
	std::thread worker;

	state() { sem_init(&posted, 0, 0); }
};

state &shared = *new state;

/* A static object with both ends. */
struct marker {
	std::string text{"constructed"};
	~marker() { text = "destroyed"; }
};
marker mark;

thread_local std::string of_thread{"thread"};

int enter(struct cuaudit_call *call, void *)
{
	const struct cuaudit_library *library = cuaudit_call_library(call);

	shared.seen++;
	if (std::string_view(library->name) == "threads.so")
		shared.own++;
	else if (shared.seen > 2)
		/* The program is not to end before the other thread has called. */
		while (!shared.asked)
			std::this_thread::yield();
	sem_post(&shared.posted);
	return CUAUDIT_CONTINUE;
}

void work()
{
	int version;

	/* Routed like any other thread's. */
	cuDriverGetVersion(&version);
	shared.asked = true;
	for (;;) {
		while (sem_wait(&shared.posted))
			;
		if (shared.stop && shared.drained["caught"] == shared.seen)
			return;
		try {
			std::lock_guard<std::mutex> guard(shared.mutex);
			shared.drained[of_thread]++;
			throw std::runtime_error("out of the worker's own");
		} catch (const std::runtime_error &) {
			shared.drained["caught"]++;
		}
	}
}

int init(const struct cuaudit_options *)
{
	struct cuaudit_hook hook = {};

	if (mark.text != "constructed")
		return -1;
	if (std::getenv("CRASH"))
		throw std::runtime_error("out of init");
	hook.size = sizeof(hook);
	hook.name = "threads";
	hook.functions = "cuInit,cuDriverGetVersion";
	hook.enter = enter;
	/* It may not be waited for here: this runs with the loader's lock held. */
	shared.worker = std::thread(work);
	return cuaudit_hook_add(&hook);
}

void finish()
{
	shared.stop = true;
	sem_post(&shared.posted);
	shared.worker.join();
	std::printf("threads: saw %d, %d of them its own, caught %d, %s\n", shared.seen.load(),
		    shared.own.load(), shared.drained["caught"], mark.text.c_str());
}

}

extern "C" const struct cuaudit_module cuaudit_module = {
	sizeof(struct cuaudit_module), CUAUDIT_ABI, "threads", "a thread of its own", nullptr,
	init, finish, nullptr, nullptr,
};
