# SPDX-License-Identifier: Apache-2.0
# Callers as functions, files and lines: in reports and formats, of libraries of all kinds, damaged ones too.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

grep -q '^#define HAVE_LIBDW 1' "$top_builddir/config.h" || skip_all "built without libdw"
command -v "$PYTHON3" >"$tmp/which" || skip_all "no python3"
"$cuaudit" convert --to folded --demangle full /dev/null 2>&1 | grep -q libsupc && skip_all "built without libsupc++"

cat >"$tmp/run.cc" <<'END'
#include <vector>
typedef int call_fn(unsigned int);
namespace train { namespace {
struct Base {
	virtual ~Base() {}
	virtual int go(call_fn *call) = 0;
};
template <typename T> inline __attribute__((always_inline)) int each(const std::vector<T> &all, call_fn *call)
{
	int sum = 0;
	for (T one : all) {
		auto add = [&](int n) __attribute__((always_inline)) { return call(0) + n; };	// here
		sum += add((int)one);
		__asm__ volatile("" ::: "memory");
	}
	return sum;
}
template <typename T> struct Step : Base {
	std::vector<T> all{ 1, 2 };
	__attribute__((noinline)) int go(call_fn *call) override
	{
		int sum = each(all, call);
		__asm__ volatile("" ::: "memory");
		return sum;
	}
};
}
struct Runner {
	static __attribute__((noinline)) int run(Base &base, call_fn *call)
	{
		int sum = base.go(call);
		__asm__ volatile("" ::: "memory");
		return sum;
	}
};
}
extern "C" int library_run(call_fn *call)
{
	train::Step<long> one;
	train::Step<char> two;
	int sum = train::Runner::run(one, call) + train::Runner::run(two, call);
	__asm__ volatile("" ::: "memory");
	return sum;
}
END
cat >"$tmp/main.c" <<'END'
#include <dlfcn.h>
typedef int call_fn(unsigned int);
int library_run(call_fn *call);
static inline __attribute__((always_inline)) int leaf(call_fn *call)
{
	int result = call(0);	/* leaf */
	__asm__ volatile("" ::: "memory");
	return result;
}
static inline __attribute__((always_inline)) int middle(call_fn *call)
{
	return leaf(call);	/* middle */
}
__attribute__((noinline)) int outer(call_fn *call);
__attribute__((noinline)) int outer(call_fn *call)
{
	int sum = middle(call);	/* outer */
	__asm__ volatile("" ::: "memory");
	return sum + library_run(call);
}
int main(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int sum = outer((call_fn *)dlsym(driver, "cuInit"));
	__asm__ volatile("" ::: "memory");
	return sum != 6;
}
END
# line MARK: of main.c
line() {
	grep -n "/\* $1 \*/" "$tmp/main.c" | cut -d: -f1
}

# build NAME FLAG...: a program and its C++ library in $tmp/NAME.
build() {
	build_name=$1
	shift
	mkdir "$tmp/$build_name"
	$CXX -fPIC -fno-omit-frame-pointer -Wl,--build-id "$@" -shared -o "$tmp/$build_name/librun.so" "$tmp/run.cc" &&
		$CC -fno-omit-frame-pointer -Wl,--build-id "$@" -o "$tmp/$build_name/program" "$tmp/main.c" \
			-L"$tmp/$build_name" -lrun -Wl,-rpath,"$tmp/$build_name" -ldl
}

# ran NAME: its trace, $tmp/NAME/trace.cutrace
ran() {
	$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim \
		CUAUDIT_HOOKS="trace(file=$tmp/$1/trace.cutrace;backtrace=cuInit)" "$tmp/$1/program" \
		>"$tmp/$1/ran" 2>&1 || :
	test -s "$tmp/$1/trace.cutrace" || bail_out "no trace: $(head -n 1 "$tmp/$1/ran")"
}

build plain -O2 -g >"$tmp/build.out" 2>&1 || skip_all "no compiler for C++"
"$READELF" -n "$tmp/plain/program" | grep -q 'Build ID' || skip_all "no build ids here"
ran plain
plain=$tmp/plain/trace.cutrace

