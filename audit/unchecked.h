/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves a file by which cuaudit check knows of a process that no rule judges. */
#ifndef AUDIT_UNCHECKED_H
#define AUDIT_UNCHECKED_H

/*
 * Context: bind. In the directory of save= of rules in hooks, the value of
 * CUAUDIT_HOOKS, once in a process; it takes no descriptor, which may be what lacks.
 */
void unchecked_leave(const char *hooks);

#endif
