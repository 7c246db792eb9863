/* SPDX-License-Identifier: Apache-2.0 */
/* Where a call was made, as people and addr2line want it. */
#include "hooks/call_site.h"

#include <cuaudit/coverage.h>
#include <cuaudit/hook.h>
#include <string.h>

#include "hooks/core_link.h"
#include "hooks/library.h"
#include "hooks/loaded_image.h"
#include "util/buffer.h"

struct call_site call_site_find(const void *caller, const struct cuaudit_library *library,
				char *name, size_t size)
{
	uintptr_t call = (uintptr_t)caller - 1;
	struct call_site site = { .offset = call };
	struct loaded_image image;

	*name = '\0';
	/* It may have been closed since, and another may be in its place. */
	if (library_of(library_object(call)) != library || !library_image(library, &image))
		return site;
	site.known = true;
	site.offset = call - image.bias;
	if (!loaded_image_function(&image, call, name, size, &site.distance))
		*name = '\0';
	return site;
}

const char *call_site_path(const struct cuaudit_library *library, char *text, size_t size)
{
	const char *directory = cuaudit_directory();
	size_t length = strlen(directory);

	if (*library->path == '/' || !library->index || !length ||
	    length + strlen(library->path) + 2 > size)
		return library->path;
	stpcpy(stpcpy(stpcpy(text, directory), "/"), library->path);
	return text;
}

const char *call_site_text(char text[CALL_SITE_TEXT], const void *caller,
			   const struct cuaudit_library *library)
{
	char name[CALL_SITE_TEXT / 4];
	struct call_site site = call_site_find(caller, library, name, sizeof(name));
	struct buffer out = { text, CALL_SITE_TEXT, 0 };

	buffer_name(&out, *name ? name : site.known ? library->name : "address ");
	if (site.known)
		buffer_char(&out, '+');
	buffer_hex(&out, *name ? site.distance : site.offset);
	if (*name || (!site.known && library->index)) {
		buffer_text(&out, " (");
		buffer_name(&out, library->name);
		buffer_char(&out, ')');
	}
	buffer_end(&out);
	return text;
}

uint32_t call_site_routes(const struct cuaudit_call *call)
{
	const struct cuaudit_library *library = cuaudit_call_library(call);
	uint32_t routes = 0;

	/* Code of no object binds nothing. */
	for (uint32_t route = 0; library->index && route < CUAUDIT_ROUTES; route++)
		if (link_is_bound(cuaudit_core_link, library->index - 1, call->function->slot, route))
			routes |= 1u << route;
	return routes;
}
