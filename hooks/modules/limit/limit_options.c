/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the limit hook. */
#include "hooks/modules/limit/limit.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuaudit/cuda_types.h>
#include <cuaudit/params.h>

#include "hooks/modules/limit/limit_gap.h"
#include "hooks/modules/limit/limit_lease.h"
#include "hooks/modules/limit/limit_own.h"
#include "hooks/modules/limit/limit_shared.h"
#include "util/size.h"

enum { NUMBERED = 16, NAME = 64, LIST = 1024 };

#define DEVICE(number) { "device" #number, NULL, "SIZE", "the limit of device " #number },

const struct cuaudit_option limit_option_table[] = {
	{ "memory", NULL, "SIZE", "the limit of the process, over all devices" },
	{ "device", NULL, "SIZE", "the limit of each device that has none of its own" },
	DEVICE(0) DEVICE(1) DEVICE(2) DEVICE(3) DEVICE(4) DEVICE(5) DEVICE(6) DEVICE(7)
	DEVICE(8) DEVICE(9) DEVICE(10) DEVICE(11) DEVICE(12) DEVICE(13) DEVICE(14) DEVICE(15)
	{ "user", NULL, "SIZE", "the limit of all processes that share the file" },
	{ "file", NULL, "PATH", "the file they share" },
	{ "count", "auto", "auto|all|allocations", "what counts: also contexts, code, the driver's own; auto: if NVML tells them" },
	{ "share", NULL, "WEIGHT", "the process's part of a device's time, among those that want it" },
	{ "time", NULL, "PERCENT", "the most of each device's time, also without others" },
	{ "group", NULL, "NAME", "who shares: processes of the user that give the same name" },
	{ "share-dir", NULL, "PATH", "the directory of the file by which they share" },
	{ "visible", NULL, "DEVICES", "devices the program may see, as in CUDA_VISIBLE_DEVICES" },
	{ "deny", NULL, "SELECTOR", "functions to answer with an error: SELECTOR[:error=NAME]" },
	{ "on-error", "exit", "exit|run", "what is done when memory cannot be counted" },
	{ "dry-run", "no", "yes|no", "count and say, refuse nothing" },
	{ "format", "text", "text|json", "how the report is written" },
	{ NULL, NULL, NULL, NULL }
};

/* "12.5%", up to three digits behind the point, as ACCOUNT_ALL has it. */
static bool read_share(const char *text, uint32_t *share)
{
	uint32_t unit = ACCOUNT_ALL / 100, value = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9' && value <= 100; at++)
		value = value * 10 + (uint32_t)(*at - '0');
	value *= unit;
	if (at == text)
		return false;
	if (*at == '.' && at[1] != '%')
		for (at++; *at >= '0' && *at <= '9' && unit > 1; at++)
			value += (uint32_t)(*at - '0') * (unit /= 10);
	if (strcmp(at, "%") != 0 || !value || value > ACCOUNT_ALL)
		return false;
	*share = value;
	return true;
}

static int read_limit(const struct cuaudit_options *given, const char *key, struct account *account)
{
	const char *text = cuaudit_option_get(given, key);
	bool shares = account != &account_user;
	uint64_t size = ACCOUNT_NONE;

	account->share = 0;
	if (text && shares && read_share(text, &account->share)) {
		size = 0;
	} else if (text && (!size_parse(text, &size) || !size)) {
		cuaudit_log(CUAUDIT_ERROR, "limit: %s takes a size such as 512M or 4GiB%s, not '%s'",
			    key, shares ? ", or a share such as 50%" : "", text);
		return -EINVAL;
	}
	account->limit = size;
	return 0;
}

static int read_devices(const struct cuaudit_options *given)
{
	int error = 0;

	for (int i = 0; !error && i < ACCOUNT_DEVICES; i++) {
		struct account *account = &account_devices[i];
		char key[16];

		snprintf(key, sizeof(key), "device%d", i);
		account->own = i < NUMBERED && cuaudit_option_get(given, key);
		error = read_limit(given, account->own ? key : "device", account);
	}
	return error;
}

static bool has_quota(void)
{
	bool any = account_process.limit != ACCOUNT_NONE || account_user.limit != ACCOUNT_NONE;

	for (int i = 0; i < ACCOUNT_DEVICES; i++)
		any |= account_devices[i].limit != ACCOUNT_NONE;
	return any;
}

static bool limited(void)
{
	return lease_options.on || has_quota();
}

/* Whether anything is asked for, but for a report. */
static int check_any(const struct cuaudit_options *given)
{
	limit_options.exits &= limited() && !limit_options.dry_run;
	if (limited() || limit_options.dry_run || cuaudit_option_get(given, "visible") ||
	    cuaudit_option_get(given, "deny"))
		return 0;
	cuaudit_log(CUAUDIT_ERROR, "limit: no limit is given; give memory, device, user, share, time, "
		    "visible or deny, or dry-run to count alone");
	return -EINVAL;
}

