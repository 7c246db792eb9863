# SPDX-License-Identifier: Apache-2.0
# Behind another auditor, which hides look-ups by dlsym from us, the same calls are seen.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

cat >"$tmp/other.c" <<'C'
unsigned int la_version(unsigned int version)
{
	return version;
}
C
compile -shared -fPIC -o "$tmp/other.so" "$tmp/other.c" || bail_out "cannot build an auditor"

# calls AUDITORS [VARIABLE=VALUE...] COMMAND...: name and number of the calls of each function.
calls() {
	calls_audit=$1
	shift
	rm -f "$tmp/report"
	$run_env LD_AUDIT="$calls_audit" CUAUDIT_DRIVER=sim CUAUDIT_HOOKS='stat(format=json)' \
		CUAUDIT_OUTPUT="$tmp/report" "$@" >"$tmp/out" 2>"$tmp/err" || {
		cat "$tmp/out" "$tmp/err"
		return
	}
	test ! -e "$tmp/report" || "$PYTHON3" -c '
import json, sys
report = json.load(open(sys.argv[1]))
print(*sorted("%s %d" % (f["name"], f["calls"]) for f in report["functions"]), sep="\n")
print("escapes", len(report["escapes"]))' "$tmp/report"
}

# same AUDITOR NAME: the three ways of the demonstration, behind that auditor.
same() {
	for way in linked dlopen procaddr; do
		program=$top_builddir/demo/cudemo
		test "$way" != linked || program=$program-linked
		alone=$(calls "$LIBCUAUDIT" "$program" "$way")
		like "$alone" '^cuLaunchKernel 10$' "alone: $way"
		is "$(calls "$1:$LIBCUAUDIT" "$program" "$way")" "$alone" "behind $2: $way"
		is "$(calls "$1:$LIBCUAUDIT" CUAUDIT_EXCLUDE='(main)' "$program" "$way")" "" \
			"behind $2: $way, excluded by the calling address"
	done
}

same "$tmp/other.so" "one without la_symbind64"

sotruss=$(ls /usr/lib/*/audit/sotruss-lib.so /usr/lib64/audit/sotruss-lib.so 2>"$tmp/none" | head -n 1)
if test -n "$sotruss"; then
	SOTRUSS_OUTNAME=$tmp/sotruss
	export SOTRUSS_OUTNAME
	same "$sotruss" "sotruss"
else
	skip 9 "no sotruss"
fi
# However the loader learns of the two.
program=$top_builddir/demo/cudemo
alone=$(calls "$LIBCUAUDIT" "$program" dlopen)
loader=$($READELF -lW "$program" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
is "$(calls "" "$loader" --audit "$tmp/other.so:$LIBCUAUDIT" "$program" dlopen)" "$alone" \
	"both from the loader's --audit"
is "$(calls "$tmp/other.so" "$loader" --audit "$LIBCUAUDIT" "$program" dlopen)" "$alone" \
	"LD_AUDIT, and we from the loader's --audit"
ok "a program with DT_AUDIT" compile -o "$tmp/named" "$top_srcdir/demo/cudemo.c" \
	-Wl,--audit="$tmp/other.so:$LIBCUAUDIT" -ldl
# Known to glibc since 2.32. Under this auditor la_version ends the process, with its argument.
loader_family >"$tmp/family"
echo 'int main(void) { return 0; }' >"$tmp/main.c"
compile -o "$tmp/ended" "$tmp/main.c" -Wl,--audit="$tmp/version.so"
if $run_env "$tmp/ended"; then
	skip 1 "this loader knows no DT_AUDIT"
else
	is "$(calls "" "$tmp/named" dlopen)" "$alone" "both from the program's DT_AUDIT"
fi
is "$(calls "$tmp/nosuch.so:$LIBCUAUDIT" "$program" dlopen)" "$alone" "behind one that is not there"
done_testing
