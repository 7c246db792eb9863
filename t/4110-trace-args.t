# SPDX-License-Identifier: Apache-2.0
# The arguments of calls are in the trace, and what cannot be followed is not.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/live.sh"

helpers trace/libcuda.so.1 trace/args

count=31	# calls of t/trace/args.c, each twice

# arguments OPTIONS HOOKS: of each call, after its name and result
arguments() {
	rm -rf "$tmp/traces"
	mkdir "$tmp/traces"
	audited CUAUDIT_OUTPUT="$tmp/traces/%p" CUAUDIT_HOOKS="trace($1)$2" "$tmp/args" ||
		echo "status $?"
	checked "$tmp"/traces/*.cutrace >"$tmp/text"
	# By word: values are written before what is behind pointers.
	sed -n 's/^bad/&/p; s/^call thread 1 \([^ ]*\) result \([0-9]*\) .* site [0-9]*/\1 \2/p' \
		"$tmp/text" | awk '{
			for (word = 0; word < 16; word++)
				for (i = 3; i <= NF; i++)
					if ($i ~ "^" word ":")
						at[word] = $i
			line = $1 " " $2
			for (word = 0; word < 16; word++)
				if (word in at)
					line = line " " at[word]
			delete at
			print line
		}' >"$tmp/all"
	head -n $count "$tmp/all"
	tail -n +$((count + 1)) "$tmp/all" >"$tmp/second"
	head -n $count "$tmp/all" | cmp - "$tmp/second" || echo "the second calls differ"
}

x62=$(printf '%62s' x | tr ' ' x)
n64=$(printf '%64s' n | tr ' ' n)
b64=0x$(printf '%64s' 22 | sed 's/ /2/g')$(printf '%64s' 22 | sed 's/ /2/g')
b200=0x$(printf '%200s' 33 | sed 's/ /3/g')$(printf '%200s' 33 | sed 's/ /3/g')
null=0x0000000000000000
many=,$null,$null,$null,$null,$null,$null,$null,$null

arguments "" "" >"$tmp/got"
cat >"$tmp/want" <<END
cuInit 0 0:0x00000007
cuMemAlloc_v2 0 0:0x0000123456789abc 1:0x0000000000001000
cuMemAlloc_v2 0 0:- 1:0x0000000000000001
cuMemAlloc_v2 2 0:- 1:0x0000000000000002
cuDevicePrimaryCtxGetState 2 0:0x00000003 1:- 2:-
cuModuleGetFunction 2 0:- 1:0x0000000000000008 2:-
cuPointerGetAttributes 2 0:0x00000003 1:- 2:- 3:0x0000000000000001
cuMemGetInfo_v2 0 0:0x1111111122222222 1:0x3333333344444444
cuCtxGetDevice_v2 0 0:0x00000055 1:0x0000000000000008
cuDevicePrimaryCtxGetState 0 0:0x00000007 1:0x00000066 2:0x00000001
cuDevicePrimaryCtxGetState 0 0:0x00000007 1:- 2:0x00000001
cuDevicePrimaryCtxGetState 0 0:0x00000007 1:0x00000066 2:-
cuDeviceGetName 0 0:"$n64"... 1:0x000000c8 2:0x00000000
cuModuleGetFunction 0 0:0x0000000000000040 1:0x0000000000000008 2:"short"
cuModuleGetFunction 0 0:0x0000000000000040 1:0x0000000000000008 2:""
cuModuleGetFunction 0 0:0x0000000000000040 1:0x0000000000000008 2:"${x62}xx"...
cuModuleGetFunction 0 0:0x0000000000000040 1:0x0000000000000008 2:"${x62}xx"
cuPointerGetAttributes 0 0:0x00000002 1:,0x00000001,0x00000002 2:,$null,$null 3:0x0000000000000001
cuPointerGetAttributes 0 0:0x00000008 1:,0x00000001,0x00000002,0x00000003,0x00000004,0x00000005,0x00000006,0x00000007,0x00000008 2:,$null,$null,$null,$null,$null,$null,$null,$null 3:0x0000000000000001
cuPointerGetAttributes 0 0:0x00000009 1:,0x00000001,0x00000002,0x00000003,0x00000004,0x00000005,0x00000006,0x00000007,0x00000008... 2:,$null,$null,$null,$null,$null,$null,$null,$null... 3:0x0000000000000001
cuPointerGetAttributes 0 0:0x00000000 1: 2: 3:0x0000000000000001
cuGraphGetNodes 0 0:0x0000000000000008 1:,0x1111111111111111,0x1111111111111111 2:0x0000000000000002
cuGraphGetNodes 0 0:0x0000000000000008 1:- 2:0x0000000000000002
cuMemcpy3D_v2 0 0:$b200
cuMemsetD8_v2 0 0:0x0000000000000001 1:0x81 2:0x0000000000000002
cuMemsetD16_v2 0 0:0x0000000000000001 1:0x8182 2:0x0000000000000002
cuTexRefSetMipmapLevelBias 0 0:0x0000000000000008 1:0x3fc00000
cuBrandNew 0 0:0x0000000000000001 1:0x0000000000000002 2:0x0000000000000003 3:0x0000000000000004 4:0x0000000000000005 5:0x0000000000000006
cuLaunchKernel 0 0:0x0000000000000040 1:0x00000001 2:0x00000002 3:0x00000003 4:0x00000004 5:0x00000005 6:0x00000006 7:0x00000007 8:0x0000000000000009
cuIpcOpenMemHandle_v2 0 0:0x0000000000000005 1:$b64 9:0x00000003
cuMemcpyBatchAsync 0 0:$many... 1:$many... 2:$many... 3:0x0000000000000064 4:- 5:- 6:$null 7:- 8:$null
END
is "$(cat "$tmp/got")" "$(cat "$tmp/want")" "each kind of argument"
like "$(cat "$tmp/text")" '^function [0-9]+ cuBrandNew cuBrandNew id -1 ' "a function newer than the table"