# What is known of the program, and its lines.
tool report --by caller "$plain"
is "$status $(wc -c <"$tmp/err")" "0 0" "report --by caller"
like "$(cat "$tmp/out")" " cuInit, leaf at [^ ]*main\.c:$(line leaf), program\+0x" "a caller is a function, a file and a line"
like "$(cat "$tmp/out")" " at [^ ]*run\.cc:$(grep -n '// here' "$tmp/run.cc" | cut -d: -f1), librun\.so\+0x" \
	"... also in a library of C++"
tool report --by caller --symbols no "$plain"
like "$(cat "$tmp/out")" ' cuInit, program\+0x[0-9a-f]+$' "--symbols no: an address"
fails "... alone" grep -q 'leaf' "$tmp/out"
tool report --by caller --format json "$plain"
"$PYTHON3" - "$tmp/out" >"$tmp/said" <<'END'
import json, sys
for caller in json.load(open(sys.argv[1]))["callers"]:
    if caller.get("caller_function") == "leaf":
        print(caller["caller_file"].rsplit("/", 1)[1], caller["caller_line"],
              *[(f["function"], f["line"]) for f in caller["inlined_into"]], len(caller["build_id"]))
END
is "$(cat "$tmp/said")" "main.c $(line leaf) ('middle', $(line middle)) ('outer', $(line outer)) 40" "report as JSON"
tool convert --to folded --weight calls "$plain"
like "$(cat "$tmp/out")" ';main;outer;middle;leaf;cuInit 1$' "folded: inlined functions are frames"
tool convert --to folded --weight calls --symbols no "$plain"
like "$(cat "$tmp/out")" ';program\+0x[0-9a-f]+;cuInit 1$' "folded: --symbols no"
tool convert --to csv "$plain"
is "$(head -n 1 "$tmp/out" | tr -d '\r' | cut -d, -f17-)" "caller_function,caller_file,caller_line,range" "csv: columns"
like "$(tr -d '\r' <"$tmp/out")" ",leaf,[^,]*main\.c,$(line leaf),\$" "csv: a row"
tool convert --to otlp "$plain"
like "$(cat "$tmp/out")" "\"code.function.name\",\"value\":\{\"stringValue\":\"leaf\"\}\},\{\"key\":\"code.file.path\",\"value\":\{\"stringValue\":\"[^\"]*main.c\"\}\},\{\"key\":\"code.line.number\",\"value\":\{\"intValue\":\"$(line leaf)\"\}\}" \
	"otlp: attributes of a span"
like "$(cat "$tmp/out")" 'leaf at [^"]*main\.c:[0-9]+\\u000amiddle at [^"]*\\u000aouter at [^"]*\\u000amain at ' "otlp: a stack"
tool convert --to chrome "$plain"
like "$(cat "$tmp/out")" "\"caller_function\":\"leaf\",\"caller_file\":\"[^\"]*main\.c\",\"caller_line\":$(line leaf)," "chrome"
tool convert --to jsonl "$plain"
like "$(cat "$tmp/out")" "\"caller_function\":\"leaf\",\"caller_file\":\"[^\"]*main\.c\",\"caller_line\":$(line leaf)," "jsonl"
like "$(cat "$tmp/out")" "\"frames\":\[\{\"at\":\"program\+0x[0-9a-f]+\",\"function\":\"leaf\",\"file\":\"[^\"]*main\.c\",\"line\":$(line leaf),\"inlined\":true\},\{" \
	"jsonl: frames"
tool convert --to jsonl --symbols no "$plain"
fails "jsonl: --symbols no" grep -q 'caller_function\|"frames"' "$tmp/out"
tool report --html "$tmp/page" "$plain"
like "$(cat "$tmp/page")" "leaf at [^ \"]*main\.c:$(line leaf), program\+0x" "the page: a caller"
like "$(cat "$tmp/page")" "leaf at [^ \"]*main\.c:$(line leaf) \\\\u003c middle at .* \\\\u003c outer at [^\"]*, program\+0x" "the page: of a call"
tool convert --to perfetto -o "$tmp/perfetto" "$plain"
case $status in
0)
	ok "perfetto: the names of a caller's fields" grep -q -a 'caller_function.*caller_line' "$tmp/perfetto"
	ok "perfetto: a stack" grep -q -a "leaf at [^ ]*main\\.c:$(line leaf) < middle at [^ ]* < outer at [^ ]* < main at " "$tmp/perfetto"
	;;
