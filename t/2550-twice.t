# SPDX-License-Identifier: Apache-2.0
# The auditor named more than once: the first instance audits as if alone, the others do nothing.
. "${top_srcdir:-$(dirname "$0")/..}/t/hostile/lib.sh"

demo=$top_builddir/demo/cudemo

# report AUDITORS [VARIABLE=VALUE...] COMMAND...: its coverage report, what it prints, its status.
report() {
	report_audit=$1
	shift
	rm -f "$tmp/report.coverage"
	report_status=0
	$run_env LD_AUDIT="$report_audit" CUAUDIT_DRIVER=sim CUAUDIT_HOOKS='coverage(format=json)' \
		CUAUDIT_OUTPUT="$tmp/report" "$@" >"$tmp/out" 2>&1 || report_status=$?
	test ! -e "$tmp/report.coverage" || sed 's/"pid":[0-9]*/"pid":0/' "$tmp/report.coverage"
	cat "$tmp/out"
	echo "status $report_status"
}

# A whole second installation, a copy of the auditor alone, links to either.
mkdir "$tmp/other" "$tmp/lonely" "$tmp/links"
cp "$LIBCUAUDIT" "$tmp/other/libcuaudit.so"
cp -R "$(dirname "$LIBCUAUDIT")/cuaudit" "$tmp/other/cuaudit"
cp "$LIBCUAUDIT" "$tmp/lonely/auditor.so"
ln -s "$LIBCUAUDIT" "$tmp/links/alias.so"
ln -s "$LIBCUAUDIT" "$tmp/links/libcuaudit.so"
a=$LIBCUAUDIT

# each NAME LIST
each() {
	for way in linked dlopen procaddr; do
		program=$demo
		test "$way" != linked || program=$demo-linked
		alone=$(report "$a" "$program" $way)
		like "$alone" '"called":true' "alone, $way: calls are seen"
		is "$(report "$2" "$program" $way)" "$alone" "$1, $way: as alone"
	done
}

each "twice" "$a:$a"
each "three times" "$a:$a:$a"
each "by a copy" "$a:$tmp/lonely/auditor.so"
each "by a symbolic link" "$a:$tmp/links/alias.so"
each "by a symbolic link of the same name, empty names" ":$a::$tmp/links/libcuaudit.so:"
each "by another installation" "$a:$tmp/other/libcuaudit.so"

# The other way round: another installation comes first, with its own core.
alone=$(report "$tmp/other/libcuaudit.so" "$demo" dlopen)
is "$(report "$tmp/other/libcuaudit.so:$a" "$demo" dlopen)" "$alone" "another installation first"
alone=$(report "$tmp/links/alias.so" "$demo" dlopen)
is "$(report "$tmp/links/alias.so:$a" "$demo" dlopen)" "$alone" "the link first"

# However the loader learns of the two.
alone=$(report "$a" "$demo" dlopen)
loader=$($READELF -lW "$demo" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
is "$(report "" "$loader" --audit "$a:$a" "$demo" dlopen)" \
	"$(report "" "$loader" --audit "$a" "$demo" dlopen)" "both from the loader's --audit"
is "$(report "$a" "$loader" --audit "$a" "$demo" dlopen)" \
	"$(report "" "$loader" --audit "$a" "$demo" dlopen)" "LD_AUDIT, and the loader's --audit"
ok "a program with DT_AUDIT" compile -o "$tmp/named" "$top_srcdir/demo/cudemo.c" \
	-Wl,--audit="$a" -ldl
is "$(report "$a" "$tmp/named" dlopen | sed "s,$tmp/named,DEMO,g")" \
	"$(echo "$alone" | sed "s,$demo,DEMO,g")" "LD_AUDIT, and the program's DT_AUDIT"

# A third auditor among them sees what it sees beside one of us, and is no second of ours.
build other.so -shared -fPIC "$hostile/auditor.c"
AUDITOR_OUT=$tmp/callbacks
export AUDITOR_OUT

# told LIST: what the other auditor is told of the driver's functions, and what we count.
told() {
	rm -f "$AUDITOR_OUT"
	report "$1" "$demo" dlopen
	grep '^bind.* libcuda' "$AUDITOR_OUT"
}

beside=$(told "$a:$tmp/other.so")
like "$beside" '^bind \(main\) libcuda\.so\.1 cuLaunchKernel dlsym' "it is told"
is "$(told "$a:$a:$tmp/other.so")" "$beside" "another auditor behind both"
is "$(told "$a:$tmp/other.so:$a")" "$beside" "another auditor between them"
beside=$(told "$tmp/other.so:$a")
is "$(told "$tmp/other.so:$a:$a")" "$beside" "another auditor before both"

# Switched off, both are; children of CUAUDIT_FOLLOW=0 have neither.
is "$(report "$a:$a" CUAUDIT_DISABLE=1 "$demo" dlopen)" "$(report "$a" CUAUDIT_DISABLE=1 "$demo" dlopen)" \
	"CUAUDIT_DISABLE=1"
is "$($run_env LD_AUDIT="$a:$a" CUAUDIT_FOLLOW=0 printenv LD_AUDIT)" "" \
	"CUAUDIT_FOLLOW=0: children have no LD_AUDIT"
# The list is shortened where the loader still reads it.
long=$tmp/links/$(printf '%0120d' 0).so
cp "$tmp/other.so" "$long"
rm -f "$AUDITOR_OUT"
is "$($run_env LD_AUDIT="$a:$long" CUAUDIT_FOLLOW=0 printenv LD_AUDIT 2>&1)" "$long" \
	"CUAUDIT_FOLLOW=0: the next auditor's path is read whole"
like "$(cat "$AUDITOR_OUT")" '^open' "and that auditor runs"
is "$($run_env LD_AUDIT="$a:$a:$long" CUAUDIT_FOLLOW=0 printenv LD_AUDIT 2>&1)" "$long" \
	"CUAUDIT_FOLLOW=0, twice: the next auditor's path is read whole"

# Who is excluded has the driver's own addresses, which it has not beside another auditor.
know_loader
fake_driver
library libasker.so asker.c -ldl
program who who.c -L"$tmp" -l:libasker.so -L"$tmp" -l:libcuda.so.1
routed "alone, excluded" CUAUDIT_EXCLUDE=libasker.so "$tmp/who" main -
routed "twice, excluded" LD_AUDIT="$a:$a" CUAUDIT_EXCLUDE=libasker.so "$tmp/who" main -
routed "three times by links, excluded" LD_AUDIT="$tmp/links/alias.so:$a:$tmp/lonely/auditor.so" \
	CUAUDIT_EXCLUDE=libasker.so "$tmp/who" main -

routed "twice, the program excluded" LD_AUDIT="$a:$a" CUAUDIT_EXCLUDE='(main)' "$tmp/who" - library

# A library the program opens by itself is no second auditor, and does no harm.
helper routes/opens
like "$(report "$a" "$tmp/opens" "$a")" '"name":"cuInit","in_table":true,"called":true' \
	"opened by the program too"

done_testing
