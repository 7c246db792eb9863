# SPDX-License-Identifier: Apache-2.0
# A time of day that is set while a program runs: durations are as they were, and it is told.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"
cuaudit=$top_builddir/bin/cuaudit

compile -o "$tmp/patch" -x c - <<'END' || bail_out "cannot build"
/* patch FILE PERCENT: the time of day was set by so much of the run, at its end. */
#include <cuaudit/trace.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	static struct cuaudit_trace_header header;
	FILE *file = argc > 2 ? fopen(argv[1], "r+") : NULL;

	if (!file || fread(&header, sizeof(header), 1, file) != 1 || !header.start_raw || !header.end_raw)
		return 1;
	header.end_ns += (header.end_raw - header.start_raw) / 1000 * (uint64_t)(10 * atof(argv[2]));
	return fseek(file, 0, SEEK_SET) || fwrite(&header, sizeof(header), 1, file) != 1 ||
	       fclose(file);
}
END
compile -o "$tmp/slow" -x c - -ldl <<'END' || bail_out "cannot build"
/* Calls in half a second: clocks are compared over no less than a tenth. */
#include <dlfcn.h>
#include <poll.h>

int main(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(driver, "cuInit");

	for (int i = 0; i < 10; i++) {
		init(0);
		poll(0, 0, 50);
	}
	return 0;
}
END
traced "" "$tmp/slow"
file=$(echo "$tmp"/traces/*.cutrace)
all_times() {
	"$cuaudit" convert --to csv -o - "$file" 2>"$tmp/err" | cut -d, -f 7,8
}
all_times >"$tmp/before"
is "$(wc -l <"$tmp/before") $(cat "$tmp/err")" "11 " "a clock that was not set: nothing is told"
unlike "$("$cuaudit" report "$file" 2>&1)" "time of day" "nor by report"
ok "half a percent is set" "$tmp/patch" "$file" 0.5
all_times >"$tmp/after"
ok "times and durations are the same" cmp "$tmp/before" "$tmp/after"
like "$(cat "$tmp/err")" 'the time of day was set meanwhile, 1 time; times are by the clock of the start$' \
	"convert tells"
like "$("$cuaudit" report "$file" 2>&1)" '^  clock  *1 time the time of day was set; ' "report, too"
like "$("$cuaudit" report --format json "$file" 2>&1)" \
	'"clock_steps": *1,' "and as JSON"
done_testing
