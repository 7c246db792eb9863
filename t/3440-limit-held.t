# SPDX-License-Identifier: Apache-2.0
# The limit hook: memory that pools keep, graphs take and other processes have; devices to see.
. "${top_srcdir:-$(dirname "$0")/..}/t/limit/lib.sh"

helper limit/libcuda.so.1
helper limit/held
checked 51 "pools, graphs and others' memory" "device0=64M;format=json" "$tmp/held"
is "$(reported 'r["devices"][0]["peak"]')" 67108864 "and it was never over"

# alone NAME PART OPTIONS EXPRESSION WANTED: what the report of a part says.
alone() {
	limited "$1" "$3;format=json" "$tmp/held" "$2"
	is "$(reported "$4")" "$5" "$1: the report"
}
alone "an imported handle that is never mapped" never-mapped "device0=64M" \
	'[a["allocations"] for a in r["libraries"]], r["process"]["used"]' "([0], 0)"
alone "a graph's memory" launched "device0=64M" \
	'[d["peak"] >> 20 for d in r["devices"]], r["process"]["used"]' "([4], 0)"
alone "what a pool gave back" given-back "device0=128M" '[d["peak"] >> 20 for d in r["devices"]]' "[40]"
alone "memory of another process, and the user's" of-others "device0=128M;user=64M;file=$tmp/user" \
	'[d["peak"] >> 20 for d in r["devices"]], r["user"]["refused"]' "([100], 0)"
alone "pools one after the other" many-pools "device0=64M" 'r["uncounted"]["pools"], r["lost"]' "(0, 0)"

# Of that a dry run tells, too, as it tells of what an allocation asks for.
refused='d["refused"], d["peak"] >> 20) for d in r["devices"]], [a["calls"] for a in r["refusals"]]'
for part in "mapped 96" "grown 64"; do
	alone "in a dry run, beyond the limit, ${part% *}" "${part% *}" "device0=48M;dry-run" "[($refused" \
		"([(1, ${part#* })], [1])"
	ok "... which is said" grep -q "would be refused [0-9]* bytes on device 0" "$tmp/err"
done

# visible NAME WANTED OPTIONS [VARIABLE=VALUE]
visible() {
	limited "$1" "$3" SAY_VISIBLE=1 ${4-} "$tmp/held" no
	is "$(cat "$tmp/out")" "$2" "$1: what the driver reads"
}
visible "all devices" unset "dry-run"
visible "some devices" 1,3 "visible=1,3"
visible "and some of all" 3 "visible=1,3" CUDA_VISIBLE_DEVICES=0,3,2
visible "in the order there is" 3,1 "visible=1,3" CUDA_VISIBLE_DEVICES=3,2,1
visible "none" -1 "visible=1" CUDA_VISIBLE_DEVICES=11
like "$(cat "$tmp/err")" '^cuaudit: limit: visible=1 is none of the devices of CUDA_VISIBLE_DEVICES=11; the program sees none$' \
	"... which is reported"
visible "no list" -1 "visible="
like "$(cat "$tmp/err")" 'visible= is none of .*the program sees none$' "... which is said, too"
visible "what stands behind no device" 0 "visible=0,1,2" CUDA_VISIBLE_DEVICES=0,-1,1
visible "behind a word" 3 "visible=1,2,3" CUDA_VISIBLE_DEVICES=3,none,2
visible "a dry run, which hides nothing" unset "dry-run;visible=1,3"
many=$(for i in $(seq 64); do printf '%sGPU-63756175-6469-742d-7369-6d2d646576%02d' "${many+,}" "$i"; many=; done)
visible "sixty-four by identifier" "$many" "visible=$many"
visible "... of as many" "$many" "visible=$many" CUDA_VISIBLE_DEVICES="$many"
visible "by identifier" GPU-8932f937 "visible=GPU-8932f937,GPU-1" \
	CUDA_VISIBLE_DEVICES=GPU-8932f937
# Who calls the driver before it changes the variable, and initializes it then.
limited "changed later" "visible=1,3" SAY_VISIBLE=1 "$tmp/held" visible - 0,1,2 "" 3,1 1,3 0
is "$(tr '\n' ' ' <"$tmp/out")" "1,3 1 -1 3,1 1,3 -1 " "the variable is what it may be at each cuInit"
is "$(grep -c 'the program sees none' "$tmp/err")" 2 "... and where that is nothing, it is said"
limited "changed later" "visible=1,3;dry-run" SAY_VISIBLE=1 "$tmp/held" visible 0,1,2
is "$(cat "$tmp/out")" "0,1,2" "... but for a dry run"
done_testing
