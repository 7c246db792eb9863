/* SPDX-License-Identifier: Apache-2.0 */
/* Holds what is known of kernel images. */
#include "sim/image.h"

#include <stdlib.h>
#include <string.h>

/* Room for one more in an array that grows by doubling; zeroed. */
static void *more(void *array, unsigned int n, size_t size)
{
	char *grown = array;

	if (!(n & (n - 1))) {
		grown = realloc(array, (n ? 2 * (size_t)n : 1) * size);
		if (!grown)
			return NULL;
	}
	memset(grown + n * size, 0, size);
	return grown;
}

struct image_function *image_function(struct image *image, const char *name,
				      size_t length)
{
	struct image_function *function;

	function = more(image->functions, image->nfunctions, sizeof(*function));
	if (!function)
		return NULL;
	image->functions = function;
	function += image->nfunctions;
	function->name = strndup(name, length);
	if (!function->name)
		return NULL;
	image->nfunctions++;
	return function;
}

struct image_param *image_param(struct image_function *function)
{
	struct image_param *param;

	param = more(function->params, function->nparams, sizeof(*param));
	if (!param)
		return NULL;
	function->params = param;
	return param + function->nparams++;
}

struct image_global *image_global(struct image *image, const char *name,
				  size_t length)
{
	struct image_global *global;

	global = more(image->globals, image->nglobals, sizeof(*global));
	if (!global)
		return NULL;
	image->globals = global;
	global += image->nglobals;
	global->name = strndup(name, length);
	if (!global->name)
		return NULL;
	image->nglobals++;
	return global;
}

int image_find_function(const struct image *image, const char *name)
{
	for (unsigned int i = 0; i < image->nfunctions; i++)
		if (!strcmp(image->functions[i].name, name))
			return (int)i;
	return -1;
}

int image_find_global(const struct image *image, const char *name)
{
	for (unsigned int i = 0; i < image->nglobals; i++)
		if (!strcmp(image->globals[i].name, name))
			return (int)i;
	return -1;
}

void image_get(struct image *image)
{
	atomic_fetch_add(&image->users, 1);
}

void image_put(struct image *image)
{
	if (atomic_fetch_sub(&image->users, 1) > 1)
		return;
	for (unsigned int i = 0; i < image->nfunctions; i++) {
		free(image->functions[i].name);
		free(image->functions[i].params);
	}
	for (unsigned int i = 0; i < image->nglobals; i++) {
		free(image->globals[i].name);
		free(image->globals[i].data);
	}
	free(image->functions);
	free(image->globals);
	free(image);
}
