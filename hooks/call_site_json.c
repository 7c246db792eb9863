/* SPDX-License-Identifier: Apache-2.0 */
/* Call sites in JSON reports of modules. */
#include "hooks/call_site.h"

#include "util/writer.h"

enum { ID = 32 };	/* what cuaudit report takes */

static void build_id(struct writer *json, const struct cuaudit_library *library)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t id[ID];
	char text[2 * ID + 1];
	uint32_t size = cuaudit_library_build_id(library, id, sizeof(id));

	if (!size || size > sizeof(id))
		return;
	for (uint32_t i = 0; i < size; i++) {
		text[2 * i] = digits[id[i] >> 4];
		text[2 * i + 1] = digits[id[i] & 15];
	}
	text[2 * size] = '\0';
	writer_text(json, "build_id", text);
}

void call_site_json(struct writer *json, const void *caller, const struct cuaudit_library *library,
		    char *name, size_t size)
{
	struct call_site site;

	writer_text(json, "library", call_site_path(library, name, size));
	site = call_site_find(caller, library, name, size);
	writer_hex(json, "address", (uintptr_t)caller);
	if (site.known) {
		writer_hex(json, "offset", site.offset);
		build_id(json, library);
	}
	if (*name) {
		writer_text(json, "symbol", name);
		writer_number(json, "distance", site.distance);
	}
}
