/* SPDX-License-Identifier: Apache-2.0 */
/* The events by which a lease knows what its device still has to do. Context of all: call. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_FLIGHT_H
#define HOOKS_MODULES_LIMIT_LIMIT_FLIGHT_H

#include <cuaudit/cuda_types.h>

#include "hooks/modules/limit/limit_lease.h"

/* The driver took a submission to a stream that is not being captured: an event behind it, where one is due. */
void flight_submitted(struct lease *lease, CUstream stream);

/* The same of one to a stream that nobody knows. */
void flight_unseen(struct lease *lease);

/* Something is about to be submitted; whether nothing was for a while. */
bool flight_begins(struct lease *lease);

/* A thread that waited for its turn goes on: until then it was not for the device. */
void flight_goes_on(struct lease *lease);

/* A thread waited for the device by a call, or for room: what comes behind that is not behind a pause of the program's. */
void flight_waited(struct lease *lease);
void flight_held(struct lease *lease);

/* A stream that is not the legacy one. */
#define FLIGHT_NONE CU_STREAM_PER_THREAD

/* This thread is about to wait, in a submission to the stream now: an event behind what it submitted last. */
void flight_cover(struct lease *lease, CUstream now);

/*
 * This thread is about to put into a stream what will tell the program how far the device is: an event behind what it
 * submitted there last. Not one behind each of many: while one is on its way, there is no other.
 */
void flight_mark(struct lease *lease, CUstream stream);

/* The program was told that a stream is done, or all are (FLIGHT_NONE): no event is recorded there before more is submitted. */
void flight_seen(struct lease *lease, CUstream stream);

/* A stream is about to be destroyed: the same, and no event is recorded in it later. */
void flight_leave(struct lease *lease);

/* Returns when no more than two batches are on their way. */
void flight_throttle(struct lease *lease);

/* Asks the driver about all events; how many are to come. */
uint32_t flight_poll(struct lease *lease);

/* The device has done all: what has no event behind it as well. */
void flight_idle(struct lease *lease);

/* Contexts or streams end: nothing of theirs is asked about again. */
void flight_drop(void);

void flight_forked(void);

#endif
