# SPDX-License-Identifier: Apache-2.0
# Which functions are hooked: CUAUDIT_FUNCTIONS.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fake_driver
program functions functions.c -L"$tmp" -l:libcuda.so.1
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
hooked "cuinit"
hooked "!*"
hooked "cuNoSuchThing"

done_testing
