# SPDX-License-Identifier: Apache-2.0
# share.sh [PART [KIND]] in a build directory, on a machine with a GPU: processes that share its time by weights, beside
# what the driver makes of them. PART: c (programs in CUDA C, 6 minutes; the default), cap (limits of time, 3 minutes),
# host (what the host bounds, and JAX, with limits of time, 5 minutes), jax (of python, what differs most from run to
# run), kill (kills and stops, 3 minutes), lend (who waits for one that does nothing, 1 minute), price (what a share
# costs who has no competitor, 5 minutes), python (PyTorch and JAX, 8 minutes), python-cap (these, with limits of time
# alone, 2 minutes a turn), step (training steps between which the device has nothing to do: whether others have it then, 3
# minutes), unequal (equal weights, kernels of unequal lengths, 2 minutes), all (c, python and
# limits of time in one table). SHARE_SECONDS a run, 8 if it is not set, and 5 of all; SHARE_TURNS: runs of which a row of
# the table, or of a limit, is the mean, in turns with one alone. KIND: of the part, that alone, as it stands in the
# output: "torch small", share=50. SHARE_KILLS: 40 if it is not set.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
. "$top_srcdir/t/lib.sh"

gpu=$top_srcdir/t/gpu
part=${1:-c}
only=${2-}
test "$part" = all && seconds=5 || seconds=8
seconds=${SHARE_SECONDS:-$seconds}
turns=${SHARE_TURNS:-1}
nvcc=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc
nvidia-smi -L >"$tmp/gpus" 2>&1 || skip_all "no GPU"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/# /'
"$nvcc" -O2 -arch=native -o "$tmp/share" "$gpu/share.cu" >"$tmp/built" 2>&1 || {
	sed 's/^/# /' "$tmp/built"
	skip_all "share.cu cannot be built"
}

# wanted KIND: whether its turn is wanted
wanted() {
	test "${only:-$1}" = "$1"
}

# start NUMBER PROCESSES OPTIONS COMMAND...: one of several, in the background; OPTIONS none: without cuaudit
start() {
	start_number=$1
	start_of=$2
	start_options=$3
	shift 3
	if test "$start_options" = none; then
		"$@" "$tmp/all" "$start_number" "$start_of" >"$tmp/out.$start_number" 2>"$tmp/err.$start_number" &
	else
		audited CUAUDIT_HOOKS="limit($start_options;share-dir=$tmp;format=json)" \
			CUAUDIT_OUTPUT="$tmp/report.$start_number" "$@" "$tmp/all" "$start_number" "$start_of" \
			>"$tmp/out.$start_number" 2>"$tmp/err.$start_number" &
	fi
	pids="$pids $!"
}

# together COMMAND OPTIONS...: one process for each OPTIONS, all at once; their rates in $rates
together() {
	together_command=$1
	shift
	together_number=0
	pids=
	rates=
	sums=
	gaps=
	rm -f "$tmp/all" "$tmp"/out.* "$tmp"/err.* "$tmp"/report.*
	for together_options; do
		# shellcheck disable=SC2086
		start "$together_number" "$#" "$together_options" $together_command
		together_number=$((together_number + 1))
	done
	for together_pid in $pids; do
		wait "$together_pid" || diag "a process ended with status $?"
	done
	together_number=0
	for together_options; do
		grep -v "gap of" "$tmp/err.$together_number" | sed 's/^/# /'
		read -r together_rounds together_rate together_gap together_sum <"$tmp/out.$together_number" || :
		rates="$rates ${together_rate:-0}"
		gaps="$gaps ${together_gap:-0}"
		sums="$sums ${together_sum:-none}"
		test ! -r "$tmp/report.$together_number.limit" || diag "  $together_options: $together_rounds rounds," \
			"longest gap $together_gap ms," \
			"$(sed 's/.*"shares":\(\[[^]]*\]\).*/\1/' "$tmp/report.$together_number.limit")"
		together_number=$((together_number + 1))
	done
}

# row NAME ALONE WEIGHTS RATES: a line of the table, and whether all is as it should be: within 3 points, and together
# 95 % of one alone, or of as many by the driver's own time slicing, in $at_once, where that is less; host-bound programs do
# more by that than one alone
row() {
	row_line=$(echo "$2 $3 $4" | awk -v n="$(echo "$3" | wc -w)" -v name="$1" -v at_once="$at_once" '{
		for (i = 1; i <= n; i++) {
			weights += $(1 + i)
			all += $(1 + n + i)
		}
		others = split(at_once, both, " ")
		for (i = 1; i <= others; i++)
			sliced += both[i]
		bad = all < 0.95 * (sliced && sliced < $1 ? sliced : $1)
		for (i = 1; i <= n; i++) {
			had = all ? 100 * $(1 + n + i) / all : 0
			wanted = 100 * $(1 + i) / weights
			text = text sprintf(" %5.1f", had)
			if (had > wanted + 3 || had < wanted - 3)
				bad = 1
		}
		printf "%s %-24s%-22s of 100 %%, together %.1f %% of alone, %.1f %% of as many at once\n",
			bad ? "BAD " : "GOOD", name, text, $1 ? 100 * all / $1 : 0, sliced ? 100 * all / sliced : 0
	}')
	diag "$row_line"
	like "$row_line" '^GOOD' "$1"
}

