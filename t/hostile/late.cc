/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the driver late: two calls in main, and others when HOW says. */
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <thread>
#include <unistd.h>

#include "t/fake/driver.h"

static void call()
{
	cuInit(0);
}

struct late {
	bool armed = false;

	~late()
	{
		if (armed)
			call();
	}
};

static thread_local late local;
static late global;

static void *after_main(void *main_thread)
{
	pthread_join(*static_cast<pthread_t *>(main_thread), nullptr);
	call();
	return nullptr;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	static pthread_t self;
	pthread_t other;

	call();
	call();
	if (!std::strcmp(how, "atexit")) {
		return std::atexit(call);
	} else if (!std::strcmp(how, "quick")) {
		std::at_quick_exit(call);
		std::quick_exit(0);
	} else if (!std::strcmp(how, "static")) {
		global.armed = true;
	} else if (!std::strcmp(how, "local")) {
		local.armed = true;
	} else if (!std::strcmp(how, "thread-local")) {
		std::thread([] { local.armed = true; }).join();
	} else if (!std::strcmp(how, "main-gone")) {
		self = pthread_self();
		pthread_create(&other, nullptr, after_main, &self);
		pthread_exit(nullptr);
	}
	return 0;
}
