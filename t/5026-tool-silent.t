# SPDX-License-Identifier: Apache-2.0
# cuaudit stat of a program that makes no driver call says so; LD_AUDIT alone does not.
. "${top_srcdir:-$(dirname "$0")/..}/t/tool/lib.sh"

program plain
compile -o "$tmp/starts" -x c - <<'END' || bail_out "no program"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* starts fork|exec PROGRAM ARGUMENT... */
int main(int argc, char **argv)
{
	pid_t pid = argc > 2 && !strcmp(argv[1], "fork") ? fork() : 0;
	int status = 0;

	if (argc < 3)
		return 99;
	if (!pid)
		return execv(argv[2], argv + 2);
	return waitpid(pid, &status, 0) == pid ? status : 99;
}
END

# says TEXT NAME ARGUMENT...
says() {
	says_text=$1
	says_name=$2
	shift 2
	tool "$@"
	is "$status $(cat "$tmp/out" "$tmp/err")" "0 ran${says_text:+
cuaudit: }$says_text" "$says_name"
}

none="made no driver call, so there is nothing to report"
says "$tmp/plain $none" "stat" stat "$tmp/plain"
says "$tmp/plain $none" "stat as JSON" stat -j "$tmp/plain"
says "" "run" run "$tmp/plain"
says "" "run with stat" run -t stat "$tmp/plain"
says "$tmp/plain $none" "what the program becomes" stat "$tmp/starts" exec "$tmp/plain"
says "$tmp/starts $none" "not what it starts" stat "$tmp/starts" fork "$tmp/plain"
CUAUDIT_LOG=error says "" "by errors alone" stat "$tmp/plain"
is "$(audited "$tmp/plain" 2>&1)" ran "LD_AUDIT alone"
tool stat -d sim "$demo" dlopen
is "$(grep -c "$none" "$tmp/err")" 0 "a program that calls the driver"
tool stat -d sim -x cudemo "$demo" dlopen
is "$(cat "$tmp/err")" \
	"cuaudit: $demo was given the driver itself, by CUAUDIT_INCLUDE or CUAUDIT_EXCLUDE; no call is counted" \
	"one that is excluded"
tool stat -d sim -l 'libx*' "$demo" dlopen
like "$(cat "$tmp/err")" "given the driver itself, by CUAUDIT_INCLUDE or" "one that is not included"
done_testing