# identical SUMS...: what the first rounds computed is the same in all
identical() {
	is "$(printf '%s\n' "$@" | sort -u | wc -l | tr -d ' ')" 1 "$kind: results are those of a run alone"
}

# shared NAME COMMAND SECONDS WEIGHT...: a row of $turns runs, each after one of the command alone; $alone is the mean of
# all of those: what the host bounds differs by a fifth from process to process
shared() {
	shared_name=$1
	shared_command=$2
	shared_alone="$2 $3"
	shift 3
	shared_options=
	for shared_weight; do
		shared_options="$shared_options share=$shared_weight"
	done
	shared_rates=
	for shared_turn in $(seq 1 "$turns"); do
		together "$shared_alone" none
		alones="$alones$rates"
		# shellcheck disable=SC2086
		together "$shared_command $seconds" $shared_options
		shared_rates="$shared_rates$rates"
		sums_shared="$sums_shared $sums"
		test "$turns" = 1 || diag "turn $shared_turn: $shared_name $(echo "$*" | tr ' ' /):$rates"
	done
	alone=$(echo "$alones" | awk '{ for (i = 1; i <= NF; i++) sum += $i; print sum / NF }')
	rates=$(echo "$shared_rates" | awk -v n="$#" -v turns="$turns" '{
		for (i = 1; i <= NF; i++)
			sum[(i - 1) % n] += $i / turns
		for (i = 0; i < n; i++)
			printf " %.3f", sum[i]
	}')
	row "$shared_name $(echo "$*" | tr ' ' /)" "$alone" "$*" "$rates"
}

# shares NAME COMMAND SECONDS: the command alone, for so long, two at once, and by weights
shares() {
	together "$2 $3" none
	alones=$rates
	sums_alone=$sums
	sums_shared=
	together "$2 $3" none none
	shares_two=$rates
	at_once=$rates
	together "$2 $3" none none none
	shares_three=$rates
	shared "$@" 70 30
	shared "$@" 90 10
	at_once=$shares_three
	shared "$@" 10 30 60
	diag "DRIVER $1 alone $alones, two at once$shares_two, three$shares_three"
}

# busy OPTIONS COMMAND...: the command alone by these; in $busy which part of the time the device has work, in %, by NVML:
# the median of what it says while there is any, 0 where it says nothing
busy() {
	nvidia-smi -i "${CUDA_VISIBLE_DEVICES:-0}" --query-gpu=utilization.gpu --format=csv,noheader,nounits \
		-lms 100 >"$tmp/busy" 2>"$tmp/none" &
	busy_smi=$!
	together "$2" "$1"
	kill "$busy_smi"
	wait "$busy_smi" 2>"$tmp/none" || :
	busy=$(awk '$1 >= 3' "$tmp/busy" | sort -n | awk '{ all[NR] = $1 } END { print NR ? all[int((NR + 1) / 2)] : 0 }')
}

# cap NAME COMMAND: in 30 % of the time the device has no more work than that, and as much is done as of all that the
# command does alone, or more, where the device waits for it meanwhile; $turns of both, in turns, as what the host
# bounds differs from run to run
cap() {
	cap_alone=
	cap_rates=
	cap_worked=
	for cap_turn in $(seq 1 "$turns"); do
		busy none "$2 $seconds"
		cap_busy=$busy
		cap_alone="$cap_alone$rates"
		busy time=30% "$2 $seconds"
		cap_rates="$cap_rates$rates"
		cap_worked="$cap_worked $(sed -n 's/.*"worked_ns":\([0-9]*\).*/\1/p' "$tmp/report.0.limit" |
			awk -v seconds="$seconds" '{ printf "%.1f", $1 / seconds / 1e7 }')"
	done
	capped=$(echo "$cap_alone $cap_rates" | awk '{
		for (i = 1; i <= NF; i++)
			sum[i > NF / 2] += $i
		printf "%.1f", sum[0] ? 100 * sum[1] / sum[0] : 0
	}')
	diag "CAP $1 time=30%: $capped %,$cap_rates of$cap_alone alone; charged$cap_worked % of the time;" \
		"by NVML the device has work $busy % of the time, alone $cap_busy %"
	like "$(echo "$capped $busy $cap_busy" |
		awk '{ print ($1 >= 27 && ($1 <= 33 || ($2 > 0 && $2 <= 33 && $3 > 0 && $3 < 97)) ? "GOOD" : "BAD") }')" GOOD "$1 capped"
}

