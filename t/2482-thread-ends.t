# SPDX-License-Identifier: Apache-2.0
# Calls of destructors of thread-specific data, and of a malloc or mmap that the program has itself, amid what is made
# for a thread.
. "${top_srcdir:-$(dirname "$0")/..}/t/rules/lib.sh"

command -v jq >"$tmp/none" || skip_all "no jq"
helpers nvtx/ends hostile/own_memory
for keys in 0 40; do
	for round in 1 2 3; do
		# In that one ours comes before those of 32 and more.
		test "$keys $round" != "40 3" || continue
		what="round $round, $keys keys before"
		rules 'never cuMemAlloc in range step'
		check "$tmp/ends" "$keys" "$round"
		ends 88 "$what: the rule is broken"
		says '^  broken 3 times' "$what: three times"
		audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS='stat(format=json)' CUAUDIT_OUTPUT="$tmp/stat" \
			NVTX_INJECTION64_PATH="$injection" "$tmp/ends" "$keys" "$round"
		is "$(jq -c '[(.threads | length), (.functions[] | select(.name == "cuMemAlloc_v2").calls)]' "$tmp/stat")" \
			"[4,3]" "$what: each thread is one"
		audited CUAUDIT_DRIVER=sim NVTX_INJECTION64_PATH="$injection" CUAUDIT_OUTPUT="$tmp/fault" \
			CUAUDIT_HOOKS='fault(inject=cuMemAlloc:range=step:error=2:when=2)' "$tmp/ends" "$keys" "$round" \
			>"$tmp/out" 2>"$tmp/err" && status=0 || status=$?
		is "$status" 134 "$what: a fault of the range meets its second"
	done
done
for how in malloc mmap; do
	for hooks in stat trace leak coverage 'limit(memory=1G)'; do
		status=0
		audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="$hooks" CUAUDIT_OUTPUT="$tmp/$how.$hooks" LD_LIBRARY_PATH="$simdir" \
			timeout 60 "$tmp/own_memory" "$how" >"$tmp/out" 2>"$tmp/err" || status=$?
		is "$status" 7 "its own $how: $hooks"
	done
done

done_testing
