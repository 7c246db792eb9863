/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about `copied`: how many bytes a call copies, by words that hold 64 bits, or 32 beside anything. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cuaudit/api.h>
#include <cuaudit/call.h>
#include <cuaudit/params.h>

#include "hooks/modules/rules/rules_copied.h"
#include "hooks/modules/rules/rules_driver.h"
#include "print/table.h"
#include "t/tap.h"

enum { WORDS = 8 };

#define LARGE UINT64_C(0x100000005)

static const struct cuaudit_function functions[] = {
#define CUAPI(number, symbol, text, from, variant, flavour, hdr, bits, n, params) \
	[number] = { .name = #symbol, .base = #text, .id = number, .nparams = n },
#include <cuaudit/driver_api.def>
#undef CUAPI
};

static int planned;

int cuaudit_param_get(const struct cuaudit_function *function, uint32_t index, struct cuaudit_param *param)
{
	struct print_param params[PRINT_PARAMS];

	planned += !index;
	if (index >= print_params(function->id, params))
		return -1;
	*param = (struct cuaudit_param){
		.name = params[index].name, .type = params[index].type, .word = params[index].word,
	};
	return 0;
}

int cuaudit_safe_read(const void *from, void *to, size_t size)
{
	memcpy(to, from, size);
	return 0;
}

bool rules_is_device(uint64_t address)
{
	return address == LARGE;
}

static uint64_t copied(enum cuaudit_id id, const char *direction)
{
	uint64_t words[WORDS] = { LARGE, 1, LARGE, LARGE };
	const struct cuaudit_call call = { .function = &functions[id], .nwords = WORDS, .words = words };

	return rules_copied(&call, rules_direction(direction));
}

int main(void)
{
	ok(copied(CUAUDIT_ID_cuMemcpyHtoD_v2, "HtoD") == LARGE, "more than 4 GiB");
	ok(copied(CUAUDIT_ID_cuMemcpyHtoD, "HtoD") == 5, "of 32 bits, what is beside them is none");
	is_int(planned, 2, "a function's words are looked for once");
	ok(copied(CUAUDIT_ID_cuMemcpyHtoD_v2, "any") == LARGE, "in any direction");
	ok(!copied(CUAUDIT_ID_cuMemcpyHtoD_v2, "DtoH"), "in another one nothing");
	ok(copied(CUAUDIT_ID_cuMemcpy, "HtoD") == LARGE, "by its two addresses: from the second to the first");
	ok(!copied(CUAUDIT_ID_cuMemcpy, "DtoH"), "... and not the other way");
	is_int(planned, 3, "and no more often");
	ok(!copied(CUAUDIT_ID_cuCtxSynchronize, "any"), "what copies nothing has no bytes");
	return done_testing();
}
