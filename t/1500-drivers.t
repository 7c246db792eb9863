# SPDX-License-Identifier: Apache-2.0
# Which file is the driver, more than one of them, and drivers that are closed and opened again.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
ok "a folder" mkdir "$tmp/second" "$tmp/third"
ok "a copy" cp "$tmp/libcuda.so.1" "$tmp/second/libcuda.so.1"
ok "a copy of another name" cp "$tmp/libcuda.so.1" "$tmp/third/libcuda.so.580.1"
ok "a link" ln -s libcuda.so.1 "$tmp/alias.so"
program drivers drivers.c

both "by name" "$tmp/drivers" path libcuda.so.1
both "by its path" "$tmp/drivers" path "$tmp/libcuda.so.1"
both "by a link" "$tmp/drivers" path "$tmp/alias.so"
both "two copies" "$tmp/drivers" two "$tmp/libcuda.so.1" "$tmp/second/libcuda.so.1"
both "two copies, another name" "$tmp/drivers" two "$tmp/libcuda.so.1" \
	"$tmp/third/libcuda.so.580.1"
both "closed and opened again" timeout 60 "$tmp/drivers" reopened libcuda.so.1
both "opened elsewhere" "$tmp/drivers" moved libcuda.so.1
both "its calls to itself" "$tmp/drivers" self libcuda.so.1
build libnvidia-ptxjitcompiler.so.1 -shared -fPIC -Wl,-soname,libnvidia-ptxjitcompiler.so.1 \
	"$routes/asker.c" "$routes/library.c" -L"$tmp" -l:libcuda.so.1 -ldl
both "its own libraries" "$tmp/drivers" companion libcuda.so.1

# a driver of our choice, whatever the program asks for
for name in libcuda.so.1 libcuda.so "$tmp/libcuda.so.1"; do
	routed "CUAUDIT_DRIVER=PATH for $(basename "$name")" \
		CUAUDIT_DRIVER="$tmp/second/libcuda.so.1" \
		"$tmp/drivers" chosen "$name" "$tmp/second/libcuda.so.1"
done
build preset "$routes/early.c" "$tmp/observe.o" -L"$tmp" -l:libcuda.so.1 -pthread -ldl
routed "CUAUDIT_DRIVER=PATH for a linked program" LD_LIBRARY_PATH=/nowhere \
	CUAUDIT_DRIVER="$tmp/second/libcuda.so.1" "$tmp/preset"
routed "CUAUDIT_DRIVER= is none" CUAUDIT_DRIVER= "$tmp/drivers" chosen libcuda.so.1 \
	"$tmp/libcuda.so.1"
fails "CUAUDIT_DRIVER of nothing" audited ROUTES=routed LD_LIBRARY_PATH="$tmp" \
	CUAUDIT_DRIVER=/nowhere/libcuda.so.1 "$tmp/drivers" chosen libcuda.so.1 x
if test -f "$simdir/libcuda.so.1"; then
	routed "CUAUDIT_DRIVER=sim" CUAUDIT_DRIVER=sim "$tmp/drivers" chosen libcuda.so.1 \
		"$simdir/libcuda.so.1"
else
	skip 1 "there is no simulated driver"
fi

done_testing
