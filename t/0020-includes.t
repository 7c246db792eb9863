# SPDX-License-Identifier: Apache-2.0
# Who may include whom.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

# wrong ALLOWED DIRECTORY: the tree's own headers that DIRECTORY includes beside ALLOWED,
# a regex over what stands in quotes or angle brackets.
wrong() {
	find "$top_srcdir/$2" ! -name '*.pb-c.*' \( -name '*.[chS]' -o -name '*.cc' \) -exec \
		awk -v allowed="^($1)\$" '
		/^[ \t]*#[ \t]*include/ {
			if (!match($0, /["<][^">]*[">]/))
				next
			name = substr($0, RSTART + 1, RLENGTH - 2)
			own = substr($0, RSTART, 1) == "\"" ||
				name ~ /^(analysis|audit|cuaudit|export|hooks|internal|nvtx|print|sim|t|tables|tools|tracefile|util)\//
			if (own && name !~ allowed)
				print FILENAME ": " name
		}' {} +
}

contract='cuaudit/[a-z_]+\.(h|def)'

# edge DIRECTORY ALLOWED WHAT
edge() {
	is "$(wrong "$2" "$1")" "" "$1/ includes $3"
	like "$(wrong 'nothing' "$1")" : "$1/ has includes at all"
}

internal='internal/[a-z_]+\.(h|def)'
tables='tables/[a-z]+\.(h|def)'
util='util/[a-z0-9_]+\.(h|def)'

edge include "$contract|$internal" "the contract"
edge tables "$contract|tables/(array|cpython|query)\.h" "the contract and its own"
edge util "$contract|$util" "the contract and its own"
edge print "$contract|$util|print/[a-z_]+\.h" "the contract, util/ and its own"
edge audit "$contract|$internal|audit/[a-z_]+\.(h|def)|util/(check_mark|globs|nearest|policy|size|template|text|unfit)\.h|arch\.h|audit/arch/offsets\.h" \
	"the contract, what of util/ needs no libc, and its own"
edge hooks/modules \
	"$contract|$tables|$util|print/table\.h|analysis/(check_losses\.def|(check_record|share_record|stat_[a-z]+|escape_kind|leak_text)\.h)|hooks/(blocking|bypassed|call_site|cell|driver_ask|export_table|fast_path|kernel|libc_function|maps|provided|provider_types|runtime_row|runtime_table|safe_read|stack|unseen)\.h|hooks/modules/([a-z]+/)?[a-z_]+\.(h|def)|fast_path_arch\.h|internal/(offsets\.h|libc_functions\.def)" \
	"the contract, tables/, util/, what parameters are, what adds up statistics, why calls wait, the direct ways, what is asked of the driver, call sites, safe reads, libraries of providers, what hooks cannot see and its own"
edge nvtx "$contract|$internal|nvtx/[a-z_]+\.(h|def)" "the contract, what it shares with the core, and its own"
edge sim "$contract|tables/array\.h|util/size\.h|sim/[a-z_]+\.(h|def)" "the contract, arrays, sizes and its own"
edge tracefile "$contract|$tables|$util|print/[a-z]+\.h|tracefile/[a-z]+\.h" "the contract, tables/, util/, print/ and its own"
edge analysis "$contract|$tables|$util|(print|tracefile)/[a-z]+\.h|analysis/[a-z_]+\.(h|def)" \
	"the contract, tables/, util/, print/, tracefile/ and its own"
edge export "$contract|$tables|$util|(print|tracefile)/[a-z]+\.h|analysis/[a-z_]+\.h|export/([a-z]+/)?[a-z0-9_]+(\.pb-c)?\.h" \
	"the contract, tables/, util/, print/, tracefile/, analysis/ and its own"
edge tools "$contract|internal/libc_functions\.def|tables/(cpython\.(h|def)|export_tables\.def)|$util|(print|tracefile)/[a-z]+\.h|analysis/[a-z_]+\.h|export/(html/)?[a-z_]+\.h|tools/[a-z_]+\.(h|def)" \
	"all of the command"
edge demo "$contract" "the contract"
edge examples "$contract" "the contract"

# hooks/ without modules/, which has an edge of its own and fewer rights.
is "$(wrong "$contract|$internal|tables/(cpython\.(h|def)|blocking\.def|export_tables\.def)|$util|print/[a-z_]+\.h|hooks/[a-z_]+\.(h|def)|((fast_path|frame)_)?arch\.h|hooks/arch/offsets\.h" \
	hooks | grep -v "^$top_srcdir/hooks/modules/")" "" \
	"hooks/ includes the contract, what it shares with the auditor, Python's layout, what waits, export tables, util/, print/ and its own"

mkdir "$tmp/hooks"
echo '#include "audit/object.h"' >"$tmp/hooks/x.c"
top_srcdir=$tmp
like "$(wrong "$contract|$internal" hooks)" 'x\.c: audit/object\.h' "a wrong one is found"
done_testing
