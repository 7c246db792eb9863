/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the functions and of their classes, from driver_api.def. C11 and C++. */
#ifndef CUAUDIT_API_H
#define CUAUDIT_API_H

/* CUAUDIT_ID_cuMemAlloc_v2 is the row's id: cuaudit_function.id. */
enum cuaudit_id {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	CUAUDIT_ID_##symbol = id,
#include <cuaudit/driver_api.def>
#undef CUAPI
	CUAUDIT_ID_UNKNOWN = -1,	/* newer than the table */
	CUAUDIT_ID_RUNTIME = -2,	/* of the runtime: its calls are observed, see cuaudit_hook(3) */
	CUAUDIT_ID_TABLES = -3,		/* a slot of an export table: what it takes and returns is not known */
	CUAUDIT_ID_PROVIDER = -4	/* of a library of CUAUDIT_PROVIDERS, or the C library's */
};

/* Bits of cuaudit_function.classes. */
enum cuaudit_class_number {
#define CLASS(name, text, summary) CUAUDIT_CLASS_NUMBER_##name,
#include <cuaudit/classes.def>
#undef CLASS
	CUAUDIT_CLASSES
};

enum cuaudit_class {
#define CLASS(name, text, summary) CUAUDIT_CLASS_##name = 1 << CUAUDIT_CLASS_NUMBER_##name,
#include <cuaudit/classes.def>
#undef CLASS
	CUAUDIT_CLASS_NONE = 0
};

#endif
