/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks on intercepted functions, and the modules that bring them. C11 and C++. */
#ifndef CUAUDIT_HOOK_H
#define CUAUDIT_HOOK_H

#include <cuaudit/call.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Contexts, named in every comment below:
 *   call   inside a driver call, on any thread, perhaps in a signal handler
 *          or a forked child: no malloc, stdio, getenv, dlsym; no lock of
 *          others, and one of its own for moments only, made anew by forked;
 *          errno is left as it was (the functions below leave it so).
 *   setup  anything: modules' init, finish and tick.
 */

#define CUAUDIT_ABI 1

/* What an enter hook answers. */
enum cuaudit_action {
	CUAUDIT_CONTINUE = 0,
	CUAUDIT_SKIP = 1	/* do not call the driver: call->result is the answer */
};

typedef int (*cuaudit_enter_fn)(struct cuaudit_call *call, void *data);
typedef void (*cuaudit_exit_fn)(struct cuaudit_call *call, void *data);

/*
 * A hook. The lowest priority enters first and exits last; equal priorities
 * nest in the order of their registration. When an enter hook skips, hooks
 * of higher priority are not entered, and exit hooks of all entered ones run.
 */
struct cuaudit_hook {
	uint32_t size;		/* sizeof(struct cuaudit_hook) */
	int32_t priority;
	const char *name;
	const char *functions;	/* selector, see libcuaudit(7); NULL or "" = all */
	cuaudit_enter_fn enter;	/* may be NULL; context call */
	cuaudit_exit_fn exit;	/* may be NULL; context call */
	void *data;
	uint32_t flags;		/* CUAUDIT_HOOK_* */
	const char *include;	/* calling libraries, as in CUAUDIT_INCLUDE; NULL or "" = all */
	const char *exclude;	/* those left out of them; NULL or "" = none */
	/* Detachable hooks, may be NULL; context setup: data and strings are the owner's again. */
	void (*released)(void *data);
};

enum {
	/* Wants call->start and call->end: one pair of clock reads for all hooks of a call. */
	CUAUDIT_HOOK_TIMED = 1,
	/*
	 * enter neither answers for the function nor edits arguments: it may be called for
	 * the runtime's functions as well, of which that cannot be done.
	 */
	CUAUDIT_HOOK_OBSERVES = 2,
	/*
	 * Functions of CUAUDIT_PROVIDERS too, whose result is no CUresult: without this the
	 * hook has none of them, whatever its selector says.
	 */
	CUAUDIT_HOOK_PROVIDERS = 4
};

/*
 * Context: setup. Adds hook, for as long as the process lives, to every
 * function its selector names and to those of drivers loaded later; the
 * structure is copied, its strings are not. Returns 0, or with nothing added:
 * -EINVAL (no callback, bad selector), -ENOENT (a part of the selector names
 * no function), both after a message; -ENOTSUP after one (it takes functions of
 * the runtime, has `enter`, and not CUAUDIT_HOOK_OBSERVES); -E2BIG (a newer structure), -ENOSPC (a
 * function already has CUAUDIT_HOOKS_MAX hooks, or there are
 * CUAUDIT_HOOKS_ALL), -ENOMEM, -ENODEV (the process is not audited).
 */
CUAUDIT_PUBLIC int cuaudit_hook_add(const struct cuaudit_hook *hook);

/*
 * Context: setup. What cuaudit_hook_add would say of the hook itself, with nothing added, for a
 * module's `check`: 0, -EINVAL, -ENOENT, -ENOTSUP, -E2BIG, -ENOMEM or -ENODEV.
 */
CUAUDIT_PUBLIC int cuaudit_hook_check(const struct cuaudit_hook *hook);

enum { CUAUDIT_HOOKS_MAX = 16, CUAUDIT_HOOKS_ALL = 64 };

/*
 * Context: setup, any thread. The same for a hook that can be detached; its
 * calls cost a little more. Returns its handle, > 0, or as above.
 */
CUAUDIT_PUBLIC int cuaudit_hook_attach(const struct cuaudit_hook *hook);

