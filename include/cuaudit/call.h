/* SPDX-License-Identifier: Apache-2.0 */
/* One call of an intercepted function, as hooks see it. C11 and C++. */
#ifndef CUAUDIT_CALL_H
#define CUAUDIT_CALL_H

#include <cuaudit/public.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An intercepted function: one exported function of one loaded copy of the
 * driver. Lives until the process ends; strings belong to the core.
 */
struct cuaudit_function {
	const char *name;	/* ELF symbol, "cuMemAlloc_v2"; a provider's: LIBRARY:SYMBOL */
	const char *base;	/* what cuGetProcAddress calls it; else another name of it, or = name */
	int32_t id;		/* row of driver_api.def; or CUAUDIT_ID_* */
	uint32_t slot;		/* dense number in this process, from 0 */
	uint32_t driver;	/* number of the copy of the driver, from 0 */
	uint32_t version;	/* cuGetProcAddress version, 0 if unknown */
	uint32_t classes;	/* CUAUDIT_CLASS_* bits */
	uint32_t nparams;	/* parameters of the row, 0 if unknown */
};

/* An object of the process, as the loader knows it. */
struct cuaudit_library {
	const char *path;	/* as the loader names it; the program's own path for the executable */
	const char *name;	/* its last component */
	uint32_t index;		/* dense number in this process, from 0 */
};

/*
 * A call between its enter hooks and its exit hooks. Lives on the calling
 * thread's stack: never keep its address. Fields marked (rw) may be written.
 */
struct cuaudit_call {
	const struct cuaudit_function *function;
	uint64_t *words;	/* (rw at enter) arguments, see below */
	uint64_t scratch;	/* (rw) one word of the running hook's own, kept from enter to exit */
	const void *caller;	/* the return address */
	uint64_t correlation;	/* unique in the process, never 0 */
	void *const *blocks;	/* the thread's blocks by key, NULL where cuaudit_thread_block has not been asked yet */
	uint32_t nwords;	/* readable words */
	uint32_t depth;		/* 0, or the number of driver calls this one runs inside of */
	int32_t result;		/* (rw) CUresult; set before exit hooks, or by enter hooks that skip */
	uint32_t flags;		/* CUAUDIT_CALL_* */
	uint64_t start;		/* for CUAUDIT_HOOK_TIMED, in exit hooks: cuaudit_ticks() ... */
	uint64_t end;		/* ... just before and after the driver ran; 0 if it did not */
};

/*
 * words: for a function of the table, its parameters in order, each
 * beginning at a new word; a structure by value takes as many words as it
 * needs, a float or double is in the low bytes of its word. For any other
 * function: the integer argument registers in the order of the ABI, then
 * what is on the caller's stack.
 */
enum {
	CUAUDIT_CALL_UNKNOWN = 1,	/* words are raw registers and stack */
	CUAUDIT_CALL_SKIPPED = 2,	/* an enter hook answered for the driver */
	/* Set by an exit hook that makes success of the driver's error: nothing was written. */
	CUAUDIT_CALL_FAILED = 4,
	/* The runtime reports it: words are its parameters, all that is written is ignored. */
	CUAUDIT_CALL_OBSERVED = 8,
	/* A provider's function: result is the low half of what it returns, no CUresult. */
	CUAUDIT_CALL_NO_STATUS = 16
};

/*
 * Context: call, of exit hooks. Not 0 if the driver itself answered success,
 * and so has read or written what the arguments lead to.
 */
static inline int cuaudit_call_succeeded(const struct cuaudit_call *call)
{
	return !call->result && !(call->flags & (CUAUDIT_CALL_SKIPPED | CUAUDIT_CALL_FAILED));
}

/* Context: call, of exit hooks. The CUresult, 0 where the function returns something else. */
static inline int32_t cuaudit_call_status(const struct cuaudit_call *call)
{
	return call->flags & CUAUDIT_CALL_NO_STATUS ? 0 : call->result;
}

/*
 * Context: call. Copies size bytes from where an argument leads, for which the
 * driver has not vouched; 0, or -EFAULT where they cannot all be read.
 */
CUAUDIT_PUBLIC int cuaudit_safe_read(const void *from, void *to, size_t size);

/* Context: call. The library the return address is in; never NULL. */
CUAUDIT_PUBLIC const struct cuaudit_library *cuaudit_call_library(const struct cuaudit_call *call);

enum cuaudit_backtrace {
	CUAUDIT_BACKTRACE_FRAMES,	/* by frame pointers */
	CUAUDIT_BACKTRACE_UNWIND	/* by unwind tables, as debuggers do */
};

/*
 * Context: call. The return addresses from the call's caller outwards, those in cuaudit left out, at
 * most max of them; returns how many. FRAMES costs little, and ends, or skips
 * callers, at code built without frame pointers; it never leaves readable
 * memory. UNWIND goes through any code with unwind tables, for a microsecond
 * or so a frame, and finds nothing unless cuaudit_backtrace_prepare was called.
 */
CUAUDIT_PUBLIC uint32_t cuaudit_call_backtrace(const struct cuaudit_call *call,
					       const void **frames, uint32_t max,
					       enum cuaudit_backtrace how);

/* Context: setup. Loads the unwinder. 0, or -ENOENT where there is none. */
CUAUDIT_PUBLIC int cuaudit_backtrace_prepare(void);

