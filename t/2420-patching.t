# SPDX-License-Identifier: Apache-2.0
# Next to a library that patches the driver's functions: what it is given is a stub.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

fake_driver
helpers hostile/libpatcher.so hostile/patched

for time in early late; do
	for way in back copy; do
		both "dlsym's address, $way, $time" "$tmp/patched" dlsym $way $time
		both "the driver's own, $way, $time" "$tmp/patched" own $way $time
		routed "the patcher excluded, $way, $time" CUAUDIT_EXCLUDE=libpatcher.so \
			"$tmp/patched" dlsym $way $time
	done
done

done_testing
