/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's log: what it says of errors, to callbacks and in its memory. */
#include "sim/sim.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINES = 64, LINE = 256, CALLBACKS = 256 };

struct CUlogsCallbackEntry_st {
	CUlogsCallback call;
	void *data;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUlogsCallbackEntry_st *callbacks[CALLBACKS];

static char lines[LINES][LINE];
static unsigned int end;	/* lines ever */

/* Programs fail on small stacks too: callbacks are copied one at a time. */
static void say(const char *text)
{
	struct CUlogsCallbackEntry_st called = { NULL, NULL };
	char message[LINE];

	pthread_mutex_lock(&lock);
	snprintf(lines[end++ % LINES], LINE, "%.250s", text);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < CALLBACKS; i++) {
		pthread_mutex_lock(&lock);
		called.call = NULL;
		if (callbacks[i])
			called = *callbacks[i];
		pthread_mutex_unlock(&lock);
		if (!called.call)
			continue;
		snprintf(message, sizeof(message), "%s", text);
		called.call(called.data, CU_LOG_LEVEL_ERROR, message, strlen(message));
	}
}

CUresult sim_failed(CUresult rc, const char *function, const char *why)
{
	const char *name = "";
	char text[LINE];

	if (!rc)
		return rc;
	if (why)
		say(why);
	cuGetErrorName(rc, &name);
	snprintf(text, sizeof(text), "Returning %d (%s) from %s", (int)rc, name, function);
	say(text);
	return rc;
}

CUresult cuLogsRegisterCallback(CUlogsCallback callbackFunc, void *userData,
				CUlogsCallbackHandle *callback_out)
{
	CUlogsCallbackHandle entry;
	int free_at = 0;

	if (!callbackFunc)
		return CUDA_ERROR_INVALID_VALUE;
	entry = malloc(sizeof(*entry));
	if (!entry)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*entry = (struct CUlogsCallbackEntry_st){ callbackFunc, userData };
	pthread_mutex_lock(&lock);
	while (free_at < CALLBACKS && callbacks[free_at])
		free_at++;
	if (free_at < CALLBACKS)
		callbacks[free_at] = entry;
	pthread_mutex_unlock(&lock);
	if (free_at == CALLBACKS) {
		free(entry);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (callback_out)
		*callback_out = entry;
	return CUDA_SUCCESS;
}

CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle callback)
{
	CUresult rc = CUDA_ERROR_INVALID_VALUE;

	pthread_mutex_lock(&lock);
	for (int i = 0; rc && callback && i < CALLBACKS; i++) {
		if (callbacks[i] != callback)
			continue;
		callbacks[i] = NULL;
		free(callback);
		rc = CUDA_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

CUresult cuLogsCurrent(CUlogIterator *iterator_out, unsigned int flags)
{
	if (!iterator_out || flags)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	*iterator_out = end;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

/* The lines from one on that there are still; under the lock. */
static unsigned int first(const CUlogIterator *iterator)
{
	unsigned int oldest = end > LINES ? end - LINES : 0;

	return iterator && *iterator > oldest ? *iterator : oldest;
}

CUresult cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *size,
			    unsigned int flags)
{
	size_t used = 0;

	if (!buffer || !size || flags)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	for (unsigned int i = first(iterator); i < end; i++) {
		size_t length = strlen(lines[i % LINES]);

		if (used + length + 2 > *size)
			break;
		memcpy(buffer + used, lines[i % LINES], length);
		used += length;
		buffer[used++] = '\n';
	}
	if (*size)
		buffer[used] = '\0';
	if (iterator)
		*iterator = end;
	pthread_mutex_unlock(&lock);
	*size = used;
	return CUDA_SUCCESS;
}

CUresult cuLogsDumpToFile(CUlogIterator *iterator, const char *pathToFile, unsigned int flags)
{
	char buffer[LINES * LINE];
	size_t size = sizeof(buffer);
	CUresult rc = cuLogsDumpToMemory(iterator, buffer, &size, flags);
	int file = rc || !pathToFile ? -1 : open(pathToFile, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
						 0666);
	bool written = file >= 0 && write(file, buffer, size) == (ssize_t)size;

	if (file >= 0)
		close(file);
	return rc ? rc : written ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
