# SPDX-License-Identifier: Apache-2.0
# The core, the tool and the simulated driver built with sanitizers run tests without a report.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
long_test
here=$(cd "$top_srcdir" && pwd)

# A program has to have the runtime first, so it is preloaded; its reports go to files, for what
# a test makes of them does not count here.
#
# sanitized NAME RUNTIME FLAGS TEST...
sanitized() {
	name=$1
	runtime=$($CC -print-file-name="$2")
	flags=$3
	shift 3
	echo 'int main(void) { return 0; }' >"$tmp/none.c"
	if ! compile $flags -o "$tmp/none" "$tmp/none.c" >"$tmp/none.out" 2>&1 ||
		! LD_PRELOAD=$runtime "$tmp/none" >"$tmp/none.out" 2>&1; then
		skip $(($# + 2)) "no sanitizers here"
		return
	fi
	mkdir -p "$tmp/$name/reports"
	ok "$name: configured" sh -c 'cd "$1" && "$2/configure" -q CC="$3" CXX="$4"' sh \
		"$tmp/$name" "$here" "$CC" "$CXX"
	ok "$name: built" sh -c 'cd "$1" && "$2" -s -j2 CFLAGS="-O1 -g $3"' sh "$tmp/$name" "$MAKE" \
		"$flags"
	log="log_path=$tmp/$name/reports/of"
	for test; do
		# A program that is sent SIGSEGV, or means to end by it, has no error.
		segv=1
		case $test in 2700-plugins | 4100-trace) segv=0 ;; esac
		(
			cd "$tmp/$name" &&
			unset top_builddir LIBCUAUDIT LONG_TESTS &&
			run_env="env LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0:handle_segv=$segv:$log UBSAN_OPTIONS=$log TSAN_OPTIONS=report_signal_unsafe=0:suppressions=$here/t/sanitize/thread.supp:$log GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4000000" \
				sh "$here/t/$test.t" >"$tmp/out" 2>&1
		)
		grep -E -h 'ERROR: AddressSanitizer|WARNING: ThreadSanitizer|runtime error' \
			"$tmp/$name"/reports/* "$tmp/out" >"$tmp/said" 2>"$tmp/none.out"
		is "$(grep -c '^ok' "$tmp/out" | sed 's/^[1-9].*/some/'), $(sort -u "$tmp/said")" \
			"some, " "$name: no report of $test" || cat "$tmp/$name"/reports/* | head -40 >&2
		rm -f "$tmp/$name"/reports/*
	done
}

test ! -e "$top_srcdir/config.status" || skip_all "built in the source tree"
sanitized address libasan.so -fsanitize=address,undefined 0061-demo 1100-lookups 1200-procaddr \
	1500-drivers 1600-who 1800-counts 1920-unmatched 2000-arguments 2110-any-call 2600-hooks \
	2640-python 2700-plugins 3200-coverage 3330-fault 3400-limit 3510-leak 4100-trace 4110-trace-args
# Its own assembly stays as it is: what is called from there is seen, what happens there is not.
sanitized thread libtsan.so -fsanitize=thread 0061-demo 1200-procaddr 1500-drivers 1600-who 1800-counts \
	2000-arguments 2600-hooks 2700-plugins 3150-stat-threads 3200-coverage 3330-fault 3400-limit \
	3510-leak 4100-trace 4352-trace-parameters

for lost in export/perfetto/perfetto.pb-c.h hooks/arch/offsets.h; do
	if test -f "$tmp/address/$lost"; then
		rm "$tmp/address/$lost"
		ok "$lost that was lost" "$MAKE" -s -C "$tmp/address" "$lost"
		ok "is made again" test -s "$tmp/address/$lost"
	else
		skip 2 "the generated files are those of the source tree"
	fi
done
done_testing
