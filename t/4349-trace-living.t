# SPDX-License-Identifier: Apache-2.0
# A ring that is read while it is written: whatever is read was called so.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"
cuaudit=$top_builddir/bin/cuaudit

compile -fPIC -shared -Wl,-soname,libcuda.so.1 -o "$tmp/libcuda.so.1" "$top_srcdir/t/trace/driver.c" \
	-Wl,--no-as-needed -ldl &&
	compile -O1 -o "$tmp/spin" -x c - -L"$tmp" -l:libcuda.so.1 -Wl,-rpath,"$tmp" -pthread <<'END' &&
/* Threads that pass a counter and its complement, until standard input ends. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

int cuInit(unsigned int flags);
int cuMemAlloc_v2(unsigned long long *address, unsigned long long size);
int cuMemsetD8_v2(unsigned long long address, unsigned char value, unsigned long long count);

static _Atomic int ends;

static void *call(void *unused)
{
	unsigned long long address;

	for (unsigned long long i = 1; !ends; i++) {
		cuMemsetD8_v2(i, (unsigned char)i, 4294967295 - i);
		cuMemAlloc_v2(&address, 1 + i % 2);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	char byte;

	cuInit(0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, call, NULL);
	while (read(0, &byte, 1) > 0)
		;
	ends = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
	compile -O1 -o "$tmp/judge" -x c - <<'END' || bail_out "cannot build"
/* Lines of a conversion to csv: how many calls, and which were never made. */
#include <stdio.h>
#include <string.h>
#include <time.h>

int main(void)
{
	unsigned long long calls = 0, wrong = 0, now = (unsigned long long)time(NULL);
	/* Of each thread, by what a call's correlation id is more than twice its counter. */
	static unsigned long long more[16], last[16];
	static char line[4096];

	while (fgets(line, sizeof(line), stdin)) {
		unsigned long long start = 0, took = 0, address = 0, count = 0, id = 0;
		char function[64] = "", *at = strchr(line, '"');
		unsigned int byte = 0, thread = 0;
		int good = 0;

		if (sscanf(line, "%*[^,],%*u,,%u,%*u,%*[^,],%llu,%llu,%llu,%*u,%63[^,],", &thread,
			   &start, &took, &id, function) != 5)
			continue;
		thread %= 16;
		calls++;
		if (at && !strcmp(function, "cuMemsetD8_v2"))
			good = sscanf(at, "\"dstDevice = 0x%llx, uc = %u, N = %llu\"", &address, &byte,
				      &count) == 3 &&
			       address + count == 4294967295 && byte == (address & 255) &&
			       (!more[thread] || more[thread] == id - 2 * address) &&
			       last[thread] < address;
		else if (at && !strcmp(function, "cuMemAlloc_v2"))
			good = sscanf(at, "\"dptr = [0x123456789abc], bytesize = %llu\"", &count) == 1 &&
			       (count == 1 || count == 2);
		else
			good = !strcmp(function, "cuInit");
		if (address) {
			more[thread] = id - 2 * address;
			last[thread] = address;
		}
		start /= 1000000000;
		if (good && start + 3600 > now && start < now + 3600 && took < 3600000000000)
			continue;
		if (!wrong++)
			printf("wrong: %s", line);
	}
	printf("%llu calls, %llu wrong\n", calls, wrong);
	return 0;
}
END

rm -rf "$tmp/traces"
mkdir "$tmp/traces"
mkfifo "$tmp/end"
audited CUAUDIT_OUTPUT="$tmp/traces/%p" CUAUDIT_HOOKS="trace(size=1MiB;when-full=ring)" "$tmp/spin" \
	<"$tmp/end" 2>"$tmp/err" &
spin=$!
exec 3>"$tmp/end"
calls=0 wrong=0 over=0 runs=0
until file=$(echo "$tmp"/traces/*.cutrace) && test -s "$file"; do
	kill -0 $spin || bail_out "the writer is gone: $(cat "$tmp/err")"
done
# Until there was enough to read, and the writer was seen to write over what was read.
while test $runs -lt 200 && { test $runs -lt 40 || test $calls -lt 200000 || test $over -eq 0; }; do
	runs=$((runs + 1))
	"$cuaudit" convert --to csv -o "$tmp/to" "$file" 2>"$tmp/said" || :
	test -f "$tmp/to" || continue
	"$tmp/judge" <"$tmp/to" >"$tmp/judged"
	grep '^wrong' "$tmp/judged" | sed 's/^/# /'
	calls=$((calls + $(sed -n 's/ calls, .*//p' "$tmp/judged")))
	wrong=$((wrong + $(sed -n 's/.* calls, \([0-9]*\) wrong/\1/p' "$tmp/judged")))
	grep -q damaged "$tmp/said" && sed 's/^/# /' "$tmp/said" && wrong=$((wrong + 1))
	grep -q 'written over' "$tmp/said" && over=$((over + 1))
	rm -f "$tmp/to"
done
"$cuaudit" report "$file" >"$tmp/report" 2>&1
unlike "$(cat "$tmp/report")" damaged "a report finds nothing damaged"
exec 3>&-
wait $spin || diag "the writer: $?"
diag "$calls calls in $runs conversions, $over of which missed some"
ok "there were calls to be read" test $calls -gt 1000
is "$wrong" 0 "none that was not made"
done_testing
