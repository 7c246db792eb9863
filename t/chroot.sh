# SPDX-License-Identifier: Apache-2.0
# Chroots of Debian releases, for t/matrix and tests. The caller sets $top, the source tree, and
# $work, a directory below $cache, and defines `say TEXT...` and `cannot REASON`, which ends it.

cache=${CUAUDIT_MATRIX_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/cuaudit/matrix}

# chroot_needs RELEASE...: ends by `cannot` where there can be no chroot of each; sets $mirror.
chroot_needs() {
	test "$(id -u)" = 0 || cannot "needs root"
	for chroot_tool in debootstrap wget unshare git; do
		command -v $chroot_tool >/dev/null || cannot "no $chroot_tool"
	done
	git -C "$top" rev-parse --is-inside-work-tree >/dev/null 2>&1 || cannot "no git checkout"
	mirror=${CUAUDIT_MATRIX_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' \
		'Created-By: Packages' 2>/dev/null | grep -m 1 '/debian/*$' || true)}
	mirror=${mirror%/}
	mirror=${mirror:-http://deb.debian.org/debian}
	if test -z "${http_proxy-}"; then
		eval "$(apt-config shell http_proxy Acquire::http::Proxy 2>/dev/null)"
		test -z "${http_proxy-}" || export http_proxy
	fi
	for chroot_release; do
		wget -q -T 30 -t 2 -O /dev/null "$mirror/dists/$chroot_release/InRelease" ||
			cannot "no $chroot_release at $mirror"
	done
}

# base RELEASE: its base system as a tarball; made once.
base() {
	local tarball="$cache/$1.tar.gz"

	test ! -f "$tarball" || return 0
	say "$1: makes the base system"
	debootstrap --variant=minbase "$1" "$work/base" "$mirror" >"$cache/$1.base.log" 2>&1 || {
		rm -rf --one-file-system "$work/base"
		return 1
	}
	rm -f "$work"/base/var/cache/apt/archives/*.deb
	tar -C "$work/base" -cf - . | gzip -1 >"$work/base.tar.gz"
	mv "$work/base.tar.gz" "$tarball"
	rm -rf --one-file-system "$work/base"
}

# settings ROOT: how the host reaches its mirrors. Nothing has to survive a crash.
settings() {
	local file

	for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
		if grep -q -i -s '^ *Acquire' "$file"; then
			cp "$file" "$1/etc/apt/apt.conf.d/host-${file##*/}"
		fi
	done
	for file in /etc/resolv.conf /etc/hosts; do
		test ! -f "$file" || cat "$file" >"$1$file"
	done
	echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/unsafe-io"
}

# The files of the working tree, as a checkout. It may change meanwhile.
copy_tree() {
	git -c advice.detachedHead=false clone -q "$top" "$work/tree"
	git -C "$work/tree" ls-files -z | (cd "$work/tree" && xargs -0 rm -f)
	(cd "$top" && git ls-files -z --cached --others --exclude-standard |
		tar --null --ignore-failed-read -T - -cf - 2>/dev/null) | tar -C "$work/tree" -xf -
}

# inside ROOT PACKAGES COMMAND...: in name spaces of its own, whose processes end with it.
inside() {
	local root="$1" packages="$2"

	shift 2
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C EXTRAS="${extras-}" \
		${CC:+CC="$CC"} ${CXX:+CXX="$CXX"} ${http_proxy:+http_proxy="$http_proxy"} \
		${https_proxy:+https_proxy="$https_proxy"} ${no_proxy:+no_proxy="$no_proxy"} \
		unshare --mount --propagation private --pid --fork --kill-child bash -c '
			set -e
			root=$1 packages=$2
			shift 2
			# A root that is no mount point cannot have its propagation changed by tests.
			mount --bind "$root" "$root"
			mount -t proc proc "$root/proc"
			mount --rbind /dev "$root/dev"
			mount -t tmpfs tmpfs "$root/dev/shm"
			mount --rbind /sys "$root/sys"
			mkdir -p "$packages/partial"
			mount --bind "$packages" "$root/var/cache/apt/archives"
			exec chroot "$root" "$@"' inside "$root" "$packages" "$@"
}
