# SPDX-License-Identifier: Apache-2.0
# Calls after main: handlers of exit, destructors of objects and of threads, main's thread gone.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

fake_driver
helper hostile/late
for how in atexit:3 static:3 local:3 thread-local:3 main-gone:3; do
	counted "${how%:*}" timeout 300 "$tmp/late" "${how%:*}"
	is "$(calls cuInit)" "${how#*:}" "${how%:*}: all are counted"
done
# which ends the process without exit: what is left is what was saved
counted "quick_exit" timeout 300 "$tmp/late" quick
set -- "$tmp"/json/*
"$top_builddir/bin/cuaudit" report --format json "$1" >"$tmp/saved"
is "$(calls cuInit "$tmp/saved")" 3 "quick_exit: all are saved"

done_testing