*) skip 2 "no protobuf-c" ;;
esac
tool convert --to ctf -o "$tmp/ctf" "$plain"
like "$(cat "$tmp"/ctf/*/metadata)" "\"leaf at [^ \"]*main\.c:$(line leaf), program\+0x[0-9a-f]+\" = " "ctf: callers"
like "$(cat "$tmp"/ctf/*/metadata)" "\"leaf at [^ ]*main\.c:$(line leaf) < middle at [^ ]* < outer at [^ ]* < main at " "ctf: stacks"
build long -O2 -g "-fdebug-prefix-map=$tmp=/$(printf %0300d 0)" >"$tmp/build.out" 2>&1 || bail_out "$(cat "$tmp/build.out")"
ran long
tool convert --to ctf -o "$tmp/long/ctf" "$tmp/long/trace.cutrace"
is "$(sed -n 's/.*"\(leaf at .* < middle at .* < main at [^ ]*\).*" = .*/\1/p' "$tmp"/long/ctf/*/metadata | tr ' ' '\n' |
	grep -c "^/0*/main.c:[0-9]*\$")" 4 "ctf: a stack of more than a kilobyte"
if tool convert --to sqlite -o "$tmp/db" "$plain" && test "$status" = 0 && command -v sqlite3 >"$tmp/which"; then
	is "$(sqlite3 "$tmp/db" "SELECT caller_function, caller_line FROM calls WHERE caller_function = 'leaf'")" \
		"leaf|$(line leaf)" "sqlite: calls"
	is "$(sqlite3 "$tmp/db" "SELECT inlined, function, line FROM frames WHERE stack = 1 AND position = 0" | xargs)" \
		"0|leaf|$(line leaf) 1|middle|$(line middle) 2|outer|$(line outer)" "sqlite: frames"
	is "$(sqlite3 "$tmp/db" "SELECT calls FROM by_caller WHERE caller_function = 'leaf'")" 1 "sqlite: by_caller"
else
	skip 3 "no sqlite3"
fi

# A program that was started by a relative path is found from elsewhere.
(
	cd "$tmp/plain" && "$cuaudit" trace -d sim -o "$tmp/relative" ./program
) >"$tmp/ran" 2>&1 || :
tool report --by caller "$tmp/relative"
like "$(cat "$tmp/out")" ' leaf at ' "a program started by a relative path"

# Each address as another implementation has it.
if command -v eu-addr2line >"$tmp/which"; then
	# alike NAME WHAT FLAG...
	alike() {
		alike_name=$1 alike_what=$2
		shift 2
		if ! test -d "$tmp/$alike_name"; then
			build "$alike_name" "$@" >"$tmp/build.out" 2>&1 || {
				skip 1 "this compiler cannot: $alike_what"
				return 0
			}
			ran "$alike_name"
		fi
		tool convert --to jsonl --demangle full "$tmp/$alike_name/trace.cutrace"
		"$PYTHON3" -B "$top_srcdir/t/trace/lines.py" eu-addr2line "$tmp/out" "program=$tmp/$alike_name/program" \
			"librun.so=$tmp/$alike_name/librun.so" >"$tmp/compared" 2>"$tmp/differ" || :
		like "$(cat "$tmp/compared")" '^True [0-9]+ 0$' "as eu-addr2line: $alike_what"
		sed 's/^/# /' "$tmp/differ"
	}
	alike plain "-O2 -g"
	like "$(cat "$tmp/compared")" '^True [1-9]' "... with inlined functions"
	alike debug "-O0 -g" -O0 -g
	alike four "DWARF 4" -O2 -gdwarf-4
	alike three "DWARF 3" -O2 -gdwarf-3
	alike packed "compressed sections" -O2 -g -gz
	alike types "units of types" -O2 -g -fdebug-types-section
	alike sections "sections of functions" -O2 -g -ffunction-sections -Wl,--gc-sections
	alike bare "no -g" -O2
	alike fixed "-no-pie" -O2 -g -no-pie
else
	skip 10 "no eu-addr2line"
fi

