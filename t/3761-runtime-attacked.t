# SPDX-License-Identifier: Apache-2.0
# Two versions of a shared runtime in one process, come by in odd ways: counts are what the program did.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

test "$(loader_family)" = new || skip_all "the loader does not report all bindings"

here=$top_srcdir/t/runtime
for version in 12 13; do
	mkdir "$tmp/$version"
	printf 'libcudart.so.%s { global: cuda*; local: *; };\n' $version >"$tmp/map"
	compile -shared -fPIC -DVERSION=$version -Wl,-soname,libcudart.so.$version -Wl,--version-script="$tmp/map" \
		-o "$tmp/$version/libcudart.so.$version" "$here/version.c" || bail_out "cannot build a runtime"
done
compile -shared -fPIC -DUSER -o "$tmp/libuser.so" "$here/version.c" -L"$tmp/13" -l:libcudart.so.13 -Wl,-rpath,"$tmp/13" &&
	compile -pthread -o "$tmp/attacks" "$here/attacks.c" -ldl || bail_out "cannot build"
set -- "$tmp/12/libcudart.so.12" "$tmp/13/libcudart.so.13" "$tmp/libuser.so"

for mode in two global deepbind constructor beside versions reload threads; do
	$run_env "$tmp/attacks" $mode "$@" >"$tmp/native" 2>&1
	like "$(cat "$tmp/native")" '^[1-9][0-9]* calls, 0 wrong$' "$mode: the program itself"
	for now in "" 1; do
		for hooks in 'stat(format=json)' "trace(file=$tmp/trace),stat(format=json)"; do
			rm -f "$tmp/counts" "$tmp/trace"
			status=0
			audited CUAUDIT_DOMAINS=driver,runtime CUAUDIT_HOOKS="$hooks" CUAUDIT_OUTPUT="$tmp/counts" \
				timeout 300 env LD_BIND_NOW=$now "$tmp/attacks" $mode "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
			is "$status $(cat "$tmp/out")" "0 $(cat "$tmp/native")" "$mode${now:+, LD_BIND_NOW}, ${hooks%%(*}: the program"
			is "$($PYTHON3 -c '
import json, sys
print(sum(row["calls"] for row in json.load(open(sys.argv[1]))["functions"] if "cudaGetDevice" in row["name"]))' "$tmp/counts" 2>&1)" \
				"$(sed 's/ .*//' "$tmp/native")" "... each call is counted once"
		done
	done
done
done_testing
