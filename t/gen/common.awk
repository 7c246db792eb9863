# SPDX-License-Identifier: Apache-2.0
# Picks the lines of our table of types that an older toolkit's table has too.
#
# awk -v exact=0|1 -f common.awk OVERRIDES THEIRS OURS: names that OVERRIDES
# says moves(name) of, where '*' stands for anything, only if exact.
function key(	words, i, n) {
	n = split($0, words, /[(), ]+/)
	if (words[1] == "ENUMERATOR")
		return words[3]
	if (words[1] == "FIELD")
		return words[2] "." words[n - 1]
	return words[2]
}
FNR == 1 { file++ }
file == 1 && /^moves\(/ && !exact {
	split($0, part, /[()]/)
	gsub(/[.]/, "[.]", part[2])
	gsub(/[*]/, ".*", part[2])
	moving = moving "|" part[2]
}
file == 2 && /^[A-Z_]+\(/ { theirs[key()] = 1 }
file == 2 && /^FIELD\(/ {
	split($0, part, /[(), ]+/)
	fields[part[2]] = fields[part[2]] " " substr(key(), length(part[2]) + 2)
}
# Fields of a structure under its other names.
file == 2 && /^STRUCT_ALIAS\(/ {
	split($0, part, /[(), ]+/)
	n = split(fields[part[3]], paths, " ")
	for (i = 1; i <= n; i++)
		theirs[part[2] "." paths[i]] = 1
}
file == 3 && /^[A-Z_]+\(/ && (key() in theirs) && key() !~ "^(" substr(moving, 2) ")$" { print }
