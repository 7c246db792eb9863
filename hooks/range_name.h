/* SPDX-License-Identifier: Apache-2.0 */
/* The names that the program gave to domains, categories, texts and resources. */
#ifndef HOOKS_RANGE_NAME_H
#define HOOKS_RANGE_NAME_H

#include <cuaudit/range.h>

/* Context: call. As in struct range_ops. */
uint32_t range_name_give(uint32_t kind, uint32_t domain, uint64_t id, const char *text);

#endif
