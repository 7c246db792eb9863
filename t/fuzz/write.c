/* SPDX-License-Identifier: Apache-2.0 */
/* Writes damaged copies of an object: SEED COUNT OBJECT DIRECTORY, as DIRECTORY/0, 1 ... */
#include "t/fuzz/fuzz.h"
#include "t/fuzz/object.h"


void fuzz_failed(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
	exit(1);
}

/* With another extent, a loader maps the object over whatever lies next to it. */
static void keep_extent(struct object *object)
{
	const ElfW(Ehdr) *header = (const void *)object->good;
	const ElfW(Phdr) *good = (const void *)(object->good + header->e_phoff);
	ElfW(Phdr) *damaged = (void *)(object->bytes + header->e_phoff);

	for (int i = 0; i < header->e_phnum; i++) {
		ElfW(Word) flags = damaged[i].p_flags;

		if (good[i].p_type != PT_LOAD)
			continue;
		damaged[i] = good[i];
		damaged[i].p_flags = flags;
	}
}

int main(int argc, char **argv)
{
	struct object object;
	uint64_t seed, count;
	char name[4096];

	fuzz_check(argc == 5);
	seed = strtoull(argv[1], NULL, 10);
	count = strtoull(argv[2], NULL, 10);
	object_load(&object, argv[3]);
	for (uint64_t i = 0; i < count; i++) {
		FILE *file;

		chance_begin(seed, i);
		object_damage(&object);
		keep_extent(&object);
		snprintf(name, sizeof(name), "%s/%llu", argv[4], (unsigned long long)i);
		file = fopen(name, "wb");
		fuzz_check(file && fwrite(object.bytes, 1, object.size, file) == object.size);
		fuzz_check(!fclose(file));
	}
	return 0;
}
