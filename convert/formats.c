/* SPDX-License-Identifier: Apache-2.0 */
/* The table of formats. */
#include "convert/formats.h"

#include <stddef.h>

const struct convert_format *const convert_formats[] = {
	&convert_text,
	NULL
};
