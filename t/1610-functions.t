# SPDX-License-Identifier: Apache-2.0
# Which functions are hooked: CUAUDIT_FUNCTIONS.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
helper routes/functions
all="cuInit cuMemAlloc_v2 cuStreamQuery cuLaunchHostFunc cuNewReal cuGetProcAddress_v2"

# hooked SELECTOR FUNCTION...
hooked() {
	hooked_selector=$1
	shift
	routed "'$hooked_selector'" CUAUDIT_FUNCTIONS="$hooked_selector" "$tmp/functions" "$@"
}

native "no selector" "$tmp/functions"
routed "no selector" "$tmp/functions" $all
hooked "" $all
hooked "*" $all
hooked "cuInit" cuInit
hooked "cuMemAlloc" cuMemAlloc_v2
hooked "cuMemAlloc_v2" cuMemAlloc_v2
hooked "=cuMemAlloc_v2,=cuInit" cuMemAlloc_v2 cuInit
hooked "cuInit,=cuMemAlloc" cuInit
hooked "cu[IM]*" cuInit cuMemAlloc_v2
hooked "cuStream?uery,cuNew*" cuStreamQuery cuNewReal
hooked " cuInit , cuNewReal " cuInit cuNewReal
hooked "%memory" cuMemAlloc_v2
hooked "%stream" cuStreamQuery cuLaunchHostFunc
hooked "%launch,%device" cuLaunchHostFunc cuInit
hooked "%stream,!%launch" cuStreamQuery
hooked "!cuInit" cuMemAlloc_v2 cuStreamQuery cuLaunchHostFunc cuNewReal cuGetProcAddress_v2
hooked "!%memory,!cuNew*" cuInit cuStreamQuery cuLaunchHostFunc cuGetProcAddress_v2
hooked "cu*,!cuMem*,cuMemAlloc" $all
hooked "!*,cuInit" cuInit
hooked "!*"
hooked "/^cuMem/" cuMemAlloc_v2
hooked "/Query$|^cuI.it/" cuInit cuStreamQuery
hooked "!/[A-Z].*[A-Z]/" cuInit
hooked "/cu(Init|(,|,,))$/,cuNew*, /Alloc_v2$/ " cuInit cuMemAlloc_v2 cuNewReal
hooked "cu*,!/Real|Func/" cuInit cuMemAlloc_v2 cuStreamQuery cuGetProcAddress_v2

# refused MESSAGE SELECTOR: it is said, and all are hooked
refused() {
	hooked "$2" $all
	like "$(cat "$tmp/tap.out")" "^cuaudit: CUAUDIT_FUNCTIONS: $1.*; all functions are hooked" \
		"'$2' is refused"
}
refused "'cuinit' names no function; did you mean cuInit" "cuinit"
refused "'cuMemAloc' names no function; did you mean cuMemAlloc, " "cuInit,cuMemAloc"
refused "'cuStreamQurey\*' names no function; did you mean cuStreamQuery" "!cuStreamQurey*"
refused "'/cuCtxGetCurent.../' names no function; did you mean cuCtxGetCurrent" "/cuCtxGetCurent.../"
refused "'cudaMalloc' names no function" "cudaMalloc"
refused "'%memroy' is no selector; did you mean %memory\?" "%memroy"
refused "'=' is no selector" "cuInit,="
refused "', ,' is no selector" ", ,"
refused "'=cuMemAloc' names no function; did you mean cuMemAlloc, " "=cuMemAloc"
refused "'/cuInit' is no selector" "cuStreamQuery,/cuInit"
refused "'/cu\(Init/' is no selector" "/cu(Init/"
refused "'/\(cu\)\\\\1/' is no selector" '/(cu)\1/'
refused "'/cu\{2\}/' is no selector" "/cu{2}/"

# Names that are patterns or marks, of a driver of one's own: what is suggested takes them.
mkdir "$tmp/odd"
build odd/libcuda.so.1 -shared -fPIC -Wl,-soname,libcuda.so.1 -x c - <<'END'
int first(void) __asm__("\"=cuOdd\"");
int second(void) __asm__("\"cu*Star\"");
int cuDriverGetVersion(int *version);

int first(void)
{
	return 0;
}

int second(void)
{
	return 0;
}

int cuDriverGetVersion(int *version)
{
	return !version;
}
END
build asks -x c - -L"$tmp/odd" -l:libcuda.so.1 -Wl,--no-as-needed -ldl <<'END'
int cuDriverGetVersion(int *version);

int main(void)
{
	int version;

	return cuDriverGetVersion(&version);
}
END
# asked SELECTOR: what is said of it.
asked() {
	audited LD_LIBRARY_PATH="$tmp/odd" CUAUDIT_HOOKS=stat CUAUDIT_FUNCTIONS="$1" "$tmp/asks" 2>&1 | sed q
}
for pair in =cuOdd:==cuOdd cuStar:=cu\*Star; do
	is "$(asked "${pair%:*}")" "cuaudit: CUAUDIT_FUNCTIONS: '${pair%:*}' names no function; did you mean ${pair#*:}?; all \
functions are hooked" "'${pair%:*}'"
	is "$(asked "${pair#*:}" | grep -c 'names no function')" 0 "... and what is suggested is one"
done

done_testing
