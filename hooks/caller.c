/* SPDX-License-Identifier: Apache-2.0 */
/* What a hook may want to know of who called: backtrace, build-id, thread's name. */
#include <cuaudit/call.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>

#include "arch.h"
#include "hooks/frame.h"
#include "hooks/library.h"
#include "hooks/loaded_image.h"
#include "hooks/safe_read.h"
#include "hooks/stack.h"
#include "hooks/unwound.h"

enum { LARGEST_FRAME = 1 << 20 };

static bool prepared;

/* What both ABIs keep at the frame pointer. */
struct frame_record {
	const struct frame_record *next;
	const void *caller;
};

static uint32_t follow_frames(const struct frame *frame, const void **frames, uint32_t max)
{
	const struct frame_record *at = (const struct frame_record *)(frame + 1);
	struct thread *thread = frame_thread(frame);
	uintptr_t below = (uintptr_t)at;
	uint32_t count = 1;
	/* A hooked function that ended in a jump to this one has the caller's record. */
	bool jumped = frame->call.depth && unwound_is_own(arch_plain_address(at->caller));

	/* The first record is the trampoline's own. */
	frames[0] = frame->call.caller;
	for (at = at->next; count < max; at = at->next) {
		uintptr_t here = (uintptr_t)at;

		if (here <= below || here - below > LARGEST_FRAME || here % sizeof(void *) ||
		    !stack_readable(thread, here, here + sizeof(*at)) || !at->caller)
			break;
		below = here;
		if (unwound_is_own(arch_plain_address(at->caller)))
			continue;
		if (!jumped)
			frames[count++] = arch_plain_address(at->caller);
		jumped = false;
	}
	return count;
}

int cuaudit_backtrace_prepare(void)
{
	const void *frame;

	/* The unwinder sets itself up on first use. */
	prepared = unwound_backtrace(NULL, &frame, 1) > 0;
	return prepared ? 0 : -ENOENT;
}

uint32_t cuaudit_call_backtrace(const struct cuaudit_call *call, const void **frames,
				uint32_t max, enum cuaudit_backtrace how)
{
	const struct frame *frame = (const struct frame *)call;

	if (how == CUAUDIT_BACKTRACE_UNWIND)
		return prepared ? unwound_backtrace(call->caller, frames, max) : 0;
	return max ? follow_frames(frame, frames, max) : 0;
}

const struct cuaudit_library *cuaudit_library_at(const void *address)
{
	return library_of(library_object((uintptr_t)address));
}

void cuaudit_thread_name(char name[CUAUDIT_THREAD_NAME])
{
	int error = errno;

	if (prctl(PR_GET_NAME, name))
		name[0] = '\0';
	name[CUAUDIT_THREAD_NAME - 1] = '\0';
	errno = error;
}

static uintptr_t round_up(uintptr_t at, uintptr_t to)
{
	return (at + to - 1) & ~(to - 1);
}

/* The build-id among the notes of a segment. */
static uint32_t find_note(uintptr_t at, uintptr_t end, uintptr_t alignment, uint8_t *id,
			  uint32_t size)
{
	while (at < end && end - at >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
		uintptr_t name = at + sizeof(*note), text = round_up(name + note->n_namesz, alignment);

		if (text > end || note->n_descsz > end - text)
			return 0;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof("GNU") &&
		    !memcmp((const void *)name, "GNU", sizeof("GNU"))) {
			memcpy(id, (const void *)text, note->n_descsz < size ? note->n_descsz : size);
			return note->n_descsz;
		}
		at = round_up(text + note->n_descsz, alignment);
	}
	return 0;
}

uint64_t cuaudit_library_base(const struct cuaudit_library *library)
{
	struct loaded_image image;

	return library_image(library, &image) ? image.bias : 0;
}

uint32_t cuaudit_library_build_id(const struct cuaudit_library *library, uint8_t *id,
				  uint32_t size)
{
	struct loaded_image image;
	ElfW(Phdr) segment;
	uint32_t length = 0;

	if (!library_image(library, &image))
		return 0;
	for (uint32_t i = 0; !length && loaded_image_segment(&image, i, &segment); i++) {
		uintptr_t at = image.bias + segment.p_vaddr;

		if (segment.p_type == PT_NOTE && loaded_image_readable(&image, at, segment.p_memsz))
			length = find_note(at, at + segment.p_memsz, segment.p_align == 8 ? 8 : 4,
					   id, size);
	}
	return length;
}
