# SPDX-License-Identifier: Apache-2.0
# Whether a text of metrics is whole and well formed: says what is wrong, and ends with 1.
#
# usage: awk -v format=prometheus|openmetrics -f metrics.awk FILE

function wrong(text) {
	print FILENAME ":" FNR ": " text ": " $0
	bad = 1
}

# The labels of a sample into label[], without their quotes; order matters to nobody.
function labels(text,    n, name) {
	split("", label)
	while (text != "") {
		if (!match(text, /^[a-z_]+="([^"\\]|\\[\\"n])*"/)) {
			wrong("no label")
			return
		}
		n = index(text, "=")
		name = substr(text, 1, n - 1)
		if (name in label)
			wrong("a label twice")
		label[name] = substr(text, n + 2, RLENGTH - n - 2)
		text = substr(text, RLENGTH + 1)
		if (text != "" && (!sub(/^,/, "", text) || text == ""))
			wrong("no comma, or one too much")
	}
}

# A new family ends the one before for good.
function family(name) {
	if (name in seen)
		wrong("a family in two parts")
	seen[name]
	current = name
	type = ""
}

function check_bucket(series, value) {
	if (series != row) {
		if (row != "" && last_le != "+Inf")
			wrong("a histogram without +Inf before")
		row = series
		last_le = -1
		last = 0
	}
	if (last_le == "+Inf" || (label["le"] != "+Inf" && label["le"] + 0 <= last_le + 0))
		wrong("le does not ascend")
	if (value < last)
		wrong("a bucket smaller than the one before")
	last_le = label["le"]
	last = value
	infinite[series] = value
}

function check_sample(name, text, value,    base, series) {
	labels(text)
	series = text
	if (type == "")
		wrong("no type")
	if (type == "counter" && format == "openmetrics")
		base = current "_total"
	else
		base = current
	if (type == "histogram") {
		sub(/,le="[^"]*"/, "", series)
		if (name == current "_bucket")
			check_bucket(series, value)
		else if (name == current "_count" && value != infinite[series])
			wrong("a count that is not +Inf's")
		else if (name != current "_count" && name != current "_sum")
			wrong("no sample of this family")
	} else if (name != base) {
		wrong("no sample of this family")
	}
	if (type == "counter" && name !~ /_total$/)
		wrong("a counter without _total")
	if ((name, text) in samples)
		wrong("a series twice")
	samples[name, text]
	count++
}

ended { wrong("after the end") }

/^# HELP [a-z_]+ [^ ].*\.$/ { family($3); next }

/^# TYPE [a-z_]+ (counter|gauge|histogram)$/ {
	if ($3 != current || type != "")
		wrong("a type without help before, or twice")
	type = $4
	next
}

/^# UNIT [a-z_]+ seconds$/ {
	if ($3 != current || format != "openmetrics" || $3 !~ /_seconds$/)
		wrong("a unit that does not fit")
	next
}

/^# EOF$/ {
	if (format != "openmetrics")
		wrong("an end where none belongs")
	ended = 1
	next
}

/^[a-z_]+\{.*\} [0-9]+(\.[0-9]+)?$/ {
	if ($0 ~ /[\001-\037\177]/)
		wrong("a control character")
	match($0, /\{.*\}/)
	check_sample(substr($0, 1, RSTART - 1), substr($0, RSTART + 1, RLENGTH - 2), $NF + 0)
	next
}

{ wrong("neither a comment nor a sample") }

END {
	if (!count)
		wrong("no sample")
	if (format == "openmetrics" && !ended)
		wrong("no end")
	exit bad
}
