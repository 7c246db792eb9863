# SPDX-License-Identifier: Apache-2.0
# The class SUBMISSION against tables/submission.def, and what is in both.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

cuaudit=$top_builddir/bin/cuaudit
def=$top_srcdir/tables/submission.def
api=$top_srcdir/include/cuaudit/driver_api.def

# functions SELECTOR: the driver's that it takes; a selector that takes none is an error
functions() {
	"$cuaudit" list -q functions "$1" 2>&1 | grep '^cu[A-Z]' | sort
}

selector=$(sed -n 's/^SUBMITS("\([^"]*\)".*/\1/p' "$def" | paste -sd ,)
is "$(functions %submission)" "$(functions "$selector")" "%submission takes what limit(share=) waits before"

# Whatever launches a kernel or a graph, copies or sets, of any version and flavour, and nothing else.
is "$(functions %submission)" "$(sed -n \
	's/^CUAPI([0-9]*, \([A-Za-z0-9_]*\), \(cuLaunch\|cuGraphLaunch\|cuMemcpy\|cuMemset\)[A-Za-z0-9]*, .*/\1/p' "$api" |
	grep -v '^cuLaunchHostFunc' | sort)" "those of all kinds"
is "$(functions '%launch,!%submission' | grep -v '^cuParamSet' | paste -sd ' ' -)" \
	"cuLaunchHostFunc cuLaunchHostFunc_ptsz" "of launches, what the host does is none"
is "$(functions '%submission,!cu*')" "" "a class as others, from which names are taken away"
like "$("$cuaudit" list functions cuGraphLaunch)" 'launch,.*,submission ' "cuaudit list names it"
like "$("$cuaudit" list classes)" '^%submission +116 ' "and counts it"

# What counts calls by a selector counts those.
audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS=stat CUAUDIT_FUNCTIONS=%submission "$top_builddir/demo/cudemo" dlopen \
	>"$tmp/out" 2>&1
is "$(sed -n 's/.* \(cu[A-Z][A-Za-z0-9_]*\)$/\1/p' "$tmp/out" | sort -u | paste -sd ' ' -)" \
	"cuLaunchKernel cuMemcpyDtoH_v2 cuMemcpyHtoD_v2" "in a program"
done_testing
