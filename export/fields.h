/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of calls as text, the same in every format. */
#ifndef EXPORT_FIELDS_H
#define EXPORT_FIELDS_H

#include "tracefile/tracefile.h"
#include "util/buffer.h"

/* "libtorch_cuda.so+0x1a2b": a file offset, as of the library's symbols. */
void fields_caller(struct buffer *out, const struct trace *trace, uint32_t site);

/* The same as a text by itself, which is returned. */
enum { FIELDS_PLACE = 4400 };
const char *fields_site(char text[FIELDS_PLACE], const struct trace *trace, uint32_t site);
const char *fields_place(char text[FIELDS_PLACE], const struct trace *trace,
			 const struct cuaudit_trace_frame *frame);

/* Of any kind: "step (train.py:42)" of Python. The first as long as it is. */
void fields_frame(struct buffer *out, const struct trace *trace,
		  const struct cuaudit_trace_frame *frame);

/* The program's name without its directory. */
const char *fields_program(const struct trace *trace);

/* The same for any address; library may be TRACE_NONE. */
void fields_address(struct buffer *out, const struct trace *trace, uint32_t library,
		    uint64_t address);

/* Three digits and a unit: "12.3us". */
void fields_duration(struct buffer *out, uint64_t ns);

/* Seconds since the epoch with nine decimals. */
void fields_seconds(struct buffer *out, uint64_t ns);

/* The name a thread had, "" for none. */
const char *fields_thread_name(const struct trace_thread *thread);

/* Its tid, or 0: a thread that was not described. */
int32_t fields_tid(const struct trace_thread *thread);

/* The classes of a function, "context,sync". */
void fields_classes(struct buffer *out, uint32_t classes);

#endif
