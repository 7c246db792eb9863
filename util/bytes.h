/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes gathered in memory, as many as there are, and read of files. */
#ifndef UTIL_BYTES_H
#define UTIL_BYTES_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

struct bytes {
	uint8_t *data;
	size_t used, size;
};

/* Room for so many behind those used; NULL when memory is out. */
static inline uint8_t *bytes_room(struct bytes *bytes, size_t size)
{
	if (bytes->size - bytes->used < size) {
		size_t more = 2 * bytes->size + size;
		uint8_t *data = realloc(bytes->data, more);

		if (!data)
			return NULL;
		bytes->data = data;
		bytes->size = more;
	}
	return bytes->data + bytes->used;
}

/* The array of count things with room for one more, twice as many at a time; NULL as above. */
static inline void *bytes_grown(void *array, size_t *room, size_t count, size_t size)
{
	size_t more = *room ? 2 * *room : 16;

	if (count < *room)
		return array;
	array = reallocarray(array, more, size);
	if (array)
		*room = more;
	return array;
}

/* Bytes from used to size of a file; fewer only at its end. Where it stopped, or -1. */
static inline ssize_t bytes_read(int fd, char *data, size_t used, size_t size)
{
	while (used < size) {
		ssize_t got = pread(fd, data + used, size - used, (off_t)used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		used += (size_t)got;
	}
	return (ssize_t)used;
}

static inline void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes){ 0 };
}

#endif
