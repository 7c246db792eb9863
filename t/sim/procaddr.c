/* SPDX-License-Identifier: Apache-2.0 */
/* Asks cuGetProcAddress what a real driver was asked, on a grid of versions. */
#include <dlfcn.h>

#include "sim/api.h"
#include "t/tap.h"

/*
 * The vectors give each answer with the version it begins at, and these 40
 * are all there are. The grid: each of them, and one before and one after.
 */
static const int breakpoints[] = {
	0, 2000, 2010, 2020, 2030, 3000, 3010, 3020, 4000, 4010, 4020, 5000,
	5050, 6000, 6050, 7000, 8000, 9000, 9020, 10000, 10010, 10020, 11000,
	11010, 11020, 11030, 11040, 11060, 11070, 12000, 12010, 12020, 12030,
	12040, 12050, 12060, 12080, 12090, 13000, 13001
};

enum {
	BREAKPOINTS = sizeof(breakpoints) / sizeof(breakpoints[0]),
	NOT_WRITTEN = -9,
	RUNS = 64
};

struct run {
	int version;
	int rc;
	int status;
	char symbol[128];
};

static int grid[3 * BREAKPOINTS];
static int ngrid;
static long queries, wrong;

/* Versions from 0 up, each once, ascending. */
static void make_grid(void)
{
	for (int i = 0; i < BREAKPOINTS; i++)
		for (int d = -1; d <= 1; d++) {
			int version = breakpoints[i] + d;

			if (version > (ngrid ? grid[ngrid - 1] : -1))
				grid[ngrid++] = version;
		}
}

static int known(int version)
{
	for (int i = 0; i < BREAKPOINTS; i++)
		if (breakpoints[i] == version)
			return 1;
	return 0;
}

static void query(const char *name, int api, int flags, int version,
		  const struct run *want)
{
	CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)NOT_WRITTEN;
	void *pfn = NULL, *want_pfn = NULL;
	int rc;

	if (strcmp(want->symbol, "-"))
		want_pfn = dlsym(RTLD_DEFAULT, want->symbol);
	if (api)
		rc = cuGetProcAddress_v2(name, &pfn, version, flags, &status);
	else
		rc = cuGetProcAddress(name, &pfn, version, flags);
	queries++;
	if (rc == want->rc && (int)status == want->status && pfn == want_pfn &&
	    (want_pfn || !strcmp(want->symbol, "-")))
		return;
	if (wrong++ < 10)
		diag("%s api %d flags %d version %d: %d/%d, want %d/%d/%s",
		     name, api, flags, version, rc, (int)status, want->rc,
		     want->status, want->symbol);
}

/* name api flags version:rc/status/symbol... */
static int line(char *text)
{
	char *name = strtok(text, " \n"), *word;
	char *api = strtok(NULL, " \n"), *flags = strtok(NULL, " \n");
	struct run runs[RUNS];
	int n = 0, at = 0;

	if (!name || !api || !flags)
		return 0;
	while ((word = strtok(NULL, " \n"))) {
		if (n == RUNS || sscanf(word, "%d:%d/%d/%127s", &runs[n].version,
					&runs[n].rc, &runs[n].status,
					runs[n].symbol) != 4 ||
		    !known(runs[n].version))
			return 0;
		n++;
	}
	if (!n || runs[0].version)
		return 0;
	for (int i = 0; i < ngrid; i++) {
		while (at + 1 < n && runs[at + 1].version <= grid[i])
			at++;
		query(name, atoi(api), atoi(flags), grid[i], runs + at);
	}
	return 1;
}

int main(int argc, char **argv)
{
	FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
	long lines = 0, unread = 0;
	char text[8192];

	if (!file)
		bail_out("usage: procaddr VECTORS");
	make_grid();
	while (fgets(text, sizeof(text), file)) {
		lines++;
		unread += !line(text);
	}
	is_int(lines, 6736, "842 names x 2 functions x 4 flags");
	is_int(unread, 0, "each line is understood");
	is_int(wrong, 0, "answers of the real driver");
	is_int(queries, lines * ngrid, "all were asked");
	diag("%ld queries: %ld lines x %d versions", queries, lines, ngrid);
	return done_testing();
}
