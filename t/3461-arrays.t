# SPDX-License-Identifier: Apache-2.0
# Arrays of every kind of format and shape: limit, leak and trace agree with the program's count.
. "${top_srcdir:-$(dirname "$0")/..}/t/limit/lib.sh"

helper limit/libcuda.so.1
helper limit/arrays

audited CUAUDIT_OUTPUT="$tmp/report" \
	CUAUDIT_HOOKS="limit(dry-run;format=json),leak(format=json),trace(file=$tmp/a.cutrace)" \
	"$tmp/arrays" >"$tmp/out"
like "$(cat "$tmp/out")" '^[0-9]{8}$' "the program's own count"
is "$(reported 'r["process"]["used"]')" "$(cat "$tmp/out")" "limit"
cp "$tmp/report.leak" "$tmp/report.limit"
is "$(reported 'sum(l["bytes"] for l in r["left"]), r["left_bytes"], r["left_unsized"]')" \
	"($(cat "$tmp/out"), $(cat "$tmp/out"), 0)" "leak"
"$top_builddir/bin/cuaudit" report --format json "$tmp/a.cutrace" >"$tmp/report.limit"
is "$(reported '[r["processes"][0]["memory"][k] for k in ("held_bytes", "peak_bytes", "unsized")]')" \
	"[$(cat "$tmp/out"), $(cat "$tmp/out"), 0]" "trace"

# A format newer than the table: never 0 bytes that nobody hears of.
audited CUAUDIT_OUTPUT="$tmp/new" \
	CUAUDIT_HOOKS="limit(dry-run;format=json),leak,trace(file=$tmp/new.cutrace)" "$tmp/arrays" unknown
cp "$tmp/new.limit" "$tmp/report.limit"
is "$(reported 'r["process"]["used"]')" $((1024 * 512 * 16)) "limit: as the largest there is"
like "$(head -n 1 "$tmp/new.leak")" '1 left at exit \(0 bytes and 1 of unknown size\), 0 errors' \
	"leak: unknown"
like "$(grep '1024 \|  array' "$tmp/new.leak")" '  array +cuArray3DCreate_v2, .*, 1 of unknown size$' \
	"leak: where"
"$top_builddir/bin/cuaudit" report --format json "$tmp/new.cutrace" >"$tmp/report.limit"
is "$(reported '[r["processes"][0]["memory"][k] for k in ("held_bytes", "unsized")]')" "[0, 1]" \
	"trace: unknown"
done_testing
