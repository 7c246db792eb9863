# SPDX-License-Identifier: Apache-2.0
# variables.def and libcuaudit(7) say the same of every environment variable.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

table=$top_srcdir/include/cuaudit/variables.def
page=$top_srcdir/man/libcuaudit.7

# VARIABLE(NAME, field, KIND, "default", "values", "summary") as NAME<tab>default<tab>values
from_table() {
	sed -n 's/^VARIABLE(\([A-Z_]*\), [a-z_]*, [A-Z]*, "\([^"]*\)", "\([^"]*\)", ".*/CUAUDIT_\1	\2	\3/p' \
		"$1" | sort
}

# .It Ev CUAUDIT_NAME, then .Em Values: ... and .Em Default: ... lines.
from_page() {
	awk '
	function flush() {
		if (name != "")
			print name "\t" fallback "\t" values
		name = ""
	}
	function text(line) {
		gsub(/\\&/, "", line)
		gsub(/\\-/, "-", line)
		gsub(/\\e/, "\\", line)
		return line
	}
	/^\.It Ev CUAUDIT_/ { flush(); name = $3; fallback = values = "?"; examples = 0 }
	/^\.Sh / { flush() }
	name != "" && sub(/^Values: /, "") { values = text($0); sub(/\.$/, "", values) }
	name != "" && sub(/^Default: /, "") {
		fallback = text($0)
		sub(/\.$/, "", fallback)
		if (fallback == "empty")
			fallback = ""
	}
	END { flush() }' "$1" | sort
}

ok "the table is read whole" test "$(from_table "$table" | wc -l)" -eq \
	"$(grep -c '^VARIABLE(' "$table")"
is "$(from_page "$page")" "$(from_table "$table")" "names, defaults and values are equal"
for name in $(from_table "$table" | cut -f 1); do
	like "$(awk -v name="$name" '/^\.It Ev / { on = $3 == name } /^\.Sh / { on = 0 } on' "$page")" \
		"^\\.Dl .*$name=" "$name has an example"
done

is "$(from_table "$table" | sed -n 's/^CUAUDIT_DOMAINS	[^	]*	//p' | tr -d '\\\\')" \
	"$(sed -n 's/^DOMAIN([A-Z]*, \([a-z]*\))/\1/p' "$top_srcdir/include/internal/domains.def" | paste -s -d '|')[,...]" \
	"the domains are those of the auditor and the core"

# The classes a selector knows.
classes=$(sed -n 's/^CLASS([A-Z]*, "\([a-z]*\)", ".*/\1/p' "$top_srcdir/include/cuaudit/classes.def")
ok "there are classes" test -n "$classes"
for class in $classes; do
	like "$(sed -n '/^\.Ss Selectors/,/^\.Sh/p' "$page")" "(^|[ ,])$class([ ,]|$)" \
		"the page knows %$class"
done

# A page that lags behind is noticed.
sed 's/^Default: warn/Default: info/' "$page" >"$tmp/page.7"
ok "a wrong default is seen" test "$(from_page "$tmp/page.7")" != "$(from_table "$table")"
done_testing
