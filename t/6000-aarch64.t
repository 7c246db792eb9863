# SPDX-License-Identifier: Apache-2.0
# The suite on AArch64: built by a cross compiler, its programs run by an emulator.
. "${top_srcdir:-$(dirname "$0")/..}/t/routes/lib.sh"
long_test

: "${AARCH64_QEMU:=qemu-aarch64}"
: "${AARCH64_ROOT:=/usr/aarch64-linux-gnu}"
export AARCH64_QEMU AARCH64_ROOT
cross=aarch64-linux-gnu

for tool in $cross-gcc $cross-g++ "$AARCH64_QEMU"; do
	command -v "$tool" >"$tmp/which" || skip_all "no $tool"
done
test -e "$AARCH64_ROOT/lib/ld-linux-aarch64.so.1" || skip_all "no libc for AArch64"
test ! -e "$top_srcdir/config.status" || skip_all "built in the source tree"

# What tests call by name.
mkdir "$tmp/bin" "$tmp/build"
for tool in nm objcopy readelf strip; do
	printf '#!/bin/sh\nexec %s "$@"\n' "$cross-$tool" >"$tmp/bin/$tool"
	chmod 755 "$tmp/bin/$tool"
done
PATH=$tmp/bin:$PATH
CC=$cross-gcc CXX=$cross-g++ NM=$cross-nm READELF=$cross-readelf
run_env="sh $top_srcdir/t/aarch64/env"
export PATH CC CXX NM READELF run_env
unset MAKEFLAGS MFLAGS MAKELEVEL LONG_TESTS

cd "$tmp/build" || exit 99
ok "configure" "$top_srcdir/configure" --host=$cross --with-cuda=no --enable-werror
ok "make" $MAKE -j2
test -e lib/libcuaudit.so || bail_out "nothing was built"
top_builddir=$tmp/build
LIBCUAUDIT=$top_builddir/lib/libcuaudit.so
simdir=$top_builddir/lib/cuaudit/sim
export top_builddir LIBCUAUDIT

for object in lib/libcuaudit.so lib/cuaudit/cuaudit-core.so; do
	like "$($READELF -h $object)" 'Machine: +AArch64' "$object is of AArch64"
	like "$($READELF -n $object)" 'AArch64 feature: BTI, PAC' "$object has BTI and PAC"
done

