/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves a file by which cuaudit check knows of a process that no rule judges. */
#ifndef AUDIT_UNCHECKED_H
#define AUDIT_UNCHECKED_H

/*
 * Context: bind. Of that name, see check_mark.h, beside what CUAUDIT_CHECK is, saved;
 * once in a process. It takes no descriptor, which may be what lacks.
 */
void unchecked_leave(const char *saved, const char *name);

#endif
