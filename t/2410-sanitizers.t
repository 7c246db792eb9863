# SPDX-License-Identifier: Apache-2.0
# Programs built with a sanitizer.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

fake_driver
LD_LIBRARY_PATH=$tmp
export LD_LIBRARY_PATH
for sanitizer in address undefined thread; do
	if ! compile -fsanitize=$sanitizer -g -O1 -o "$tmp/mixed_callers" "$hostile/mixed_callers.c" \
	     -L"$tmp" -l:libcuda.so.1 -pthread -ldl >"$tmp/build.out" 2>&1 ||
	   ! timeout 300 "$tmp/mixed_callers" 1 >"$tmp/native.out" 2>&1; then
		skip 4 "no $sanitizer sanitizer"
		continue
	fi
	if ! with_room "$tmp/mixed_callers" 1 >"$tmp/other.out" 2>&1; then
		skip 4 "does not run with any auditor"
		continue
	fi
	counted "-fsanitize=$sanitizer" $room timeout 300 "$tmp/mixed_callers" 20 8
	unlike "$(cat "$tmp/tap.out")" 'ERROR|WARNING' "it has nothing to say"
	is "$(calls cuInit) $(calls cuMemAlloc_v2)" "540 540" "all are counted"
	is "$(calls_of cuInit mixed_callers)" 540 "as the program's"
done

done_testing
