# SPDX-License-Identifier: Apache-2.0
# Addresses that the driver's own look-up hands out.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

know_loader
fake_driver
helper routes/procaddr
both "cuGetProcAddress" "$tmp/procaddr"
both "cuGetProcAddress, LD_BIND_NOW" LD_BIND_NOW=1 "$tmp/procaddr"
native "the driver's own" "$tmp/procaddr" excluded
routed "an excluded program" CUAUDIT_EXCLUDE='(main)' "$tmp/procaddr" excluded
routed "a program that is not included" CUAUDIT_INCLUDE=libother.so "$tmp/procaddr" excluded

helper routes/procaddr-noplt fnoplt
both "-fno-plt" "$tmp/fnoplt"

done_testing
