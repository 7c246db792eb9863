/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit limit: prints which processes share the time of devices now. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/share_record.h"
#include "analysis/stat_metrics.h"
#include "tools/atomic_file.h"
#include "tools/options.h"
#include "tools/tool.h"
#include "util/io.h"
#include "util/out.h"
#include "util/writer.h"

#define NAME_ONE "; give cuaudit-share-UID of share-dir=, or nothing for those in /dev/shm"

enum { COLUMN = 11 };

static const char *const states[] = {
	[LEASE_IDLE] = "idle",
	[LEASE_WANTS] = "wants",
	[LEASE_HOLDS] = "holds",
};

/* Figures by process, for Prometheus. */
enum family { WEIGHT, WORKED, WAITED, SLICES, LENT, FAMILIES };

static const struct {
	const char *name, *kind, *help;
} families[FAMILIES] = {
	[WEIGHT] = { "cuaudit_share_weight", "gauge",
		     "What the process is to have of the device, beside others' weights." },
	[WORKED] = { "cuaudit_share_worked_seconds_total", "counter",
		     "The time for which the device worked for the process while others wanted it." },
	[WAITED] = { "cuaudit_share_waited_seconds_total", "counter",
		     "The time for which it waited for the device." },
	[SLICES] = { "cuaudit_share_slices_total", "counter", "How often it was given the device." },
	[LENT] = { "cuaudit_share_lent_total", "counter", "How often it lent it before its slice was over." },
};

static struct out metrics[FAMILIES];
static struct lease_header header;
static struct lease_row rows[LEASE_ROWS + 1];	/* row 0 is not used */

/* Whether a process has the row. */
static bool is_locked(int fd, uint32_t row)
{
	struct flock what = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET,
		.l_start = (off_t)(row * sizeof(rows[0])), .l_len = 1,
	};

	return !fcntl(fd, F_OFD_GETLK, &what) && what.l_type != F_UNLCK;
}

/* Those of the dead and those that are being written are none. */
static const char *read_rows(int fd)
{
	ssize_t size = pread(fd, &header, sizeof(header), 0);

	if (size < 0)
		return io_reason(errno);
	if (size != sizeof(header) || header.magic != LEASE_MAGIC)
		return "it is no file of limit(share=)" NAME_ONE;
	if (pread(fd, &rows[1], sizeof(rows) - sizeof(rows[0]), sizeof(header)) !=
	    sizeof(rows) - sizeof(rows[0]))
		return "it was truncated";
	for (uint32_t row = 1; row <= LEASE_ROWS; row++)
		if (rows[row].check != lease_check_row(&rows[row]) || !is_locked(fd, row))
			rows[row].pid = 0;
	return NULL;
}

/* What a path leads to that can hold no rows, NULL: a regular file. */
static const char *other_kind(int fd)
{
	struct stat its;

	if (fstat(fd, &its))
		return io_reason(errno);
	switch (its.st_mode & S_IFMT) {
	case S_IFREG:
		return NULL;
	case S_IFIFO:
		return "it is a FIFO" NAME_ONE;
	case S_IFDIR:
		return "it is a directory" NAME_ONE;
	default:
		return "it is a device" NAME_ONE;
	}
}

static const char *read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const char *why;

	if (fd < 0)
		return errno == ENXIO ? "it is a socket, or a device that is not there" NAME_ONE :
		       io_reason(errno);
	why = other_kind(fd);
	if (!why)
		why = read_rows(fd);
	close(fd);
	return why;
}

static bool has_used(const struct lease_part *part)
{
	return part->state || part->slices;
}

static bool is_part(uint32_t device, uint32_t row)
{
	return rows[row].pid && has_used(&rows[row].parts[device]);
}

static const char *state_of(const struct lease_part *part)
{
	return part->state <= LEASE_HOLDS ? states[part->state] : "unknown";
}

/* When a process began, in ns of the epoch; 0: unknown. */
static uint64_t start_of(const struct lease_row *row)
{
	uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK);
	struct timespec boot, now;
	uint64_t up;

	if (!row->start || clock_gettime(CLOCK_BOOTTIME, &boot) || clock_gettime(CLOCK_REALTIME, &now))
		return 0;
	up = (uint64_t)boot.tv_sec * 1000000000 + (uint64_t)boot.tv_nsec;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - up +
	       row->start / ticks * 1000000000 + row->start % ticks * (1000000000 / ticks);
}

/* Its PID is one of the namespace that this command is in. */
static bool is_here(const struct lease_row *row)
{
	struct stat its;

	return !row->pid_namespace || stat("/proc/self/ns/pid", &its) || its.st_ino == row->pid_namespace;
}

