/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes as people write them, and what is none. */
#include "util/size.h"

#include "t/tap.h"

static const struct {
	const char *text;
	uint64_t size;
} right[] = {
	{ "0", 0 }, { "1", 1 }, { "007", 7 }, { "4096", 4096 }, { "4096B", 4096 }, { "4096b", 4096 },
	{ "1k", 1024 }, { "1K", 1024 }, { "1KiB", 1024 }, { "1kib", 1024 }, { "1Ki", 1024 },
	{ "1KB", 1000 }, { "1kB", 1000 }, { "512M", 536870912 }, { "512m", 536870912 }, { "512MiB", 536870912 },
	{ "512Mi", 536870912 },
	{ "512mib", 536870912 }, { "512MB", 512000000 }, { "512mb", 512000000 },
	{ "0.5GiB", 536870912 }, { "1.5G", 1610612736 }, { "1.5g", 1610612736 },
	{ "1.5GB", 1500000000 }, { "0.125M", 131072 }, { "1g", 1073741824 }, { "1GB", 1000000000 },
	{ "2T", UINT64_C(2199023255552) }, { "1TB", UINT64_C(1000000000000) },
	{ "1PiB", UINT64_C(1125899906842624) }, { "1PB", UINT64_C(1000000000000000) },
	{ "0.1K", 102 }, { "0.000000000000000001P", 0 }, { "0.999999999999999999P", UINT64_C(1125899906842623) },
	{ "18446744073709551615", UINT64_MAX }, { "16383P", UINT64_C(16383) << 50 },
};

static const char *const wrong[] = {
	"", " ", "M", "-1", "+1", " 1", "1 ", "1 M", "1M ", "4X", "1.M", ".5M", "1.5", "1.5B", "1.",
	"1..5M", "1.5.5M", "1e3", "0x10", "1,5G", "1MiBs", "1Mib1", "1MM", "1iB", "1BB", "1%", "50%",
	"18446744073709551616", "16384P", "16383.9999P1", "99999999T", "18446744073709551615K",
	"0.0000000000000000001P", "1\t", "1\n", "1K\n", "inf", "nan", "\xc2\xbdM", "1E",
};

int main(void)
{
	uint64_t size;

	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		size = ~right[i].size;
		ok(size_parse(right[i].text, &size) && size == right[i].size, "%s", right[i].text);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ok(!size_parse(wrong[i], &size), "not %zu", i);
	return done_testing();
}
