# SPDX-License-Identifier: Apache-2.0
# The limit's accounts after each of many random operations, against a model of them.
. "${top_srcdir:-$(dirname "$0")/..}/t/limit/lib.sh"

fails="/^cuMem(Alloc|Free|Create|Map|Unmap|Release)|^cuArray.*(Create|Destroy)/"
fails="fault(log=0;inject=$fails:p=0.1:error=CUDA_ERROR_OUT_OF_MEMORY"
operations=4000
test -z "${LONG_TESTS-}" || operations=100000

# model NAME SEED FAULTS HOOKS: each of the quotas is the tighter one in turn.
model() {
	rm -f "$tmp/user" "$tmp/report.limit"
	process=$((48 + $2 % 2 * 4))
	user=$((52 - $2 % 2 * 4))
	quotas="device0=40M;device1=24M;memory=${process}M;user=${user}M;file=$tmp/user;format=json"
	ok "$1, seed $2" audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/report" \
		CUAUDIT_HOOKS="limit($quotas)$4" "$PYTHON3" "$top_srcdir/t/limit/model.py" \
		$operations "$2" "$3" $process $user
	is "$(reported '[d["used"] for d in r["devices"]]')" \
		"[$(sed -n 's/.*in use \([0-9]*\) \([0-9]*\)$/\1, \2/p' "$tmp/tap.out")]" \
		"and the report says the same"
}

for seed in 1 2 3; do
	model "the quota alone refuses" $seed 0
	model "the driver refuses as well" $seed 1 ",$fails:seed=$seed)"
done
done_testing
