# SPDX-License-Identifier: Apache-2.0
# limit(share=): processes that are killed and stopped at random moments, and what the others make of it.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

helper limit/share
kills=20
stops=5
test -z "${LONG_TESTS-}" || kills=100 stops=20
seed=${CUAUDIT_TEST_SEED:-22}
ln -s "$top_builddir/bin/cuaudit" "$tmp/program.cuaudit"
cat >"$tmp/program" <<END
#!/bin/sh
export LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_SIM_CLOCK="$tmp/clock" CUAUDIT_SIM_LAUNCH_TIME=200
export CUAUDIT_OUTPUT="$tmp/report.%p" CUAUDIT_HOOKS="limit(share=50;share-dir=$tmp)"
exec $run_env "$tmp/share" "\$@"
END
chmod 755 "$tmp/program"
timeout 600 "$PYTHON3" "$top_srcdir/t/limit/kills.py" "$tmp/program" "$tmp" "$tmp/cuaudit-share-$(id -u)" \
	$kills $stops "$seed" >"$tmp/tap" 2>"$tmp/err"
is "$? $(cat "$tmp/err")" "0 " "processes that are killed and stopped"
while read -r line; do
	case $line in
	"ok "*) ok "${line#*- }" true ;;
	"not ok "*) ok "${line#*- }" false ;;
	"# "*) diag "${line#??}" ;;
	esac
done <"$tmp/tap"
is "$(grep -c '^ok' "$tmp/tap")" 10 "nothing was left out"
done_testing
