/* SPDX-License-Identifier: Apache-2.0 */
/* Lets the loader bind at once what old C libraries bind lazily for auditors. Context: bind. */
#ifndef AUDIT_BIND_NOW_H
#define AUDIT_BIND_NOW_H

#include "audit/plt.h"

/* Has a newly mapped object bound as it is relocated. */
void bind_now_open(struct link_object *object, const struct elf_image *image,
	      const struct plt_entries *entries);

/*
 * Takes up what was relocated since: shows its entries as they were, counts
 * its bindings to the driver. consistent: all of the start-up's are relocated.
 */
void bind_now_finish(bool consistent);

/* Its object is gone. */
void bind_now_close(const struct bind_now_change *change);

#endif
