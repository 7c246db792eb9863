#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Real CUDA runtimes and cuda-bindings, from PyPI, on the simulated driver: nothing escapes.
#
# A runtime stops where the simulated driver lacks what it wants of
# cuGetExportTable; the test ends there. t/data/runtimes-counts.txt has what
# each did until then.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

. "$top_srcdir/t/runtimes/wheels.sh"

recorded=$top_srcdir/t/data/runtimes-counts.txt
offline=

"$PYTHON3" --version >"$tmp/python" 2>&1 || skip_all "no python3"
tag=$("$PYTHON3" -c 'import sys; print(sys.implementation.cache_tag)') || skip_all "no python3"

# have PACKAGE DIR: the package is in the cache; a skip says why it is not.
have() {
	test ! -d "$cache/$2" || return 0
	if test -z "${LONG_TESTS-}"; then
		skip 1 "long; make check-all runs it"
	elif ! "$PYTHON3" -m pip --version >"$tmp/pip" 2>&1; then
		skip 1 "no pip"
	elif test -n "$offline"; then
		skip 1 "cannot download $1"
	elif ! fetch "$1" "$2" >"$tmp/fetch" 2>&1; then
		diag "$(tail -n 3 "$tmp/fetch")"
		offline=yes
		skip 1 "cannot download $1"
	else
		return 0
	fi
	return 1
}

# native [VARIABLE=VALUE...] COMMAND...: the simulated driver, not us.
native() {
	env LD_LIBRARY_PATH="$simdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$@"
}

# looked_up: the names looked up in the driver natively, as the loader tells it.
looked_up() {
	sed -n "s|.*symbol=\(cu[A-Za-z0-9_]*\);.* file=$simdir/libcuda\.so\.1 .*|\1|p" \
		"$tmp"/debug.* | sort
}

# same NAME COMMAND...: it prints the same audited as not. What it did is in $tmp/facts.
same() {
	same_name=$1
	shift
	rm -f "$tmp"/debug.* "$tmp/report" "$tmp/report.part"
	ok "$same_name: natively" native LD_DEBUG=symbols LD_DEBUG_OUTPUT="$tmp/debug" "$@"
	cp "$tmp/tap.out" "$tmp/native"
	ok "$same_name: audited" audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS='stat(format=json)' \
		CUAUDIT_OUTPUT="$tmp/report" "$@"
	cp "$tmp/tap.out" "$tmp/audited"
	is "$(cat "$tmp/audited")" "$(cat "$tmp/native")" "$same_name: the same results"
	ok "$same_name: a report" "$PYTHON3" "$top_srcdir/t/runtimes/facts.py" "$tmp/report"
	cp "$tmp/tap.out" "$tmp/facts"
	unlike "$(cat "$tmp/facts")" '^escapes' "$same_name: nothing escapes"
	like "$(cat "$tmp/facts")" "^bound by dlsym $(looked_up | wc -l)\$" \
		"$same_name: as many names by dlsym as natively"
	unlike "$(cat "$tmp/facts")" '^bound by dlsym 0$' "$same_name: and there are some"
	looked_up | sed 's/^/dlsym /' >>"$tmp/facts"
	# What the simulated driver says itself, once in a process, is nothing that the program prints.
	sed '/^simulated driver: /d; s/^/prints /' "$tmp/native" >>"$tmp/facts"
}

# as_recorded NAME: $tmp/facts is what the file says of NAME.
as_recorded() {
	sed -n "s|^$1: ||p" "$recorded" >"$tmp/want"
	ok "$1: the counts are the recorded ones" diff "$tmp/want" "$tmp/facts"
}

# runtime NAME PROGRAM [LIBRARY]
runtime() {
	runtime_name=$1
	program=$2
	shift 2
	same "$runtime_name" "$program" calls "$@"
	answered=$(sed -n 's/^bound by procaddr //p' "$tmp/facts")

	# Every pointer the runtime keeps is the stub of the function it keeps natively.
	native "$program" held "$@" >"$tmp/native"
	ok "$runtime_name: what it keeps" audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS= \
		"$program" held "$@"
	# But for what the simulated driver tells of runtimes, on standard error.
	grep -v '^simulated driver: ' "$tmp/tap.out" >"$tmp/audited"
	ok "$runtime_name: the same functions as natively" diff "$tmp/native" "$tmp/audited"
	unlike "$(cat "$tmp/native")" '^stray' "$runtime_name: no other pointer to the driver"
	env LD_AUDIT="$tmp/other.so:$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_HOOKS= \
		"$program" held "$@" 2>&1 | grep -v '^simulated driver: ' >"$tmp/behind"
	ok "$runtime_name: the same behind another auditor" diff "$tmp/native" "$tmp/behind"
	echo "keeps $(grep -c '^held' "$tmp/native") pointers" >>"$tmp/facts"

	ok "$runtime_name: what it asks for" audited ROUTES=routed CUAUDIT_DRIVER=sim \
		CUAUDIT_HOOKS= "$program" asked "$@"
	sed -n 's/^asked //p' "$tmp/tap.out" >"$tmp/asked"
	is "$(grep -c ' cu[A-Za-z0-9_]*$' "$tmp/asked") of $(grep -v -c ' none$' "$tmp/asked")" \
		"$answered of $answered" "$runtime_name: every answer is a stub"
	awk '
	!seen[$1]++ { names++ }
	$3 == 2 { streams++ }
	$4 == "none" { print "no answer", $1, $2, $3 }
	END { printf "asks %d times for %d names, %d for a per-thread stream\n", NR, names, streams }' \
		"$tmp/asked" >>"$tmp/facts"
}

