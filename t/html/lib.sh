# SPDX-License-Identifier: Apache-2.0
# What the tests of the page share: traces to show, and what a page says.
. "${top_srcdir:-$(dirname "$0")/..}/t/trace/lib.sh"

# page ARGUMENT...: $tmp/page.html of these; what it says in $tmp/says, `says KEY` is one of it.
page() {
	rm -f "$tmp/page.html"
	tool report --html "$tmp/page.html" "$@"
	$PERL "$top_srcdir/t/html/check.pl" "$tmp/page.html" >"$tmp/says" 2>"$tmp/check.err" ||
		sed 's/^/# /' "$tmp/check.err"
}

says() {
	sed -n "s/^$1 //p" "$tmp/says"
}

# agrees NAME KEY...: the page says what synth says.
agrees() {
	agrees_name=$1
	shift
	for agrees_key; do
		is "$(says "$agrees_key")" "$(truth "$agrees_key")" "$agrees_name: $agrees_key"
	done
}

# poison FILE: its names are markup, of the same length.
poison() {
	$PERL -pi -e '
		BEGIN { undef $/; binmode STDIN }
		s{/usr/bin/python3\.12(?=\0\0)}{/usr/bin/<b>pwned<b}g;
		s{python3(?=\0)}{<s>"&\x27\\}g;
		s{train\.py}{<i>\xff\xfe</i}g;
		s{node017}{--><!--}g;
		s{pt_autograd_1(?=\0)}{<img/src=x/>\n}g;
		s{cuModuleGetFunction}{</script><script>1/}g;
		s{cuEventRecord}{]]><a href=x>}g;
		s{(_ZN2at6native1[12]kernel_(\d+)_fwILi(\d)EEEvPKfPfi)}{
			my $text = "<img src=x onerror=window.hit=$2$3;";
			$text . "x" x (length($1) - length($text) - 1) . ">";
		}ge;
		s{libcublasLt\.so\.13}{<svg/onload=a=1/>}g;' "$1"
}