/*
 * Context: call, any thread, also out of the hook itself. No call enters the
 * hook any more; those inside it still come to its exit. Its data and strings
 * stay in use until `released` has been called, which cuaudit_hook_attach,
 * cuaudit_hook_synchronize and the process's end do. 0, -ENOENT (no such
 * handle, or detached before).
 */
CUAUDIT_PUBLIC int cuaudit_hook_detach(int handle);

/*
 * Context: setup, any thread. Waits until no call is inside a detached hook
 * and `released` has returned. 0; -EBUSY (it is still attached), -EDEADLK (a
 * call of this very thread is inside), -ETIMEDOUT. A call that longjmp or an
 * exception left stays inside until its thread ends. milliseconds < 0: for
 * ever.
 */
CUAUDIT_PUBLIC int cuaudit_hook_synchronize(int handle, int milliseconds);

/* The value of an option of a module: `name(key=value;...)` in CUAUDIT_HOOKS. */
struct cuaudit_option {
	const char *key;
	const char *fallback;	/* the value when absent, NULL for none */
	/* What it takes, for messages and help: "text|json"; ending in "...", several times. */
	const char *values;
	const char *help;
};

/* The options a module was started with; context setup. */
struct cuaudit_options;

/* The text given for key, else its fallback. Belongs to the core. */
CUAUDIT_PUBLIC const char *cuaudit_option_get(const struct cuaudit_options *options, const char *key);

/* The index-th text given for key, from 0 and in the order given; NULL past the last. */
CUAUDIT_PUBLIC const char *cuaudit_option_at(const struct cuaudit_options *options,
					     const char *key, uint32_t index);

/*
 * Context: setup. Which rows of driver_api.def a selector takes, see
 * libcuaudit(7): rows[id] is 1 or 0, for ids below count. Returns how many it
 * takes; -EINVAL for a text that is no selector, -ENOMEM.
 */
CUAUDIT_PUBLIC int cuaudit_selector_rows(const char *selector, uint8_t *rows, uint32_t count);

/*
 * Context: setup. Whether a selector, see libcuaudit(7), can be a hook's
 * functions. 0; -EINVAL (no selector), -ENOENT (a part of it names no
 * function, or all of it takes none), both after a message that begins with name.
 */
CUAUDIT_PUBLIC int cuaudit_selector_check(const char *name, const char *selector);

/* Context: setup. The same of a hook's include and exclude: 0, or -EINVAL after a message. */
CUAUDIT_PUBLIC int cuaudit_libraries_check(const char *name, const char *globs);

/*
 * Context: setup. Row id of driver_api.def as a function, of no driver: slot
 * is UINT32_MAX. 0, or -ENOENT past the last row.
 */
CUAUDIT_PUBLIC int cuaudit_row_get(uint32_t id, struct cuaudit_function *function);

/* Context: setup. What a mistyped word was meant to be, out of words up to NULL; NULL if none. */
CUAUDIT_PUBLIC const char *cuaudit_nearest(const char *word, const char *const *words);

/*
 * A module: a set of hooks with options and a life of its own. Built-in ones
 * and plug-ins bring the same structure; a plug-in exports it as
 * `cuaudit_module`. Every function may be NULL.
 */
struct cuaudit_module {
	uint32_t size;		/* sizeof(struct cuaudit_module) */
	uint32_t abi;		/* CUAUDIT_ABI */
	const char *name;
	const char *summary;
	const struct cuaudit_option *options;	/* ends with key NULL */
	/*
	 * setup: before the first hooked call; registers hooks. 0 or -errno, for
	 * a message; -ECANCELED if the module has printed itself why it does not start.
	 */
	int (*init)(const struct cuaudit_options *options);
	/* setup: at exit() or return from main, after everything else of the process, once. */
	void (*finish)(void);
	/* call: in the child of fork(), before it goes on. */
	void (*forked)(void);
	/* call: the calling thread is about to end. */
	void (*thread_exit)(void *thread_data);
	/*
	 * setup: before init, with the same options, and for `cuaudit run`, which
	 * calls nothing else: judges the options, and may remember them. It makes
	 * no file and adds no hook. 0; 1 after a message about a value in whose place
	 * another one holds; -errno or -ECANCELED as of init, which is not called.
	 */
	int (*check)(const struct cuaudit_options *options);
	/*
	 * What makes the module one that enforces something: "" it always does; the
	 * key of an option: if that is given and is not its fallback; NULL: never.
	 * CUAUDIT_FUNCTIONS does not restrict its hooks, and if it does not start,
	 * the process ends with status 85, unless CUAUDIT_STRICT is 0.
	 */
	const char *enforces;
	/*
	 * call: a hook of the calling thread, this module's or another's, was left by siglongjmp
	 * out of a signal handler, of the call with that correlation id, which is its last.
	 */
	void (*hook_unwound)(void *thread_data, uint64_t correlation);
	/*
	 * call: the process is about to end with that status, 0 to 255. by_exit: by exit() or
	 * return from main, and finish follows; else by _exit, _Exit or quick_exit, which is noticed
	 * where it is called through a PLT. The last call holds.
	 */
	void (*process_exit)(int status, int by_exit);
};

