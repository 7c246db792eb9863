/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the CUAUDIT_ variables, once, before the program runs. Context: bind. */
#ifndef AUDIT_ENV_H
#define AUDIT_ENV_H

#include <stdbool.h>

#include "audit/link.h"

/* The values a process runs with; what is refused is kept for the core's message. */
extern bool env_disabled;

/* What the loader's own variables ask of it. */
struct env_loader {
	uint32_t auditors;	/* named in LD_AUDIT */
	bool cut;		/* the list may go on behind what the loader left of it */
	bool profile;
	bool bind_not;		/* to leave the slots of PLTs as they are */
};

/*
 * Fills loader, which is all zero.
 * after: where the text behind the last of the process's environment begins.
 */
void env_read_loader(struct env_loader *loader, char **envp, const char *after);

/* Fills environment from the process's envp, which stays in use. */
void env_read(struct link_environment *environment, char **envp);

/* Takes the auditor out of envp's LD_AUDIT, which the loader does not read any more. */
void env_unfollow(char **envp);

#endif
