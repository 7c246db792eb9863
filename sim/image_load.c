/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out what form a kernel image has, and has it read. */
#include "sim/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Anything but text is an image of a form that is not known. */
static bool is_text(const char *data, size_t size)
{
	size_t i;

	for (i = 0; i < size && data[i]; i++)
		if ((unsigned char)data[i] < ' ' && !strchr("\t\n\v\f\r", data[i]))
			return false;
	return i;
}

CUresult image_load(const void *data, size_t size, struct image **out)
{
	struct image *image = calloc(1, sizeof(*image));
	CUresult rc;

	if (!image)
		return CUDA_ERROR_OUT_OF_MEMORY;
	image_get(image);
	if (cubin_is(data, size))
		rc = cubin_read(data, size, image);
	else if (fatbin_is(data, size))
		rc = fatbin_read(data, size, image);
	else if (is_text(data, size))
		rc = ptx_read(data, size, image);
	else
		rc = CUDA_ERROR_INVALID_IMAGE;
	if (rc)
		image_put(image);
	else
		*out = image;
	return rc;
}

char *image_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	char *data = NULL;
	long length;

	if (!file)
		return NULL;
	if (fseek(file, 0, SEEK_END) || (length = ftell(file)) < 0 ||
	    fseek(file, 0, SEEK_SET))
		goto out;
	data = malloc((size_t)length + 1);
	if (data && fread(data, 1, (size_t)length, file) != (size_t)length) {
		free(data);
		data = NULL;
	}
	if (data) {
		data[length] = 0;
		*size = (size_t)length;
	}
out:
	fclose(file);
	return data;
}
