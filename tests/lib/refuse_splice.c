/* SPDX-License-Identifier: MIT */
/* refuse_splice.c - run a program in which one kind of splice() fails, as it does in a kernel without memory.
 *
 * usage: refuse_splice from|to ERRNO COMMAND [ARGS]
 *
 * `from`: from a pipe, without an offset; `to`: out of a file at an offset. ERRNO is a number. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OFF_IN (offsetof(struct seccomp_data, args) + sizeof(__u64)) /* the second argument; zero if both halves are */

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: refuse_splice from|to ERRNO COMMAND [ARGS]\n");
		return 2;
	}
	unsigned error = (unsigned)strtoul(argv[2], NULL, 10);
	__u32 zero = strcmp(argv[1], "from") == 0 ? SECCOMP_RET_ERRNO | error : SECCOMP_RET_ALLOW;
	__u32 set = strcmp(argv[1], "to") == 0 ? SECCOMP_RET_ERRNO | error : SECCOMP_RET_ALLOW;
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_splice, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, OFF_IN),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, OFF_IN + sizeof(__u32)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, set),
		BPF_STMT(BPF_RET | BPF_K, zero),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };
	/* Only root may do without the first. */
	if (geteuid() != 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		perror("refuse_splice: no_new_privs");
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
		perror("refuse_splice: seccomp");
		return 1;
	}
	execvp(argv[3], argv + 3);
	perror(argv[3]);
	return 1;
}
