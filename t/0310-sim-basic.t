# SPDX-License-Identifier: Apache-2.0
# The simulated driver: start, devices, names of results, forks, its environment.
. "${top_srcdir:-$(dirname "$0")/..}/t/sim/lib.sh"

# Every result that the table of enumerations has.
sed -n 's/^ENUMERATOR(CUresult, \([A-Z0-9_]*\),.*/{ \1, "\1" },/p' \
	"$top_srcdir/include/cuaudit/driver_enums.def" >"$tmp/results.inc"
helper sim/basic
ok "start, devices, results, forks" $run_env "$tmp/basic"
is "$(grep 'simulated driver' "$tmp/tap.out" | cut -d, -f1)" \
	"simulated driver: the CUDA runtime (cudart) wants an export table that is not here" \
	"of the table that a runtime cannot do without, it says so, once"

helper sim/refused
mkfifo "$tmp/fifo"
echo "of somebody else, and not to be written to" >"$tmp/foreign"
printf '%s' "as long as a clock is..." >"$tmp/long"
cp "$tmp/foreign" "$tmp/kept"
cp "$tmp/long" "$tmp/kept.long"
for bad in CUAUDIT_SIM_MEMORY=0 CUAUDIT_SIM_MEMORY=1X CUAUDIT_SIM_LAUNCH_TIME=x \
	CUAUDIT_SIM_COMPUTE_MODE=1 CUAUDIT_SIM_COMPUTE_MODE=30 CUAUDIT_SIM_COMPUTE_MODE= \
	CUAUDIT_SIM_LAUNCH_TIME=18446744073709552 CUAUDIT_SIM_LAUNCHES="$tmp/no/file" \
	CUAUDIT_SIM_LAUNCHES="$tmp/fifo" CUAUDIT_SIM_CLOCK="$tmp/fifo" CUAUDIT_SIM_CLOCK=/dev/null \
	CUAUDIT_SIM_CLOCK="$tmp/foreign" CUAUDIT_SIM_CLOCK="$tmp/long"; do
	timeout 300 $run_env "$bad" "$tmp/refused" >"$tmp/out" 2>"$tmp/err"
	is "$? $(cat "$tmp/out")" "0 1 1 3" "$bad: the driver does not start"
	is "$(cat "$tmp/err")" "simulated driver: ${bad%%=*}: cannot use \"${bad#*=}\"" "and is said once"
done
ok "a file that is no clock is left as it is" cmp "$tmp/foreign" "$tmp/kept"
ok "and one of a clock's length" cmp "$tmp/long" "$tmp/kept.long"
for i in first second; do
	$run_env CUAUDIT_SIM_CLOCK="$tmp/clock" "$tmp/refused" >"$tmp/out" 2>"$tmp/err"
	is "$(cat "$tmp/err")" "" "the $i process takes a clock"
done
$run_env CUAUDIT_SIM_MEMORY="$(printf '\033[31m\nx\233')" "$tmp/refused" >"$tmp/out" 2>"$tmp/err"
is "$(cat "$tmp/err")" 'simulated driver: CUAUDIT_SIM_MEMORY: cannot use "?[31m?x?"' \
	"nothing of a value reaches the terminal"
done_testing
