# SPDX-License-Identifier: Apache-2.0
# Lines of Python in traces: recorded with each call, in stacks that are unwound, in reports.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

command -v "$PYTHON3" >"$tmp/which" || skip_all "no python3"
"$PYTHON3" -c 'import ctypes, sys; sys.exit(sys.version_info < (3, 9))' || skip_all "no python3"
cd "$tmp" || exit 1
top=$(cd "$top_srcdir" && pwd)

# A fork beside the trace's own thread, of which Python warns.
PYTHONWARNINGS=ignore::DeprecationWarning
export PYTHONWARNINGS

# traced OPTION...: into the directory a
traced() {
	rm -rf a
	tool trace --driver sim -o a "$@" "$PYTHON3" "$top/t/python/traced.py" "$tmp/expected"
	is "$status $(grep -v "calls\? in" err)" "0 " "trace $*"
}

# compared FRAMES FILE: the trace of the process that wrote what is expected
compared() {
	compared_tid=$(sed -n '1s/^.\([0-9]*\),.*/\1/p' expected)
	for compared_file in a/*.cutrace; do
		case $compared_file in
		*-"$compared_tid".cutrace) test "$2" = expected || continue ;;
		*) test "$2" = expected.child || continue ;;
		esac
		tool convert --to jsonl "$compared_file"
		sed '/"cuInit"/d' out >calls
		"$PYTHON3" "$top/t/python/compare.py" "$1" "$2" <calls
	done
}

traced --python '*'
is "$(compared 32 expected)" "right 500 wrong 0 missing 0" "each call's frames"
like "$(compared 32 expected.child)" '^right 90 wrong 0' "and a child's"

traced --python '*' --frames 5
is "$(compared 5 expected)" "right 500 wrong 0 missing 0" "no more than are wanted, which is said"
like "$(cat calls)" '"\.\.\."\]' "by a last one"

traced --backtrace '*' --frames 60
is "$(compared 60 expected)" "right 500 wrong 0 missing 0" "in stacks that are unwound"

tool report --by caller a
like "$(cat out)" 'cuDriverGetVersion, [^,]*\+0x[0-9a-f]+, traced.py:[0-9]+ in (Model\.)?step$' "callers by line"
tool report --by caller --format json a
is "$("$PYTHON3" -c 'import json; r = json.load(open("out"))["callers"]
print(sum(c["calls"] for c in r if c["name"] == "cuDriverGetVersion"),
      sum(c["calls"] for c in r if c.get("python", {}).get("file", "").startswith("made")))')" \
	"590 50" "each call is in one of them"
for format in chrome csv folded jsonl otlp perfetto text; do
	tool convert --to $format a
	is "$status" 0 "as $format"
	case $format in
	folded | otlp | jsonl | chrome | perfetto)
		like "$(tr -d '\0' <out)" 'traced\.py:[0-9]' "$format has lines" ;;
	esac
done
tool report --html page.html a
is "$status" 0 "a page"
like "$(cat page.html)" 'traced\.py:[0-9]+ in' "with lines"

# Calls of the runtime, and of a library of CUAUDIT_PROVIDERS.
helper runtime/libcudart.so.13
cat >domains.py <<'END'
import ctypes
driver, runtime, zlib = ctypes.CDLL("libcuda.so.1"), ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libz.so.1")
def ask():
    runtime.cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(4096))
def version():
    zlib.zlibVersion()
driver.cuInit(0)
for _ in range(3):
    ask()
version()
END
provided='--python --backtrace'
if test "$(loader_family)" != new; then
	provided=
	skip 4 "the loader does not report all bindings"
fi
for frames in $provided; do
	rm -rf d
	CUAUDIT_SIM_TOOLS=1 CUAUDIT_DOMAINS=driver,runtime CUAUDIT_PROVIDERS=libz.so.1 LD_LIBRARY_PATH="$tmp" \
		tool trace --driver sim -o d $frames 'cudaMalloc,libz.so.1:zlibVersion' "$PYTHON3" domains.py
	tool convert --to jsonl d
	is "$(grep -c '"cudaMalloc".*ask .*domains.py:4' out) $(grep -c '"cuMemAlloc_v2".*"stack"' out)" "3 0" \
		"$frames: of calls of the runtime"
	is "$(grep -c 'zlibVersion.*version .*domains.py:6' out)" 1 "$frames: and of another library"
done

traced --python cuInit
tool convert --to jsonl a
is "$(grep -c '"stack"' out)" 1 "of some functions alone"
tool trace --driver sim -o b --python '*' "$top_builddir/demo/cudemo" dlopen
tool convert --to jsonl b
is "$(grep -c '"stack"' out)" 0 "without Python there are none"
done_testing
