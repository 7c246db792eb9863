# SPDX-License-Identifier: Apache-2.0
# Which file is the driver, more than one of them, and drivers that are closed and opened again.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
ok "a directory" mkdir "$tmp/second" "$tmp/third"
ok "a copy" cp "$tmp/libcuda.so.1" "$tmp/second/libcuda.so.1"
ok "a copy of another name" cp "$tmp/libcuda.so.1" "$tmp/third/libcuda.so.580.1"
ok "a link" ln -s libcuda.so.1 "$tmp/alias.so"
helper routes/drivers

both "by name" "$tmp/drivers" path libcuda.so.1
both "by its path" "$tmp/drivers" path "$tmp/libcuda.so.1"
both "by a link" "$tmp/drivers" path "$tmp/alias.so"
both "two copies" "$tmp/drivers" two "$tmp/libcuda.so.1" "$tmp/second/libcuda.so.1"
both "two copies, another name" "$tmp/drivers" two "$tmp/libcuda.so.1" \
	"$tmp/third/libcuda.so.580.1"
mkdir "$tmp/loader"
build loader/libcuda.so.1 -shared -fPIC -Wl,-soname,libcuda.so.1 -x c - -ldl <<END
#include <dlfcn.h>

int cuDriverGetVersion(int *version)
{
	*version = 13000;
	return 0;
}

int cuGetProcAddress_v2(const char *name, void **answer, int version, unsigned long long flags,
			int *status)
{
	void *driver = dlopen("$tmp/second/libcuda.so.1", RTLD_NOW);
	int (*ask)(const char *, void **, int, unsigned long long, int *) = driver ?
		(int (*)(const char *, void **, int, unsigned long long, int *))
			dlsym(driver, "cuGetProcAddress_v2") : 0;

	return ask ? ask(name, answer, version, flags, status) : 1;
}
END
both "a loader of the driver" "$tmp/drivers" answers "$tmp/loader/libcuda.so.1" \
	"$tmp/second/libcuda.so.1"
both "closed and opened again" timeout 300 "$tmp/drivers" reopened libcuda.so.1
other_auditor
routed "closed and opened again, behind another auditor" LD_AUDIT="$tmp/told.so:$LIBCUAUDIT" \
	timeout 300 "$tmp/drivers" reopened libcuda.so.1
both "opened elsewhere" "$tmp/drivers" moved libcuda.so.1
both "its calls to itself" "$tmp/drivers" self libcuda.so.1
build libnvidia-ptxjitcompiler.so.1 -shared -fPIC -Wl,-soname,libnvidia-ptxjitcompiler.so.1 \
	"$routes/asker.c" "$routes/library.c" -L"$tmp" -l:libcuda.so.1 -ldl
both "its own libraries" "$tmp/drivers" companion libcuda.so.1
mkdir "$tmp/noplt"
build noplt/libnvidia-ptxjitcompiler.so.1 -shared -fPIC -fno-plt \
	-Wl,-soname,libnvidia-ptxjitcompiler.so.1 "$routes/asker.c" "$routes/library.c" \
	-L"$tmp" -l:libcuda.so.1 -ldl
both "its own libraries, -fno-plt" LD_LIBRARY_PATH="$tmp/noplt:$tmp" "$tmp/drivers" companion \
	libcuda.so.1
routed "its own libraries, -fno-plt, behind another auditor" LD_AUDIT="$tmp/told.so:$LIBCUAUDIT" \
	LD_LIBRARY_PATH="$tmp/noplt:$tmp" "$tmp/drivers" companion libcuda.so.1
for how in self companion; do
	routed "$how, behind another auditor" LD_AUDIT="$tmp/told.so:$LIBCUAUDIT" "$tmp/drivers" \
		$how libcuda.so.1
done

# Any order of opening and closing, of files that change. A variant has the first four names,
# of the others some, some of these by another's address; the symbols lie in any order.
ok "a directory of variants" mkdir "$tmp/variants"
for variant in 0 1 2 3 4 5; do
	awk -v variant="$variant" 'BEGIN {
		srand(variant + 1)
		n = split("cuInit cuStreamQuery cuNewOne cuNewTwo cuMemAlloc_v2 cuCtxGetCurrent " \
			"cuNewA cuNewB cuNewC cuNewD cuNewE cuNewF", name, " ")
		for (i = 1; i <= n; i++) {
			value[i] = i <= 4 || rand() < 0.8 ? 100 * variant + i : -1
			how = i <= 4 ? 0 : int(4 * rand())
			for (k = 0; value[i] >= 0 && how == 3 && !k;) {
				k = 5 + int((i - 5) * rand())
				if (k < i && value[k] == 100 * variant + k) {
					value[i] = value[k]
					printf "int %s(void) __attribute__((alias(\"%s\")));\n", name[i], name[k]
				}
			}
			if (value[i] == 100 * variant + i)
				printf "%sint %s(void) { return %d; }\n", how == 1 ? "__attribute__((weak)) " : \
					how == 2 ? "__attribute__((visibility(\"protected\"))) " : "", name[i], value[i]
			for (k = int(variant * 3 * rand()); k > 0; k--)
				printf "int cuMore%d_%d_%d(void) { return 1; }\n", variant, i, k
		}
		print "const int variant_values[] = {"
		for (i = 1; i <= n; i++)
			print value[i] ","
		print "};"
	}' >"$tmp/variant.c"
	build variant.so -shared -fPIC -nostdlib -Wl,-soname,libcuda.so.1 "$tmp/variant.c"
	for path in 0 1 2; do
		cp "$tmp/variant.so" "$tmp/variants/$path.$variant" || bail_out "cannot copy"
	done
