/* SPDX-License-Identifier: Apache-2.0 */
/* What AAPCS64 has rules of its own for, with hooks: structures passed and returned. */
#include <dlfcn.h>
#include <stdlib.h>

#include "t/aarch64/driver.h"
#include "t/routes/checks.h"

static int enters, exits, edit;
static unsigned int seen_sum, left_sum;
static uint32_t seen_words;

static unsigned int sum_of(const struct cuaudit_call *call)
{
	struct aarch64_handle handle;
	unsigned int sum = 0;

	memcpy(&handle, &call->words[1], sizeof(handle));
	for (int i = 0; i < 64; i++)
		sum += handle.bytes[i];
	return sum;
}

/* Hooks may lose what a function may. */
static void lose_vectors(void)
{
	__asm__ volatile("movi v0.2d, #0\n\tmovi v1.2d, #0\n\tmovi v2.2d, #0\n\tmovi v3.2d, #0"
			 : : : "v0", "v1", "v2", "v3");
}

static int enter(struct cuaudit_call *call, void *data)
{
	(void)data;
	enters++;
	lose_vectors();
	if (strcmp(call->function->name, "cuIpcOpenMemHandle_v2"))
		return CUAUDIT_CONTINUE;
	seen_words = call->nwords;
	seen_sum = sum_of(call);
	if (edit) {
		memset(&call->words[1], 2, sizeof(struct aarch64_handle));
		call->words[9] = 0;
	}
	return CUAUDIT_CONTINUE;
}

static void leave(struct cuaudit_call *call, void *data)
{
	(void)data;
	exits++;
	lose_vectors();
	if (!strcmp(call->function->name, "cuIpcOpenMemHandle_v2"))
		left_sum = sum_of(call);
}

static void hook(void)
{
	static const struct cuaudit_hook all = {
		.size = sizeof(all), .name = "all", .enter = enter, .exit = leave,
	};
	void *core = dlopen("cuaudit-core.so", RTLD_NOLOAD | RTLD_LAZY);
	int (*add)(const struct cuaudit_hook *);

	is_int(core != NULL, observe_routed(), "the core");
	if (!core)
		return;
	add = (int (*)(const struct cuaudit_hook *))dlsym(core, "cuaudit_hook_add");
	is_int(add(&all), 0, "a hook");
}

static void results(void)
{
	struct aarch64_large large = cuNewLarge(7, 5);
	struct aarch64_vectors vectors = cuNewVectors(1.5);
	struct aarch64_pair pair = { 8, 9 };

	ok(large.words[0] == 7 && large.words[1] == 5 && large.words[2] == 12 &&
	   large.words[3] == 2 && large.words[4] == 35, "a structure returned in memory");
	ok(vectors.a == 1.5 && vectors.b == 3 && vectors.c == 4.5 && vectors.d == 6,
	   "four doubles returned in registers");
	is_int(cuNewSpilled(1, 2, 3, 4, 5, 6, 7, pair, 10), 109828,
	       "a structure that is spilled, and what follows");
}

static void handles(void)
{
	struct aarch64_handle handle;
	unsigned long long sum = 0;
	int before = enters;

	memset(&handle, 1, sizeof(handle));
	is_int(cuIpcOpenMemHandle_v2(&sum, handle, 0), 0, "a structure by reference");
	is_int((long long)sum, 64, "arrives");
	for (int i = 0; i < 64; i++)
		before += handle.bytes[i] != 1;
	if (!observe_routed())
		return;
	is_int(enters - before, 1, "is hooked once, and the caller's is what it was");
	is_int(seen_words, 10, "its words are the structure's");
	is_int(seen_sum, 64, "as passed");
	is_int(left_sum, 64, "at exit too, whatever the callee wrote");
	edit = 1;
	is_int(cuIpcOpenMemHandle_v2(&sum, handle, 5), 0, "edited, with what comes after");
	is_int((long long)sum, 128, "the edited one arrives");
	for (int i = 0; i < 64; i++)
		before += handle.bytes[i] != 1;
	is_int(enters - before, 2, "the caller's is what it was");
	edit = 0;
}

int main(void)
{
	results();
	cuInit(0);
	hook();
	results();
	handles();
	is_int(enters, exits, "as many exits as enters");
	return done_testing();
}
