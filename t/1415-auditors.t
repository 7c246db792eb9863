# SPDX-License-Identifier: Apache-2.0
# Other auditors beside us, before and behind: theirs see what they see alone, ours counts all.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

LD_LIBRARY_PATH=$simdir:$tmp
AUDITOR_OUT=$tmp/callbacks
SOTRUSS_OUTNAME=$tmp/sotruss
export LD_LIBRARY_PATH AUDITOR_OUT SOTRUSS_OUTNAME
demo=$top_builddir/demo/cudemo

# auditor NAME [FLAG...]: $tmp/NAME.so, of t/hostile/auditor.c.
auditor() {
	auditor_name=$1
	shift
	build "$auditor_name.so" -shared -fPIC "$hostile/auditor.c" "$@"
}

auditor told
auditor calls -DCALLS
auditor clears -DCLEARS
auditor deaf -DFLAGS=0
auditor old -DVERSION=1
auditor refuses -DVERSION=0
auditor replaces -DREPLACES

# every_call: each function and how often it was called, in one line.
every_call() {
	test -e "$tmp/report" || return
	awk '
	BEGIN { RS = "{" }
	/^"name":"cu[^"]*","calls":/ {
		split($0, field, /[":,]+/)
		if (!(field[3] in seen))
			print field[3], field[5]
		seen[field[3]]
	}' "$tmp/report" | sort | paste -s -d ' ' -
}

# run AUDITORS [VARIABLE=VALUE...] COMMAND...: what it prints, its status, the calls we counted.
run() {
	run_audit=$1
	shift
	rm -f "$tmp/report" "$AUDITOR_OUT" "$SOTRUSS_OUTNAME".*
	run_status=0
	$run_env LD_AUDIT="$run_audit" LD_LIBRARY_PATH="$LD_LIBRARY_PATH" \
		CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/report" "$@" \
		>"$tmp/out" 2>&1 || run_status=$?
	cat "$tmp/out"
	echo "status $run_status"
	every_call
}

# callbacks NAME: in $tmp/NAME, what the other auditor was given, without what concerns us: our
# objects (glibc 2.43 tells of the loader in our namespace too), that the core is opened on the
# first call, what it needs with it and the unwinder, with dlsym's first use, and where malloc is started, which reads the loader's
# settings.
callbacks() {
	test -e "$AUDITOR_OUT" || : >"$AUDITOR_OUT"
	awk '
	/^activity \(main\) 1$/ { held = $0; next }
	/^open cuaudit-core\.so/ { held = ""; opening = 1 }
	/^open libgcc_s\.so/ { held = ""; opening = 1; cores[$2]; next }
	held { print held; held = "" }
	opening && /^activity \(main\) 0$/ { opening = 0; next }
	opening && /^open lib(dl|pthread)\.so/ { cores[$2]; next }
	/^(close|bind) / && $2 in cores { next }
	/^(open|close) ld-linux[^ ]* elsewhere$/ { next }
	/ (libcuaudit|cuaudit-core)\.so( |$)/ { next }
	/^[a-z]* libc\.so\.6 (ld-linux[^ ]* __tunable_get_val|libc\.so\.6 [a-z]*)$/ { next }
	/^[a-z]* libc\.so\.6 ld-linux[^ ]* _dl_(find_dso_for_object|audit_symbind_alt)$/ { next }
	{ print }' "$AUDITOR_OUT" >"$tmp/$1"
}

# traced NAME: in $tmp/NAME, the calls sotruss saw, without the values of arguments and results.
traced() {
	cat "$SOTRUSS_OUTNAME".* | sed -e '/libgcc_s/d' -e 's/(.*//' -e 's/ - 0x.*/ -/' -e '/: __tunable_get_val/d' \
		-e '/: _dl_find_dso_for_object/d' -e '/: _dl_audit_symbind_alt/d' >"$tmp/$1"
}

# same NAME: what callbacks or traced left in $tmp/now is what is in $tmp/NAME.
same() {
	diff "$tmp/$1" "$tmp/now"
}

family=$(loader_family)

