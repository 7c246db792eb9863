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
docdir=$(PACKAGE_TARNAME=cuaudit eval "echo $(setting docdir | tr '()' '{}')")
includedir=$(eval "echo $(setting includedir | tr '()' '{}')")

for file in "$libdir/libcuaudit.so" "$libdir/cuaudit/cuaudit-core.so" \
	"$libdir/cuaudit/sim/libcuda.so.1" "$libdir/pkgconfig/cuaudit.pc" "$bindir/cuaudit" \
	"$mandir/man1/cuaudit.1" "$mandir/man3/cuaudit_hook.3" "$mandir/man5/cuaudit-rules.5" "$mandir/man7/cuaudit-dbgmem.7" "$mandir/man7/cuaudit-fleet.7" \
	"$mandir/man7/libcuaudit.7" "$docdir/ci.md" "$docdir/examples/steps.c" \
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
	simdir=$(pkg-config --variable=simdir cuaudit)
	ok "a program is linked with the simulated driver" $CC -o "$tmp/app" "$top_srcdir/examples/steps.c" \
		-L"$root${simdir#"$root"}" -lcuda
	like "$(env CUAUDIT_DRIVER=sim CUAUDIT_HOOKS=stat LD_AUDIT="$root$libdir/libcuaudit.so" "$tmp/app" 2>&1)" \
		' 14 .* cuMemAlloc_v2$' "... which runs on it"
else
	skip 5 "no pkg-config"
fi

like "$(env LD_AUDIT="$root$libdir/libcuaudit.so" CUAUDIT_DRIVER=sim \
	"$top_builddir/demo/cudemo" dlopen 2>&1)" ' cuLaunchKernel$' \
	"the installed auditor finds its core and the simulated driver"

# symbols FILE: whether it has those that only a debugger reads
symbols() {
	$READELF -SW "$1" | grep -c '\.symtab'
}
ok "make install-strip" make_ install-strip
for file in "$libdir/libcuaudit.so" "$libdir/cuaudit/cuaudit-core.so" \
	"$libdir/cuaudit/sim/libcuda.so.1" "$bindir/cuaudit"; do
	is "$(symbols "$root$file")" 0 "${file##*/} is stripped"
done
is "$(symbols "$LIBCUAUDIT")" 1 "what was built is not"
like "$(env LD_AUDIT="$root$libdir/libcuaudit.so" CUAUDIT_DRIVER=sim \
	"$top_builddir/demo/cudemo" dlopen 2>&1)" ' cuLaunchKernel$' "and all work"

ok "make uninstall" make_ uninstall
is "$(find "$root" ! -type d)" "" "nothing is left"

# What it does to the system itself. ldconfig and id are scripts here.
mkdir "$tmp/bin" "$tmp/there" "$tmp/there/share" || exit 99
cat >"$tmp/bin/ldconfig" <<'END'
#!/bin/sh
case $* in
'') echo updated >>"$calls" && exec test -z "$unwritable" ;;
*) printf '%s: (from /etc/ld.so.conf:1)\n\tlibc.so.6 -> libc-2.31.so\n' /other "$searched" ;;
esac
END
printf '#!/bin/sh\necho "$user"\n' >"$tmp/bin/id"
chmod +x "$tmp/bin/ldconfig" "$tmp/bin/id"
own=$tmp/there/own
unwritable=
# own_ SEARCHED USER TARGET: to a prefix that does not exist, in a directory that does.
own_() {
	env MAKEFLAGS= MFLAGS= MAKELEVEL= PATH="$tmp/bin:$PATH" calls="$tmp/calls" searched="$1" \
		user="$2" unwritable="$unwritable" ${MAKE:-make} -s -C "$top_builddir" "$3" \
		prefix="$own" exec_prefix="$own" bindir="$own/bin" libdir="$own/lib" \
		includedir="$own/include" datarootdir="$tmp/there/share" \
		datadir="$tmp/there/share" mandir="$tmp/there/share/man" \
		docdir="$tmp/there/share/doc/cuaudit" 2>"$tmp/said"
}
# to_run: the command that was printed
to_run() {
	sed -n 's/^cuaudit:   //p' "$tmp/said"
}
umask 077
ok "make install where the loader does not search" own_ /elsewhere 0 install
umask 022
is "$(find "$own" ! -perm -444)" "" "all users may read it all"
is "$(find "$own" -type d ! -perm -111)" "" "and enter its directories"
is "$(to_run)" "LD_AUDIT=$own/lib/libcuaudit.so ./app" "prints how to audit"
found_=$(sed -n 's/.*: \(export PATH=.*\)/\1/p' "$tmp/said")
is "$(eval "$found_" && command -v cuaudit)" "$own/bin/cuaudit" "... and how the command is found"
is "$(eval "$found_" && test -f "$PKG_CONFIG_PATH/cuaudit.pc" && test -f "${MANPATH%:}/man1/cuaudit.1" && echo "${MANPATH##*[!:]}")" : \
	"... its .pc file, and its pages beside those of others"
setting_=$(to_run)
like "$(env "${setting_% *}" CUAUDIT_DRIVER=sim "$top_builddir/demo/cudemo" dlopen 2>&1)" \
	' cuLaunchKernel$' "which audits"
ok "make install by a user where the loader searches" own_ "$own/lib" 1000 install
is "$(to_run)" ldconfig "prints what root has to run"
ok "and runs nothing itself" test ! -f "$tmp/calls"
ok "make install by root" own_ "$own/lib" 0 install
is "$(cat "$tmp/calls" "$tmp/said")" updated "updates the loader's cache and prints nothing"
unwritable=1
ok "make install without a writable cache" own_ "$own/lib" 0 install
is "$(to_run)" ldconfig "prints what to run"
unwritable=
: >"$tmp/calls"
ok "make uninstall by root" own_ "$own/lib" 0 uninstall
is "$(cat "$tmp/calls" "$tmp/said")" updated "updates the loader's cache"
is "$(cd "$tmp/there" && find .)" "$(printf '.\n./share')" "and leaves what was there before"
own_ /elsewhere 0 install >"$tmp/out"
mkdir "$own/lib/cuaudit/hooks"
: >"$own/lib/cuaudit/hooks/mine.so"
ok "make uninstall beside files of others" own_ /elsewhere 0 uninstall
is "$(cd "$tmp/there" && find . ! -type d)" "./own/lib/cuaudit/hooks/mine.so" "leaves these"
is "$(sed -n '/^install_targets = /,/[^\\]$/p' "$top_srcdir/Makefile.am" |
	sed '1d; s/[[:space:]\\]//g')" \
	"$(sed -n 's/^\(install-\(man[1-9]\|[a-z_]*[A-Z]\{4,\}\)\):.*/\1/p' "$top_builddir/Makefile" |
	LC_ALL=C sort)" "Makefile.am lists every target that makes directories"
done_testing