static int share(const char *file)
{
	if (account_user.limit == ACCOUNT_NONE)
		return 0;
	limit_options.shared = shared_open(file);
	if (limit_options.shared)
		return 0;
	if (limit_options.exits) {
		cuaudit_log(CUAUDIT_ERROR, "limit: cannot share %s: %s; name another by file=, or "
			    "let the program run without the user's limit by on-error=run",
			    shared_path(), shared_fault());
		return -ECANCELED;
	}
	cuaudit_log(CUAUDIT_WARN, "limit: cannot share %s: %s; the limit of the user is not held",
		    shared_path(), shared_fault());
	gap_note(GAP_FILE);
	return 0;
}

/* A number, or what begins like the UUID of a device or of a part of one. */
static bool is_device(const char *name, size_t length)
{
	return length && (strspn(name, "0123456789") == length || !strncmp(name, "GPU-", 4) ||
			  !strncmp(name, "MIG-", 4));
}

static int check_visible(const char *list)
{
	for (const char *name = list; name && *name;) {
		size_t length = strcspn(name, ",");

		if (!is_device(name, length)) {
			cuaudit_log(CUAUDIT_ERROR, "limit: visible takes devices as in "
				    "CUDA_VISIBLE_DEVICES, such as 0,2, not '%s'", list);
			return -EINVAL;
		}
		name += length + (name[length] == ',');
	}
	return 0;
}

static bool listed(const char *list, const char *name, size_t length)
{
	while (*list) {
		size_t its = strcspn(list, ",");

		if (its == length && !memcmp(list, name, length))
			return true;
		list += its + (list[its] == ',');
	}
	return false;
}

static _Atomic(char *) shown;	/* what the variable was set to; of threads that initialize at once, by either */

/*
 * The driver reads the variable at cuInit, which is yet to come, up to what is
 * no device. What both lists name is left, in the order of the variable: a
 * child that inherits both finds the same.
 */
static int show(const char *wanted)
{
	const char *now = getenv("CUDA_VISIBLE_DEVICES"), *before = shown;
	char *list, *at;

	if (now && before && !strcmp(now, before))
		return 0;
	list = at = malloc(strlen(now ? now : wanted) + sizeof("-1"));
	if (!list)
		return -ENOMEM;
	for (const char *name = now ? now : wanted; *name;) {
		size_t length = strcspn(name, ",");

		if (!is_device(name, length))
			break;
		if (listed(wanted, name, length)) {
			at = mempcpy(at, name, length);
			*at++ = ',';
		}
		name += length + (name[length] == ',');
	}
	/* In the place of the last comma. */
	at[at > list ? -1 : 0] = '\0';
	if (at == list)
		cuaudit_log(CUAUDIT_WARN, "limit: visible=%s is none of the devices of "
			    "CUDA_VISIBLE_DEVICES=%s; the program sees none", wanted,
			    now ? now : "");
	if (at == list)
		strcpy(list, "-1");
	if (setenv("CUDA_VISIBLE_DEVICES", list, 1)) {
		free(list);
		return -ENOMEM;
	}
	shown = list;
	return 0;
}

/*
 * A program may have called the driver before, and set the variable since. Context: call, but of a function in which the
 * driver itself reads the environment and allocates, as it does where the variable is written to.
 */
static int show_again(struct cuaudit_call *call, void *wanted)
{
	if (!show(wanted))
		return CUAUDIT_CONTINUE;
	call->result = CUDA_ERROR_OUT_OF_MEMORY;
	return CUAUDIT_SKIP;
}

static int read_visible(const char *wanted)
{
	static const char reads[] =
#define READS(symbol) #symbol ","
#include "hooks/modules/limit/limit_driver.def"
		;
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "limit", .functions = reads, .enter = show_again, .data = (void *)wanted,
	};

	return wanted ? show(wanted) ?: cuaudit_hook_add(&hook) : 0;
}

static int read_weight(const char *text)
{
	const char *at = text;
	uint32_t value = 0;

	lease_options.weight = LEASE_WEIGHT;
	if (!text)
		return 0;
	for (; *at >= '0' && *at <= '9' && value <= LEASE_WEIGHT_MAX; at++)
		value = value * 10 + (uint32_t)(*at - '0');
	if (!value || *at || value > LEASE_WEIGHT_MAX) {
		cuaudit_log(CUAUDIT_ERROR, "limit: share takes a weight from 1 to %d, such as 70, not "
			    "'%s'", LEASE_WEIGHT_MAX, text);
		return -EINVAL;
	}
	lease_options.weight = value;
	return 0;
}

static bool is_name(const char *text)
{
	size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789._-");

	return length && length <= NAME && !text[length];
}

