# SPDX-License-Identifier: Apache-2.0
# make install: what lands where, that it works from there, and that uninstall takes all away.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

root=$tmp/root
make_() {
	env MAKEFLAGS= MFLAGS= MAKELEVEL= ${MAKE:-make} -s -C "$top_builddir" "$@" DESTDIR="$root"
}
ok "make install" make_ install

# setting NAME: of the build's configuration.
setting() {
	sed -n "s/^$1 = //p" "$top_builddir/Makefile"
}
prefix=$(setting prefix)
exec_prefix=$(eval "echo $(setting exec_prefix | tr '()' '{}')")
libdir=$(eval "echo $(setting libdir | tr '()' '{}')")
bindir=$(eval "echo $(setting bindir | tr '()' '{}')")
datarootdir=$(eval "echo $(setting datarootdir | tr '()' '{}')")
mandir=$(eval "echo $(setting mandir | tr '()' '{}')")
includedir=$(eval "echo $(setting includedir | tr '()' '{}')")

for file in "$libdir/libcuaudit.so" "$libdir/cuaudit/cuaudit-core.so" \
	"$libdir/cuaudit/sim/libcuda.so.1" "$libdir/pkgconfig/cuaudit.pc" "$bindir/cuaudit" \
	"$mandir/man1/cuaudit.1" "$mandir/man3/cuaudit_hook.3" "$mandir/man7/cuaudit-fleet.7" \
	"$mandir/man7/libcuaudit.7" \
	"$datarootdir/bash-completion/completions/cuaudit" \
	"$datarootdir/zsh/site-functions/_cuaudit" \
	"$datarootdir/fish/vendor_completions.d/cuaudit.fish"; do
	ok "installs ${file#"$prefix/"}" test -f "$root$file"
done
is "$(cd "$root$includedir/cuaudit" && ls)" "$(cd "$top_srcdir/include/cuaudit" && ls)" \
	"installs the public headers"

printf '#include <cuaudit/hook.h>\nint main(void) { return CUAUDIT_ABI != 1; }\n' >"$tmp/x.c"
if command -v pkg-config >"$tmp/found"; then
	PKG_CONFIG_PATH=$root$libdir/pkgconfig
	PKG_CONFIG_SYSROOT_DIR=$root
	export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
	is "$(pkg-config --modversion cuaudit)" "$version" "pkg-config knows the version"
	ok "a program builds with its flags" $CC $(pkg-config --cflags cuaudit) \
		-o "$tmp/x" "$tmp/x.c"
	# pkgconf puts the system root before it, the older pkg-config does not.
	auditor=$(pkg-config --variable=auditor cuaudit)
	is "${auditor#"$root"}" "$libdir/libcuaudit.so" "pkg-config knows where the auditor is"
else
	skip 3 "no pkg-config"
fi

like "$(env LD_AUDIT="$root$libdir/libcuaudit.so" CUAUDIT_DRIVER=sim \
	"$top_builddir/demo/cudemo" dlopen 2>&1)" ' cuLaunchKernel$' \
	"the installed auditor finds its core and the simulated driver"

ok "make uninstall" make_ uninstall
is "$(find "$root" ! -type d)" "" "nothing is left"
done_testing
