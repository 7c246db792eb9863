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
for bad in CUAUDIT_SIM_MEMORY=0 CUAUDIT_SIM_MEMORY=1X CUAUDIT_SIM_LAUNCH_TIME=x \
	CUAUDIT_SIM_COMPUTE_MODE=1 CUAUDIT_SIM_COMPUTE_MODE=30 CUAUDIT_SIM_COMPUTE_MODE= \
	CUAUDIT_SIM_LAUNCH_TIME=18446744073709552 CUAUDIT_SIM_LAUNCHES="$tmp/no/file"; do
	$run_env "$bad" "$tmp/refused" >"$tmp/out" 2>"$tmp/err"
	is "$? $(cat "$tmp/out")" "0 1 1 3" "$bad: the driver does not start"
	is "$(cat "$tmp/err")" "simulated driver: ${bad%%=*}: cannot use \"${bad#*=}\"" "and is said once"
done
$run_env CUAUDIT_SIM_MEMORY="$(printf '\033[31m\nx\233')" "$tmp/refused" >"$tmp/out" 2>"$tmp/err"
is "$(cat "$tmp/err")" 'simulated driver: CUAUDIT_SIM_MEMORY: cannot use "?[31m?x?"' \
	"nothing of a value reaches the terminal"
done_testing
