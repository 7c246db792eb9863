# SPDX-License-Identifier: Apache-2.0
# A stack of Python and native frames is the one that py-spy dump --native has of the same place.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

command -v "$PYTHON3" >"$tmp/which" || skip_all "no python3"
py_spy=$(command -v py-spy) || {
	test -n "${LONG_TESTS-}" || skip_all "long; make check-all runs it"
	"$PYTHON3" -m pip install -q --no-deps --target "$tmp/packages" py-spy >"$tmp/pip" 2>&1 ||
		skip_all "cannot download py-spy"
	py_spy=$tmp/packages/bin/py-spy
}

# frames: "FUNCTION (FILE:LINE)", or the library's name, a line; without what there is of libc outside of Python
frames() {
	sed -n 's/^ *\(.* ([^ ]*\.py:[0-9]*)\)$/\1/p; t
		s/^ *.* (\([^ ]*\)\.so[^ ]*)$/\1/p; t
		s/^ *\([^ ]*\)\.so[^ ]*+0x[0-9a-f]*$/\1/p' | sed 's,([^ ]*/,(,' |
		awk '{ line[NR] = $0 } END {
			while (NR && line[NR] == "libc")
				NR--
			for (i = 1; i <= NR; i++)
				print line[i]
		}'
}

"$PYTHON3" "$top_srcdir/t/python/native.py" wait >"$tmp/waits" &
waiting=$!
for _ in $(seq 1 100); do
	! grep -q waits "$tmp/waits" || break
	sleep 0.1
done
"$py_spy" dump --native --pid "$waiting" >"$tmp/theirs" 2>"$tmp/err" || {
	kill "$waiting"
	skip_all "py-spy cannot look: $(tail -n 1 "$tmp/err")"
}
kill "$waiting"
tool trace --driver sim --backtrace cuDriverGetVersion --frames 60 -o "$tmp/traces" \
	"$PYTHON3" "$top_srcdir/t/python/native.py" driver
tool convert --to jsonl --symbols no "$tmp/traces"
"$PYTHON3" -c 'import json, sys
for line in open(sys.argv[1]):
    print(*json.loads(line).get("stack", []), sep="\n")' "$tmp/out" | frames >"$tmp/ours"
# Its first is the function that is called.
frames <"$tmp/theirs" | sed 1d >"$tmp/wanted"
like "$(cat "$tmp/wanted")" 'inner \(native.py:[0-9]+\)' "py-spy sees Python, and what is native"
is "$(cat "$tmp/ours")" "$(cat "$tmp/wanted")" "the same frames, in the same order"
done_testing
