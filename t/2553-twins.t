# SPDX-License-Identifier: Apache-2.0
# Two versions of one name are two functions; two names of one function are one.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

know_loader
printf 'V1 { global: cu*; local: *; };\nV2 { } V1;\n' >"$tmp/map"
# twins DIRECTORY [FLAG...]
twins() {
	twins_dir=$1
	shift
	build "$twins_dir/libcuda.so.1" -shared -fPIC -Wl,-soname,libcuda.so.1 \
		-Wl,--version-script="$tmp/map" "$routes/twins-driver.c" "$@"
}
mkdir "$tmp/sysv" "$tmp/other"
twins .
twins sysv -Wl,--hash-style=sysv
twins other -DOTHER
cuda="-L$tmp -l:libcuda.so.1"
library libtwins.so twins.c -DCALLS -fPIC -fplt -Wl,-z,lazy $cuda
library libtwins-now.so twins.c -DCALLS -fPIC -fplt -Wl,-z,now $cuda
program twins twins.c -fPIC -L"$tmp" -l:libtwins.so $cuda
program now twins.c -fPIC -Wl,-z,now -L"$tmp" -l:libtwins-now.so $cuda
program noplt twins.c -fPIC -fno-plt -L"$tmp" -l:libtwins.so $cuda
other_auditor

for program in twins now noplt; do
	both "$program" "$tmp/$program"
	routed "$program, sysv hash" LD_LIBRARY_PATH="$tmp/sysv:$tmp" "$tmp/$program"
	routed "$program, behind another auditor" LD_AUDIT="$tmp/told.so:$LIBCUAUDIT" "$tmp/$program"
	routed "$program, before another auditor" LD_AUDIT="$LIBCUAUDIT:$tmp/told.so" "$tmp/$program"
done

both "a hook without an exit" "$tmp/twins" enter
for hook in stat "trace(file=$tmp/a.cutrace)" "trace(args=no;file=$tmp/b.cutrace)"; do
	routed "$hook alone" CUAUDIT_HOOKS="$hook" CUAUDIT_OUTPUT="$tmp/out" "$tmp/twins" alone
done

# A hook is on a function whichever of its names selects it.
build calls -x c - -ldl <<'C'
#include <dlfcn.h>
#include <stdio.h>

/* Arguments: names to look up and call, each once; prints the sum of the results. */
int main(int argc, char **argv)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int sum = 0;

	for (int i = 1; i < argc; i++)
		sum += ((int (*)(unsigned int))dlsym(driver, argv[i]))(0);
	printf("%d\n", sum);
	return 0;
}
C
# skipped SELECTOR NAME...: the results, where what the selector takes is not called.
skipped() {
	skipped_selector=$1
	shift
	audited LD_LIBRARY_PATH="$tmp" CUAUDIT_HOOKS="fault($skipped_selector:result=1)" \
		"$tmp/calls" "$@" 2>"$tmp/err"
}
for selector in cuNewFirst cuNewSecond cuNewThird '=cuNewSecond' 'cuNewT*'; do
	is "$(skipped "inject=$selector" cuNewFirst cuNewSecond cuNewAlone)" 502 "$selector: both names"
	unlike "$(cat "$tmp/err")" 'names no function' "$selector: names a function"
done
# Each of two functions with a further name, whichever of these the driver's list has first.
for selector in cuNewFirst cuNewSecond cuNewThird cuANewName cuCtxSynchronize; do
	case $selector in
	cuNew*) want=$((1 + 400)) ;;
	*) want=$((300 + 1)) ;;
	esac
	is "$(skipped inject=$selector cuNewFirst cuCtxSynchronize)" $want "$selector: not the other"
done
is "$(skipped inject=cuNewAlone cuNewFirst cuNewSecond cuNewAlone)" 601 "another function"
is "$(skipped inject=cuInit@V1 cuInit)" 200 "the older version alone"
is "$(skipped inject=cuInit cuInit)" 1 "the newer one"

# Closed, and opened as another file, in which a name is another function's.
build again -x c - -ldl <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static int call(void *driver, const char *name)
{
	return ((int (*)(unsigned int))dlsym(driver, name))(0);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *driver;

		unlink(argv[1]);
		if (i > 1 && link(argv[i], argv[1]))
			return 1;
		if (i == 1)
			continue;
		driver = dlopen(argv[1], RTLD_NOW);
		printf("%d %d %d %d %d\n", call(driver, "cuNewFirst"), call(driver, "cuNewSecond"),
		       call(driver, "cuNewThird"), call(driver, "cuNewAlone"), call(driver, "cuInit"));
		dlclose(driver);
	}
	return 0;
}
C
set -- "$tmp/place.so" "$tmp/libcuda.so.1" "$tmp/other/libcuda.so.1" "$tmp/libcuda.so.1"
"$tmp/again" "$@" >"$tmp/want"
is "$(sort -u "$tmp/want" | wc -l)" 2 "two drivers in one place"
is "$(audited CUAUDIT_HOOKS= "$tmp/again" "$@")" "$(cat "$tmp/want")" "each name leads where it does now"
is "$(audited LD_AUDIT="$tmp/told.so:$LIBCUAUDIT" CUAUDIT_HOOKS= "$tmp/again" "$@")" \
	"$(cat "$tmp/want")" "behind another auditor too"

done_testing
