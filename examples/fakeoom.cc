// SPDX-License-Identifier: Apache-2.0
//
// Has memory run out, to see what a program does then.
//
//     c++ -shared -fPIC -o fakeoom.so fakeoom.cc $(pkg-config --cflags --libs cuaudit)
//     LD_AUDIT=libcuaudit.so CUAUDIT_HOOKS='./fakeoom.so(every=10)' ./app
//
// every=N: each N-th allocation fails; above=BYTES: each larger one does;
// library=GLOB: only those of these libraries.
#include <atomic>
#include <cstdint>
#include <cstdlib>

#include <cuaudit/hook.h>

namespace {

constexpr int out_of_memory = 2;	// CUDA_ERROR_OUT_OF_MEMORY

// Hooks are called until the process is gone, after destructors too: what they
// use has none.
struct {
	std::uint64_t every, above;
	std::atomic<std::uint64_t> calls, failed;
} settings;

// Of all these the first word is where the answer goes, the second the size.
constexpr char functions[] = "cuMemAlloc,cuMemAllocAsync,cuMemAllocFromPoolAsync,"
			     "cuMemAllocManaged,cuMemAllocHost,cuMemHostAlloc,cuMemCreate";

int enter(cuaudit_call *call, void *)
{
	// For functions that are newer than cuaudit, words are not parameters.
	if (call->flags & CUAUDIT_CALL_UNKNOWN)
		return CUAUDIT_CONTINUE;
	const bool is_nth = settings.every && ++settings.calls % settings.every == 0;
	const bool is_large = settings.above && call->words[1] > settings.above;

	if (!is_nth && !is_large)
		return CUAUDIT_CONTINUE;
	settings.failed++;
	call->result = out_of_memory;
	return CUAUDIT_SKIP;
}

int init(const cuaudit_options *options)
{
	cuaudit_hook hook = {};

	settings.every = std::strtoull(cuaudit_option_get(options, "every"), nullptr, 0);
	settings.above = std::strtoull(cuaudit_option_get(options, "above"), nullptr, 0);
	hook.size = sizeof(hook);
	hook.name = "fakeoom";
	hook.functions = functions;
	hook.enter = enter;
	hook.include = cuaudit_option_get(options, "library");
	return cuaudit_hook_add(&hook);
}

void finish()
{
	cuaudit_log(CUAUDIT_WARN, "fakeoom: %llu allocations failed",
		    static_cast<unsigned long long>(settings.failed));
}

constexpr cuaudit_option options[] = {
	{ "every", "0", "N", "each N-th allocation fails" },
	{ "above", "0", "BYTES", "each larger one fails" },
	{ "library", "", "GLOB", "whose allocations" },
	{ nullptr, nullptr, nullptr, nullptr },
};

}

extern "C" const cuaudit_module cuaudit_module = {
	sizeof(struct cuaudit_module), CUAUDIT_ABI, "fakeoom", "has memory run out",
	options, init, finish, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
};