# What cannot be here, and why. TEST|DESCRIPTION, a regex of whole lines. Not run at all are
# 2410, 5900 and 5901, since Debian has no sanitizers for a cross compiler; 2440, as gdb and
# valgrind are the host's; 3710, as /proc/thread-self/maps is the emulator's own, where no page
# of the program's can be executed; 4000 and those of what is built, packed and written, which
# are the same everywhere.
cat >"$tmp/exceptions" <<'END'
# Memory below 4 GiB, for the functions of CUDA 3.1, has no flag to ask for it here.
0340-sim-copy|(cuMemAlloc|cuMemcpyHtoD|cuMemcpyDtoH|cuMemcpy2D|cuMemsetD2D16|cuMemFree)\(.*
0340-sim-copy|(addresses of 32 bits|an array to an address|a fill)
# The linker gives a function whose address is taken a PLT entry beside its GOT entry,
# so that it is bound twice where all is bound at once: these want to see it once.
1100-lookups|(now|global|deepbind|plug-in, LD_BIND_NOW)
# The emulator maps no library where another was; these fail natively too.
1100-lookups|(natively: )?libraries in each other's place
4160-trace-sites|each where the one before it was
# An emulated program can execute no other, and is executed by no host's shell.
0061-demo|(demo/run shows all three|and all three succeed|an unknown way is an error)
1420-plt|(lazy|now): ld\.so --audit
1400-processes|(natively: |CUAUDIT_FOLLOW=[01], )?(exec|vfork|spawn)
1400-processes|(alone: nothing is left|(first|last) of two: the other stays|in the middle)
# What the emulator has as /proc/self/exe is another file to stat(2).
1600-who|((a script|a descriptor), .*|a link)
2500-many|20 children of (vfork|spawn) among 16 threads
2500-many|(vfork|spawn): all calls are counted, the children's too
3130-stat-ends|exec: .*
4100-trace|exec: .*
1700-left-alone|(<&-|>&-|2>&-|<&- >&- 2>&-|a full device): (its status|what it is and does)
# Programs of the host, and what only a kernel does.
1700-left-alone|(a program without a driver|and its status): its status
4120-trace-options|start=20ms: of a child, from its own first call on
1410-behind|(both|LD_AUDIT, and we) from the loader's --audit
1700-left-alone|(ld\.so PROGRAM: (its status|what it is and does)|ld\.so --audit)
1700-left-alone|(a set-uid program: neither auditor nor LD_LIBRARY_PATH|the same program, unprivileged)
# It has no seccomp: nothing keeps the program from opening files.
2450-limits|(open: .*|open, (first|later).*)
# The loader takes no auditor of another version than its own.
1415-auditors|(linked|dlopen|procaddr), old: alone, it is told
1415-auditors|(linked|dlopen|procaddr), old (before|behind) us: result and calls
# The memory of the emulator, which keeps the code it translated, is not flat.
2500-many|a plug-in loaded 1000 times
1500-drivers|(natively: )?closed and opened again(, behind another auditor)?
# The emulator knows no seccomp.
2300-stacks|(natively: )?own-stack(, with (statistics|a trace) alone)?
# The emulator gives a program's name by /proc/self/exe alone, not by that of a thread.
3130-stat-ends|its title
3140-tool-report|(... is read as far as it goes|the tool's JSON|stat\(format=json\))
4100-trace|(without CUAUDIT_OUTPUT: in the current directory|file=|a file that is there is not written over|but one beside it|the process)
# Its signal frames take more than half of 8 KiB, and it knows no SS_AUTODISARM.
2300-stacks|(coroutine|signal) 8192: .*
2510-unwound|(natively: )?signal-stack-above
2511-setup|first call, .*: signal-stack
# libgcc_s is loaded at set-up, and its end is another auditor's to see.
1415-auditors|(linked|dlopen|procaddr), calls (before|behind) us: its callbacks
# PLT entries have no unwind information; natively neither. Below it is done with -fno-plt.
2200-unwind|(natively: )?10,000 samples, .*
# The command, emulated, executes no program: it refuses, where a test says what it wants instead.
3700-runtime|.*(: (the program is not started|one without them is|what is taken)|\.\.\. and the message says why)
3700-runtime|(rules: broken ones|two of them|the call|and its stack)
3750-providers|(no providers: such a name is refused before the program starts|and named)
3750-providers|rules: (a broken one|by either name, add(_again)?)
3750-providers|.*: (the program is not started|and why)
3750-providers|(an unfinished glob|(stat|check|manifest): no process called a function of theirs)
3750-providers|(stat: a process that has one says it itself|LD_AUDIT alone: silent)
3770-types|.*: (the program is not started|and why)
# The host's compiler, whose structures are in other registers.
3770-types|its types are as expected
3770-types|(and (such a|its) file is understood|the page's example is a file of types|doctor: .*)
# A limit to memory would be the emulator's own.
3100-stat|(a call without memory for its cell is counted as lost|\.\.\. which fail=errors takes .*|\.\.\. unless there was an error)
# It is the core that lets no call of a handler in where a sum takes several instructions.
3100-stat|signal handlers that call the driver lose nothing
END

# judge NAME LOG STATUS: what a test printed passes, but for the exceptions.
judge() {
	awk -v name="$1" -v status="$3" '
	BEGIN { FS = "|" }
	FILENAME == ARGV[1] {
		if ($1 == name)
			expected[++n] = "^(" substr($0, length($1) + 2) ")$"
		next
	}
	/^1\.\.[0-9]+/ { planned = substr($0, 4) + 0 }
	/^ok / { seen++; passed++ }
	/^not ok / {
		seen++
		what = $0
		sub(/^not ok [0-9]+ - /, "", what)
		if (what == $0)
			sub(/^not ok [0-9]+ /, "", what)
		for (i = 1; i <= n; i++)
			if (what ~ expected[i])
				break
		if (i > n) {
			print "not ok: " what
			bad++
		} else {
			excepted++
		}
	}
	END {
		printf "%d passed, %d are exceptions\n", passed, excepted
		if (!passed || seen != planned)
			print "printed " seen + 0 " results, planned " planned + 0
		if (status && !bad && !excepted)
			print "ended with status " status
		exit bad || !passed || seen != planned || (status && !excepted)
	}' "$tmp/exceptions" "$2"
}

# suite NAME COMMAND...: the test NAME, on AArch64.
suite() {
	suite_name=$1
	shift
	suite_status=0
	"$@" >"$tmp/suite.log" 2>&1 || suite_status=$?
	ok "$suite_name" judge "$suite_name" "$tmp/suite.log" "$suite_status"
	diag "$suite_name: $(sed -n '/ passed, /p' "$tmp/tap.out")"
}

# A judge that cannot fail would pass everything.
printf 'ok 1 - a\nnot ok 2 - b\n1..2\n' >"$tmp/x"
fails "a failure is found" judge 2000-arguments "$tmp/x" 1
printf 'ok 1 - a\n1..2\n' >"$tmp/x"
fails "a test that ends early is found" judge 2000-arguments "$tmp/x" 0
printf 'ok 1 - a\nnot ok 2 - closed and opened again\n1..2\n' >"$tmp/x"
ok "an exception is one" judge 1500-drivers "$tmp/x" 1
fails "of its own test" judge 1400-processes "$tmp/x" 1

suite 0011-core sh "$top_srcdir/t/0011-core.t"
# Tests run the tool by its name.
mv bin/cuaudit bin/cuaudit.aarch64
# What the compiler makes for `types` is run by the host.
printf '#!/bin/sh\nCC=cc exec %s "%s" "$@"\n' "$run_env" "$PWD/bin/cuaudit.aarch64" >bin/cuaudit
chmod 755 bin/cuaudit
for test in 0010-auditor 0061-demo 0300-sim-procaddr 0301-sim-exports 0310-sim-basic \
	0320-sim-context 0330-sim-memory 0340-sim-copy 0350-sim-stream 0360-sim-module \
	0370-sim-leave 1000-linked 1100-lookups 1200-procaddr 1300-first-call 1400-processes \
	1410-behind 1415-auditors 1500-drivers 1600-who 1610-functions 1700-left-alone \
	1800-counts 1900-environment 2000-arguments 2100-registers 2200-unwind 2300-stacks \
	2400-preload 2420-patching 2430-loader 2450-limits 2460-output 2470-late 2480-heap \
	2500-many 2510-unwound 2511-setup 3130-stat-ends 3140-tool-report 3150-stat-threads 3200-coverage 3310-typed \
	3700-runtime 3750-providers 3760-runtime-bound 3761-runtime-attacked 3763-runtime-counted 3770-types \
	4100-trace 4110-trace-args 4120-trace-options 4130-trace-killed 4140-trace-full \
	4160-trace-sites \
	5910-damage; do
	suite $test sh "$top_srcdir/t/$test.t"
done
for test in 3100-stat 3101-stat-save 3110-report 3120-stat-damage 3300-print; do
	ok "make $test" $MAKE t/$test
	suite $test $run_env "$top_builddir/t/$test"
done

# Unwinding from every instruction on the way of a call, the PLT's left out.
fake_driver
program samples samples.c -L"$tmp" -l:libcuda.so.1 -fexceptions -fno-plt
for how in none enter+exit enter; do
	both "10,000 samples, hooks: $how" timeout 300 "$tmp/samples" $how
done

# Rules, by the hook alone: each way breaks its rule, and its twin keeps it; but for what only a child
# breaks, whose status is its own.
(. "$top_srcdir/t/rules/lib.sh" && ways) >"$tmp/ways" || bail_out "no ways"
ok "make t/rules/broken" $MAKE t/rules/broken
while IFS='|' read -r way rules wants option; do
	test -z "$option" && test "$way" != after-fork || continue
	printf '%s\n' "$rules" | tr ';' '\n' >"$tmp/rules"
	for twin in "" "fixed 20"; do
		status=0
		audited CUAUDIT_DRIVER=sim CUAUDIT_HOOKS="rules(file=$tmp/rules)" \
			NVTX_INJECTION64_PATH="$top_builddir/lib/cuaudit/libcuaudit-nvtx.so" timeout 300 \
			"$top_builddir/t/rules/broken" $way $twin >"$tmp/out" 2>&1 </dev/null || status=$?
		is "$status" "$(test -n "$twin" && echo 0 || echo 88)" "rules: $way $twin" || diag "$(cat "$tmp/out")"
	done
done <"$tmp/ways"

# Memory functions: what is found, and what the program prints.
ok "make t/dbgmem/cases" $MAKE t/dbgmem/cases
for case in device_source device_destination device_inside device_set device_freed past_string right \
	by_pointer by_dlsym by_handler by_thread forked vforked errno_kept small_stack cancelled; do
	$run_env LD_LIBRARY_PATH="$simdir" timeout 60 "$top_builddir/t/dbgmem/cases" $case >"$tmp/native" 2>"$tmp/err"
	native=$?
	audited CUAUDIT_DRIVER=sim CUAUDIT_DOMAINS=driver,libc CUAUDIT_HOOKS='dbgmem(libraries=(main);action=report)' \
		timeout 60 "$top_builddir/t/dbgmem/cases" $case >"$tmp/out" 2>"$tmp/err"
	is "$? $(cat "$tmp/out")" "$native $(cat "$tmp/native")" "dbgmem: $case"
	case $case in
	right | cancelled | small_stack | errno_kept) ;;
	*) like "$(cat "$tmp/err")" ' dbgmem: [a-z_]* of ' "... is found" ;;
	esac
done

# Structures: in and out by AAPCS64.
build libcuda.so.1 -shared -fPIC -Wl,-soname,libcuda.so.1 "$top_srcdir/t/aarch64/driver.c"
program results ../aarch64/results.c -L"$tmp" -l:libcuda.so.1
both "structures" "$tmp/results"
build layout -I"$top_srcdir/hooks/arch/aarch64" "$top_srcdir/t/aarch64/layout.c" \
	"$top_srcdir/hooks/arch/aarch64/layout_arch.c"
ok "the layout of parameters" $run_env "$tmp/layout"

done_testing