# alike NAME FILE: same. Old loaders tell every auditor of what loading the core binds.
alike() {
	if test "$family" = old; then
		skip 1 "old loaders tell of all that the core binds"
	else
		ok "$1" same "$2"
	fi
}

# program WAY: sets $program
program() {
	program=$demo
	test "$1" != linked || program=$demo-linked
}

once="cuCtxCreate_v2 1 cuCtxDestroy_v2 1 cuCtxSynchronize 1 cuDeviceGet 1 cuDeviceGetCount 1"
once="$once cuDeviceGetName 1 cuDriverGetVersion 1"
rest="cuInit 1 cuLaunchKernel 10 cuMemAlloc_v2 2 cuMemFree_v2 2 cuMemcpyDtoH_v2 1"
rest="$rest cuMemcpyHtoD_v2 2 cuModuleGetFunction 1 cuModuleLoadData 1 cuModuleUnload 1"

# want WAY: what is printed by the demonstration, whose look-ups are calls too.
want() {
	echo "$1: driver 13000, 2 devices, cuaudit simulated device: 65536 numbers copied, 0 wrong"
	echo "status 0"
	test "$1" = procaddr && echo "$once cuGetProcAddress_v2 16 $rest" || echo "$once $rest"
}

for way in linked dlopen procaddr; do
	program $way
	is "$(run "$LIBCUAUDIT" "$program" $way)" "$(want $way)" "$way: we alone"
	for name in told calls clears deaf old refuses; do
		other=$tmp/$name.so
		run "$other" "$program" $way >"$tmp/none"
		callbacks alone
		test "$name" = refuses ||
			like "$(cat "$tmp/alone")" '^open libcuda\.so\.1$' "$way, $name: alone, it is told"
		is "$(run "$other:$LIBCUAUDIT" "$program" $way)" "$(want $way)" \
			"$way, $name before us: result and calls"
		callbacks now
		# The loader's own fault: one in front that flagged nothing is told, with cookies
		# that are not its own, of the look-ups that those behind it are to be told of.
		test "$name" != deaf || sed -i '/^bind ? ? .* dlsym$/d' "$tmp/now"
		alike "$way, $name before us: its callbacks" alone
		if test "$name $family" = "refuses old"; then
			skip 2 "old loaders end when a second auditor refuses"
			continue
		fi
		is "$(run "$LIBCUAUDIT:$other" "$program" $way)" "$(want $way)" \
			"$way, $name behind us: result and calls"
		callbacks now
		alike "$way, $name behind us: its callbacks" alone
	done
done

# What was compared above was not nothing.
run "$LIBCUAUDIT:$tmp/calls.so" "$demo-linked" linked >"$tmp/none"
callbacks now
is "$(grep -c -x 'bind (main) libcuda.so.1 cuLaunchKernel' "$tmp/now")" 1 "a binding by PLT"
is "$(grep -c -x 'enter (main) libcuda.so.1 cuLaunchKernel' "$tmp/now")" 10 "each call's begin"
is "$(grep -c -x 'exit (main) libcuda.so.1 cuLaunchKernel' "$tmp/now")" 10 "and end"
run "$LIBCUAUDIT:$tmp/told.so" "$demo" dlopen >"$tmp/none"
callbacks now
is "$(grep -c -x 'bind (main) libcuda.so.1 cuLaunchKernel dlsym' "$tmp/now")" 1 \
	"a binding by dlsym"

# A function put in the place of the driver's stays there, and calls the stub.
for list in "$tmp/replaces.so:$LIBCUAUDIT" "$LIBCUAUDIT:$tmp/replaces.so"; do
	for way in linked dlopen; do
		program $way
		order=$(echo "$list" | sed 's/[^:]*\///g')
		is "$(run "$list" "$program" $way)" "$(want $way)" "$way, $order: result and calls"
		is "$(grep -c -x replaced "$AUDITOR_OUT")" 1 "$way, $order: its function was called"
	done
done

# Switched off, we hide nothing either.
run "$tmp/told.so" "$demo" dlopen >"$tmp/none"
callbacks alone
run "$LIBCUAUDIT:$tmp/told.so" CUAUDIT_DISABLE=1 "$demo" dlopen >"$tmp/none"
callbacks now
ok "CUAUDIT_DISABLE=1: callbacks of the one behind us" same alone

