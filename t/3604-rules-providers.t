# SPDX-License-Identifier: Apache-2.0
# Rules of functions of CUAUDIT_PROVIDERS that no hook sees: those that can have none, and of libraries that never come.
. "${top_srcdir:-$(dirname "$0")/..}/t/rules/lib.sh"

test "$(loader_family)" = new || skip_all "the loader does not report all bindings"

source=$top_srcdir/t/providers/unfit.c
{
	compile -O1 -shared -fPIC -Wl,-soname,libunfit.so.1 -DLIBRARY -o libunfit.so.1 "$source" &&
	compile -O1 -o unfit "$source" -L. -l:libunfit.so.1 -Wl,-rpath,"$tmp"
} >build.out 2>&1 || bail_out "cannot build the program"
CUAUDIT_PROVIDERS=libunfit.so.1
export CUAUDIT_PROVIDERS

# by name: nothing is run
while read -r column selector; do
	rules "never $selector"
	check ./unfit all
	ends 2 "$selector"
	says "^cuaudit: rules: .*rules:1:$column: '[^']*' can have no hook, " "... why"
	is "$(cat out)" "" "... and nothing is run"
done <<'END'
7 libunfit.so.1:savectx
7 =libunfit.so.1:malloc
7 lib*:setjmp@V
7 cuInit,libunfit.so.1:_ZGVbN2v_sin
END
rules "mark a = 1st libunfit.so.1:free" "never cuInit after a"
check ./unfit
ends 2 "of a mark"

# by a glob, or by another name of the function: once it is bound
lost='^check: process [0-9]+ of .*unfit.*: a rule takes functions of CUAUDIT_PROVIDERS that can have no hook: '
for selector in libunfit.so.1:kept 'libunfit.so.1:*' 'lib*:sa*' %providers '!libunfit.so.1:beside,%providers'; do
	rules "at-most 100 $selector"
	check ./unfit all
	ends 89 "$selector"
	says "$lost" "... why"
	is "$(cat out)" 42 "... and the program is as without"
done
rules "mark a = 1st libunfit.so.1:kep*" "optional never cuInit after a"
check ./unfit all
ends 89 "of a mark"
CUAUDIT_FUNCTIONS= alone ./unfit all
ends 89 "by the hook alone"

# what leaves it out, by any of its names, and what does not bind it
for selector in 'libunfit.so.1:*,!libunfit.so.1:savectx' 'libunfit.so.1:*,!lib*:kep*' libunfit.so.1:beside; do
	rules "at-most 100 $selector"
	check ./unfit all
	ends 0 "$selector"
done
rules "at-most 100 libunfit.so.1:kept,libunfit.so.1:beside"
check ./unfit
ends 0 "it was never bound"

# libraries that never come
missing='never reached: the library of its function, of which none of that name was loaded as one of CUAUDIT_PROVIDERS, nor called by one of CUAUDIT_LIBC$'
for selector in libtwo.so.1:beside libunfit.so.2:beside 'libunfit.so.1:beside,libtwo*:f' '=libtwo.so.1:beside'; do
	rules "at-most 100 $selector"
	check ./unfit
	ends 88 "$selector"
	says "$missing" "... why"
	rules "optional at-most 100 $selector"
	check ./unfit
	ends 0 "... optional"
done
rules 'at-most 100 libunfit.so.[12]:beside,!libtwo.so:f'
check ./unfit
ends 0 "a library that is taken away need not come"
CUAUDIT_PROVIDERS=libtwo.so.1
rules "never %providers"
check "$top_builddir/demo/cudemo" dlopen
ends 88 "%providers, of which there is none"
says "$missing" "... why"

# one that ends the process, by exit and by _exit
cat >ends.c <<'C'
#include <stdlib.h>
#include <unistd.h>

int cuInit(unsigned int flags);
void fatal(int how);

#ifdef LIBRARY
void fatal(int how)
{
	if (how == 2)
		_exit(0);
	exit(0);
}
#else
int main(int argc, char **argv)
{
	cuInit(0);
	if (argc > 1)
		fatal(argc);
	exit(argv == NULL);
}
#endif
C
{
	compile -O1 -shared -fPIC -Wl,-soname,libends.so.1 -DLIBRARY -o libends.so.1 ends.c &&
	compile -O1 -o ends ends.c -L. -l:libends.so.1 "$simdir/libcuda.so.1" -Wl,-rpath,"$tmp"
} >build.out 2>&1 || bail_out "cannot build a program that ends"
CUAUDIT_PROVIDERS=libends.so.1
rules "optional never libends.so.1:fatal"
for how in "_exit" "exit, say"; do
	# shellcheck disable=SC2086
	check ./ends $how
	ends 89 "never of a function that ends the process, by ${how%,*}"
	says "^check: process [0-9]+ of .*ends.*: calls were lost, .* ended by the end of the process, " "... why"
done
check ./ends
ends 0 "never of one that is not called"
rules "never cuCtxSynchronize"
check ./ends
ends 0 "a program that ends outside of all calls"
done_testing
