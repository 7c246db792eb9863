# SPDX-License-Identifier: Apache-2.0
# The call that loads the core: from constructors, under the loader's lock, from many threads.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

know_loader
fake_driver

helper routes/early
both "a constructor of the program" "$tmp/early"
both "the same, LD_BIND_NOW" LD_BIND_NOW=1 "$tmp/early"

helpers routes/libctor.so routes/ctor routes/ctor-linked
both "a constructor of a library" "$tmp/ctor-linked" linked
both "a constructor inside dlopen" "$tmp/ctor" opened
both "the same, LD_BIND_NOW" LD_BIND_NOW=1 "$tmp/ctor" opened
for turn in 1 2 3 4 5; do
	both "another thread's call meanwhile, $turn" timeout 300 "$tmp/ctor" contended
done

helper routes/race
native "sixteen threads" "$tmp/race"
race() {
	race_left=50
	while test "$race_left" -gt 0; do
		"$@" || return
		race_left=$((race_left - 1))
	done
}
ROUTES=routed LD_LIBRARY_PATH=$tmp CUAUDIT_HOOKS=
export ROUTES LD_LIBRARY_PATH CUAUDIT_HOOKS
ok "sixteen threads, fifty times" race audited timeout 300 "$tmp/race"
ok "the same, LD_BIND_NOW" race audited LD_BIND_NOW=1 timeout 300 "$tmp/race"

done_testing
