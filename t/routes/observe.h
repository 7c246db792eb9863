/* SPDX-License-Identifier: Apache-2.0 */
/* Sees from inside a test program what the auditor made of its calls. */
#ifndef T_ROUTES_OBSERVE_H
#define T_ROUTES_OBSERVE_H

#include <cuaudit/coverage.h>
#include <cuaudit/hook.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A test program runs twice: natively and, with ROUTES=routed in its
 * environment, audited. What hooks saw means something in the second run only.
 */
bool observe_routed(void);

/*
 * Whether the loader tells auditors of bindings by that route: old ones, which
 * t/lib.sh defines, do not of what they bind at once. That is relocations and,
 * with LD_BIND_NOW or RTLD_NOW (at_once), the PLT.
 */
bool observe_told(enum cuaudit_route route, bool at_once);

/*
 * Whether the driver's symbol table is interposed: callers that are excluded from
 * interception have stubs too, and each call is decided on, where the loader tells too little.
 */
bool observe_symtab_interposed(void);

/*
 * Makes the call that loads the core (cuDriverGetVersion, by dlsym in
 * driver) and adds a hook to every function that counts. Ends the test if
 * that cannot be done in a routed run; does nothing in a native one.
 */
void observe_start(void *driver);

/* The functions that are observed, set before; NULL: all, so that no hook is alone with one. */
extern const char *observe_only;

/* The same without a call: one must have been made. */
void observe_attach(void);

/* A function of the core by name; NULL natively. */
void *observe_core(const char *name);

/* Whether the core is mapped. */
bool observe_loaded(void);

/* How often enter and exit hooks ran, in all copies of the driver or in one. */
int observe_enters(const char *function);
int observe_exits(const char *function);
int observe_enters_in(uint32_t driver, const char *function);

/* Calls of the library of that base name, NULL for the program itself. */
int observe_from(const char *function, const char *library);

/* The correlation id of the last call that was entered. */
uint64_t observe_correlation(void);

/* Sets all of the counts to 0. */
void observe_reset(void);

uint64_t observe_bound(const char *function, enum cuaudit_route route);
uint64_t observe_unhooked_calls(void);
uint64_t observe_unwound_calls(void);

#ifdef __cplusplus
}
#endif
#endif
