# SPDX-License-Identifier: Apache-2.0
# The page of cuaudit report --html in a browser: what it shows, and that it loads nothing.
. "${top_srcdir:-$(dirname "$0")/..}/t/html/lib.sh"

for chromium in chromium chromium-browser google-chrome none; do
	command -v "$chromium" >"$tmp/chromium" 2>&1 && break
done
test "$chromium" != none || skip_all "no Chromium"
"$PYTHON3" -c 1 2>"$tmp/python.err" || skip_all "no python3"
helper trace/synth

# browse FILE: does what standard input says in it; what it prints in $tmp/browsed.
browse() {
	cat "$tmp/library" - | "$PYTHON3" "$top_srcdir/t/html/browser.py" "$chromium" "$1" \
		>"$tmp/all" 2>"$tmp/browse.err" || sed 's/^/# /' "$tmp/browse.err"
	sed 1,11d "$tmp/all" >"$tmp/browsed"
}

# line N: of what was printed.
line() {
	sed -n "$1p" "$tmp/browsed"
}

# How many different colours a canvas has, what a table's column says, and as numbers.
cat >"$tmp/library" <<'END'
eval window.find = (selector) => document.querySelector(selector); 0
eval window.all = (selector) => [...document.querySelectorAll(selector)]; 0
eval window.bytes = (c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer; 0
eval window.colors = (selector) => new Set(new Uint32Array(bytes(find(selector)))).size; 0
eval window.clean = (e) => e.textContent.replace(/\u00a0/g, " "); 0
eval window.column = (id, i) => all(`#table-${id} tbody tr`).map((row) => clean(row.cells[i])); 0
eval window.numbers = (id, i) => column(id, i).map((text) => Number(text.replace(/,/g, ""))); 0
eval window.rising = (list) => list.every((n, i) => !i || n >= list[i - 1]); 0
eval window.at = (c, dx, dy) => { const b = c.getBoundingClientRect(); return { clientX: b.x + dx, clientY: b.y + dy, cancelable: true }; }; 0
eval window.wheel = (c, delta) => c.dispatchEvent(new WheelEvent("wheel", { deltaY: delta, ...at(c, 300, 40) })); 0
eval window.inView = () => clean(find(".head > div")); 0
END

synth -a -n 10 -t 1 "$tmp/ten.cutrace"
page "$tmp/ten.cutrace"
browse "$tmp/page.html" <<'END'
eval document.getElementById("title").textContent
eval all("#totals dd").map(clean).join()
eval all("#table-functions tbody tr").length
eval numbers("functions", 2).reduce((a, b) => a + b)
eval numbers("kernels", 2).reduce((a, b) => a + b)
eval colors(".sheet canvas") > 5
eval all("#table-longest tbody tr").length
click #tab-longest
eval document.getElementById("table-functions").hidden + " " + document.getElementById("table-longest").hidden
click #table-longest th:nth-child(3) button
eval find("#table-longest tbody td:nth-child(3)").title.replace(/,/g, "")
click #table-longest tbody tr:last-child td:last-child button
eval all(".chosen dt").map(clean).join()
eval find(".chosen dd").textContent === column("longest", 0).pop()
END
is "$(line 1)" '"python3 train.py --steps=10"' "ten calls: the title"
like "$(line 2)" '^"10,[0-9.]+ .{1,6}s,[0-9.]+ .{1,6}s,0,5,1,1"$' "ten calls: the totals"
is "$(line 3)" 5 "ten calls: a row for each function that was called"
is "$(line 4) $(line 5)" "$(truth calls) $(truth launches)" "ten calls: calls and launches in the tables"
is "$(line 6) $(line 7)" "true 10" "ten calls: they are drawn and listed"
is "$(line 8)" '"true false"' "a tab shows its table alone"
is "$(line 9)" "\"$(says last_start) ns\"" "the call that began last"
is "$(line 10)" '"Function,Call,Start,Host time,Result,Kernel,Called from,Thread,Correlation"' \
	"a call is shown with its arguments"
is "$(line 11)" true "the call that was asked for"
is "$(sed 1,11d "$tmp/browsed")" "" "no error, nothing loaded"

# NVTX ranges above their thread's calls, those of the process below its row.
synth -a -R -n 60 -t 2 "$tmp/ranges.cutrace"
page "$tmp/ranges.cutrace"
browse "$tmp/page.html" <<'END'
eval find(".labels .thread").style.height === "24px"
eval window.hover = (y) => { find(".sheet canvas").dispatchEvent(new PointerEvent("pointermove", at(find(".sheet canvas"), 400, y))); return all(".tip dt").map(clean)[0]; }; hover(8)
eval hover(28) + ", " + hover(40)
eval hover(53)
eval hover(64)
eval column("ranges", 0).includes("(outside of all)") && numbers("ranges", 2).reduce((a, b) => a + b)
eval new Ranges([[0, 20], [1, 19], [2, 5], [2, 4], [5, 5], [6, 30], [7, 8], [19, 21]].map(([start, end]) => ({ start, end }))).all.map((range) => range.lane).join("")
eval window.onerror
END
is "$(line 1)" false "ranges: a row has room for them"
is "$(line 3)" '"NVTX range, NVTX range"' "ranges: of the process"
is "$(line 4) $(line 5)" '"NVTX range" "NVTX range"' "ranges: of a thread"
is "$(line 6)" 60 "ranges: the table"
is "$(line 7)" '"01232231"' "ranges: those of several domains do not hide each other"
is "$(sed 1,8d "$tmp/browsed")" "" "ranges: no error, nothing loaded"

synth -a -b -n 200000 -t 4 "$tmp/some.cutrace"
page "$tmp/some.cutrace"
browse "$tmp/page.html" <<'END'
eval find("#totals dd").textContent
eval all(".labels .thread").length
eval colors(".sheet canvas") > 8
eval colors("#memory canvas") > 3
eval find("#table-functions th[aria-sort]").textContent
eval numbers("functions", 2).reduce((a, b) => a + b)
click #table-functions th:nth-child(3) button
eval rising(numbers("functions", 2).reverse())
key Enter
eval rising(numbers("functions", 2))
eval find("#table-functions th:nth-child(3)").getAttribute("aria-sort")
click #table-functions th:nth-child(1) button
eval rising(column("functions", 0))
click input[type=search]
key E
key V
key E
eval column("functions", 0).join()
click #table-functions tbody tr:first-child button
eval document.getElementById("latency-function").selectedOptions[0].textContent + " " + find(".legend [aria-pressed=true]").textContent
eval all("#latency rect").length > 3
click .sheet canvas
eval inView()
key +
key +
key +
eval inView()
key Home
eval inView()
eval wheel(find(".sheet canvas"), -300), inView()
click .labels button
eval all(".labels .thread").length
END
is "$(line 1) $(line 2)" "\"200,000\" 4" "200,000 calls: calls and threads"
is "$(line 3) $(line 4)" "true true" "200,000 calls: timeline and memory are drawn"
like "$(line 5)" '^"Total' "the table begins with the most time"
is "$(line 6)" "$(truth calls)" "the table's calls are all calls"
is "$(line 7)" true "a click sorts, the most first"
is "$(line 8) $(line 9)" 'true "ascending"' "the keyboard sorts the other way"
is "$(line 10)" true "names are sorted, too"
is "$(line 11)" '"cuEventQuery,cuEventRecord"' "the filter"
is "$(line 12)" '"cuEventQuery cuEventQuery"' "a function is chosen for the histogram and the timeline"
is "$(line 13)" true "its latencies are drawn"
ok "keys zoom" test "$(line 14)" != "$(line 15)"
is "$(line 16)" "$(line 14)" "and show everything again"
ok "the wheel zooms" test "$(line 17)" != "$(line 16)"
is "$(line 18)" 0 "a process is collapsed"
is "$(sed 1,18d "$tmp/browsed")" "" "no error, nothing loaded"

synth -a -n 3000 -t 3 "$tmp/poison.cutrace"
poison "$tmp/poison.cutrace"
page "$tmp/poison.cutrace"
browse "$tmp/page.html" <<'END'
eval all("img, b, s, i, a, [onerror], [onload], body script:not(#data)").length
eval String(window.hit)
eval document.title + " " + document.getElementById("title").textContent
eval column("functions", 0).filter((name) => name.startsWith("<") || name.startsWith("]")).sort().join(" ")
eval all("svg").length
eval column("kernels", 0).length > 20 && column("kernels", 0).every((name) => name.startsWith("<img"))
dark
eval getComputedStyle(document.body).backgroundColor !== "rgb(255, 255, 255)"
END
is "$(line 1) $(line 2)" '1 "undefined"' "names that are markup make no elements and run nothing"
like "$(line 3)" '^"<b>pwned<b .* <s>' "they are the title, as text"
is "$(line 4)" '"</script><script>1/ ]]><a href=x>"' "and names in tables"
is "$(line 5)" 1 "the histogram is the only drawing"
is "$(line 6)" true "kernels, too"
is "$(line 7)" true "dark where the system is"
is "$(sed 1,7d "$tmp/browsed")" "" "no error, nothing loaded"

synth -a -k -o -n 20000 -t 2 "$tmp/killed.cutrace"
head -c "$(($(wc -c <"$tmp/killed.cutrace") - 262144 + 60))" "$tmp/killed.cutrace" >"$tmp/torn.cutrace"
page "$tmp/torn.cutrace"
browse "$tmp/page.html" <<END
eval document.getElementById("warnings").hidden + " " + all("#warnings li").length
eval column("open", 0).join()
print $tmp/page.pdf
END
like "$(line 1)" '^"false [1-9]' "what is missing is reported"
is "$(line 2)" '"cuStreamSynchronize"' "a call that had not ended"
is "$(head -c 5 "$tmp/page.pdf")" "%PDF-" "it can be printed"
is "$(sed 1,2d "$tmp/browsed")" "" "no error, nothing loaded"
done_testing
