# SPDX-License-Identifier: Apache-2.0
# Random calls on every way to a function: all registers, the stack, control words and errno.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

test "$(arch)" = x86_64 || skip_all "no caller for this processor"

# names KIND: of functions of the table, up to three for each number of arguments that lie in
# integer registers and on the stack; "plain": of these without pointers alone; "few": no more
# than fault takes rules.
names() {
	awk -v kind="$1" -F '[(,] *' '
	BEGIN { integer = "^(CU[a-z]+|CUgraph[A-Z][a-z]+|CUtensorMap[A-Za-z0-9]+|CUoccupancyB2DSize|cuuint32_t|(unsigned )?(int|long long)|size_t)$" }
	/^CUAPI/ && $3 == $4 && $6 == 1 && $5 > 0 && $3 !~ /^cu(Init|DriverGetVersion|GetProcAddress|GetExportTable)/ {
		count = split($0, parts, "P\\(")
		good = 1
		for (i = 2; i <= count; i++) {
			split(parts[i], p, ", ")
			if (p[2] !~ integer && (kind == "plain" || p[2] !~ /\*$/))
				good = 0
		}
		if (p[2] ~ /CUuuid/ || !good || seen[$10]++ >= 3)
			next
		if (kind == "few" && (shown[$10]++ || $10 > 11))
			next
		print "NAME(" $3 ", " ($3 == "cuLaunchKernel" ? "LAUNCH" : "KNOWN") ", " $10 ")"
	}
	' "$top_srcdir/include/cuaudit/driver_api.def"
	# A structure by value: of all registers and eight words of the stack; and newer than any table.
	test "$1" != all || echo "NAME(cuIpcOpenMemHandle, KNOWN, 14)
NAME(cuAnyUnknown0, UNKNOWN, 0)
NAME(cuAnyUnknown1, UNKNOWN, 0)"
}

# made DIRECTORY: a driver of the functions that names.h there lists, bound to itself as the real one is, and
# programs that call them.
made() {
	build "$1/libcuda.so.1" -shared -fPIC -Wl,-Bsymbolic -Wl,-soname,libcuda.so.1 -DANY_DRIVER \
		-I"$tmp/$1" "$routes/any.S" "$routes/any-driver.c"
	build "$1/any.o" -c -I"$tmp/$1" "$routes/any.S"
	program "$1/any" any.c -I"$tmp/$1" "$tmp/$1/any.o" -L"$tmp/$1" -l:libcuda.so.1
}
for directory in all plain few; do
	mkdir "$tmp/$directory"
	names $directory >"$tmp/$directory/names.h"
	made $directory
done
build trash.so -shared -fPIC -Wl,-Bsymbolic -DANY_PLUGIN "$routes/any-plugin.c" "$routes/any.S"
is "$(sed 's/.*, //; s/)//' "$tmp/all/names.h" | sort -n -u | tr '\n' ' ')" \
	"0 1 2 3 4 5 6 7 8 9 10 11 12 14 15 16 " "as many arguments as functions have"
rounds=150
test -z "${LONG_TESTS-}" || rounds=5000
seed=$(date +%s)

# any DIRECTORY NAME HOOKS [VARIABLE=VALUE...]: by all ways, of both kinds of callers.
any() {
	any_directory=$1
	any_name=$2
	any_hooks=$3
	shift 3
	for way in ${ways-plt dlsym proc}; do
		for shift in 0 8; do
			routed "$any_name, by $way, stack $shift, seed $seed" \
				LD_LIBRARY_PATH="$tmp/$any_directory" "$@" \
				"$tmp/$any_directory/any" $way $any_hooks $shift $rounds $seed
		done
	done
}
for shift in 0 8; do
	native "the caller itself, stack $shift, seed $seed" LD_LIBRARY_PATH="$tmp/all" \
		"$tmp/all/any" plt none $shift $rounds $seed
	for turn in 1 2 3 4 5 6 7 8; do
		routed "the first call, stack $shift, seed $seed$turn" LD_LIBRARY_PATH="$tmp/all" \
			CUAUDIT_HOOKS="$tmp/trash.so" "$tmp/all/any" plt first $shift 1 $seed$turn
	done
	routed "the first call, stack $shift, stat" LD_LIBRARY_PATH="$tmp/all" CUAUDIT_HOOKS=stat \
		CUAUDIT_OUTPUT="$tmp/out.%p" "$tmp/all/any" plt first $shift 1 $seed
done
for hooks in none enter exit both timed skip nested; do
	any all "hooks: $hooks" $hooks
done
any all "bound at once, hooks: both" both LD_BIND_NOW=1
any all "excluded" excluded CUAUDIT_EXCLUDE='(main)'
any few "fault" fault CUAUDIT_HOOKS="fault($(
	sed 's/NAME(/inject=/; s/,.*/:error=2/' "$tmp/few/names.h" | tr '\n' ';'))"
any all "stat" alone CUAUDIT_HOOKS=stat CUAUDIT_OUTPUT="$tmp/out.%p"
any all "trace without arguments" alone CUAUDIT_HOOKS="trace(args=no;file=$tmp/a.%p.cutrace)"
any plain "trace" alone CUAUDIT_HOOKS="trace(file=$tmp/b.%p.cutrace)"
any plain "several" both CUAUDIT_HOOKS="stat,trace(file=$tmp/c.%p.cutrace)" \
	CUAUDIT_OUTPUT="$tmp/out.%p"

# Slots of an export table, whatever their functions are called: none is known by it.
ways=table
for tables_hooks in stat "trace(file=$tmp/d.%p.cutrace)" "$tmp/trash.so"; do
	any all "a table, ${tables_hooks%%(*}" alone CUAUDIT_HOOKS="$tables_hooks" CUAUDIT_OUTPUT="$tmp/out.%p" \
		CUAUDIT_DOMAINS=driver,tables
done

done_testing
