/* SPDX-License-Identifier: Apache-2.0 */
/* Messages for the user, whatever descriptor 2 is. Context: bind. */
#ifndef AUDIT_MESSAGE_H
#define AUDIT_MESSAGE_H

/*
 * One line on stderr, "cuaudit: " and the texts up to NULL, by one write. As
 * io_write of util/io.h, which the auditor cannot use: no signal of it reaches
 * the program, and a reader that takes nothing is waited for 100 ms, once in
 * the process.
 */
void message_say(const char *first, ...) __attribute__((sentinel));

#endif
