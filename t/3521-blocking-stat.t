# SPDX-License-Identifier: Apache-2.0
# The class %blocking where calls are counted, and where they are failed.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

# counted SELECTOR: the functions of the demonstration that stat counts, in one line.
counted() {
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_FUNCTIONS="$1" \
		"$demo" dlopen 2>&1 >"$tmp/out" | grep -o '"name": *"cu[A-Za-z0-9_]*"' | cut -d '"' -f 4 |
		sort | tr '\n' ' '
}

all=$(counted '*')
blocking=$(counted %blocking)
for name in $all; do
	"$cuaudit" list -q functions "=$name,%blocking" >"$tmp/with" 2>"$tmp/err"
	test "$(wc -l <"$tmp/with")" -gt "$("$cuaudit" list -q functions %blocking | wc -l)" || echo "$name"
done >"$tmp/want"
ok "the demonstration calls some, and others" test -s "$tmp/want" -a "$all" != "$blocking"
is "$blocking" "$(tr '\n' ' ' <"$tmp/want")" "those of the class are counted, and no others"
like "$blocking" 'cuMemAlloc_v2 .*cuMemcpyDtoH_v2 ' "... which do not say that they wait"
unlike "$(counted '%blocking,!%launch,!%sync')" 'cuLaunchKernel|cuMemcpy|Synchronize' \
	"classes take away from it"
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="fault(inject=%blocking:error=2:when=1)" "$demo" dlopen \
	>"$tmp/out" 2>"$tmp/err"
like "$(cat "$tmp/err")" 'fault: rule 1: of [1-9][0-9]* calls 1 injected, %blocking:error=2:when=1' \
	"a rule of fault takes it"

# What no table has is in no class but %driver.
echo 'int cuInit(unsigned int flags) { return 0; } int cuFutureWork(int n) { return n; }' >"$tmp/driver.c"
echo 'int cuInit(unsigned int); int cuFutureWork(int); int main(void) { return cuInit(0) + cuFutureWork(0); }' \
	>"$tmp/future.c"
mkdir "$tmp/driver"
compile -shared -fPIC -Wl,-soname,libcuda.so.1,--no-as-needed -o "$tmp/driver/libcuda.so.1" "$tmp/driver.c" -ldl
compile -o "$tmp/future" "$tmp/future.c" -L"$tmp/driver" -l:libcuda.so.1
audited LD_LIBRARY_PATH="$tmp/driver" CUAUDIT_OUTPUT="$tmp/counted" \
	CUAUDIT_HOOKS='stat(functions=%driver;format=json)' "$tmp/future"
like "$(cat "$tmp/counted")" '"cuFutureWork"' "%driver has functions that no table has"
done_testing
