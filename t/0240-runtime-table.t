#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The table of the runtime's functions: whole by itself, and what the installed toolkit's headers say.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

: "${PERL:=perl}"
: "${CUDA_HOME=/usr/local/cuda}"
table=$top_srcdir/include/cuaudit/runtime_api.def
errors=$top_srcdir/include/cuaudit/runtime_enums.def

# rows FILE: what is wrong with a table's rows, a line each.
rows() {
	awk -F '[(,] *' '
	!/^RUNTIME\(/ { next }
	{
		if ($2 != n++) print "id " $2
		if (callbacks[$4]++) print "callback " $4 " twice"
		count = $7 + 0
		if (gsub(/P\((VAL|IN|PTR), /, "") != count) print $3 ": parameters"
	}' "$1"
}

ok "there are rows" test "$(grep -c '^RUNTIME(' "$table")" -ge 522
is "$(rows "$table")" "" "ids are dense, callbacks are unique, and parameters are counted"
sed 's/^RUNTIME(19, cudaMalloc, 20, 3020, STATUS, 2/RUNTIME(18, cudaMalloc, 19, 3020, STATUS, 3/' "$table" \
	>"$tmp/broken.def"
is "$(rows "$tmp/broken.def")" "id 18
callback 19 twice
cudaMalloc: parameters" "a broken one is noticed"

if test -r "$CUDA_HOME/include/cupti_runtime_cbid.h"; then
	cp "$table" "$tmp/table.def"
	cp "$errors" "$tmp/enums.def"
	set -- $PERL "$top_srcdir/maint/runtime-api.pl" --cc "$CC" --cuda "$CUDA_HOME" --out "$tmp/table.def" \
		--enums "$tmp/enums.def"
	ok "the toolkit's headers add nothing" "$@" --check
	sed '/cudaLogsCurrent/,$d' "$table" >"$tmp/table.def"
	fails "one with fewer rows would change" "$@" --check
	ok "and gets them" "$@"
	ok "in the same order" cmp "$table" "$tmp/table.def"
	sed '/, 500)/d; s/^ENUMERATOR(cudaError, cudaErrorUnknown,.*/ENUMERATOR(cudaError, cudaErrorOlder, 998)\n&/' \
		"$errors" >"$tmp/enums.def"
	fails "one with fewer errors would change" "$@" --check
	ok "and gets them" "$@"
	is "$(diff "$errors" "$tmp/enums.def" | sed -n 's/^> //p')" "ENUMERATOR(cudaError, cudaErrorOlder, 998)" \
		"beside those that the toolkit has no more"
else
	skip 7 "no CUDA headers"
fi
done_testing
