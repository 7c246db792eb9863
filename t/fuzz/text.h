/* SPDX-License-Identifier: Apache-2.0 */
/* Makes up variables of the environment, most of them nearly right. */
#ifndef T_FUZZ_TEXT_H
#define T_FUZZ_TEXT_H

/* "NAME=value", and a value alone; each exactly as large as it is, for free(). */
char *text_entry(void);
char *text_value(void);

#endif
