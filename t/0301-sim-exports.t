# SPDX-License-Identifier: Apache-2.0
# The simulated driver exports the table and what the real driver has beside it.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"

ok "nm" sh -c '"$1" -D --defined-only "$2" >"$3"' - "${NM:-nm}" "$sim" "$tmp/nm"
awk '{ print $NF }' "$tmp/nm" >"$tmp/names"
sort "$tmp/names" >"$tmp/sim"

sed -n 's/^CUAPI([0-9]*, \([^,]*\),.*/\1/p' \
	"$top_srcdir/include/cuaudit/driver_api.def" >"$tmp/rows"
printf '%s\n' cuEGLApiInit cuMemGetAttribute cuMemGetAttribute_v2 >"$tmp/more"
sort "$tmp/rows" "$tmp/more" >"$tmp/want"
ok "the table has rows" test "$(wc -l <"$tmp/rows")" -ge 672
ok "exports are the table and three more" diff "$tmp/want" "$tmp/sim"

sort "$top_srcdir/t/data/driver-580-exports.txt" >"$tmp/real.all"
sed '/^cudbg/d' "$tmp/real.all" >"$tmp/real"
comm -23 "$tmp/real" "$tmp/sim" >"$tmp/missing"
is "$(cat "$tmp/missing")" "" "none of the real driver's functions is missing"

ok "readelf" sh -c '"$1" -d "$2" >"$3"' - "${READELF:-readelf}" "$sim" "$tmp/dynamic"
ok "its SONAME is libcuda.so.1" grep -q 'SONAME.*\[libcuda\.so\.1\]' "$tmp/dynamic"
ok "it binds to itself" grep -q 'SYMBOLIC' "$tmp/dynamic"
done_testing
