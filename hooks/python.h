/* SPDX-License-Identifier: Apache-2.0 */
/* The Python interpreter of the process, and a thread's own frames in it. Context of all: call. */
#ifndef HOOKS_PYTHON_H
#define HOOKS_PYTHON_H

#include <cuaudit/call.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

struct link_object;

/* Offsets, unless said otherwise; 0 where a version has no such thing. */
struct python_layout {
	/* _PyRuntime */
	uint32_t key;		/* two ints: whether there is a key of pthread_getspecific(3), and it */
	uint32_t debug_free_threaded;
	uint32_t head;		/* the first interpreter */
	uint32_t current;	/* the state of the thread that has the GIL */
	/* PyInterpreterState */
	uint32_t interpreter_next, interpreter_threads;
	uint32_t interpreter_id;	/* where code objects have versions */
	/* PyThreadState; _PyCFrame, on the C stack in _PyEval_EvalFrameDefault */
	uint32_t thread_next, thread_interpreter, thread_id;
	uint32_t thread_frame;	/* 0: thread_cframe leads to it */
	uint32_t thread_cframe, cframe_frame, cframe_previous;
	/* PyFrameObject up to 3.10, then _PyInterpreterFrame */
	uint32_t frame_previous, frame_code, frame_owner;
	uint32_t frame_instruction;	/* a number up to 3.10, then a pointer */
	uint32_t frame_is_entry;	/* a bool */
	uint32_t owner_generator, owner_entry;	/* values of frame_owner */
	/* PyCodeObject */
	uint32_t code_name, code_file, code_line, code_lines;
	uint32_t code_bytes;	/* the instructions; 0: frame_instruction is a number */
	uint32_t code_first;	/* an int: the first instruction that counts */
	uint32_t code_version;	/* an int of no other code object of its interpreter; 0: used up */
	/* PyUnicodeObject and PyBytesObject; str_kind and str_is_* are bits of str_state */
	uint32_t str_length, str_state, str_kind, str_is_compact, str_is_ascii;
	uint32_t str_ascii_data, str_compact_data;
	uint32_t bytes_size, bytes_data;
	uint32_t object_type;
};

/* The interpreter; never changed once others see it. */
struct python {
	const struct link_object *object;	/* the library or program it is in, at ... */
	uintptr_t lo, hi;
	uint32_t minor;		/* of 3.minor */
	bool readable;		/* its layout is known; else ... */
	char fault[1024];	/* ... why not, naming it */
	uint64_t runtime;	/* addresses of _PyRuntime, ... */
	uint64_t code_type, str_type, bytes_type;
	uint64_t eval, eval_end;	/* ... _PyEval_EvalFrameDefault */
	struct python_layout at;
	uint32_t frame_size, code_size;	/* bytes that are read of each */
};

enum {
	PYTHON_FRAMES = 128,
	PYTHON_NATIVE = 512,	/* return addresses, most of which are the interpreter's */
	PYTHON_MEMOS = 1024,	/* a power of two */
	PYTHON_WAYS = 4,	/* memos that one may be in */
	PYTHON_SCRATCH = 128 * 1024,
	PYTHON_WINDOWS = 3 * PYTHON_FRAMES,
	PYTHON_CODES = 2 * PYTHON_FRAMES,
	PYTHON_PARTS = 3 + PYTHON_WINDOWS + PYTHON_CODES,
	PYTHON_ROOM = 64 * 1024,	/* bytes of all windows, ... */
	PYTHON_CODE = 512,	/* ... at most of a code object */
	PYTHON_FRAME = 512,	/* ... and of a frame */
	PYTHON_PROBE = 8192
};

/* Memory of the thread's frames. */
struct python_window {
	uint64_t at;
	uint32_t size;
	uint32_t offset;	/* where it is in the room */
};

/* A code object and what is looked at of it. */
struct python_code {
	uint64_t address, name, file, lines;
	int64_t instruction;	/* bytes from its first; negative: before it */
	int32_t line;		/* the first */
	uint64_t version;	/* not 0: no other object had or has it, which has the interpreter's number */
};

struct python_frame {
	struct python_code code;
	uint64_t instruction;	/* as the frame has it */
	uint64_t entry;		/* in the C frame that runs this one and those before it; 0: those run on */
	uint32_t owner;
	struct cuaudit_python is;
};

/* What was found out about a code object at an instruction, and a sum of all that it follows from. */
struct python_memo {
	struct python_code code;
	uint32_t sizes[3];	/* bytes of name, file and lines */
	uint64_t sum[2];
	struct cuaudit_python is;
};

/*
 * A thread's room: little of it is used as a rule. What a call found is read at the beginning of
 * the next one, all by one system call, and used there as far as it is still what is wanted.
 */
struct python_thread {
	struct python_frame frames[PYTHON_FRAMES];
	struct iovec parts[PYTHON_PARTS];
	struct python_memo memos[PYTHON_MEMOS];
	uint32_t replaced;	/* so many memos by others */
	const void *native[PYTHON_NATIVE];
	uintptr_t native_at[PYTHON_NATIVE];
	/* The state and its interpreter that the thread had last, which are asked for first. */
	uint64_t state, interpreter;
	uint64_t interpreter_id;	/* UINT64_MAX: not known */
	char probe[PYTHON_PROBE];
	struct python_window windows[PYTHON_WINDOWS];
	uint32_t nwindows, window, used;	/* so many, the one used last, bytes of the room */
	uint64_t visited[PYTHON_WINDOWS];	/* what was looked at in windows: addresses, ... */
	uint32_t sizes[PYTHON_WINDOWS], nvisited;	/* ... bytes */
	uint64_t codes[PYTHON_CODES];	/* code objects that were read, each once */
	uint32_t ncodes;
	char code_bytes[PYTHON_CODES * PYTHON_CODE];
	char room[PYTHON_ROOM];
	char scratch[PYTHON_SCRATCH];
};

/* NULL: there is none, or none that can be read, which is reported once, by cuaudit_python_fault. */
const struct python *python_get(void);

/* The calling thread's; NULL where memory is out. */
struct python_thread *python_thread(void);

/*
 * Fills own->frames, at most max of them, innermost first, without `is`, nor `entry` if entries are
 * not wanted; returns how many. own->codes are those that are read already.
 */
uint32_t python_walk(const struct python *python, struct python_thread *own, uint32_t max,
		     bool entries);

/* Fills `is` of so many frames. */
void python_locate(const struct python *python, struct python_thread *own, uint32_t count);

/* The same, both. */
uint32_t python_frames(const struct python *python, struct python_thread *own, uint32_t max,
		       bool entries);

/*
 * The line of an instruction by a table of lines; 0: it has none. *used: bytes of the table
 * that tell so.
 */
uint32_t python_line(const struct python *python, struct python_thread *own,
		     const struct python_code *code, uint32_t *used);

/* A str: where its characters are, or false. */
struct python_str {
	uint64_t data;
	uint64_t length;	/* characters */
	uint32_t kind;		/* bytes of each */
	bool ascii;
};
bool python_str(const struct python *python, uint64_t object, struct python_str *str);

/* As UTF-8, at most size - 1 bytes and a NUL, whole characters. Returns how many; size: it was cut. */
uint32_t python_text(struct python_thread *own, const struct python_str *str, char *text,
		     uint32_t size);

/* Two sums of bytes, which begin as any numbers. */
void python_sum(uint64_t sum[2], const void *bytes, size_t size);

#endif