done
helper routes/reload
for seed in 1 2 3; do
	both "seed $seed" timeout 300 "$tmp/reload" $seed 600 "$tmp/variants"
done
routed "with hooks that come and go meanwhile" timeout 300 "$tmp/reload" 4 600 "$tmp/variants" racing
routed "behind another auditor" LD_AUDIT="$tmp/told.so:$LIBCUAUDIT" timeout 300 "$tmp/reload" 5 \
	600 "$tmp/variants"

# many, and more than there is room for
set --
for n in $(seq 70); do
	cp "$tmp/libcuda.so.1" "$tmp/copy$n.so" || bail_out "cannot copy"
	set -- "$@" "$tmp/copy$n.so"
done
both "seventy copies" "$tmp/drivers" crowd "$@"
both "twenty copies" "$tmp/drivers" room $(printf '%s\n' "$@" | head -n 20)
awk 'BEGIN {
	print "int cuInit(unsigned int x) { return x; }"
	print "int cuDriverGetVersion(int *x) { return *x = 0; }"
	for (i = 0; i < 9000; i++)
		printf "int cuGenerated%d(void) { return %d; }\n", i, i
	print "int cuLast(unsigned int x) { return x + 99; }"
}' >"$tmp/large.c"
build large.so -shared -fPIC -O0 -g0 -Wl,-soname,libcuda.so.1 "$tmp/large.c"
ok "another copy" cp "$tmp/large.so" "$tmp/larger.so"
both "nine thousand functions" "$tmp/drivers" room "$tmp/large.so"
both "eighteen thousand functions" "$tmp/drivers" crowd "$tmp/large.so" "$tmp/larger.so"

# reported NAME DRIVER...: in the reports of stat and coverage, which fails; and said.
reported() {
	reported_name=$1
	shift
	reported_status=0
	audited ROUTES=routed CUAUDIT_HOOKS='stat(format=json),coverage(fail=escapes)' \
		CUAUDIT_OUTPUT="$tmp/crowd" "$tmp/drivers" crowd "$@" >"$tmp/out" 2>"$tmp/err" ||
		reported_status=$?
	is "$reported_status" 86 "$reported_name: status 86"
}
reported "too many functions" "$tmp/large.so" "$tmp/larger.so"
like "$(cat "$tmp/crowd")" '"escapes":\[\{"name":"larger\.so"[^]]*"count":[1-9][0-9]*,"kind":"slots"' \
	"what has no slot is among the escapes"
like "$(cat "$tmp/crowd.coverage")" '^ +[1-9][0-9]*  larger\.so, no slot was left for some' \
	"and in coverage"
like "$(cat "$tmp/err")" '^cuaudit: not intercepted: .*/larger\.so: no slot was left for some' "and said"
reported "too many copies" "$@"
is "$(grep -c ', no room for another copy of the driver, for .*/copy[0-9]*\.so$' "$tmp/crowd.coverage")" 6 \
	"each of the copies that are too many is in coverage"

# a driver of our choice, whatever the program asks for
for name in libcuda.so.1 libcuda.so "$tmp/libcuda.so.1"; do
	routed "CUAUDIT_DRIVER=PATH for $(basename "$name")" \
		CUAUDIT_DRIVER="$tmp/second/libcuda.so.1" \
		"$tmp/drivers" chosen "$name" "$tmp/second/libcuda.so.1"
done
helper routes/early preset
routed "CUAUDIT_DRIVER=PATH for a linked program" LD_LIBRARY_PATH=/nowhere \
	CUAUDIT_DRIVER="$tmp/second/libcuda.so.1" "$tmp/preset"
# A name is looked for in the loader's directories: what it finds there is not put back to a name.
routed "CUAUDIT_DRIVER=NAME" CUAUDIT_DRIVER=libcuda.so.1 "$tmp/drivers" chosen libcuda.so \
	"$tmp/libcuda.so.1"
routed "CUAUDIT_DRIVER= is none" CUAUDIT_DRIVER= "$tmp/drivers" chosen libcuda.so.1 \
	"$tmp/libcuda.so.1"
fails "CUAUDIT_DRIVER of nothing" audited ROUTES=routed LD_LIBRARY_PATH="$tmp" \
	CUAUDIT_DRIVER=/nowhere/libcuda.so.1 "$tmp/drivers" chosen libcuda.so.1 x
# The loader would wait for whoever writes there.
mkfifo "$tmp/fifo"
fails "CUAUDIT_DRIVER is a FIFO" timeout 300 $run_env LD_AUDIT="$LIBCUAUDIT" ROUTES=routed \
	LD_LIBRARY_PATH="$tmp" CUAUDIT_DRIVER="$tmp/fifo" "$tmp/drivers" chosen libcuda.so.1 x
like "$(cat "$tmp/tap.out")" "/fifo/: cannot open shared object file: Not a directory" "and is not opened"
if test -f "$simdir/libcuda.so.1"; then
	routed "CUAUDIT_DRIVER=sim" CUAUDIT_DRIVER=sim "$tmp/drivers" chosen libcuda.so.1 \
		"$simdir/libcuda.so.1"
else
	skip 1 "there is no simulated driver"
fi

done_testing