# also_cap NAME COMMAND ALONE: in the table of all
also_cap() {
	case $part in
	all | host) cap "$@" ;;
	esac
}

# programs KIND...
programs() {
	for kind; do
		wanted "$kind" || continue
		shares "$kind" "$tmp/share $kind" 3
		# shellcheck disable=SC2086
		identical $sums_alone $sums_shared
		also_cap "$kind" "$tmp/share $kind"
	done
}

# price NAME COMMAND TURNS: what a share costs who has no competitor: no more than one percent, as far as so many runs, in
# turns with others of the command alone, can tell; theirs in $alone
price() {
	alone=
	ours=
	for turn in $(seq 1 "$3"); do
		together "$2" none
		alone="$alone $rates"
		together "$2" share=50
		ours="$ours $rates"
		# As they come: a machine may be gone before the last.
		diag "ALONE $1: turn $turn,$(echo "$alone" | sed 's/.* / /'),$rates with share"
	done
	diag "ALONE $1: rates$alone; with share$ours"
	price_row=$(echo "$alone $ours" | awk '{
		n = NF / 2
		for (i = 1; i <= NF; i++)
			sum[i > n] += $i / n
		for (i = 1; i <= NF; i++)
			squares[i > n] += ($i / sum[i > n] - 1) ^ 2
		times = sum[0] / sum[1]
		error = sqrt((squares[0] + squares[1]) / (n - 1) / n)
		printf "%s, %.4f times as long with share, standard error %.4f",
			(times - 2 * error > 1.01 ? "BAD" : "GOOD"), times, error
	}')
	diag "ALONE $1: $price_row"
	like "$price_row" '^GOOD' "$1: without a competitor it takes as long"
}

# prices: of what submissions of its own bound
prices() {
	for kind in tiny sync; do
		wanted "$kind" || continue
		price "$kind" "$tmp/share $kind 1" "${SHARE_TURNS:-12}"
	done
	wanted "torch small" || return 0
	"$PYTHON3" -c "import torch" >"$tmp/import" 2>&1 || {
		skip 1 "no torch"
		return
	}
	price "torch small" "$PYTHON3 $gpu/share_step.py torch small 2" "${SHARE_TURNS:-12}"
}

caps() {
	for kind in gemm long tiny graph sync; do
		wanted "$kind" || continue
		price "$kind" "$tmp/share $kind 1" 4
		cap "$kind" "$tmp/share $kind"
		test "$kind" = tiny || continue
		# A loop of launches that pauses of its own accord, without cuaudit: as under a cap?
		together "$tmp/share burst $seconds" none
		# Rates of what is bound by launches differ from run to run: the best of them.
		diag "BURST: $(echo "$(most "$cap_alone") $rates" | awk '{ printf "%.1f", $1 ? 100 * $2 / $1 : 0 }')" \
			"% of tiny's rate, while it does not pause"
	done
}

# most NUMBERS
most() {
	echo "$1" | awk '{ best = 0; for (i = 1; i <= NF; i++) if ($i > best) best = $i; print best }'
}

# A process that does something now and then, beside others of the kind: how long it waits.
naps() {
	for options in none share=50; do
		together "$tmp/share nap $seconds" "$options"
		diag "NAP $options: alone, median of a round $rates ms, longest $gaps ms"
		together "$tmp/share nap $seconds" "$options" "$options"
		diag "NAP $options: two, median of a round $rates ms, longest $gaps ms"
		together "$tmp/share nap $seconds" "$options" "$options" "$options"
		diag "NAP $options: three, median of a round $rates ms, longest $gaps ms"
	done
	like "$(echo "$rates $gaps" | awk '{
		for (i = 1; i <= NF; i++)
			bad += i <= NF / 2 ? $i >= 2 : $i >= 50
		print NF == 6 && !bad ? "GOOD" : "BAD"
	}')" GOOD "an idle holder lends at once"
}

# moment: seconds, as CLOCK_MONOTONIC has them
moment() {
	"$PYTHON3" -c 'import time; print("%.3f" % time.monotonic())'
}

