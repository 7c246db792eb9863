# SPDX-License-Identifier: Apache-2.0
# The lines of README.md, each as it stands there, run by a user of a fresh machine in a chroot.
# t/lib.sh takes such variables away.
cuaudit_matrix_dir=${CUAUDIT_MATRIX_DIR-}
cuaudit_matrix_mirror=${CUAUDIT_MATRIX_MIRROR-}
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
long_test
CUAUDIT_MATRIX_DIR=$cuaudit_matrix_dir CUAUDIT_MATRIX_MIRROR=$cuaudit_matrix_mirror

say() {
	diag "$*"
}
cannot() {
	skip_all "$*"
}
top=$top_srcdir
. "$top_srcdir/t/chroot.sh"
releases=${CUAUDIT_TEST_RELEASES:-bookworm trixie}
chroot_needs $releases
unset CC CXX
mkdir -p "$cache"
work=$(mktemp -d "$cache/work.XXXXXX") || exit 99
trap 'rm -rf --one-file-system "$tmp" "$work"' EXIT
copy_tree

# lines SECTION: what README.md says to run in it.
lines() {
	awk -v section="## $1" '/^## / { on = $0 == section } on && /^    / { print substr($0, 5) }' \
		"$top_srcdir/README.md"
}

# The tests are t/matrix's; a setting is told from what it does by the form of its value.
lines "Try it" | sed 's/  *#.*//' | grep -v -x '\./bootstrap check' >"$work/try"
lines "Use it" | grep -v '^CUAUDIT_' >"$work/use"
lines "Use it" | sed -n "s/^\(CUAUDIT_[A-Z]*=\('[^']*'\|[^ ]*\)\) .*/\1/p" |
	sed 's/=RULE/=cuMemAlloc_v2:error=2:when=1000/' >"$work/settings"
is "$(cat "$work/try")" "./bootstrap demo" "README.md says how to try it"
is "$(grep -c . "$work/settings")" "$(lines "Use it" | grep -c '^CUAUDIT_')" \
	"each setting in README.md is recognized"

# of RELEASE: runs it there, one result for each line.
of() {
	root=$work/$1
	if ! base "$1"; then
		ok "$1: a base system" false
		return
	fi
	mkdir "$root" &&
		tar -C "$root" -xzf "$cache/$1.tar.gz" &&
		settings "$root" &&
		cp -a "$work/tree" "$root/root/cuaudit" &&
		cp "$top_srcdir/t/readme/run" "$top_srcdir/t/readme/torch.c" \
			"$work/try" "$work/use" "$work/settings" "$root/root" || exit 99
	ok "$1: a fresh machine takes README.md's lines" \
		inside "$root" "$cache/readme-$1.packages" bash /root/run || return

	out=$root/root/out
	while read -r number status text; do
		want=0
		test "$text" != ./bootstrap || want=1
		is "$status" "$want" "$1: $text" || sed 's/^/# | /' "$out.$number"
		case $text in
		./bootstrap)
			like "$(cat "$out.$number")" '^apt-get install .* autoconf automake ' \
				"$1: says what to install first"
			;;
		./bootstrap* | sudo*) ;;
		*)
			# What doctor says of LD_AUDIT is right, and so is limit: there is no NVML.
			unlike "$(grep -v -e '^ok  ' -e ' limit: .* NVML: ' "$out.$number")" 'ld\.so|LD_AUDIT|cannot|Traceback' \
				"$1: and nothing is wrong"
			;;
		esac
		case $text in
		'LD_AUDIT=libcuaudit.so ./app' | 'cuaudit stat ./app')
			like "$(cat "$out.$number")" ' 100 .* cuMemAlloc_v2$' "$1: the table is printed"
			;;
		esac
	done <"$root/root/results"
	is "$(wc -l <"$root/root/results" | tr -d ' ')" \
		"$(($(cat "$work/try" "$work/try" "$work/use" "$work/settings" | wc -l) + 2))" \
		"$1: each line was run"
	like "$(cat "$root/root/made")" '^cuda-python3.*-[0-9]+\.txt$' "$1: cuaudit run made its file"
	like "$(cat "$root/root/made")" '^training\.html$' "$1: the page is there"
	like "$(cat "$root/root/made")" '^training\.pftrace$' "$1: what Perfetto reads is there"
	is "$(diff "$root/root/before" "$root/root/after")" "" \
		"$1: make uninstall leaves what was there before"
	rm -rf --one-file-system "$root"
}
for release in $releases; do
	of "$release"
done
done_testing
