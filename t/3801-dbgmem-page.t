# SPDX-License-Identifier: Apache-2.0
# cuaudit-dbgmem(7) names the functions that are checked, and the options that there are.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

page=$top_srcdir/man/cuaudit-dbgmem.7
is "$(sed -n '/^\.Bd -filled/,/^\.Ed/p' "$page" | grep -o '[a-z_]*cpy[a-z_]*\|[a-z_]*mem[a-z_]*\|[a-z_]*str[a-z_]*' | sort)" \
	"$(sed -n 's/^LIBC_FUNCTION(\([a-z_]*\),.*/\1/p' "$top_srcdir/include/internal/libc_functions.def" | sort)" \
	"the functions"
is "$(sed -n 's/^\.It Cm \([a-z]*\) Ns =.*/\1/p' "$page" | sort)" \
	"$(sed -n 's/^	{ "\([a-z]*\)", .*/\1/p' "$top_srcdir/hooks/modules/dbgmem/dbgmem.c" | sort)" "the options"
done_testing
