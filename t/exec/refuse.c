/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command where memory may not become executable: mdwe, as prctl(2)'s
 * PR_SET_MDWE; seccomp, as systemd's MemoryDenyWriteExecute; protect, where
 * mprotect(2) of any file's read-only pages to be written is refused as well.
 * Exits 77 where the kernel cannot.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define EQUAL(value, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, no)
#define ANY(bits, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, no)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int filter(unsigned int protections)
{
	struct sock_filter code[] = {
		LOAD(nr),
		EQUAL(SYS_mmap, 4),
		LOAD(args[2]),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, PROT_WRITE | PROT_EXEC),
		EQUAL(PROT_WRITE | PROT_EXEC, 5),
		REFUSE,
		EQUAL(SYS_mprotect, 3),
		LOAD(args[2]),
		ANY(protections, 1),
		REFUSE,
		ALLOW,
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	int refused = -1;
	void *page;

	if (!strcmp(how, "mdwe"))
		refused = prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0);
	else if (!strcmp(how, "seccomp"))
		refused = filter(PROT_EXEC);
	else if (!strcmp(how, "protect"))
		refused = filter(PROT_EXEC | PROT_WRITE);
	if (refused) {
		fprintf(stderr, "%s: %s\n", how, strerror(errno));
		return 77;
	}
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || !mprotect(page, 4096, PROT_READ | PROT_EXEC)) {
		fprintf(stderr, "%s: nothing is refused\n", how);
		return 77;
	}
	execv(argv[2], argv + 2);
	perror(argv[2]);
	return 99;
}
