# SPDX-License-Identifier: Apache-2.0
# Ranges of NVTX itself: the toolkit's headers, and PyPI's nvtx.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

unset NVTX_INJECTION64_PATH
# traced COMMAND...: its ranges, "DOMAIN TEXT PAYLOAD COLOUR" a line.
traced() {
	rm -rf "$tmp/out.d"
	"$cuaudit" trace --driver sim -o "$tmp/out.d" "$@" >"$tmp/said" 2>"$tmp/err"
	"$cuaudit" convert --to jsonl "$tmp/out.d" 2>"$tmp/err" | grep '"type":"range"' >"$tmp/lines"
}

headers=
for directory in "$CUDA_HOME" /usr/local/cuda /usr; do
	test -z "$headers" && test -e "$directory/include/nvtx3/nvToolsExt.h" && headers=$directory/include
done
if test -n "$headers"; then
	compile -w -idirafter "$headers" -o "$tmp/headers" "$top_srcdir/t/nvtx/headers.c" "$simdir/libcuda.so.1" \
		-Wl,-rpath,"$simdir" -ldl 2>"$tmp/build.out" || bail_out "$(cat "$tmp/build.out")"
	traced "$tmp/headers"
	is "$(cat "$tmp/said")" "push 0
pop 0
enabled 1
push 0
pop 0" "the toolkit's headers: answers"
	like "$(cat "$tmp/lines")" '"text":"wíde","domain":"headers","colour":"#ff112233","payload":"1.5"}' \
		"... a registered text of wchar_t, a colour, a float"
	like "$(cat "$tmp/lines")" '"text":"destroyed","domain":"headers"' "... a domain that was destroyed"
	is "$(grep '"text":"popped with a payload"' "$tmp/lines" | grep -c unfinished)" 0 "... one that is popped with a payload has an end"
	is "$(wc -l <"$tmp/lines")" 5 "... and all there is"
else
	skip 5 "no CUDA toolkit with nvtx3"
fi

test -z "${LONG_TESTS-}" || {
	"$PYTHON3" -m pip install -q --no-deps --target "$tmp/packages" nvtx >"$tmp/pip" 2>&1 || diag "no nvtx: $(tail -n 1 "$tmp/pip")"
	export PYTHONPATH="$tmp/packages${PYTHONPATH+:$PYTHONPATH}"
}
# Not from here: a build directory has one called nvtx.
if (cd "$tmp" && "$PYTHON3" -c 'import nvtx; nvtx.annotate') 2>"$tmp/which"; then
	cat >"$tmp/program.py" <<'END'
import ctypes, nvtx
cu = ctypes.CDLL('libcuda.so.1')
cu.cuInit(0)
for i in range(3):
    with nvtx.annotate('step %d' % i, color='blue', domain='app', category='loop', payload=i):
        cu.cuInit(0)
nvtx.end_range(nvtx.start_range('async', domain='app', payload=2.5))
nvtx.mark('tick', domain='app')
nvtx.push_range('plain')
nvtx.pop_range()
END
	traced "$PYTHON3" "$tmp/program.py"
	is "$(wc -l <"$tmp/lines")" 6 "PyPI's nvtx: all ranges"
	like "$(cat "$tmp/lines")" '"text":"step 2","domain":"app","category":1,"category_name":"loop","colour":"#000000ff","payload":"2"}' \
		"... with domain, category, colour and payload"
else
	skip 2 "no nvtx of PyPI"
fi
# NVTX 2 is a library, which loads the injection as copies of NVTX 3 do.
legacy=
for directory in "$CUDA_HOME/lib64" /usr/local/cuda/lib64 \
	"$( (cd "$tmp" && "$PYTHON3" -c 'import nvidia.nvtx; print(*nvidia.nvtx.__path__)') 2>"$tmp/which")/lib"; do
	test -z "$legacy" && test -e "$directory/libnvToolsExt.so.1" && legacy=$directory/libnvToolsExt.so.1
done
if test -n "$legacy"; then
	helper nvtx/legacy
	traced "$tmp/legacy" "$legacy"
	is "$(cat "$tmp/said") $(grep -c '"text":"legacy"' "$tmp/lines")" "push 0, pop 0 1" "NVTX 2"
else
	skip 1 "no libnvToolsExt of NVTX 2"
fi
done_testing
