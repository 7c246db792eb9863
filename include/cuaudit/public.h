/* SPDX-License-Identifier: Apache-2.0 */
/* Marks what the core exports to plug-ins. C11 and C++. */
#ifndef CUAUDIT_PUBLIC_H
#define CUAUDIT_PUBLIC_H

/* Protected inside the core: its own modules call without a detour. */
#ifdef CUAUDIT_BUILDING_CORE
#define CUAUDIT_PUBLIC __attribute__((visibility("protected")))
#else
#define CUAUDIT_PUBLIC __attribute__((visibility("default")))
#endif

#endif
