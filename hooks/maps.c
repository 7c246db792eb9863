/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the kernel's list of mappings, a character at a time: no line is too long. */
#include "hooks/maps.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/io.h"

enum { CHUNK = 512 };

static void take_character(struct maps_line *line, char c)
{
	uint32_t digit = c <= '9' ? (uint32_t)(c - '0') : (uint32_t)(c - 'a' + 10);

	line->end = (line->end << 8 | (uint8_t)c) & 0xffffffffffffff;
	if ((c == '-' && line->field < 2) || (c == ' ' && line->field < 3))
		line->field++;
	else if (line->field < 2)
		line->bounds[line->field] = line->bounds[line->field] << 4 | digit;
	else if (line->field == 2)
		line->protection |= c == 'r' ? PROT_READ : c == 'w' ? PROT_WRITE :
				    c == 'x' ? PROT_EXEC : 0;
}

static bool find(long fd, uintptr_t address, struct maps_line *line)
{
	char chunk[CHUNK];
	long length;

	*line = (struct maps_line){ .field = 0 };
	while ((length = syscall(SYS_read, fd, chunk, sizeof(chunk))) > 0) {
		for (long i = 0; i < length; i++) {
			if (chunk[i] != '\n') {
				take_character(line, chunk[i]);
				continue;
			}
			if (address - line->bounds[0] < line->bounds[1] - line->bounds[0])
				return true;
			*line = (struct maps_line){ .field = 0 };
		}
	}
	return false;
}

static long open_list(void)
{
	return io_avoid_stdio((int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/maps",
					   O_RDONLY | O_CLOEXEC));
}

bool maps_readable(void)
{
	long fd = open_list();

	if (fd >= 0)
		syscall(SYS_close, fd);
	return fd >= 0;
}

bool maps_find(uintptr_t address, struct maps_line *line)
{
	long fd = open_list();
	bool found;

	if (fd < 0)
		return false;
	found = find(fd, address, line);
	syscall(SYS_close, fd);
	return found;
}
