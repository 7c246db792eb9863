# SPDX-License-Identifier: Apache-2.0
# Python frames with the Python of other Debian releases, 3.9 to the newest, and of those that
# CUAUDIT_TEST_PYTHONS names, paths with spaces between.
set -- ${CUAUDIT_MATRIX_DIR+"CUAUDIT_MATRIX_DIR=$CUAUDIT_MATRIX_DIR"} \
	${CUAUDIT_MATRIX_MIRROR+"CUAUDIT_MATRIX_MIRROR=$CUAUDIT_MATRIX_MIRROR"} \
	${CUAUDIT_TEST_PYTHONS+"CUAUDIT_TEST_PYTHONS=$CUAUDIT_TEST_PYTHONS"}
. "${top_srcdir:-$(dirname "$0")/..}/t/python/lib.sh"
long_test

for setting; do
	export "$setting"
done
top=$(cd "$top_srcdir" && pwd)
say() { echo "# $*"; }
cannot() { skip_all "$*"; }
helper python/expect.so
echo "$python_parts" >"$tmp/parts"

for python in ${CUAUDIT_TEST_PYTHONS-}; do
	CUAUDIT_TEST_PYTHON=$python sh "$top_srcdir/t/2640-python.t" >"$tmp/$$.out" 2>&1
	unlike "$(cat "$tmp/$$.out")" '^not ok|^1\.\.0' "$python"
	sed 's/^/# /' "$tmp/$$.out" | grep 'not ok' | head
done

# A driver that needs no libc: the simulated one is of this release's.
cat >"$tmp/driver.c" <<'END'
int cuModuleGetFunction(void) { return 500; }
int cuInit(void) { return 0; }
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
END
$CC -shared -fPIC -nostdlib -Wl,-soname,libcuda.so.1 -o "$tmp/libcuda.so.1" "$tmp/driver.c" ||
	bail_out "cannot build a driver"

. "$top_srcdir/t/chroot.sh"
set -- bullseye trixie sid
chroot_needs "$@"
mkdir -p "$cache"
work=$(mktemp -d "$cache/work.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
for release; do
	base "$release" || bail_out "no base system of $release"
	mkdir "$work/$release"
	tar -C "$work/$release" -xzf "$cache/$release.tar.gz"
	settings "$work/$release"
	inside "$work/$release" "$cache/packages-$release" sh -c \
		'apt-get -q -y update && apt-get -q -y install --no-install-recommends python3' \
		>"$tmp/apt" 2>&1 || bail_out "no python3 in $release: $(tail -n 3 "$tmp/apt")"
	cp -r "$top_builddir/lib" "$work/$release/mnt/"
	cp "$tmp/expect.so" "$tmp/libcuda.so.1" "$top_srcdir/t/python/frames.py" "$work/$release/mnt/"
	while read -r part calls; do
		# As the first process of its namespace timeout(1) of coreutils 9.10 runs nothing.
		status=0
		inside "$work/$release" "$cache/packages-$release" sh -c '"$@"; exit $?' sh \
			env LD_AUDIT=/mnt/lib/libcuaudit.so LD_LIBRARY_PATH=/mnt \
			CUAUDIT_HOOKS='/mnt/expect.so(merged=yes)' timeout 300 \
			python3 /mnt/frames.py "$part" >"$tmp/out" 2>&1 </dev/null || status=$?
		is "$status" 0 "$release, $part: the program ends well"
		judge "$tmp/out" "$calls" "$release, $part"
	done <"$tmp/parts"
done
done_testing
