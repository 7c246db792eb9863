/* SPDX-License-Identifier: Apache-2.0 */
/* The %-fields of CUAUDIT_OUTPUT. */
#ifndef NAMES_TEMPLATE_H
#define NAMES_TEMPLATE_H

/* The first %-field of template that is none, or NULL. Context: bind, setup. */
const char *template_fault(const char *template);

#endif
