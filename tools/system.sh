# SPDX-License-Identifier: Apache-2.0
# What `make install` and `make uninstall` do to a system besides copying and removing files.
#
# usage: system.sh directories PKGLIBDIR DIRECTORY...  make them, record which there were not
#        system.sh install LIBDIR BINDIR MANDIR        let the loader find libcuaudit.so by name
#        system.sh uninstall LIBDIR PKGLIBDIR          remove the recorded ones, as far as empty
set -eu
PATH=$PATH:/sbin:/usr/sbin
auditor=libcuaudit.so

say() {
	echo "cuaudit: $*" >&2
}

# missing DIRECTORY...: those that do not exist, and their parents that do not, a line each.
missing() {
	for directory; do
		while test ! -d "$directory"; do
			printf '%s\n' "$directory"
			directory=$(dirname "$directory")
		done
	done | sort -u
}

# searched LIBDIR: the loader looks there, through its cache or by default.
searched() {
	ldconfig -N -X -v 2>/dev/null | sed -n 's/^\(\/[^:]*\):.*/\1/p' | {
		while read -r directory; do
			test ! "$directory" -ef "$1" || exit 0
		done
		exit 1
	}
}

# update: the loader's cache
update() {
	test "$(id -u)" = 0 && ldconfig
}

# record PKGLIBDIR DIRECTORY...: for everyone to read, whatever the user's umask
record() {
	list=$1/directories
	made=$(missing "$@")
	test -n "$made" || return 0
	umask 022
	mkdir -p "$@"
	printf '%s\n' "$made" >>"$list"
}

case $1 in
directories)
	shift
	record "$@"
	;;
install)
	if ! searched "$2"; then
		say "the loader does not search $2; audit by the file's path:"
		say "  LD_AUDIT=$2/$auditor ./app"
		say "and let the command, pkg-config and man be found:" \
			"export PATH=$3:\$PATH PKG_CONFIG_PATH=$2/pkgconfig MANPATH=$4:"
	elif ! update; then
		say "for LD_AUDIT=$auditor the loader's cache has to be updated; as root, run:"
		say "  ldconfig"
	fi
	;;
uninstall)
	list=$3/directories
	! searched "$2" || update || true
	test -f "$list" || exit 0
	made=$(sort -r -u "$list")
	rm "$list"
	printf '%s\n' "$made" | while IFS= read -r directory; do
		rmdir "$directory" 2>/dev/null || true
	done
	;;
esac
