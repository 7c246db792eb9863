# SPDX-License-Identifier: Apache-2.0
# cuaudit_hook(3) has all of the interface, and its example, built as it says, does as it says.
. "${top_srcdir:-$(dirname "$0")/..}/t/plugins/lib.sh"

page=$top_srcdir/man/cuaudit_hook.3

# What stands in the public headers: functions, variables, structures, their fields, constants.
interface() {
	for header in call clock coverage hook range; do
		perl -0777 -pe 's{/\*.*?\*/}{ }gs; s/\\\n//g' "$top_srcdir/include/cuaudit/$header.h"
	done | sed '/^#/d; /^extern "C" {/d' | tr '\n\t' '  ' | sed 's/[{};]/&\n/g' | awk '
	# names WORDS: those of a declaration, the last before a bracket or the end
	function fields(text,    n, part, i) {
		sub(/\[[^]]*\]/, "", text)
		n = split(text, part, ",")
		for (i = 1; i <= n; i++) {
			gsub(/[^A-Za-z0-9_ ]/, " ", part[i])
			sub(/ +$/, "", part[i])
			sub(/.* /, "", part[i])
			if (part[i] != "")
				print part[i]
		}
	}
	{ sub(/^ +/, "") }
	/^(enum|struct) cuaudit_[a-z_]+ *\{/ { print $2; inside = $1; next }
	/^enum *\{/ { inside = "enum"; next }
	/^\}/ { inside = ""; next }
	inside == "enum" {
		gsub(/=[^,}]*/, "")
		inside = sub(/\}.*/, "") ? "" : inside
		fields($0)
		next
	}
	inside == "struct" && match($0, /\(\*[a-z_]+\)/) {
		print substr($0, RSTART + 2, RLENGTH - 3)
		next
	}
	inside == "struct" { sub(/;.*/, ""); fields($0); next }
	match($0, /cuaudit_[a-z_]+ *\(/) && !/^ *(return|__asm__)/ {
		name = substr($0, RSTART, RLENGTH - 1)
		sub(/ +$/, "", name)
		print name
	}
	/^extern .*cuaudit_[a-z_]+;/ && match($0, /cuaudit_[a-z_]+;/) {
		print substr($0, RSTART, RLENGTH - 1)
	}' | grep -v '^CUAUDIT_CLASS\|^CUAUDIT_ROUTES$' | sort -u
}

interface >"$tmp/interface"
for name in cuaudit_hook_add cuaudit_hook cuaudit_call CUAUDIT_SKIP released scratch thread_exit \
	cuaudit_clock cuaudit_generation cuaudit_ticks CUAUDIT_ESCAPE_SLOTS uuid cuaudit_range_lost payload_type; do
	ok "the headers' $name is found" grep -q -x "$name" "$tmp/interface"
done

# missing FILE: of the interface, what the page does not name
missing() {
	tr -cs 'A-Za-z0-9_' '\n' <"$1" | sort -u >"$tmp/words"
	comm -23 "$tmp/interface" "$tmp/words"
}
is "$(missing "$page")" "" "the page names all of it"
grep -v cuaudit_hook_synchronize "$page" >"$tmp/less.3"
is "$(missing "$tmp/less.3")" cuaudit_hook_synchronize "and what it would not name is found"
if command -v mandoc >"$tmp/found"; then
	is "$(mandoc -Tlint -W warning "$page" 2>&1 | grep -v 'mandoc.db')" "" "mandoc has no warnings"
else
	skip 1 "no mandoc"
fi

# literal NUMBER: the page's n-th literal block of the examples
literal() {
	awk -v wanted="$1" '
	/^\.Sh / { on = $2 == "EXAMPLES" }
	on && /^\.Bd -literal/ { n++; inside = 1; next }
	/^\.Ed/ { inside = 0 }
	inside && n == wanted { sub(/^\\&/, ""); gsub(/\\e/, "\\"); print }' "$page"
}

install_tree
cd "$tmp" || exit 99
literal 1 >bytes.c
literal 2 >commands
literal 3 >wanted
cp "$top_builddir/demo/cudemo-linked" app-program
ok "there is an example" test -s bytes.c -a -s commands -a -s wanted
sed -n '1p' commands >build
sed -n '2p' commands >run
mkdir bin
printf '#!/bin/sh\nPATH=%s\nexec %s -Wall -Wextra -Werror "$@"\n' "'$PATH'" "$CC" >bin/cc
chmod +x bin/cc
ok "it builds, by pkg-config against the installed tree" env PATH="$tmp/bin:$PATH" sh ./build
# What stands for the paths of an installation in no usual place.
sed "s|LD_AUDIT=libcuaudit.so|LD_AUDIT='$LIBCUAUDIT' CUAUDIT_DRIVER=sim|; s|\./app|./app-program linked|" \
	run >run-here
ok "it runs" sh ./run-here
is "$(grep -v '^linked: ' tap.out)" "$(cat wanted)" "and prints what the page says"

literal 4 >largest.cc
literal 5 >commands
literal 6 >wanted
sed -n '1p' commands >build
printf '#!/bin/sh\nPATH=%s\nexec %s -std=c++17 -Wall -Wextra -Werror "$@"\n' "'$PATH'" "$CXX" >bin/c++
chmod +x bin/c++
ok "the one in C++ builds" env PATH="$tmp/bin:$PATH" sh ./build
sed -n '2p' commands | sed "s|LD_AUDIT=libcuaudit.so|LD_AUDIT='$LIBCUAUDIT' CUAUDIT_DRIVER=sim|
	s|\./app|./app-program linked|" >run-here
ok "and runs" sh ./run-here
is "$(cat largest-*.txt)" "$(cat wanted)" "and writes what the page says"

# A program of one's own, audited and not.
cat >app.c <<'END'
#include <cuaudit/hook.h>
#include <errno.h>
#include <stdio.h>

static int enter(struct cuaudit_call *call, void *data)
{
	return call->depth && data;
}

int main(void)
{
	const struct cuaudit_hook hook = { .size = sizeof(hook), .enter = enter };
	int error = cuaudit_hook_add(&hook);

	puts(error == -ENODEV ? "not audited" : error ? "refused" : "added");
	return 0;
}
END
# Below DESTDIR the directory is not where the variable says; some pkg-config know that, some do not.
cat >bin/pkg-config <<END
#!/bin/sh
PATH='$PATH'
answer=\$(pkg-config "\$@") || exit
case \$1 in
--variable=*) answer=\$PKG_CONFIG_SYSROOT_DIR\${answer#"\$PKG_CONFIG_SYSROOT_DIR"} ;;
esac
echo "\$answer"
END
chmod +x bin/pkg-config
literal 7 >build
ok "a program that links the core" env PATH="$tmp/bin:$PATH" sh ./build
is "$(./app) $(LD_AUDIT=$LIBCUAUDIT ./app)" "not audited added" "starts without the auditor, too"
for variable in auditor plugindir pkglibdir; do
	ok "pkg-config has $variable" test -n "$(pkg-config --variable=$variable cuaudit)"
done
done_testing