arguments "args=no" "" >"$tmp/got"
is "$(cat "$tmp/got")" "$(cut -d ' ' -f 1,2 "$tmp/want")" "args=no"
is "$(awk '/^total/ { print $4 }' "$tmp/text")" $((2 * (count * 16 + 4 * 8))) "then a call takes 16 bytes"

arguments "strings=2;elements=1" "" >"$tmp/got"
like "$(cat "$tmp/got")" 'cuModuleGetFunction .* 2:"sh"\.\.\.$' "strings="
like "$(cat "$tmp/got")" 'cuPointerGetAttributes .* 1:,0x00000001\.\.\. ' "elements="
arguments "strings=1000;elements=100" "" >"$tmp/got"
like "$(cat "$tmp/got")" "cuDeviceGetName 0 0:\"${n64}n{36}\" " "longer ones"
like "$(cat "$tmp/got")" 'cuPointerGetAttributes .*,0x00000009 2:' "and more of them"
like "$(cat "$tmp/got")" 'cuMemcpyBatchAsync 0 (0:(,[0-9a-fx]+){100} 1:(,[0-9a-fx]+){100} 2:(,[0-9a-fx]+){1,99}\.\.\.) ' \
	"as many as a record has room for"
is "$(number '^bad|differ' <"$tmp/got")" 0 "still fit"

arguments "" ",fault(inject=*:error=5)" >"$tmp/got" 2>"$tmp/err"
is "$(head -n 1 "$tmp/got")" "status 1" "the program is told"
is "$(sed 1d "$tmp/got" | grep -vc ' 5 ')" 0 "calls that a hook answers: the program's result"
is "$(grep -cE '^call .* status [15] ' "$tmp/text")" $((2 * count)) "and the mark"
like "$(cat "$tmp/got")" '^cuGraphGetNodes 5 0:0x0000000000000008 1:- 2:0x0000000000000004$' \
	"what the driver writes is not followed, what it reads is"
like "$(cat "$tmp/got")" '^cuModuleGetFunction 5 0:- 1:0x0000000000000008 2:"short"$' "a text that goes in"
like "$(cat "$tmp/got")" "^cuMemcpy3D_v2 5 0:$b200\$" "a structure"
like "$(cat "$tmp/got")" '^cuPointerGetAttributes 5 0:0x00000002 1:,0x00000001,0x00000002 2:,' "a list"
like "$(cat "$tmp/got")" '^cuModuleGetFunction 5 0:- 1:0x0000000000000008 2:-$' "none that cannot be read"
arguments "" ",fault(inject=*:error=0)" >"$tmp/got" 2>"$tmp/err"
like "$(cat "$tmp/got")" '^cuGraphGetNodes 0 0:0x0000000000000008 1:- 2:0x0000000000000004$' \
	"the same where it answers success"

for wrong in strings=1001 elements=101 strings=x size=1000 size=1X min-duration=3; do
	arguments "$wrong" "" >"$tmp/got" 2>"$tmp/err"
	like "$(cat "$tmp/err")" "^cuaudit: trace: ${wrong%=*} takes .* not '${wrong#*=}'$" "$wrong is refused"
done
done_testing
