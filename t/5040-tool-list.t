# SPDX-License-Identifier: Apache-2.0
# cuaudit list: everything the tables hold, what selectors take, what they do not know.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

include=$top_srcdir/include/cuaudit

# names [SELECTOR]: of functions, in one line
names() {
	"$cuaudit" list -q functions "$@" | tr '\n' ' '
}

is "$("$cuaudit" list --names functions %driver)" \
	"$(sed -n 's/^CUAPI([0-9]*, \([A-Za-z0-9_]*\), .*/\1/p' "$include/driver_api.def")" \
	"functions: every row, in its order"
is "$("$cuaudit" list functions | awk '{ print $1 }')" "$("$cuaudit" list -q functions)" \
	"functions: a line each"
is "$("$cuaudit" list functions cuMemAlloc_v2 | sed 's/  */ /g')" \
	"cuMemAlloc_v2 3.2 memory,blocking,allocation (out CUdeviceptr *dptr, size_t bytesize)" \
	"functions: version, class, parameters"
is "$("$cuaudit" list functions cuGetProcAddress | sed 's/  */ /g' | cut -d ' ' -f 1-3)" \
	"cuGetProcAddress 11.3 procaddr
cuGetProcAddress_v2 12.0 procaddr" "functions: by the name cuGetProcAddress knows"
is "$(names 'cuEvent*,!cuEvent[A-QS-Z]*')" "cuEventRecord cuEventRecordWithFlags cuEventRecordWithFlags_ptsz cuEventRecord_ptsz " \
	"a selector with globs and sets"
is "$(names '!*,cuInit')" "cuInit " "one that begins by taking away"
is "$("$cuaudit" list -q functions %runtime)" \
	"$(sed -n 's/^RUNTIME([0-9]*, \([A-Za-z0-9_]*\), .*/\1/p' "$include/runtime_api.def")" "%runtime: every row"
is "$("$cuaudit" list functions cudaMalloc | sed 's/  */ /g')" "cudaMalloc 3.2 runtime (void **devPtr, size_t size)" \
	"... with version, class and parameters"
is "$("$cuaudit" list -q functions %tables)" \
	"$(sed -n 's/^EXPORT_SLOT(\([A-Z_0-9]*\), [0-9]*, \([a-z_0-9]*\))$/\1.\2/p' "$top_srcdir/tables/export_tables.def")" \
	"%tables: those that have names"
is "$("$cuaudit" list -q functions)" "$(for domain in driver runtime tables libc; do "$cuaudit" list -q functions "%$domain"; done)" \
	"all functions are those of the domains"
is "$(names '%driver,!cu[A-HJ-Z]*,!cuIpc*,!cuImport*')" "cuInit " "... less some"
is "$("$cuaudit" list -q functions '%memory,!%memory,%occupancy' | wc -l)" \
	"$(grep -c '^CUAPI(.*[ |]OCCUPANCY[,|]' "$include/driver_api.def")" "classes"
is "$("$cuaudit" list classes | awk '{ print $1, $2 }')" \
	"$(sed -n 's/^CLASS(\([A-Z]*\), "\([a-z]*\)".*/\1 \2/p' "$include/classes.def" |
	while read -r upper lower; do
		echo "%$lower $(awk -F ', ' -v class="$upper" '
			/^CUAPI/ && index("|" $8 "|", "|" class "|") { n++ }
			END { print n + 0 }' "$include/driver_api.def")"
	done
	for domain in driver libc providers runtime tables; do
		echo "%$domain $("$cuaudit" list -q functions "%$domain" 2>"$tmp/err" | wc -l | sed 's/^0$/-/')"
	done)" "classes: each, with its members"
