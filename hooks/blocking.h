/* SPDX-License-Identifier: Apache-2.0 */
/* Why a call waits for the GPU, or makes streams wait for each other. */
#ifndef HOOKS_BLOCKING_H
#define HOOKS_BLOCKING_H

#include <stdbool.h>

#include <cuaudit/call.h>

/*
 * Context: call, of enter hooks: what the call frees cannot be asked about afterwards. A text of
 * tables/blocking.def, which is there for good: it may wait, not must, by a document or as it was
 * measured. NULL: neither says so.
 *
 * FREE rows look for NULL and memory of pools, STACK rows at which limit is set, HOST and PAGEABLE rows at the memory type of each
 * address, LEGACY rows at the stream. For FREE, HOST and PAGEABLE the driver is asked; an address
 * that it does not know, or of which it cannot be asked, is pageable. A copy in a stream that is
 * captured does not wait, nor does one of no bytes, or one whose description cannot be read, which
 * the driver refuses. Of a batch, the first 4096 copies are looked at; a longer one waits.
 * streams: whether streams that wait for each other count, LEGACY rows; the host does not wait there.
 */
const char *blocking_call(const struct cuaudit_call *call, bool streams);

#endif
