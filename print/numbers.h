/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of enumerations, handles and structures, and what values are in terms of them. */
#ifndef PRINT_NUMBERS_H
#define PRINT_NUMBERS_H

#include <cuaudit/cuda_types.h>

#include "print/table.h"

enum {
#define ENUM(type) ENUM_##type,
#define FLAGSET(type) ENUM_##type,
#define ENUMERATOR(type, name, value)
#define ENUM_END(type)
#define ENUM_ALIAS(alias, type)
#include <cuaudit/driver_enums.def>
#include <cuaudit/runtime_enums.def>
#include <cuaudit/driver_params.def>
#undef ENUM
#undef ENUM_ALIAS
	ENUM_COUNT
};

enum {
	KIND_NONE,
#define HANDLE_KIND(word) KIND_##word,
#include <cuaudit/driver_params.def>
	KIND_COUNT
};

enum {
#define SHAPE(type) SHAPE_##type,
#include <cuaudit/driver_params.def>
	SHAPE_COUNT
};

_Static_assert((int)ENUM_COUNT <= 256 && (int)KIND_COUNT <= (int)PRINT_KINDS &&
	       (int)SHAPE_COUNT <= 256,
	       "they fit in print_value.detail");

/* Initialisers of struct print_value, by the words of driver_params.def. */
#define INT(type) { PRINT_INT, 0, sizeof(type) }
#define UINT(type) { PRINT_UINT, 0, sizeof(type) }
#define REAL(type) { PRINT_REAL, 0, sizeof(type) }
#define HEX(type) { PRINT_HEX, 0, sizeof(type) }
#define BYTE(type) { PRINT_BYTE, 0, sizeof(type) }
#define NAMED(type, set) { PRINT_ENUM, ENUM_##set, sizeof(type) }
#define HANDLE(type, word) { PRINT_HANDLE, KIND_##word, sizeof(type) }
#define STRUCT(type) { PRINT_STRUCT, SHAPE_##type, sizeof(type) }
#define TEXT(type) { PRINT_TEXT, 0, sizeof(type) }

#endif