static void print_start(struct out *out, const struct lease_row *row)
{
	time_t start = (time_t)(start_of(row) / 1000000000);
	char text[32] = "?";
	struct tm tm;

	if (start && localtime_r(&start, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	out_text(out, "  ");
	out_text(out, text);
	if (is_here(row))
		return;
	out_text(out, ", PID namespace ");
	out_u64(out, row->pid_namespace);
}

static void print_part(struct out *out, const struct lease_row *row, const struct lease_part *part)
{
	char had[SHARE_HAD];

	out_right(out, out_count(row->pid).text, COLUMN);
	out_right(out, out_count(row->weight).text, COLUMN);
	out_right(out, state_of(part), COLUMN);
	out_right(out, out_count(part->charged / 1000000).text, COLUMN);
	out_right(out, out_count(part->waited / 1000000).text, COLUMN);
	out_right(out, share_had(had, part->charged, part->waited, "-"), COLUMN);
	out_right(out, out_count(part->slices).text, COLUMN);
	out_right(out, out_count(part->lent).text, COLUMN);
	print_start(out, row);
	out_text(out, "\n");
}

static void print_device(struct out *out, uint32_t device)
{
	bool any = false;

	for (uint32_t row = 1; row <= LEASE_ROWS; row++) {
		if (!is_part(device, row))
			continue;
		if (!any) {
			out_text(out, "\n  device ");
			out_uuid(out, header.devices[device].uuid);
			out_text(out, "\n        PID     Weight      State  Worked ms  Waited ms      "
				      "Had %     Slices       Lent  Started\n");
		}
		any = true;
		print_part(out, &rows[row], &rows[row].parts[device]);
	}
}

static void print_text(struct out *out, const char *path)
{
	out_printed(out, path, strlen(path));
	out_text(out, "\n");
	for (uint32_t device = 0; device < LEASE_DEVICES; device++)
		print_device(out, device);
}

static void json_part(struct writer *json, const struct lease_row *row, const struct lease_part *part)
{
	char had[SHARE_HAD];
	const char *text;

	writer_begin(json, NULL, '{');
	writer_number(json, "pid", row->pid);
	writer_known(json, "pid_namespace", row->pid_namespace, row->pid_namespace);
	writer_known(json, "start_ticks", row->start, row->start);
	writer_known(json, "start_time_ns", start_of(row), row->start);
	writer_number(json, "weight", row->weight);
	writer_text(json, "state", state_of(part));
	writer_number(json, "worked_ns", part->charged);
	writer_number(json, "waited_ns", part->waited);
	text = share_had(had, part->charged, part->waited, "null");
	writer_raw(json, "had_percent", text, strlen(text));
	writer_number(json, "slices", part->slices);
	writer_number(json, "lent", part->lent);
	writer_end(json, '}');
}

static void json_uuid(struct writer *json, const uint8_t *uuid)
{
	char text[2 * 16 + 1];

	for (int i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", uuid[i]);
	writer_text(json, "uuid", text);
}

static void print_json(struct out *out, const char *path)
{
	struct writer json = { .out = out };

	writer_begin(&json, NULL, '{');
	writer_number(&json, "version", 1);
	writer_text(&json, "file", path);
	writer_begin(&json, "devices", '[');
	for (uint32_t device = 0; device < LEASE_DEVICES; device++) {
		static const uint8_t none[16];
		const uint8_t *uuid = header.devices[device].uuid;

		if (!memcmp(uuid, none, sizeof(none)))
			continue;
		writer_begin(&json, NULL, '{');
		json_uuid(&json, uuid);
		writer_begin(&json, "processes", '[');
		for (uint32_t row = 1; row <= LEASE_ROWS; row++)
			if (is_part(device, row))
				json_part(&json, &rows[row], &rows[row].parts[device]);
		writer_end(&json, ']');
		writer_end(&json, '}');
	}
	writer_end(&json, ']');
	writer_end(&json, '}');
	out_text(out, "\n");
}

/* Start and namespace, so that a number that is used again, or in another container, is no other's series. */
static void metric(enum family family, const char *path, uint32_t device,
		   const struct lease_row *row, const char *value)
{
	char host[256] = "", text[64];
	struct out *out = &metrics[family], uuid = { .data = text, .size = sizeof(text), .fixed = true };

	gethostname(host, sizeof(host) - 1);
	out_uuid(&uuid, header.devices[device].uuid);
	out_bytes(&uuid, "", 1);
	out_text(out, families[family].name);
	metrics_label(out, "{", "host", host);
	metrics_label(out, ",", "group", path);
	metrics_label(out, ",", "device", text);
	metrics_label(out, ",", "pid", out_count(row->pid).text);
	metrics_label(out, ",", "pid_namespace", out_count(row->pid_namespace).text);
	metrics_label(out, ",", "start", out_count(start_of(row) / 1000000000).text);
	out_text(out, "} ");
	out_text(out, value);
	out_text(out, "\n");
}

static void add_metrics(const char *path)
{
	for (uint32_t device = 0; device < LEASE_DEVICES; device++)
		for (uint32_t row = 1; row <= LEASE_ROWS; row++) {
			const struct lease_part *part = &rows[row].parts[device];

			if (!is_part(device, row))
				continue;
			metric(WEIGHT, path, device, &rows[row], out_count(rows[row].weight).text);
			metric(WORKED, path, device, &rows[row], out_seconds(part->charged).text);
			metric(WAITED, path, device, &rows[row], out_seconds(part->waited).text);
			metric(SLICES, path, device, &rows[row], out_count(part->slices).text);
			metric(LENT, path, device, &rows[row], out_count(part->lent).text);
		}
}

static int put(struct out *out)
{
	int error = out_write(out, STDOUT_FILENO, IO_FOREVER);

	out_free(out);
	if (!error)
		return TOOL_OK;
	tool_complain("cannot print: %s", io_reason(error));
	return TOOL_FAILED;
}

/* Those of all files, a family after the other. */
static int print_metrics(void)
{
	struct out out = { .used = 0 };

	for (int i = 0; i < FAMILIES; i++) {
		out_text(&out, "# HELP ");
		out_text(&out, families[i].name);
		out_text(&out, " ");
		out_text(&out, families[i].help);
		out_text(&out, "\n# TYPE ");
		out_text(&out, families[i].name);
		out_text(&out, " ");
		out_text(&out, families[i].kind);
		out_text(&out, "\n");
		out_bytes(&out, metrics[i].data, metrics[i].used);
		out.error = out.error ? out.error : metrics[i].error;
		out_free(&metrics[i]);
	}
	return put(&out);
}

static int print(const char *path, const char *format)
{
	const char *why = read_file(path);
	struct out out = { .used = 0 };

	if (why) {
		tool_complain("%s: %s", *path ? path : "''", why);
		return TOOL_FAILED;
	}
	if (!strcmp(format, "prometheus")) {
		add_metrics(path);
		return TOOL_OK;
	}
	if (!strcmp(format, "json"))
		print_json(&out, path);
	else
		print_text(&out, path);
	return put(&out);
}

/* The user's own files, that of no group first. */
static int print_all(const char *format)
{
	char name[64], groups[sizeof(name) + 2];
	glob_t found;
	int status = TOOL_OK, none;

	snprintf(name, sizeof(name), "/dev/shm/cuaudit-share-%u", (unsigned int)geteuid());
	snprintf(groups, sizeof(groups), "%s-*", name);
	none = glob(name, 0, NULL, &found);
	if (glob(groups, GLOB_APPEND, NULL, &found) && none) {
		tool_complain("no process of yours shares a device: no %s, nor %s; give the file if they have "
			      "limit(share-dir=)", name, groups);
		return TOOL_FAILED;
	}
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (print(found.gl_pathv[i], format))
			status = TOOL_FAILED;
	globfree(&found);
	return status;
}

/* Whether one of the paths before the last is of the same file: its figures are not two processes'. */
static bool is_again(char *const *paths, int last)
{
	for (int i = 0; i < last; i++)
		if (atomic_file_same(paths[i], paths[last]))
			return true;
	return false;
}

static int print_each(char *const *paths, int count, const char *format)
{
	int status = TOOL_OK;

	for (int i = 0; i < count; i++)
		if (!is_again(paths, i) && print(paths[i], format))
			status = TOOL_FAILED;
	return status;
}

int tool_limit(int argc, char **argv)
{
	int option, status;
	const char *format = "text";

	while ((option = options_next(argc, argv)) > 0) {
		if (!options_among("text|json|prometheus", optarg)) {
			tool_complain("--format takes text, json or prometheus, not '%s'", optarg);
			return TOOL_FAILED;
		}
		format = optarg;
	}
	if (option != OPTIONS_END)
		return options_status(option);
	if (optind == argc || strcmp(argv[optind], "status") != 0) {
		tool_complain("limit takes the word status; see cuaudit limit --help");
		return TOOL_FAILED;
	}
	if (++optind == argc)
		status = print_all(format);
	else
		status = print_each(&argv[optind], argc - optind, format);
	if (!strcmp(format, "prometheus") && print_metrics())
		status = TOOL_FAILED;
	return status;
}
