# SPDX-License-Identifier: Apache-2.0
# facts.def says of every function that gives or takes an object what it does.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

def=$top_srcdir/tables/facts.def
irrelevant=$top_srcdir/t/leak/irrelevant
include=$top_srcdir/include/cuaudit

# missed DEF IRRELEVANT API TYPES
missed() {
	$PERL "$top_srcdir/t/leak/rows.pl" "$@" || echo "rows.pl: status $?"
}

is "$(missed "$def" "$irrelevant" "$include/driver_api.def" "$include/cuda_types.h")" "" "nothing is missing"

# What a later toolkit may bring.
{
	cat "$include/driver_api.def"
	cat <<'END'
CUAPI(9000, cuWidgetCreate, cuWidgetCreate, 14000, 1, NONE, 14000, MISC, 1, P(OUT, CUstream *, pStream))
CUAPI(9001, cuWidgetShow, cuWidgetShow, 14000, 1, NONE, 14000, MISC, 1, P(OUT, const CUgraphNode **, nodes))
CUAPI(9002, cuWidgetHost, cuWidgetHost, 14000, 1, NONE, 14000, MISC, 1, P(OUT, void **, p))
CUAPI(9003, cuWidgetDestroy, cuWidgetDestroy, 14000, 1, NONE, 14000, MISC, 1, P(VAL, CUevent, e))
CUAPI(9004, cuWidgetLook, cuWidgetLook, 14000, 1, NONE, 14000, MISC, 1, P(VAL, CUevent, e))
END
} >"$tmp/api.def"
{
	cat "$include/cuda_types.h"
	echo 'typedef struct CUwidget_st *CUwidget;'
} >"$tmp/types.h"
is "$(missed "$def" "$irrelevant" "$tmp/api.def" "$tmp/types.h")" "cuWidgetCreate gives a CUstream: pStream
cuWidgetShow gives a CUgraphNode: nodes
cuWidgetHost gives an address: p
cuWidgetDestroy takes something
CUwidget is a handle of no space" "new functions and handles are found"
sed -e 's/^FREES(cuStreamDestroy,/FREES(cuStreamDestory,/' -e 's/^\(FREES(cuMemFree, MEMORY, \)dptr/\1pointer/' \
	-e 's/^\(SIZED(cuMemCreate.*, \)size)/\1length)/' "$def" >"$tmp/facts.def"
is "$(missed "$tmp/facts.def" "$irrelevant" "$include/driver_api.def" "$include/cuda_types.h")" \
	"cuMemCreate has no parameter length
cuMemFree has no parameter pointer
cuMemFree_v2 has no parameter pointer
cuStreamDestroy takes something
cuStreamDestroy_v2 takes something
cuStreamDestory is in no row" "names that are wrong are found"

done_testing