# Where the debugging information is in a file of its own.
if command -v objcopy >"$tmp/which" && build stripped -O2 -g >"$tmp/build.out" 2>&1; then
	ran stripped
	cd "$tmp/stripped" || exit 1
	for file in program librun.so; do
		objcopy --only-keep-debug $file $file.debug
		objcopy --strip-all --add-gnu-debuglink=$file.debug $file
	done
	cd "$OLDPWD" || exit 1
	tool report --by caller "$tmp/stripped/trace.cutrace"
	like "$(cat "$tmp/out")" " leaf at [^ ]*main\.c:$(line leaf)," "stripped: the debug file that .gnu_debuglink names"
	mkdir "$tmp/apart"
	mv "$tmp"/stripped/*.debug "$tmp/apart"
	tool report --by caller "$tmp/stripped/trace.cutrace"
	like "$(cat "$tmp/out")" ' cuInit, program\+0x[0-9a-f]+$' "... which is gone"
	id=$("$READELF" -n "$tmp/stripped/program" | sed -n 's/.*Build ID: *//p')
	rest=${id#??}
	by_id=/usr/lib/debug/.build-id/${id%"$rest"}
	if mkdir -p "$by_id" 2>"$tmp/none" && cp "$tmp/apart/program.debug" "$by_id/$rest.debug"; then
		tool report --by caller "$tmp/stripped/trace.cutrace"
		like "$(cat "$tmp/out")" " leaf at [^ ]*main\.c:$(line leaf)," "... the one of its build ID"
		mv "$tmp/stripped/program" "$tmp/stripped/moved"
		tool report --by caller "$tmp/stripped/trace.cutrace"
		like "$(cat "$tmp/out")" " leaf at [^ ]*main\.c:$(line leaf)," "... also without the program itself"
		mv "$tmp/stripped/moved" "$tmp/stripped/program"
		rm "$by_id/$rest.debug"
		rmdir "$by_id" 2>"$tmp/none" || :
	else
		skip 2 "only root can put debug files there"
	fi
	# A server of them, on this machine alone: /KIND of its address says how it answers.
	cat >"$tmp/server.py" <<'END'
import http.server, os, sys, threading
build_id, directory, port = sys.argv[1:4]
over = threading.Event()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open(port + ".asked", "a") as asked:
            print(self.path, file=asked)
        kind, _, rest = self.path[1:].partition("/")
        name = {"executable": "moved", "debuginfo": "program.debug"}.get(rest.rpartition("/")[2], "")
        if kind == "silent":
            over.wait()
        elif kind == "garbage":
            self.answer(b"no file of ELF\n" * 1000)
        elif kind == "other":
            self.answer(open(directory + "/librun.so.debug", "rb").read())
        elif kind == "loop":
            self.send_response(302)
            self.send_header("Location", self.path)
            self.end_headers()
        elif kind == "huge":
            self.send_response(200)
            self.send_header("Content-Length", str(1 << 40))
            self.end_headers()
            try:
                while True:
                    self.wfile.write(bytes(1 << 16))
            except OSError:
                pass
        elif kind == "error":
            self.send_error(500)
        elif "/buildid/%s/" % build_id in self.path and (kind == "all" or kind == name):
            self.answer(open(directory + "/" + name, "rb").read())
        else:
            self.send_error(404)
    def answer(self, data):
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
open(port + ".new", "w").write(str(server.server_port))
os.rename(port + ".new", port)
server.serve_forever()
END
	# asked KIND [VARIABLE=VALUE...]: the report, of a server that answers so.
	asked() {
		asked_kind=$1
		shift
		: >"$tmp/port.asked"
		status=0
		env DEBUGINFOD_CACHE_PATH="$tmp/cache.$asked_kind" DEBUGINFOD_RETRY_LIMIT=1 \
			DEBUGINFOD_URLS="http://127.0.0.1:$(cat "$tmp/port")/$asked_kind" "$@" \
			timeout 300 "$cuaudit" report --by caller "$tmp/stripped/trace.cutrace" >"$tmp/out" 2>"$tmp/err" ||
			status=$?
	}
	# bad KIND TEXT WHAT [VARIABLE=VALUE...]: a whole report, and TEXT once for a library.
	bad() {
		bad_kind=$1 bad_text=$2 bad_what=$3
		shift 3
		asked "$bad_kind" "$@"
		is "$status $(grep -c "stripped/program: $bad_text\$" "$tmp/err") $(grep -cv ": $bad_text\$" "$tmp/err") $(grep -c ' cuInit, .*+0x' "$tmp/out")" \
			"0 1 0 3" "$bad_what: said once, and the report is whole"
		sed 's/^/# /' "$tmp/err"
	}
	if "$PYTHON3" -c 'import ctypes; ctypes.CDLL("libdebuginfod.so.1")' 2>"$tmp/none"; then
		"$PYTHON3" "$tmp/server.py" "$id" "$tmp/apart" "$tmp/port" >"$tmp/none" 2>&1 &
		server=$!
		until test -s "$tmp/port"; do kill -0 $server || break; done
		HOME=$tmp
		export HOME
		asked all
		like "$(cat "$tmp/out")" " leaf at [^ ]*main\.c:$(line leaf)," "... of a server"
		: >"$tmp/port.asked"
		tool report --by caller "$tmp/stripped/trace.cutrace"
		like "$(cat "$tmp/out")" ' cuInit, program\+0x[0-9a-f]+$' "... where no DEBUGINFOD_URLS is set none is asked"
		asked all DEBUGINFOD_URLS=
		is "$(wc -c <"$tmp/port.asked")" 0 "... nor where it is empty"
		# The program has gone.
		mv "$tmp/stripped/program" "$tmp/apart/moved"
		bad error "not here, and the servers of DEBUGINFOD_URLS do not have it" "an error of the server"
		bad garbage "what a server of DEBUGINFOD_URLS has is not used: its build ID is another" "garbage"
		bad other "what a server of DEBUGINFOD_URLS has is not used: its build ID is another" "another file"
		bad huge "what a server of DEBUGINFOD_URLS has is not used: it is larger than 4 GiB" "a huge file"
		late="the servers of DEBUGINFOD_URLS are not asked further: they take too long"
		bad silent "$late" "a silent server" DEBUGINFOD_TIMEOUT=1
		is "$(wc -l <"$tmp/err") $(sort -u "$tmp/port.asked" | wc -l)" "1 1" "... which is not asked about the next one"
		bad closed "the servers of DEBUGINFOD_URLS are not asked further: Connection refused" "no server" \
			DEBUGINFOD_URLS=http://127.0.0.1:1
		if test -n "${LONG_TESTS-}"; then
			bad silent "$late" "a silent server, by our own deadline"
			asked loop
			is "$status $(wc -l <"$tmp/err") $(grep -c ' cuInit, .*+0x' "$tmp/out")" "0 1 3" "redirections without end"
			sed 's/^/# /' "$tmp/err"
		fi
		asked program.debug
		like "$(cat "$tmp/out")" " leaf at [^ ]*main\.c:$(line leaf)," "a program that has gone: a server's debug file"
		asked all
		like "$(cat "$tmp/out")" " leaf at [^ ]*main\.c:$(line leaf)," "... and the program itself"
		is "$status $(wc -c <"$tmp/err") $(grep -c "/$id/executable" "$tmp/port.asked")" "0 0 1" "... for which it is asked"
		cp "$tmp/stripped/librun.so" "$tmp/stripped/program"
		asked all
		like "$(cat "$tmp/out")" " leaf at [^ ]*main\.c:$(line leaf)," "another file is in its place"
		mv "$tmp/apart/moved" "$tmp/stripped/program"
		kill $server
	else
		skip 14 "no libdebuginfod"
	fi
	# Opening it waits for a writer, for ever.
	mkfifo "$tmp/stripped/program.debug"
	tool report --by caller "$tmp/stripped/trace.cutrace"
	is "$status $(grep -c 'stripped/program: its debugging information is not used: reading it takes too long$' "$tmp/err")" \
		"0 1" "a debug file that is a FIFO: said once"
	is "$(grep -c ' cuInit, .*+0x' "$tmp/out")" 3 "... and the report is whole"
else
	skip 20 "no objcopy"
fi

# Another library by the name of the one that ran.
build other -O2 -g >"$tmp/build.out" 2>&1 || bail_out "cannot build again"
ran other
cp "$tmp/other/librun.so" "$tmp/other/kept.so"
$CXX -shared -fPIC -O1 -Wl,--build-id -g -o "$tmp/other/librun.so" "$tmp/run.cc"
tool report --by caller "$tmp/other/trace.cutrace"
is "$status $(grep -c 'other/librun.so: not the file that ran, by its build ID' "$tmp/err") $(wc -l <"$tmp/err")" "0 1 1" \
	"a library that was replaced: said once"
like "$(cat "$tmp/out")" ' cuInit, librun\.so\+0x[0-9a-f]+$' "... and no name of it"
like "$(cat "$tmp/out")" ' leaf at ' "... others have theirs"
tool report "$tmp/other/trace.cutrace"
is "$(wc -c <"$tmp/err")" 0 "other tables open no library"
# Processes of the same path, each with its own.
mv "$tmp/other/trace.cutrace" "$tmp/first.cutrace"
ran other
tool report --by caller --format json "$tmp/first.cutrace" "$tmp/other/trace.cutrace"
is "$(grep -o '"build_id":"[0-9a-f]*"' "$tmp/out" | sort -u | wc -l)" 3 "two files of one path are two"
mv "$tmp/other/kept.so" "$tmp/other/librun.so"

# Whatever is in a file, the report is whole.
cat >"$tmp/damage.py" <<'END'
import os, random, subprocess, sys
readelf, path, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
data = bytearray(open(path + ".whole", "rb").read())
parts = [(int.from_bytes(data[40:48], "little"), 64 * int.from_bytes(data[60:62], "little"))]
for line in subprocess.run([readelf, "-SW", path + ".whole"], capture_output=True, text=True).stdout.split("\n"):
    field = line.replace("[ ", "[").split()
    if len(field) > 5 and field[1].startswith((".debug", ".symtab", ".strtab", ".dynsym", ".dynstr")):
        parts.append((int(field[4], 16), int(field[5], 16)))
chance = random.Random(seed)
for _ in range(chance.choice([1, 4, 30, 300, 3000])):
    at, size = chance.choice(parts[1:] if chance.random() < .97 else parts)
    at += chance.randrange(size)
    if at < len(data):
        data[at] ^= 1 << chance.randrange(8)
open(path + ".new", "wb").write(data)
os.rename(path + ".new", path)
END
cp "$tmp/other/librun.so" "$tmp/other/librun.so.whole"
cp "$tmp/first.cutrace" "$tmp/other/trace.cutrace"
seed=0 wrong=
seeds=150
test -z "${LONG_TESTS-}" || seeds=3000
while test $seed -lt "$seeds"; do
	"$PYTHON3" -B "$tmp/damage.py" "$READELF" "$tmp/other/librun.so" $seed
	tool report --by caller "$tmp/other/trace.cutrace"
	test "$status $(grep -c ' cuInit, .*+0x' "$tmp/out")" = "0 3" || wrong="$wrong $seed"
	seed=$((seed + 1))
done
is "$wrong" "" "damaged debugging information: seeds 0 to $((seed - 1))"
cp "$tmp/other/librun.so.whole" "$tmp/other/librun.so"

# A library that is stripped of all but what the loader needs: what it exports has its name, and nothing else.
cat >"$tmp/exports.c" <<'END'
typedef int call_fn(unsigned int);
int exported(call_fn *call);
static __attribute__((noinline)) int hidden(call_fn *call)
{
	int result = call(0);
	__asm__ volatile("" ::: "memory");
	return result;
}
int exported(call_fn *call)
{
	int result = call(0);
	__asm__ volatile("" ::: "memory");
	return result + hidden(call);
}
END
printf '%s\n' '#include <dlfcn.h>' 'int exported(int (*call)(unsigned int));' \
	'int main(void) { return exported((int (*)(unsigned int))dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuInit")); }' \
	>"$tmp/exported.c"
mkdir "$tmp/exported"
compile -w -O1 -g -shared -fPIC -Wl,--build-id -o "$tmp/exported/libexports.so" "$tmp/exports.c" -s &&
	compile -w -o "$tmp/exported/program" "$tmp/exported.c" -L"$tmp/exported" -lexports -Wl,-rpath,"$tmp/exported" -ldl ||
	bail_out "cannot build a stripped library"
ran exported
# exported_is: how many calls of the exported function have its name, and of the static one none
exported_is() {
	echo "$(grep -c ' cuInit, exported, libexports\.so+0x' "$tmp/out") $(grep -c ' cuInit, libexports\.so+0x' "$tmp/out")"
}
tool report --by caller "$tmp/exported/trace.cutrace"
is "$status $(exported_is)" "0 1 1" "stripped: an exported function by .dynsym, and no name for a static one"

# One that is built anew in the place of another while the program runs, as by a JIT, and loaded where that was.
mkdir "$tmp/replaced"
for version in first second; do
	printf 'int cuInit(unsigned int);\n%s\nint %s(void)\n{\n\treturn cuInit(0);\n}\n' \
		"$(test $version = first || echo 'int other(int n) { return n * 3 + 1; }')" $version >"$tmp/replaced/$version.c"
	compile -w -O1 -g -shared -fPIC -Wl,--build-id -o "$tmp/replaced/$version.so" "$tmp/replaced/$version.c" "$simdir/libcuda.so.1" ||
		bail_out "cannot build a library"
done
cat >"$tmp/replaced.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	for (int i = 0; i < 4; i++) {
		void *library;
		int (*call)(void);

		if (system(i % 2 ? "cp --remove-destination second.so now.so" : "cp --remove-destination first.so now.so"))
			return 1;
		library = dlopen("./now.so", RTLD_NOW);
		call = library ? (int (*)(void))dlsym(library, i % 2 ? "second" : "first") : NULL;
		if (!call || call())
			return 2;
		dlclose(library);
	}
	return 0;
}
C
compile -w -o "$tmp/replaced/program" "$tmp/replaced.c" -ldl || bail_out "cannot build a program"
status=0
(cd "$tmp/replaced" && audited CUAUDIT_DRIVER=sim CUAUDIT_FOLLOW=no CUAUDIT_HOOKS="trace(file=$tmp/replaced/trace.cutrace)" ./program) \
	>"$tmp/out" 2>"$tmp/err" || status=$?
