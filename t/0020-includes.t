# SPDX-License-Identifier: Apache-2.0
# Who may include whom.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

# wrong ALLOWED FOLDER: the tree's own headers that FOLDER includes beside ALLOWED,
# a regex over what stands in quotes or angle brackets.
wrong() {
	find "$top_srcdir/$2" ! -name '*.pb-c.*' \( -name '*.[chS]' -o -name '*.cc' \) -exec \
		awk -v allowed="^($1)\$" '
		/^[ \t]*#[ \t]*include/ {
			if (!match($0, /["<][^">]*[">]/))
				next
			name = substr($0, RSTART + 1, RLENGTH - 2)
			own = substr($0, RSTART, 1) == "\"" ||
				name ~ /^(audit|convert|cuaudit|hooks|html|names|print|report|sim|summary|t|tools|trace)\//
			if (own && name !~ allowed)
				print FILENAME ": " name
		}' {} +
}

contract='cuaudit/[a-z_]+\.(h|def)'

# edge FOLDER ALLOWED WHAT
edge() {
	is "$(wrong "$2" "$1")" "" "$1/ includes $3"
	like "$(wrong 'nothing' "$1")" : "$1/ has includes at all"
}

edge include "$contract" "the contract"
edge audit "$contract|audit/[a-z_]+\.(h|def)|names/(globs|nearest|policy|size|template|text)\.h|(arch|branch)\.h" \
	"the contract, what of names/ needs no libc, and its own"
edge html "$contract|(html|print|report|summary|trace)/[a-z_]+\.h" \
	"the contract, print/, report/, summary/, trace/ and its own"
edge names "$contract|names/[a-z_]+\.h" "the contract and its own"
edge print "$contract|names/text\.h|print/[a-z_]+\.h" "the contract, texts and its own"
edge report "$contract|names/text\.h|report/[a-z_]+\.h" "the contract, texts and its own"
edge summary "$contract|(names|print|report|summary|trace)/[a-z_]+\.(h|def)" \
	"the contract, names/, print/, report/, trace/ and its own"
edge trace "$contract|(print|trace)/[a-z_]+\.(h|def)" "the contract, print/ and its own"
edge hooks/modules \
	"$contract|print/table\.h|names/(globs|size|text)\.h|report/[a-z_]+\.h|hooks/(direct|peek|stack)\.h|hooks/modules/[a-z_]+\.(h|def)" \
	"the contract, what parameters are, globs, sizes, texts, report/, the direct ways, safe reads and its own"
edge convert "$contract|convert/[a-z0-9_]+(\.pb-c)?\.h|(names|print|summary|trace)/[a-z_]+\.h" \
	"the contract, names/, print/, summary/, trace/ and its own"
edge tools "$contract|(convert|html|names|print|report|summary|trace)/[a-z_]+\.h|tools/[a-z_]+\.(h|def)" \
	"the contract, convert/, html/, names/, print/, report/, summary/, trace/ and its own"
edge sim "$contract|(names/size|report/array)\.h|sim/[a-z_]+\.(h|def)" "the contract, sizes and its own"
edge demo "$contract" "the contract"
edge examples "$contract" "the contract"

# hooks/ without modules/, which has an edge of its own and fewer rights.
is "$(wrong "$contract|audit/link\.h|(names|print|report)/[a-z_]+\.h|hooks/[a-z_]+\.(h|def)|((direct|frame)_)?arch\.h" \
	hooks | grep -v "^$top_srcdir/hooks/modules/")" "" \
	"hooks/ includes the contract, audit/link.h, names/, print/, report/ and its own"

mkdir "$tmp/hooks"
echo '#include "audit/object.h"' >"$tmp/hooks/x.c"
top_srcdir=$tmp
like "$(wrong "$contract|audit/link\.h" hooks)" 'x\.c: audit/object\.h' "a wrong one is found"
done_testing