sed -n 's/^[A-Z]*([A-Z]*, "\([a-z]*\)".*/%\1/p' "$top_srcdir/util/domain_classes.def" >"$tmp/domains"
is "$(wc -l <"$tmp/domains")" 5 "five domains"
while read -r domain; do
	is "$("$cuaudit" list -q classes "${domain#%}")" "$domain" "... $domain is listed"
	refused 2 "'${domain}x' is no selector; did you mean $domain\\?" "... and named for ${domain}x" list functions "${domain}x"
	ok "... and completed" grep -q "^$domain	" <<-END
		$("$cuaudit" --complete run -f "${domain%?}")
	END
done <"$tmp/domains"
refused 2 "no functions match '%providers': those of CUAUDIT_PROVIDERS are known as a program binds them" "%providers" \
	list functions %providers
refused 2 "no functions match 'libnccl.*'.* are known as a program binds them" "a provider's" list functions 'libnccl.so.2:nccl*'
is "$("$cuaudit" list -q functions %libc | sort)" "$(sed -n 's/^LIBC_FUNCTION(\([a-z_]*\),.*/libc.so.6:\1/p' \
	"$top_srcdir/include/internal/libc_functions.def" | sort)" "%libc: all of the C library's"
for kind in functions:cuMemAlloc_v2 hooks:stat variables:CUAUDIT_HOOKS classes:%sync; do
	tool list -q "${kind%:*}" "${kind#*:},zzyzx"
	is "$status $(cat "$tmp/out" "$tmp/err")" "2 ${kind#*:}
cuaudit: no ${kind%:*} match 'zzyzx'; cuaudit list ${kind%:*} shows all" "${kind%:*}: a part that names nothing"
done
tool list -q functions 'cuMemAlloc_v2,cuMemFere_v2,!zzyzx'
is "$status $(cat "$tmp/out" "$tmp/err")" "2 cuMemAlloc_v2
cuaudit: no functions match 'cuMemFere_v2', and 1 more; did you mean cuMemFree_v2?" "... and one more"
# libc's matcher takes time and stack that are exponential in these.
nested="/$(printf '(%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24)cu$(
	printf '+)%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24)/"
is "$(timeout 300 "$cuaudit" list -q functions "$nested" | wc -l)" \
	"$("$cuaudit" list -q functions '/cu/' | wc -l)" "repetitions of repetitions take no time"
is "$("$cuaudit" list -q classes %memory)" %memory "classes: one"
is "$("$cuaudit" list -q classes 'm*')" "%memory
%module
%misc" "classes: a glob"
is "$("$cuaudit" list -q hooks | sort)" \
	"$(sed -n 's/^MODULE(\([a-z]*\))$/\1/p' "$top_srcdir/hooks/builtin.def" | sort)" "hooks: each"
like "$("$cuaudit" list hooks stat)" '^stat +[a-z]' "hooks: what it does"
like "$("$cuaudit" list hooks stat)" '^  clock=yes\|no \(yes\)  ' "hooks: its options"
unlike "$("$cuaudit" list hooks stat)" '^coverage' "hooks: no other"
is "$("$cuaudit" list -q variables)" \
	"$(sed -n 's/^VARIABLE(\([A-Z_]*\), .*/CUAUDIT_\1/p' "$include/variables.def")" "variables: each"
like "$("$cuaudit" list variables HOOKS)" '^CUAUDIT_HOOKS +stat +NAME.* +hook modules to start$' \
	"variables: default, values, what for; the prefix may be left out"
is "$("$cuaudit" list functions >"$tmp/all"; awk '/\* [a-z]/ { print }' "$tmp/all")" "" \
	"pointers are written as in C"

# Messages hold what somebody set: ESC, C1, what turns characters round, no UTF-8.
evil=$(printf 'a\033[31m\302\233\342\200\256\377b')
clean=$(printf 'a\357\277\275[31m\357\277\275\357\277\275\357\277\275b')
like "$(audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="$evil" "$demo" dlopen 2>&1 | grep -F "$clean")" \
	"^cuaudit: " "messages of the core: nothing that speaks to a terminal"
like "$(audited CUAUDIT_DRIVER=sim CUAUDIT_LOG="$evil" "$demo" dlopen 2>&1 | grep -F "$clean")" \
	"^cuaudit: " "of the auditor: neither"
like "$("$cuaudit" list "$evil" 2>&1 | grep -F "$clean")" "^cuaudit: " "of the tool: neither"

refused 2 "list takes what to list, and one selector; see cuaudit list --help" "nothing" list
refused 2 "list takes what to list" "too much" list functions a b
refused 2 "there is no list of 'function'; did you mean functions\\?" "a letter less" list function
refused 2 "there is no list of 'xyzzy'; see cuaudit list --help" "like no other" list xyzzy
refused 2 "no functions match 'cuMemAloc'; did you mean cuMemAlloc\\?" "no function" \
	list functions cuMemAloc
refused 2 "no variables match 'CUAUDIT_HOKS'; did you mean CUAUDIT_HOOKS\\?" "no variable" \
	list variables CUAUDIT_HOKS
refused 2 "no hooks match 'x\\*'; cuaudit list hooks shows all" "no hook" list hooks 'x*'
refused 2 "'%memroy' is no selector; did you mean %memory" "no class" list functions %memroy
refused 2 "'cu\\[A' is no selector" "an unfinished set" list functions 'cu[A'
status=0
"$cuaudit" list functions >/dev/full 2>"$tmp/err" || status=$?
is "$status $(wc -l <"$tmp/err")" "2 1" "a full disk"
done_testing
