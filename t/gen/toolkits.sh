# SPDX-License-Identifier: Apache-2.0
# The headers of other toolkits, from PyPI, in a cache; or the test ends.
: "${PYTHON3:=python3}"
cache=${CUAUDIT_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cuaudit-test}
packages='
	nvidia-cuda-runtime-cu11==11.7.99
	nvidia-cuda-runtime-cu11==11.8.89
	nvidia-cuda-runtime-cu12==12.0.146
	nvidia-cuda-runtime-cu12==12.4.127
	nvidia-cuda-runtime-cu12==12.6.77
	nvidia-cuda-runtime-cu12==12.9.79
	nvidia-cuda-runtime==13.0.96
	nvidia-cuda-runtime==13.5.37
'

# fetch PACKAGE DIR: the package's headers into DIR, whole or not at all.
fetch() {
	rm -rf "$tmp/wheel" && mkdir -p "$tmp/wheel/all" "$tmp/wheel/$2" "$cache" &&
	$PYTHON3 -m pip download -q --no-deps -d "$tmp/wheel" "$1" &&
	$PYTHON3 -m zipfile -e "$tmp"/wheel/*.whl "$tmp/wheel/all" &&
	find "$tmp/wheel/all" -path '*/include/cuda*.h' ! -path '*/include/*/*' \
		-exec cp {} "$tmp/wheel/$2" ';' &&
	test -r "$tmp/wheel/$2/cudaVDPAUTypedefs.h" &&
	rm -rf "${cache:?}/$2" && mv "$tmp/wheel/$2" "$cache/$2"
}

for package in $packages; do
	version=${package##*=}
	test -r "$cache/$version/cuda.h" && continue
	long_test
	$PYTHON3 -m pip --version >"$tmp/pip" 2>&1 || skip_all "no pip"
	fetch "$package" "$version" >"$tmp/fetch" 2>&1 && continue
	diag "$(tail -n 3 "$tmp/fetch")"
	skip_all "cannot download $package"
done
