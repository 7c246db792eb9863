# SPDX-License-Identifier: Apache-2.0
# limit(share=): the file is cut off, written over, replaced or removed while two processes have a device by it.
. "${top_srcdir:-$(dirname "$0")/..}/t/lib.sh"

helper limit/share
file=$tmp/files/cuaudit-share-$(id -u)

# one NUMBER OPTIONS: one of two processes, in the background
one() {
	$run_env LD_AUDIT="$LIBCUAUDIT" CUAUDIT_DRIVER=sim CUAUDIT_SIM_CLOCK="$tmp/clock" CUAUDIT_SIM_LAUNCH_TIME=500 \
		CUAUDIT_OUTPUT="$tmp/report.$1" CUAUDIT_HOOKS="limit($2;share-dir=$tmp/files;format=json)" \
		timeout 300 "$tmp/share" "$tmp/all" "$1" 2 2000 4 >"$tmp/out.$1" 2>"$tmp/err.$1" &
}

# What is done to the file.
spoil() {
	case $1 in
	cut) : >"$file" ;;
	header) printf '\377\377\377\377\377\377\377\377' | dd of="$file" bs=1 seek=96 conv=notrunc 2>"$tmp/none" ;;
	magic) printf 'something' | dd of="$file" conv=notrunc 2>"$tmp/none" ;;
	other) echo none of ours >"$tmp/other" && mv "$tmp/other" "$file" ;;
	link) ln -s "$tmp/clock" "$tmp/link" && mv -T "$tmp/link" "$file" ;;
	removed) rm "$file" ;;
	esac
}

# two OPTIONS SPOIL: two processes, of weights 90 and 10, whose file is spoiled once both share it; their status
two() {
	rm -rf "$tmp/all" "$tmp/clock" "$tmp/files" "$tmp/other" "$tmp/link" "$tmp"/report.*
	mkdir "$tmp/files"
	one 0 "share=90$1"
	first=$!
	one 1 "share=10$1"
	second=$!
	until "$top_builddir/bin/cuaudit" limit status "$file" 2>"$tmp/none" |
		awk '$2 == 90 || $2 == 10 { rows++ } END { exit rows != 2 }' || ! kill -0 "$first" 2>"$tmp/none"; do
		:
	done
	# What one of the two writes at the same moment may be over it.
	spoil "$2"
	while test "$2$1" = header -o "$2$1" = magic && kill -0 "$first" 2>"$tmp/none"; do
		spoil "$2"
	done
	first_status=0
	second_status=0
	wait "$first" || first_status=$?
	wait "$second" || second_status=$?
}

lost="cuaudit: limit: the share of the device's time was not held: $file: "
for what in "cut=it (was truncated|is no longer a file of limit\(share=\))" \
	"header=its header is damaged" "magic=it is no longer a file of limit\(share=\)" \
	"other=it is not a file of limit\(share=\), or was truncated" "link=it is a symbolic link"; do
	two '' "${what%%=*}"
	is "$first_status $second_status $(cat "$tmp/out.0" "$tmp/out.1")" "85 85 " "${what%%=*}: both processes end"
	for number in 0 1; do
		is "$(sed -E "s/^.*: (${what#*=});/why;/" "$tmp/err.$number")" \
			"why; the process ends, on-error=run would let it go on" "... and process $number says why"
	done
	two ';on-error=run' "${what%%=*}"
	is "$first_status $second_status" "0 0" "... or go on, by on-error=run"
	ok "... and do all that they want to" test "$(($(cat "$tmp/out.0") + $(cat "$tmp/out.1")))" -ge 2000
	case $what in
	header* | magic*) continue ;;
	esac
	for number in 0 1; do
		is "$(sed -E "s/ (${what#*=})\$/ why/" "$tmp/err.$number")" "${lost}why" "... which process $number says once"
	done
done

# One that is gone is made again, and shared by.
two '' removed
is "$first_status $second_status $(cat "$tmp/err.0" "$tmp/err.1")" "0 0 " "removed: both go on"
ok "... by their weights: $(cat "$tmp/out.0") of 2000, $(cat "$tmp/out.1")" \
	test "$(cat "$tmp/out.0")" -ge "$((2 * $(cat "$tmp/out.1")))"
ok "... with a new file" test -f "$file"

# A new file that another process is filling, and does not: the first launch waits for that, nothing else does.
cat >"$tmp/filler.py" <<'END'
import fcntl, signal, struct, sys
file = open(sys.argv[1], "w+")
fcntl.fcntl(file, 37, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 256 * 1024, 1, 0))
print("locked", flush=True)
signal.pause()
END
cat >"$tmp/context.py" <<'END'
import ctypes, time
driver, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
print(driver.cuInit(0), driver.cuCtxCreate_v2(ctypes.byref(context), 0, 0))
time.sleep(0.3)
END
mkfifo "$tmp/locked"
rm -rf "$tmp/files"
mkdir "$tmp/files"
"$PYTHON3" "$tmp/filler.py" "$file" >"$tmp/locked" &
filler=$!
read -r _ <"$tmp/locked"

# filling OPTIONS PROGRAM...: its status, output and messages
filling() {
	filling_options=$1
	filling_status=0
	shift
	rm -f "$tmp/all"
	audited CUAUDIT_DRIVER=sim CUAUDIT_OUTPUT="$tmp/report" CUAUDIT_HOOKS="limit(share=1;share-dir=$tmp/files$filling_options)" \
		timeout 60 "$@" >"$tmp/out" 2>"$tmp/err" || filling_status=$?
	echo "$filling_status $(cat "$tmp/out" "$tmp/err")"
}
is "$(filling '' "$PYTHON3" "$tmp/context.py")" "0 0 0" "being filled: not waited for by a program that launches nothing"
why="${lost}it is empty, and another process is filling it"
is "$(filling '' "$tmp/share" "$tmp/all" 0 1 100 4)" "85 $why; the process ends, on-error=run would let it go on" \
	"... one that does ends"
is "$(filling ';on-error=run' "$tmp/share" "$tmp/all" 0 1 100 4)" "0 100
$why" "... or goes on"
rm "$tmp/all"
one 0 share=1
first=$!
one 1 share=1
second=$!
kill "$filler"
first_status=0
second_status=0
wait "$first" || first_status=$?
wait "$second" || second_status=$?
is "$first_status $second_status $(cat "$tmp/err.0" "$tmp/err.1")" "0 0 " "... and two share, once the other one has ended"
done_testing