# Two processes go on; others are started, killed, or stopped and then killed, at random moments. Behind each such moment
# there is half a second in which the two are by themselves: what they do in it from 100 ms on.
kills() {
	kill_options=$1
	kill_count=${SHARE_KILLS:-40}
	together "$tmp/share sync 3" none
	kill_alone=$rates
	pids=
	rm -f "$tmp"/all* "$tmp"/report.* "$tmp/kills" "$tmp"/times.*
	for kill_survivor in 0 1; do
		SHARE_TIMES=$tmp/times.$kill_survivor start "$kill_survivor" 2 "$kill_options" "$tmp/share" sync \
			"$((kill_count * 2 + 6))"
	done
	sleep 2
	for kill in $(seq 1 "$kill_count"); do
		# Not by `audited`, a function, whose shell would be killed in place of the program.
		if test "$kill_options" = none; then
			"$tmp/share" gemm 60 "$tmp/all.$kill" 0 1 >"$tmp/victim" 2>&1 &
		else
			env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_HOOKS="limit($kill_options;share-dir=$tmp)" \
				"$tmp/share" gemm 60 "$tmp/all.$kill" 0 1 >"$tmp/victim" 2>&1 &
		fi
		victim=$!
		sleep "$(awk -v seed="$kill" 'BEGIN { srand(seed); printf "%.3f", 0.7 + rand() / 2 }')"
		if test $((kill % 5)) -eq 0; then
			echo "$(moment) stop" >>"$tmp/kills"
			kill -STOP "$victim"
			sleep 0.5
		fi
		echo "$(moment) kill" >>"$tmp/kills"
		kill -KILL "$victim"
		wait "$victim" 2>"$tmp/none" || :
		sleep 0.5
	done
	for kill_pid in $pids; do
		wait "$kill_pid" || diag "a survivor ended with status $?"
	done
	for kill_survivor in 0 1; do
		test ! -r "$tmp/report.$kill_survivor.limit" || sed "s/^/# survivor: /" "$tmp/report.$kill_survivor.limit"
		read -r rounds rate gap sum <"$tmp/out.$kill_survivor"
		diag "KILLS $kill_options: longest gap $gap ms, $rate rounds a second of $rounds, $sum"
	done
	kill_row=$("$PYTHON3" "$gpu/share_kills.py" "$kill_alone" "$tmp/kills" "$tmp/times.0" "$tmp/times.1")
	diag "KILLS $kill_options: $kill_row"
	test "$kill_options" != none || return 0
	like "$kill_row" "^GOOD: $((kill_count + kill_count / 5)) moments" "the others are at full speed within 100 ms"
}

# unequals KIND...: the kinds beside each other, with equal weights; Jain's index of what each does of what it does alone,
# by the driver's own time slicing and by shares
unequals() {
	alone=
	for kind; do
		together "$tmp/share $kind 3" none
		alone="$alone $rates"
	done
	for options in none share=50; do
		unequal_options=
		for kind; do
			unequal_options="$unequal_options $options"
		done
		# shellcheck disable=SC2086
		together "$tmp/share $(echo "$*" | tr ' ' ,) $seconds" $unequal_options
		unequal_row=$(echo "$alone $rates" | awk -v n="$#" '{
			for (i = 1; i <= n; i++) {
				part = $(n + i) / $i
				text = text sprintf(" %5.1f", 100 * part)
				sum += part
				squares += part * part
			}
			index_ = squares ? sum * sum / n / squares : 0
			printf "%s,%s %% of alone, together %.1f %%, Jain%cs index %.4f", index_ < 0.99 ? "BAD" : "GOOD",
				text, 100 * sum, 39, index_
		}')
		diag "UNEQUAL $options: $*: $unequal_row"
	done
	like "$unequal_row" '^GOOD' "$*: fair among unequal kernels"
}

# pythons KIND...
pythons() {
	for kind; do
		wanted "$kind" || continue
		"$PYTHON3" -c "import ${kind%% *}" >"$tmp/import" 2>&1 || {
			rows=4
			case $part in
			python-cap) rows=1 ;;
			all | host) rows=5 ;;
			esac
			skip "$rows" "no ${kind%% *}"
			continue
		}
		command="$PYTHON3 $gpu/share_step.py $kind"
		if test "$part" = python-cap; then
			cap "$kind" "$command"
			continue
		fi
		shares "$kind" "$command" 5
		# shellcheck disable=SC2086
		identical $sums_alone $sums_shared
		also_cap "$kind" "$command"
	done
}

case $part in
c) programs gemm long tiny graph capture sync ;;
step) programs step loss ;;
cap) caps ;;
host)
	programs tiny
	pythons "torch small" jax
	;;
kill)
	! wanted none || kills none
	! wanted share=50 || kills share=50
	;;
lend) naps ;;
price) prices ;;
python | python-cap) pythons "torch small" "torch large" jax ;;
jax) pythons jax ;;
unequal)
	unequals gemm long
	unequals graph long
	unequals sync long
	unequals sync ms30
	unequals sync ms100
	unequals gemm long graph sync
	;;
all)
	programs gemm long tiny graph capture sync
	pythons "torch small" "torch large" jax
	;;
*) bail_out "share.sh [all|c|cap|host|jax|kill|lend|price|python|python-cap|step|unequal]" ;;
esac
done_testing
