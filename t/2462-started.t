# SPDX-License-Identifier: Apache-2.0
# Relative paths in settings lead to where the program was started, not to where it has gone by its
# first driver call: somebody else may have put a plug-in or a file of the same name there.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

start=$tmp/start
there=$tmp/there
ok "directories" mkdir -p "$start/hooks" "$there/hooks" "$start/per%cent"
helper routes/gone
# plugin PATH WORD
plugin() {
	build "$1" -w -shared -fPIC -x c - -L"$top_builddir/lib/cuaudit" -l:cuaudit-core.so <<END
#include <cuaudit/hook.h>
#include <stdio.h>

static int init(const struct cuaudit_options *options)
{
	printf("$2 plug-in, option %s\n", cuaudit_option_get(options, "path"));
	return 0;
}

static const struct cuaudit_option options[] = {
	{ "path", "none", "none|PATH", "a path" }, { NULL, NULL, NULL, NULL }
};
const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "which", .summary = "",
	.options = options, .init = init,
};
END
}
plugin start/hooks/which.so right
plugin there/hooks/which.so wrong
cd "$start" || exit 99

# gone NAME VARIABLE=VALUE...
gone() {
	gone_name=$1
	shift
	gone_status=0
	audited CUAUDIT_DRIVER=sim "$@" "$tmp/gone" "$there" >"$tmp/out" 2>"$tmp/err" ||
		gone_status=$?
	is "$gone_status $(cat "$tmp/err")" "0 " "$gone_name: the program, and nothing is printed"
}

gone "a plug-in's path" CUAUDIT_HOOKS=hooks/which.so
is "$(cat "$tmp/out")" "right plug-in, option none" "a plug-in's path: which"
gone "CUAUDIT_PATH" CUAUDIT_PATH=:nowhere:hooks CUAUDIT_HOOKS=which
is "$(cat "$tmp/out")" "right plug-in, option none" "CUAUDIT_PATH: which"
gone "an option that is a path" CUAUDIT_HOOKS='./hooks/which.so(path=some/file)'
is "$(cat "$tmp/out")" "right plug-in, option $start/some/file" "an option that is a path: which"
gone "an absolute path" CUAUDIT_HOOKS="$start/hooks/which.so(path=/some/file)"
is "$(cat "$tmp/out")" "right plug-in, option /some/file" "an absolute path: it stays"

# A driver in the same place: one that does not answer stands where the program goes.
cp "$simdir/libcuda.so.1" hooks
echo none >"$there/hooks/libcuda.so.1"
gone "a driver" CUAUDIT_DRIVER=hooks/libcuda.so.1 CUAUDIT_HOOKS=
cp "$simdir/libcuda.so.1" per%cent
cd per%cent || exit 99
gone "a driver beside a percent sign" CUAUDIT_DRIVER=./libcuda.so.1 CUAUDIT_HOOKS=
rm libcuda.so.1
cd "$start" || exit 99

# Every module's file.
printf 'left cuNone *\n' >hooks/suppress
printf 'what is no rule\n' >"$there/hooks/suppress"
for directory in hooks 'per%%cent'; do
	gone "outputs in $directory" CUAUDIT_OUTPUT="$directory/%e" CUAUDIT_HOOKS="coverage,\
fault(inject=cuInit:delay_enter=1us),limit(memory=1G;user=1G;file=hooks/limit;count=allocations),stat(save=hooks/save;\
print=no),leak(suppress=hooks/suppress),trace(file=$directory/trace)"
	directory=$(echo "$directory" | sed s/%%/%/)
	is "$(cd "$directory" && ls -d gone* trace)" "gone.coverage
gone.fault
gone.leak
gone.limit
trace" "outputs in $directory: all that were made"
	rm -f "$directory"/gone* "$directory"/trace
done
is "$(ls hooks)" "libcuda.so.1
limit
save
save.1
suppress
which.so" "paths of options lead there"
gone "trace without a path" CUAUDIT_HOOKS=trace
is "$(ls -d gone-*.cutrace | wc -l)" 1 "trace without a path: where the program was started"
gone "trace(text)" CUAUDIT_OUTPUT=text CUAUDIT_HOOKS='trace(text)'
ok "trace(text): there" test -s text.trace

# A library that is opened by a relative path lies where the program was then, not where it goes, or is called from.
build librel.so -shared -fPIC -x c - <<'END'
int run(int (*call)(unsigned int))
{
	int result = call(0);

	__asm__ volatile("" : : : "memory");
	return result;
}
END
build opens -x c - -ldl <<'END'
#include <dlfcn.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL, *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*run)(void *) = library ? dlsym(library, "run") : NULL;

	return !run || !driver || chdir(argv[2]) || run(dlsym(driver, "cuInit"));
}
END
mkdir "$start/sub" && cp "$tmp/librel.so" "$start/" && cp "$tmp/librel.so" "$start/sub/"
for path in ./librel.so sub/librel.so ../start/librel.so; do
	audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/opened" CUAUDIT_HOOKS='stat(format=json)' "$tmp/opens" "$path" "$there"
	like "$(tr , '\n' <"$tmp/opened" | grep librel)" "\"$(pwd -P)/${path#./}\"" "$path: where it was opened"
	rm -f "$tmp/opened"
done

# Started in a directory that is no more: what is relative leads nowhere.
mkdir "$tmp/removed"
cd "$tmp/removed" || exit 99
rmdir "$tmp/removed"
for hooks in stat "stat(save=a)" trace ./which.so "leak(suppress=a)"; do
	audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="$hooks" CUAUDIT_OUTPUT=relative "$tmp/gone" "$there" \
		>"$tmp/out" 2>"$tmp/err"
	is "$?" 0 "$hooks, started in a removed directory: the program"
	like "$(cat "$tmp/err")" '^cuaudit: .*(No such file|does not exist)' "$hooks: which is said"
done
cd "$start" || exit 99
is "$(find "$there" | sort)" "$there
$there/hooks
$there/hooks/libcuda.so.1
$there/hooks/suppress
$there/hooks/which.so" "nothing is made where the program went"
done_testing
