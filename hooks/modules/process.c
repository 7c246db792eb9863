/* SPDX-License-Identifier: Apache-2.0 */
/* A process by its files in /proc. */
#include "hooks/modules/process.h"

#include <string.h>

#include "util/io.h"

enum { START_TIME = 22 };	/* the field of /proc/self/stat */

uint64_t process_start(void)
{
	char text[1024];
	const char *at;

	if (io_read_file("/proc/self/stat", text, sizeof(text), IO_NOW) < 0)
		return 0;
	at = strrchr(text, ')');	/* the name before may hold anything */
	for (int field = 2; at && field < START_TIME; field++)
		at = strchr(at + 1, ' ');
	return at ? io_number(at + 1) : 0;
}

void process_command(char *text, size_t size)
{
	long length = io_read_file("/proc/thread-self/cmdline", text, size, IO_NOW);

	while (length > 0 && !text[length - 1])
		length--;
	for (long i = 0; i < length; i++)
		if (!text[i])
			text[i] = ' ';
}
