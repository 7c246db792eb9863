/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damaged files of the rules hook: what is taken is judged and printed in every format, without control
 * characters. SEED FIRST COUNT FILE... damages good ones, FILE alone takes one as it is, for AFL++. Prints
 * how many there were of each outcome.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/check_file.h"
#include "analysis/check_report.h"
#include "t/fuzz/fuzz.h"

enum { FILES = 8 };

static struct check_file *samples[FILES], work;
static int nsamples;
static struct { unsigned int cases, taken, refused, broken, holds, problems; } seen;
static const char name[] = "damaged";

static void complain(void *data, const char *path, const char *text)
{
	(void)data;
	fuzz_check(path && text);
}

/* Nothing of a file reaches a terminal or a document as it is. */
static void check_printable(const struct out *out)
{
	fuzz_check(!out->error);
	for (size_t i = 0; i < out->used; i++)
		fuzz_check(out->data[i] == '\n' || (unsigned char)out->data[i] >= ' ');
}

static void print(const struct check_result *result)
{
	static void (*const formats[])(const struct check_result *, struct out *) = {
		check_text, check_tap, check_github, check_json, check_junit, check_sarif,
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct out out = { 0 };

		formats[i](result, &out);
		check_printable(&out);
		/* Where all is well and nothing is to be warned of, there is nothing to be annotated. */
		fuzz_check(out.used || (formats[i] == check_github && !check_status(result)));
		out_free(&out);
	}
}

static void judge(struct check_file *file, struct check_file *other)
{
	struct check_result result = { .command = "true", .rules = "rules", .ended = true };
	int status;

	result.names.texts.row = 1;
	check_add(&result, file, false);
	if (other)
		check_add(&result, other, chance(2));
	if (!chance(16))
		result.names.symbols = symbols_new(DEMANGLE_FULL, complain, NULL);
	check_judge(&result);
	status = check_status(&result);
	fuzz_check(status == 0 || status == CHECK_BROKEN_STATUS || status == CHECK_NOT_MADE_STATUS);
	fuzz_check(status != 0 || (!result.nproblems && !result.nbroken && !result.nunreached));
	seen.broken += status == CHECK_BROKEN_STATUS;
	seen.holds += status == 0;
	seen.problems += result.nproblems != 0;
	print(&result);
	check_free(&result);
}

/* Where something is; the first ones of each array, which is empty behind. */
static size_t somewhere(void)
{
	static const struct {
		size_t at, size;
	} parts[] = {
		{ 0, offsetof(struct check_header, rules) },
		{ 0, sizeof(struct check_header) },
		{ offsetof(struct check_file, rules), 4 * sizeof(struct check_rule) },
		{ offsetof(struct check_file, marks), 2 * sizeof(struct check_mark) },
		{ offsetof(struct check_file, allows), 2 * sizeof(struct check_allow) },
		{ offsetof(struct check_file, libraries), 2 * sizeof(struct check_library) },
		{ offsetof(struct check_file, findings), offsetof(struct check_finding, text) },
		{ offsetof(struct check_file, findings), 2 * sizeof(struct check_finding) },
		{ 0, sizeof(struct check_file) },
	};
	size_t part = chance(sizeof(parts) / sizeof(parts[0]));

	return parts[part].at + chance(parts[part].size);
}

static uint64_t interesting(void)
{
	static const uint64_t values[] = {
		0, 1, 2, 3, 4, 8, 31, 32, 47, 48, 49, 64, 65, 128, 255, 256, 257, CHECK_TEXT - 1, CHECK_TEXT,
		INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX,
	};

	return chance(3) ? values[chance(sizeof(values) / sizeof(values[0]))] : chance_word();
}

/* Its size: all of it, mostly. */
static size_t damage(void)
{
	unsigned char *bytes = (unsigned char *)&work;

	for (uint64_t left = chance(6); left; left--) {
		size_t at = somewhere(), width = (size_t)1 << chance(4);
		uint64_t value = interesting();

		at &= ~(width - 1);
		if (!chance(12))
			memset(bytes + at, 'x', chance(sizeof(work) - at < 8000 ? sizeof(work) - at : 8000));
		else
			memcpy(bytes + at, &value, width);
	}
	return chance(16) ? sizeof(work) : chance(2) ? somewhere() : sizeof(work) + 1;
}

static void one(int directory, int fd)
{
	size_t size;
	struct check_file *file, *other = NULL;
	const char *fault;

	memcpy(&work, samples[chance((uint64_t)nsamples)], sizeof(work));
	size = damage();
	fuzz_check(!ftruncate(fd, (off_t)size));
	fuzz_check(pwrite(fd, &work, size < sizeof(work) ? size : sizeof(work), 0) >= 0);
	fault = check_file_read(directory, name, &file);
	fuzz_check(!fault == !!file);
	if (fault) {
		fuzz_check(*fault && strlen(fault) < 200);
		seen.refused++;
		return;
	}
	fuzz_check(size == sizeof(work));
	seen.taken++;
	if (chance(2) && (other = malloc(sizeof(*other))))
		memcpy(other, samples[chance((uint64_t)nsamples)], sizeof(*other));
	judge(file, other);
}

static void read_sample(const char *path)
{
	const char *fault = check_file_read(AT_FDCWD, path, &samples[nsamples]);

	fuzz_check(!fault);
	nsamples++;
}

/* Of AFL++: whatever it is. */
static int read_one(const char *path)
{
	struct check_file *file;

	if (!check_file_read(AT_FDCWD, path, &file))
		judge(file, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t seed, first, count;
	char path[] = "/tmp/cuaudit-fuzz-XXXXXX";
	int directory, fd;

	if (argc == 2)
		return read_one(argv[1]);
	fuzz_start(argc, argv, &seed, &first, &count);
	for (int i = 4; i < argc && nsamples < FILES; i++)
		read_sample(argv[i]);
	fuzz_check(nsamples && mkdtemp(path));
	directory = open(path, O_RDONLY | O_DIRECTORY);
	fd = openat(directory, name, O_RDWR | O_CREAT | O_EXCL, 0600);
	fuzz_check(fd >= 0);
	for (fuzz_number = first; fuzz_number < first + count; fuzz_number++) {
		chance_begin(seed, fuzz_number);
		one(directory, fd);
		seen.cases++;
	}
	fuzz_check(!unlinkat(directory, name, 0) && !rmdir(path));
	printf("cases %u taken %u refused %u broken %u holds %u problems %u\n", seen.cases, seen.taken,
	       seen.refused, seen.broken, seen.holds, seen.problems);
	return 0;
}
