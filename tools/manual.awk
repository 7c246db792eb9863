# SPDX-License-Identifier: Apache-2.0
# Fills in cuaudit(1) from the table of subcommands and options.
#
# usage: awk -f manual.awk commands.def cuaudit.1.in

function fail(text) {
	print FILENAME ":" FNR ": " text | "cat >&2"
	failed = 1
	exit 1
}

# "a|B": literal words and placeholders.
function value(text,    n, part, i, line) {
	n = split(text, part, "|")
	for (i = 1; i <= n; i++)
		line = line (i > 1 ? " | " : "") \
			(part[i] ~ /^[A-Z]/ ? "Ar " tolower(part[i]) : "Cm " part[i])
	return line
}

# "[--] PROGRAM [ARGUMENT...]"
function arguments(text,    n, word, i, line, core, dots) {
	n = split(text, word, " ")
	for (i = 1; i <= n; i++) {
		core = word[i]
		gsub(/[][]/, "", core)
		dots = sub(/\.\.\.$/, "", core) ? " ..." : ""
		core = (core == "--" ? "Fl \\-" : value(core)) dots
		while (sub(/^\[/, "", word[i]))
			core = "Oo " core
		while (sub(/\]$/, "", word[i]))
			core = core " Oc"
		line = line (i > 1 ? " " : "") core
	}
	return "." line
}

# A sentence, in lines of 80.
function sentence(text,    n, word, i, used) {
	text = toupper(substr(text, 1, 1)) substr(text, 2) "."
	gsub(/\\/, "\\e", text)
	n = split(text, word, " ")
	for (i = 1; i <= n; i++) {
		if (used && used + length(word[i]) > 78) {
			printf "\n"
			used = 0
		}
		printf "%s%s", used ? " " : "", word[i]
		used += length(word[i]) + 1
	}
	printf "\n"
}

function synopsis(command) {
	print ".Nm"
	print ".Cm " command
	print ".Op Ar option ..."
	print arguments(takes[command])
}

function options(command,    i, any) {
	if (!(command in takes))
		fail("no such command: " command)
	sentence(summary[command])
	for (i = 1; i <= noptions; i++) {
		if (index(of[i], " " command " ") == 0)
			continue
		if (!any++)
			print ".Bl -tag -width Ds"
		print ".It Fl " letter[i] " , \\-" name[i] (takes_value[i] == "" ? "" : \
			" " value(takes_value[i]))
		sentence(help[i])
	}
	if (any)
		print ".El"
}

BEGIN { FS = "\"" }

FNR == NR && /^COMMAND\(/ {
	if (NF != 5)
		fail("no COMMAND(name, arguments, summary)")
	sub(/^COMMAND\(/, "", $1)
	sub(/,.*/, "", $1)
	order[++ncommands] = $1
	takes[$1] = $2
	summary[$1] = $4
	next
}

FNR == NR && /^OPTION\(/ {
	if (NF != 9 || !match($3, /'.'/))
		fail("no OPTION(commands, letter, name, value, help)")
	of[++noptions] = $2
	letter[noptions] = substr($3, RSTART + 1, 1)
	name[noptions] = $4
	takes_value[noptions] = $6
	help[noptions] = $8
	next
}

FNR == NR { next }

/^@synopsis@$/ {
	for (i = 1; i <= ncommands; i++)
		synopsis(order[i])
	next
}

/^@options [a-z]+@$/ {
	gsub(/^@options |@$/, "")
	options($0)
	shown[$0]
	next
}

{ print }

END {
	for (i = 1; !failed && i <= ncommands; i++)
		if (!(order[i] in shown))
			fail("the page says nothing of " order[i])
}