# build NAME ARGUMENT...: the runtime program, or the whole test fails.
build() {
	build_name=$1
	shift
	compile -O1 -Wall -Wextra -o "$tmp/$build_name" "$top_srcdir/t/runtimes/runtime.c" \
		"$top_srcdir/t/routes/observe.c" "$@" -pthread -ldl -lrt >"$tmp/build.out" 2>&1 &&
		return
	diag "$(cat "$tmp/build.out")"
	bail_out "cannot build $build_name"
}

build shared
echo 'unsigned int la_version(unsigned int version) { return version; }' >"$tmp/other.c"
compile -shared -fPIC -o "$tmp/other.so" "$tmp/other.c" || bail_out "cannot build an auditor"
for package in nvidia-cuda-runtime-cu11==11.8.89 nvidia-cuda-runtime-cu12==12.1.105 \
		nvidia-cuda-runtime-cu12==12.4.127 nvidia-cuda-runtime-cu12==12.8.90 \
		nvidia-cuda-runtime==13.0.96; do
	version=${package##*=}
	have $package "wheel-cudart-$version" || continue
	cudart=$(library "wheel-cudart-$version" 'libcudart.so.*')
	runtime "cudart $version" "$tmp/shared" "$cudart"
	as_recorded "cudart $version"
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS= CUAUDIT_EXCLUDE='libcudart.so*' \
		"$tmp/shared" held "$cudart" >"$tmp/excluded" 2>&1
	is "$(grep '^stray' "$tmp/excluded")" "$(sed -n 's/^held \(.*\) .*/stray \1/p' "$tmp/native")" \
		"cudart $version: excluded, it keeps the driver's own functions"
done

# older wheels of cudart have no static one
for package in nvidia-cuda-runtime-cu12==12.9.79 nvidia-cuda-runtime==13.0.96; do
	version=${package##*=}
	have $package "wheel-cudart-$version" || continue
	build static -DRUNTIME_STATIC "$(library "wheel-cudart-$version" libcudart_static.a)"
	runtime "static cudart $version" "$tmp/static"
	as_recorded "static cudart $version"
done

# a library with a static runtime of its own inside: 11.8, 12.1, 12.4, 12.8, 12.9 and 13.0
for package in nvidia-nvjpeg-cu11==11.9.0.86 nvidia-nvjpeg-cu12==12.1.0.39 \
		nvidia-nvjpeg-cu12==12.3.1.117 nvidia-nvjpeg-cu12==12.3.5.92 \
		nvidia-nvjpeg-cu12==12.4.0.76 nvidia-nvjpeg==13.0.1.86; do
	version=${package##*=}
	have $package "wheel-nvjpeg-$version" || continue
	runtime "nvjpeg $version" "$tmp/shared" \
		"$(library "wheel-nvjpeg-$version" 'libnvjpeg.so.*')"
	as_recorded "nvjpeg $version"
done

# whichever version is installed: no count to compare with
archive=${CUDA_HOME:+$CUDA_HOME/lib64/libcudart_static.a}
if test -r "$archive"; then
	build installed -DRUNTIME_STATIC "$archive"
	runtime "the toolkit's static cudart" "$tmp/installed"
else
	skip 1 "no libcudart_static.a"
fi

for version in 11.8.7 12.8.0 13.0.3; do
	dir=wheel-cuda-bindings-$version-$tag
	have cuda-bindings==$version $dir || continue
	same "cuda-bindings $version" PYTHONPATH="$cache/$dir" PYTHONNOUSERSITE=1 \
		PYTHONDONTWRITEBYTECODE=1 "$PYTHON3" "$top_srcdir/t/runtimes/sequence.py"
	like "$(cat "$tmp/native")" '^the same bytes True$' "cuda-bindings $version: copies come back"
	as_recorded "cuda-bindings $version"
done
done_testing
