# SPDX-License-Identifier: Apache-2.0
# The jobs of docs/ci.md from their first line on, each line as it is there: cloned, built, installed, with the real pkg-config.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"
long_test

for tool in git pkg-config; do
	command -v $tool >"$tmp/which" || skip_all "no $tool"
done
git -C "$top_srcdir" rev-parse --git-dir >"$tmp/git" 2>&1 || skip_all "no git checkout"
unset CC CXX MAKEFLAGS MFLAGS MAKELEVEL LONG_TESTS top_builddir
page=$top_srcdir/docs/ci.md
steps=$top_srcdir/examples/steps.c
cd "$tmp" || exit 99

# What the jobs fetch: this tree, with what is not committed.
git clone -q "$top_srcdir" origin/cuaudit 2>clone.err || bail_out "no clone: $(cat clone.err)"
(cd "$top_srcdir" && git ls-files -z --cached --others --exclude-standard |
	tar --null --ignore-failed-read -T - -cf - 2>/dev/null) | tar -C origin/cuaudit -xf -
git -C origin/cuaudit add -A
git -C origin/cuaudit -c user.name=t -c user.email=t@localhost commit -q --allow-empty -m now || bail_out "no commit"

# A machine of its own: the prefix that configure takes, root by sudo, packages that are there, and GitHub.
mkdir bin home
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo
printf '#!/bin/sh\necho "$*" >>"%s/apt"\n' "$tmp" >bin/apt-get
chmod +x bin/*
git config --file home/.gitconfig "url.file://$tmp/origin.insteadOf" https://github.com/OWNER

# job_of NAME: the lines of a job of the page
job_of() {
	awk -v name="$1" '/^```yaml/ { inside = 1 } /^```$/ { inside = on = 0 } inside && index($0, name) { on = 1 } on' "$page"
}

# GitHub: each step in the directory that it names; the second checkout is of cuaudit. GitLab: one shell.
{
	echo 'git clone -q --depth 1 https://github.com/OWNER/cuaudit'
	job_of pull_request | awk '
		function flush() { if (run != "") print "(cd " (dir == "" ? "." : dir) " && " run ")"; run = dir = "" }
		/^ *- / { flush() }
		sub(/^ *- run: /, "") { run = $0 }
		sub(/^ *working-directory: /, "") { dir = $0 }
		END { flush() }'
} >github
job_of image: | awk '/^  [a-z_]*:/ { on = /script:$/ } on && sub(/^    - /, "")' >gitlab
is "$(wc -l <github) $(wc -l <gitlab)" "6 7" "the lines of both jobs"

# job NAME: runs its lines for examples/steps.c, to the first that fails.
job() {
	mkdir "$1.dir"
	cp "$steps" "$1.dir/app.c"
	awk '/^```/ { n++; next } n == 1' "$page" >"$1.dir/cuaudit.rules"
	echo "prefix=$tmp/$1.prefix" >"$1.site"
	(cd "$1.dir" && env HOME="$tmp/home" CONFIG_SITE="$tmp/$1.site" CUAUDIT_DRIVER=sim \
		PATH="$tmp/$1.prefix/bin:$tmp/bin:$PATH" PKG_CONFIG_PATH="$tmp/$1.prefix/lib/pkgconfig" \
		sh -e ../"$1" >../"$1.out" 2>../"$1.err" </dev/null)
	is $? 88 "$1: red, after all else" || sed 's/^/# | /' "$1.err" | tail -n 20
	ok "$1: the command is that which was installed" test -x "$1.prefix/bin/cuaudit"
	like "$(cat "$1.err")" "^    at .*app\.c:$(grep -n 'return cuMemAlloc' "$steps" | sed 's/:.*//') in step" "$1: at the line"
	ok "$1: a file for the job" test -s "$1.dir/out/cuda.xml"
}
job github
like "$(cat github.out)" '^::error file=app\.c' "github: an annotation"
job gitlab
is "$(cat apt)" "update
install -y git" "no package is missing but those that the jobs install"
done_testing