/* Context: setup. The modules in the box, from 0 on; NULL past the last. */
CUAUDIT_PUBLIC const struct cuaudit_module *cuaudit_builtin(uint32_t index);

/*
 * Context: call. The calling thread's block of this size for the module that
 * asks: zeroed at the thread's first use and then the same address until
 * thread_exit(block). NULL when memory is out. key: see cuaudit_thread_key.
 */
CUAUDIT_PUBLIC void *cuaudit_thread_block(uint32_t key);

/*
 * Context: setup (init). Reserves a block of size bytes in every thread.
 * Returns a key >= 0, -EINVAL without an owner, or -ENOSPC.
 */
CUAUDIT_PUBLIC int cuaudit_thread_key(size_t size, const struct cuaudit_module *owner);

/* Context: call. Zeroed memory of the core's, page-wise, never freed; NULL when out. */
CUAUDIT_PUBLIC void *cuaudit_pages(size_t size);

/*
 * Context: setup. Opens what CUAUDIT_OUTPUT names, its %-fields filled in
 * (see libcuaudit(7)) and suffix appended, but to a device or a descriptor's
 * name, for writing; the caller closes it. With no CUAUDIT_OUTPUT: a copy of
 * stderr. Returns a descriptor >= 0 or -errno, after a message.
 */
CUAUDIT_PUBLIC int cuaudit_output(const char *suffix);

/* Context: call. The path that would open. 0, -ENOENT (no CUAUDIT_OUTPUT), -ENAMETOOLONG. */
CUAUDIT_PUBLIC int cuaudit_output_path(const char *suffix, char *path, size_t size);

/*
 * Context: call. The directory in which the program was started, where a
 * relative path of a setting leads, wherever the program went since. One that
 * does not exist if it has no path. Options that take PATH have been made absolute by it.
 */
CUAUDIT_PUBLIC const char *cuaudit_directory(void);

/*
 * Context: call. The path a text with the same %-fields stands for, suffix
 * appended. 0, -EINVAL (another %-field), -ENAMETOOLONG.
 */
CUAUDIT_PUBLIC int cuaudit_path(const char *text, const char *suffix, char *path, size_t size);

/* Context: call. The number of this process in its job, as %r has it; -1 outside of one. */
CUAUDIT_PUBLIC int cuaudit_rank(void);

/*
 * Context: setup (finish). The process shall end with this status once all
 * modules have finished; the first to ask wins. What the program's stdio still
 * holds is written before.
 */
CUAUDIT_PUBLIC void cuaudit_set_exit_status(int status);

/* Context: call, in printf's manner without floating point. One line on stderr: see CUAUDIT_LOG. */
enum cuaudit_level { CUAUDIT_ERROR, CUAUDIT_WARN, CUAUDIT_INFO, CUAUDIT_DETAIL };
CUAUDIT_PUBLIC void cuaudit_log(enum cuaudit_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Context: call. Does nothing: the hook dbgmem calls it at each finding, for a debugger's breakpoint.
 * finding: what was printed; "" where it is of a call site that had one before.
 */
CUAUDIT_PUBLIC void cuaudit_dbg_memcpy(const char *function, void *to, const void *from, size_t size,
				       const char *finding);

#ifdef __cplusplus
}
#endif
#endif
