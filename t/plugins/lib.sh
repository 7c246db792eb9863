# SPDX-License-Identifier: Apache-2.0
# What tests against an installed tree share.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

# setting NAME: of the build's configuration, other settings in it filled in.
setting() {
	setting_value=$(sed -n "s/^$1 = //p" "$top_builddir/Makefile")
	while :; do
		case $setting_value in
		*'${'*) setting_inner=${setting_value#*'${'} setting_inner=${setting_inner%%'}'*} ;;
		*'$('*) setting_inner=${setting_value#*'$('} setting_inner=${setting_inner%%')'*} ;;
		*) break ;;
		esac
		setting_value=$(printf '%s\n' "$setting_value" | sed \
			"s|[$][{(]$setting_inner[)}]|$(sed -n "s/^$setting_inner = //p" \
			"$top_builddir/Makefile" | sed 's/&/\\&/g')|g")
	done
	printf '%s\n' "$setting_value"
}

# install_tree: $root, what is under it, and pkg-config's flags for it in $flags; or a skip.
install_tree() {
	command -v pkg-config >"$tmp/found" || skip_all "no pkg-config"
	root=$tmp/root
	env MAKEFLAGS= MFLAGS= MAKELEVEL= $MAKE -s -C "$top_builddir" install DESTDIR="$root" \
		>"$tmp/install.out" 2>&1 || bail_out "cannot install: $(cat "$tmp/install.out")"
	libdir=$root$(setting libdir)
	PKG_CONFIG_PATH=$libdir/pkgconfig
	PKG_CONFIG_SYSROOT_DIR=$root
	export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
	flags=$(pkg-config --cflags --libs cuaudit) || bail_out "pkg-config knows no cuaudit"
	LIBCUAUDIT=$libdir/libcuaudit.so
}
