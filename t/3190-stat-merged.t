# SPDX-License-Identifier: Apache-2.0
# Statistics of threads that ended are the sums of what they were, in every field.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

seeds="1 2 3"
test -z "${LONG_TESTS-}" || seeds=$(seq 1 50)
for seed in $seeds; do
	rm -rf "$tmp/saved"
	mkdir "$tmp/saved"
	ok "seed $seed" audited CUAUDIT_DRIVER=sim CUAUDIT_SIM_LAUNCH_TIME=1000000000 \
		CUAUDIT_OUTPUT="$tmp/saved/%p" \
		CUAUDIT_HOOKS="stat(threads=2;print=no),fault(log=0;inject=cuCtxSynchronize:error=999)" \
		"$PYTHON3" "$top_srcdir/t/stat/merged.py" "$tmp/saved" "$seed"
	like "$(cat "$tmp/tap.out")" 'others [1-9][0-9]* errors [1-9]' "with threads that have no record left"
done
done_testing