# What the driver itself looks up; and addresses, of which the loader tells nobody without us.
fake_driver
LD_LIBRARY_PATH=$tmp
helper routes/addresses
run "$tmp/told.so" "$tmp/addresses" >"$tmp/none"
callbacks alone
is "$(grep -c -x 'bind libcuda.so.1 libc.so.6 getpid dlsym' "$tmp/alone")" 1 \
	"a look-up by the driver, told alone"
for list in "$tmp/told.so:$LIBCUAUDIT" "$LIBCUAUDIT:$tmp/told.so"; do
	order=$(echo "$list" | sed 's/[^:]*\///g')
	is "$(run "$list" "$tmp/addresses")" "status 0
cuDriverGetVersion 1 cuInit 1 cuaudit_fake_dlsym 1" "$order: result and calls"
	callbacks now
	if test "$family" = old; then
		skip 1 "old loaders tell nobody of addresses"
		continue
	fi
	is "$(diff "$tmp/alone" "$tmp/now" | grep '^[<>]' | sort)" \
		"> bind (main) libcuda.so.1 cuDriverGetVersion
> bind (main) libcuda.so.1 cuInit" "$order: it is told of the addresses too, and of nothing less"
done
LD_LIBRARY_PATH=$simdir:$tmp

# The very first function of the driver has a stub too.
mkdir "$tmp/first"
build first/libcuda.so.1 -shared -fPIC -Wl,-soname,libcuda.so.1 -x c - <<'END'
int cuInit(unsigned int flags);

int cuInit(unsigned int flags)
{
	return (int)flags;
}
END
build first/calls -x c - -x none -L"$tmp/first" -l:libcuda.so.1 -ldl <<'END'
#include <dlfcn.h>

int cuInit(unsigned int flags);

int main(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	int (*found)(unsigned int) = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : 0;

	return cuInit(0) || !found || found(0);
}
END
LD_LIBRARY_PATH=$tmp/first
for list in "$LIBCUAUDIT" "$tmp/told.so:$LIBCUAUDIT" "$tmp/deaf.so:$LIBCUAUDIT"; do
	is "$(run "$list" "$tmp/first/calls")" "status 0
cuInit 2" "a driver of one function, $(echo "$list" | sed 's/[^:]*\///g')"
done
LD_LIBRARY_PATH=$simdir:$tmp

# sotruss, and two more at once, in every place.
sotruss=$(ls /usr/lib/*/audit/sotruss-lib.so /usr/lib64/audit/sotruss-lib.so 2>"$tmp/none" | head -n 1)
test -z "$sotruss" || run "$sotruss" "$demo" dlopen >"$tmp/none"
if ls "$SOTRUSS_OUTNAME".* >"$tmp/none" 2>&1; then
	for way in linked dlopen procaddr; do
		program $way
		run "$sotruss" "$program" $way >"$tmp/none"
		traced trace
		like "$(cat "$tmp/trace")" 'cudemo.* -> libc\.so\.6 +:' "$way: sotruss alone"
		for list in "$sotruss:$LIBCUAUDIT" "$LIBCUAUDIT:$sotruss"; do
			is "$(run "$list" "$program" $way)" "$(want $way)" \
				"$way, ${list##*/} last, with sotruss: result and calls"
			traced now
			ok "$way, ${list##*/} last: what sotruss traces" same trace
		done
		for list in "$tmp/calls.so:$sotruss" "$sotruss:$tmp/calls.so"; do
			first=${list%%:*} last=${list##*:}
			run "$list" "$program" $way >"$tmp/none"
			callbacks alone && traced trace
			for list in "$LIBCUAUDIT:$first:$last" "$first:$LIBCUAUDIT:$last" \
				"$first:$last:$LIBCUAUDIT"; do
				order=$(echo "$list" | sed 's/[^:]*\///g')
				is "$(run "$list" "$program" $way)" "$(want $way)" \
					"$way, $order: result and calls"
				callbacks now
				alike "$way, $order: callbacks" alone
				traced now
				alike "$way, $order: what sotruss traces" trace
			done
		done
	done
else
	skip 1 "no sotruss"
fi
done_testing