/* A Python function, and the instruction that it executes. */
struct cuaudit_python {
	uint64_t key[2];	/* equal where name, file and line are equal */
	uint64_t code;		/* the address of the code object, which may be another's later */
	uint32_t instruction;	/* bytes from its first */
	uint32_t line;		/* 0: it has none */
};

/*
 * Context: call. The calling thread's own Python frames, innermost first, at most max of
 * them, and no more than 128; returns how many. CPython 3.9 to 3.14 with its GIL,
 * whether the thread has it or not, which is not asked for; of others there are none,
 * which is reported once. It takes no lock and some system calls, by which all is read.
 */
CUAUDIT_PUBLIC uint32_t cuaudit_call_python(const struct cuaudit_call *call,
					    struct cuaudit_python *frames, uint32_t max);

/*
 * Context: call. Why there are no Python frames though the process has an interpreter, which cannot
 * be read; NULL: it can, or there is none.
 */
CUAUDIT_PUBLIC const char *cuaudit_python_fault(void);

enum cuaudit_python_what {
	CUAUDIT_PYTHON_NAME,	/* the function's qualified name; before 3.11 its name */
	CUAUDIT_PYTHON_FILE
};

/*
 * Context: call, the one in which frame was found. A text of it in UTF-8, at most size - 1
 * bytes and a NUL. Returns its length, or size where it was cut.
 */
CUAUDIT_PUBLIC uint32_t cuaudit_python_text(const struct cuaudit_python *frame,
					    enum cuaudit_python_what what, char *text,
					    uint32_t size);

/* A frame of a stack: native code, or Python's. */
struct cuaudit_stack_frame {
	const void *address;	/* the return address; NULL: Python's */
	struct cuaudit_python python;
};

enum cuaudit_stack {
	CUAUDIT_STACK_PYTHON,	/* the caller, then Python's frames */
	CUAUDIT_STACK_MERGED	/* as cuaudit_call_backtrace unwinds, with Python's in place of the interpreter's */
};

/* Context: call. The stack of a call, from its caller outwards, at most max frames; returns how many. */
CUAUDIT_PUBLIC uint32_t cuaudit_call_stack(const struct cuaudit_call *call,
					   struct cuaudit_stack_frame *frames, uint32_t max,
					   enum cuaudit_stack what);

/*
 * Context: call. The name, as C++ mangles it, of the kernel that the call has a handle of, by itself
 * or in a structure that the driver reads: of a launch the one that is launched, of several the first.
 * NULL: it has none, or the driver did not hand it out under a name, or cuaudit_kernel_prepare was not
 * called. The text is the core's, for good; of a name of more than 32767 bytes the beginning, then "...".
 */
CUAUDIT_PUBLIC const char *cuaudit_call_kernel(const struct cuaudit_call *call);

/*
 * Context: setup. Has the core remember the names of kernels, which costs a hook on the functions that
 * hand out and end their handles; cuaudit_call_print and cuaudit_param_print write them, too. 0 or -errno.
 */
CUAUDIT_PUBLIC int cuaudit_kernel_prepare(void);

/*
 * Context: call, of exit hooks with CUAUDIT_HOOK_TIMED. What the driver wrote into its log during
 * the call beside the name of its result: up to four lines of 255 bytes with "; " between, as the
 * driver wrote them. NULL: nothing, or cuaudit_error_text_prepare was not called. Until the thread's
 * next call.
 */
CUAUDIT_PUBLIC const char *cuaudit_call_error_text(const struct cuaudit_call *call);

/*
 * Context: setup. Has each driver that is started, from 12.9 on, call back with what it writes into its
 * log. 0 or -errno.
 */
CUAUDIT_PUBLIC int cuaudit_error_text_prepare(void);

/*
 * Context: call. The library an address is in; never NULL: that of unknown
 * code has the index 0.
 */
CUAUDIT_PUBLIC const struct cuaudit_library *cuaudit_library_at(const void *address);

/* Context: call. The library of an index, loaded or not; NULL past the last one there was. */
CUAUDIT_PUBLIC const struct cuaudit_library *cuaudit_library_get(uint32_t index);

/* Context: call. Whether the program's constructors have run: main was called, or is the next. */
CUAUDIT_PUBLIC int cuaudit_main_called(void);

/*
 * Context: call. Writes the library's GNU build-id, at most size bytes of it;
 * returns its length, 0 if it has none or is not loaded now.
 */
CUAUDIT_PUBLIC uint32_t cuaudit_library_build_id(const struct cuaudit_library *library,
						 uint8_t *id, uint32_t size);

/*
 * Context: call. What is to be taken from an address in the library to have it
 * as its file and its symbols say; 0 if it is not loaded now.
 */
CUAUDIT_PUBLIC uint64_t cuaudit_library_base(const struct cuaudit_library *library);

enum { CUAUDIT_THREAD_NAME = 16 };

/* Context: call. The calling thread's name as the system knows it. */
CUAUDIT_PUBLIC void cuaudit_thread_name(char name[CUAUDIT_THREAD_NAME]);

/*
 * Context: call. Another number whenever an object has come or gone: what was
 * learnt from an address under another number may be stale.
 */
extern CUAUDIT_PUBLIC const uint32_t *cuaudit_generation;

#ifdef __cplusplus
}
#endif
#endif
