/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated driver's export tables, beside that for tools. */
#ifndef SIM_TABLES_H
#define SIM_TABLES_H

#include <stdbool.h>
#include <stdint.h>

/* Whether that is the table which a CUDA runtime cannot do without. */
bool tables_is_interface(const uint8_t *uuid);

/* The table of that UUID of 16 bytes, or NULL. */
const void *tables_find(const uint8_t *uuid);

#endif