static int read_lease(const struct cuaudit_options *given)
{
	const char *weight = cuaudit_option_get(given, "share");
	const char *most = cuaudit_option_get(given, "time");
	const char *obstacle;

	lease_options.group = cuaudit_option_get(given, "group");
	lease_options.directory = cuaudit_option_get(given, "share-dir");
	lease_options.cap = 0;
	if (read_weight(weight))
		return -EINVAL;
	if (most && !read_share(most, &lease_options.cap)) {
		cuaudit_log(CUAUDIT_ERROR, "limit: time takes a part of the device's time such as "
			    "30%%, not '%s'", most);
		return -EINVAL;
	}
	if (lease_options.group && !is_name(lease_options.group)) {
		cuaudit_log(CUAUDIT_ERROR, "limit: group takes up to %d letters, digits, '.', '_' and "
			    "'-', not '%s'", NAME, lease_options.group);
		return -EINVAL;
	}
	lease_options.on = (weight || most) && !limit_options.dry_run;
	obstacle = lease_options.on ? lease_obstacle() : NULL;
	if (!obstacle)
		return 0;
	cuaudit_log(CUAUDIT_ERROR, "limit: share and time are not for MPS, whose daemon's %s is here: "
		    "give CUDA_MPS_ACTIVE_THREAD_PERCENTAGE instead, or from r620 on timeslice_pct to a "
		    "server of MPS v3, or end the daemon by 'quit' to nvidia-cuda-mps-control", obstacle);
	return -EINVAL;
}

static int error_named(const char *name, int32_t *value)
{
	for (*value = 1; *value <= CUDA_ERROR_UNKNOWN; ++*value) {
		const char *its = cuaudit_result_name(*value);

		if (its && !strcmp(its, name))
			return 0;
	}
	return -EINVAL;
}

const char *limit_read_denial(const char *text)
{
	static const char before[] = ":error=";
	static char selector[LIST];
	const char *name = strstr(text, before);
	size_t length = name ? (size_t)(name - text) : strlen(text);

	name = name ? name + strlen(before) : "CUDA_ERROR_NOT_PERMITTED";
	if (!length || length >= sizeof(selector) || error_named(name, &limit_options.denial)) {
		cuaudit_log(CUAUDIT_ERROR, "limit: deny takes SELECTOR[:error=CUDA_ERROR_...], "
			    "not '%s'", text);
		return NULL;
	}
	memcpy(selector, text, length);
	return selector;
}

/* What says how something is shared, where nothing is. */
static int check_shared(const struct cuaudit_options *given)
{
	static const struct {
		const char *option, *of, *other;
	} rows[] = {
		{ "file", "user", NULL }, { "group", "share", "time" }, { "share-dir", "share", "time" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *other = rows[i].other;

		if (!cuaudit_option_get(given, rows[i].option) || cuaudit_option_get(given, rows[i].of) ||
		    (other && cuaudit_option_get(given, other)))
			continue;
		cuaudit_log(CUAUDIT_ERROR, "limit: %s says how %s%s%s is shared, which is not given",
			    rows[i].option, rows[i].of, other ? " or " : "", other ? other : "");
		return -EINVAL;
	}
	return 0;
}

/* A dry run without a quota counts memory, unless it is of something else. */
static bool is_about_memory(const struct cuaudit_options *given)
{
	static const char *const others[] = { "deny", "share", "time", "visible" };
	bool other = false;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		other |= cuaudit_option_get(given, others[i]) != NULL;
	return has_quota() || (limit_options.dry_run && !other);
}

static void read_count(const struct cuaudit_options *given)
{
	const char *count = cuaudit_option_get(given, "count");

	limit_options.all_given = !strcmp(count, "all");
	limit_options.all = limit_options.all_given || (!strcmp(count, "auto") && is_about_memory(given));
}

int limit_read(const struct cuaudit_options *given)
{
	int error = read_limit(given, "memory", &account_process);

	limit_options.dry_run = !strcmp(cuaudit_option_get(given, "dry-run"), "yes");
	limit_options.exits = !strcmp(cuaudit_option_get(given, "on-error"), "exit");
	limit_options.json = !strcmp(cuaudit_option_get(given, "format"), "json");
	if (!error)
		error = read_devices(given);
	if (!error)
		error = read_limit(given, "user", &account_user);
	if (!error)
		read_count(given);
	if (!error)
		error = read_lease(given);
	if (!error)
		error = check_visible(cuaudit_option_get(given, "visible"));
	if (!error)
		error = check_any(given);
	return error ? error : check_shared(given);
}

int limit_begin(const struct cuaudit_options *given)
{
	int error = share(cuaudit_option_get(given, "file"));

	if (!error)
		error = own_begin();
	if (!error)
		error = lease_begin();
	return error || limit_options.dry_run ? error : read_visible(cuaudit_option_get(given, "visible"));
}
