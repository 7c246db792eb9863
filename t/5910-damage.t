# SPDX-License-Identifier: Apache-2.0
# Programs with damaged libraries and senseless variables go on as they do without us.
# Damage kills some of them in the loader itself, a few more once any auditor is there:
# what is compared is a run with one that does nothing.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"

fuzz=$top_srcdir/t/fuzz
seed=${CUAUDIT_TEST_SEED:-1}
count=40
test -z "${LONG_TESTS-}" || count=1000

fake_driver
helper routes/simple
helpers fuzz/loads fuzz/idle.so fuzz/write
helper routes/library-noplt.so library.so
CUAUDIT_HOOKS=
LD_LIBRARY_PATH=$tmp
export CUAUDIT_HOOKS LD_LIBRARY_PATH

# outcome FILE COMMAND...: status and output in FILE; messages of ours in FILE.err
outcome() {
	outcome_file=$1
	shift
	outcome_status=0
	"$@" >"$outcome_file" 2>"$outcome_file.err" || outcome_status=$?
	echo "status $outcome_status" >>"$outcome_file"
}

# reference DRIVER LIBRARY FUNCTION: it lives without us.
reference() {
	outcome "$tmp/native" $run_env LD_AUDIT="$tmp/idle.so" "$tmp/loads" "$@"
	grep -q '^status 0$' "$tmp/native"
}

# differs DRIVER LIBRARY FUNCTION: each time. Where damaged segments come to lie is chance.
differs() {
	for try in 1 2 3 4 5; do
		test "$try" = 1 || reference "$@" || return
		outcome "$tmp/audited" audited "$tmp/loads" "$@"
		cmp -s "$tmp/native" "$tmp/audited" &&
			test "$(grep -c '^cuaudit: ' "$tmp/audited.err")" -le 1 && return 1
	done
	return 0
}

# damaged WHAT OBJECT: count copies of OBJECT, those that live without us live on.
damaged() {
	bad=
	alive=0
	mkdir "$tmp/$1"
	$run_env "$tmp/write" "$seed" "$count" "$2" "$tmp/$1" || bail_out "no copies"
	i=0
	while test "$i" -lt "$count"; do
		file=$tmp/$1/$i
		case $1 in
		driver) set -- "$1" "$2" "$file" "$tmp/library.so" ;;
		*) set -- "$1" "$2" "$tmp/libcuda.so.1" "$file" ;;
		esac
		if reference "$3" "$4" library_init; then
			alive=$((alive + 1))
			if differs "$3" "$4" library_init; then
				bad="$bad $i"
				diag "$i: $(cat "$tmp/native" "$tmp/audited" "$tmp/audited.err")"
			fi
		fi
		i=$((i + 1))
	done
	# The loader itself dies of a look-up in a damaged table, and a rewritten
	# relocation has it make one more: a few copies, which depends on the compiler.
	set -- "$1" "$2" $bad
	ok "damaged copies of the $1 end as without us" test $(($# - 2)) -le $((count / 10))
	ok "of $count, $alive live at all" test "$alive" -ge $((count / 2))
}

damaged driver "$tmp/libcuda.so.1"
damaged library "$tmp/library.so"

# senseless VALUE WHAT: in each variable, the calls are made, one line at most is said.
senseless() {
	for variable in $(sed -n 's/^VARIABLE(\([A-Z_]*\),.*/\1/p' \
		"$top_srcdir/include/cuaudit/variables.def"); do
		# a driver that is not there is not loaded
		expected="0 calls=2"
		test "$variable" != DRIVER || test -z "$1" || expected="2 driver"
		# meant to be strict
		test "$variable" != STRICT || expected="85 "
		status=0
		audited "CUAUDIT_$variable=$1" "$tmp/simple" 2 >"$tmp/out" 2>"$tmp/err" \
			3>"$tmp/3" || status=$?
		is "$status $(sed 's/.* //' "$tmp/3")" "$expected" "$variable, $2: runs on"
		ok "$variable, $2: one line at most" test "$(grep -c '' "$tmp/err")" -le 1
	done
}

long=$(awk 'BEGIN { for (i = 0; i < 5000; i++) printf "x" }')
senseless "" "empty"
senseless "$(printf '\n\033[')" "control characters"
senseless "((%z[" "brackets"
senseless "$long" "very long"
senseless "$(printf '%s' "$long" | tr x '*')?" "nothing but stars"
done_testing