is "$status" 0 "a library that is replaced: the program ends well"
(cd "$tmp/replaced" && "$cuaudit" report --by caller trace.cutrace) >"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/out")" ' 2 .* cuInit, second at .*second\.c:5, now\.so\+0x' "... calls of the one that is there"
unlike "$(cat "$tmp/out")" 'first\.c' "... none is taken for its own that the other one made"
is "$(cat "$tmp/err")" "cuaudit: $(cd "$tmp/replaced" && pwd -P)/now.so: not the file that ran, by its build ID; names of its functions are not taken from it" \
	"... which is told"
echo 'never cuInit' >"$tmp/replaced/rules"
(cd "$tmp/replaced" && "$cuaudit" check -d sim --rules rules -- ./program) >"$tmp/out" 2>"$tmp/err" || :
like "$(cat "$tmp/err")" ' at .*second\.c:5 in second$' "... and so in what breaks a rule"
is "$(grep -c 'first\.c\|other' "$tmp/err")" 0 "... none is taken for its own"

# libdw itself ends the process it runs in.
echo 'void *dwfl_begin(const void *callbacks) { (void)callbacks; __builtin_trap(); }' >"$tmp/trap.c"
$CC -shared -fPIC -o "$tmp/trap.so" "$tmp/trap.c"
status=0
env LD_PRELOAD="$tmp/trap.so" "$cuaudit" report --by caller "$tmp/other/trace.cutrace" >"$tmp/out" 2>"$tmp/err" || status=$?
is "$status $(grep -c ': its debugging information is not used: it is damaged, or takes too much memory$' "$tmp/err")" "0 2" \
	"a crash of libdw: said once for each library"
like "$(cat "$tmp/out")" ' cuInit, outer, program\+0x[0-9a-f]+$' "... names come from the symbol tables"
env LD_PRELOAD="$tmp/trap.so" "$cuaudit" report --by caller "$tmp/exported/trace.cutrace" >"$tmp/out" 2>"$tmp/err" || :
is "$(exported_is)" "1 1" "... and where there is no other from .dynsym"

refused 2 "--symbols takes yes\|no, not 'maybe'" "--symbols: a wrong word" report --symbols maybe "$plain"
refused 2 "--symbols takes yes\|no, not 'maybe'" "... of convert" convert --to csv --symbols maybe "$plain"
done_testing
