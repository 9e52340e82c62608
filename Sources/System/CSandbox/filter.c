// SPDX-License-Identifier: Apache-2.0

// The seccomp filter: the system calls that the process may make. It is a classic BPF program. It
// allows every call in the list, decides a few by an argument, and makes all others fail.

#define _GNU_SOURCE
#include "csandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

#ifdef ARCHITECTURE

// The calls that SQLite, libmicrohttpd, libcurl, the Swift runtime and the C library were observed
// to make, and close variants. Changing the mode or owner of a file is left out; SQLite works
// without it.
static const int allowed[] = {
    // files
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_openat, SYS_close,
    SYS_fstat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_lseek, SYS_flock,
    SYS_fsync, SYS_fdatasync, SYS_ftruncate, SYS_fallocate, SYS_faccessat, SYS_faccessat2,
    SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_mkdirat, SYS_unlinkat, SYS_renameat,
    SYS_renameat2, SYS_umask, SYS_dup, SYS_dup3, SYS_pipe2,
    // memory
    SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise, SYS_mlock, SYS_mlock2, SYS_munlock, SYS_mincore,
    SYS_membarrier,
    // threads, time, waiting
    SYS_futex, SYS_set_robust_list, SYS_get_robust_list, SYS_rseq, SYS_sched_yield,
    SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler,
    SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_getpriority,
    SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
    SYS_timerfd_create, SYS_timerfd_settime, SYS_timerfd_gettime, SYS_eventfd2, SYS_epoll_create1,
    SYS_epoll_ctl, SYS_epoll_pwait, SYS_ppoll, SYS_pselect6, SYS_restart_syscall, SYS_getrandom,
    SYS_exit, SYS_exit_group,
    // signals
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigsuspend, SYS_rt_sigtimedwait,
    SYS_rt_sigpending, SYS_sigaltstack, SYS_signalfd4,
    // process and user ids
    SYS_getpid, SYS_getppid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
    SYS_getgroups, SYS_getsid, SYS_getpgid, SYS_uname, SYS_sysinfo, SYS_getrusage, SYS_times,
    SYS_pidfd_open, SYS_wait4, SYS_waitid,
    // sockets
    SYS_getsockname, SYS_getpeername, SYS_getsockopt,
    SYS_setsockopt, SYS_sendto, SYS_recvfrom, SYS_sendmsg,
    SYS_recvmsg, SYS_sendmmsg, SYS_recvmmsg, SYS_shutdown,
#ifdef __x86_64__
    // older variants of the calls above
    SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_mkdir, SYS_unlink, SYS_rename,
    SYS_dup2, SYS_pipe, SYS_poll, SYS_select, SYS_epoll_wait, SYS_epoll_create,
    SYS_getpgrp, SYS_time, SYS_arch_prctl,
#endif
};

// Calls that processes need to accept connections.
static const int serving[] = {SYS_listen, SYS_accept4, SYS_accept};

// The flags with which the C library starts a thread. Other flags could put a thread into new
// namespaces.
static const uint32_t thread_flags =
    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND | CLONE_THREAD |
    CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;

// Steps for calls that depend on arguments, besides two steps for each call above.
enum { steps_max = 2 * sizeof allowed / sizeof allowed[0] + 300 };

struct program {
    struct sock_filter steps[steps_max];
    unsigned short count;
};

static void add(struct program *program, struct sock_filter step) {
    // A truncated program would have no final verdict, and the kernel would refuse it.
    if (program->count < steps_max) program->steps[program->count++] = step;
}

#define LOAD(field) \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define GIVE(value) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, value)
#define ALLOW GIVE(SECCOMP_RET_ALLOW)

// The lower half of an argument; both machines are little-endian.
static void load_argument(struct program *program, int place) {
    add(program, (struct sock_filter)LOAD(args[0]));
    program->steps[program->count - 1].k += 8 * (unsigned)place;
}

static void if_equal(struct program *program, uint32_t value, uint8_t yes, uint8_t no) {
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no));
}

static void if_any(struct program *program, uint32_t bits, uint8_t yes, uint8_t no) {
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, yes, no));
}

// Allows a call if its argument is in the list; the accumulator holds the call number before.
static void allow_with(
    struct program *program, int call, int place, const uint32_t *values, uint8_t count,
    uint32_t otherwise
) {
    if_equal(program, (uint32_t)call, 0, (uint8_t)(2 * count + 2));
    load_argument(program, place);
    for (uint8_t index = 0; index < count; index++) {
        if_equal(program, values[index], 0, 1);
        add(program, ALLOW);
    }
    add(program, GIVE(otherwise));
}

// Refuses a call if its argument is in the list, and allows it otherwise.
static void allow_without(
    struct program *program, int call, int place, const uint32_t *values, uint8_t count, uint32_t no
) {
    if_equal(program, (uint32_t)call, 0, (uint8_t)(2 * count + 2));
    load_argument(program, place);
    for (uint8_t index = 0; index < count; index++) {
        if_equal(program, values[index], 0, 1);
        add(program, GIVE(no));
    }
    add(program, ALLOW);
}

// Allows a call with exactly these two arguments.
static void allow_with_both(
    struct program *program, int call, uint32_t first, uint32_t second, uint32_t no
) {
    if_equal(program, (uint32_t)call, 0, 6);
    load_argument(program, 0);
    if_equal(program, first, 0, 3);
    load_argument(program, 1);
    if_equal(program, second, 0, 1);
    add(program, ALLOW);
    add(program, GIVE(no));
}

static void allow_all(struct program *program, const int *list, size_t count) {
    for (size_t index = 0; index < count; index++) {
        if_equal(program, (uint32_t)list[index], 0, 1);
        add(program, ALLOW);
    }
}

// Loads the type of a socket, without the flags that may be added to it.
static void load_type(struct program *program) {
    load_argument(program, 1);
    add(program, (struct sock_filter)BPF_STMT(
                     BPF_ALU | BPF_AND | BPF_K, ~(uint32_t)(SOCK_NONBLOCK | SOCK_CLOEXEC)));
}

// Allows one family of sockets with its types and protocols, and refuses others such as raw
// sockets.
struct family {
    uint32_t number;
    uint32_t types[2];
    uint8_t type_count;
    uint32_t protocols[3];
    uint8_t protocol_count;
};

static const struct family internet[] = {
    {AF_INET, {SOCK_STREAM, SOCK_DGRAM}, 2, {0, IPPROTO_TCP, IPPROTO_UDP}, 3},
    {AF_INET6, {SOCK_STREAM, SOCK_DGRAM}, 2, {0, IPPROTO_TCP, IPPROTO_UDP}, 3},
    // The C library reads the addresses of the machine over netlink.
    {AF_NETLINK, {SOCK_RAW, SOCK_DGRAM}, 2, {NETLINK_ROUTE}, 1},
};
static const struct family own = {AF_UNIX, {SOCK_STREAM}, 1, {0}, 1};

static uint8_t step_count(const struct family *family) {
    return (uint8_t)(family->type_count + 2 * family->protocol_count + 5);
}

static void allow_family(struct program *program, const struct family *family, uint32_t no) {
    load_argument(program, 0);
    if_equal(program, family->number, 0, step_count(family));
    load_type(program);
    for (uint8_t index = 0; index < family->type_count; index++)
        if_equal(program, family->types[index], (uint8_t)(family->type_count - index), 0);
    add(program, GIVE(no));
    load_argument(program, 2);
    for (uint8_t index = 0; index < family->protocol_count; index++) {
        if_equal(program, family->protocols[index], 0, 1);
        add(program, ALLOW);
    }
    add(program, GIVE(no));
}

static void allow_sockets(struct program *program, enum csandbox_calls calls, uint32_t no) {
    if (calls == csandbox_serves || calls == csandbox_computes) return;
    const struct family *families = calls == csandbox_speaks ? &own : internet;
    size_t count = calls == csandbox_speaks ? 1 : sizeof internet / sizeof internet[0];
    uint8_t steps = 1;
    for (size_t index = 0; index < count; index++)
        steps = (uint8_t)(steps + 2 + step_count(&families[index]));
    if_equal(program, SYS_socket, 0, steps);
    for (size_t index = 0; index < count; index++) allow_family(program, &families[index], no);
    add(program, GIVE(no));
    const int reaching[] = {SYS_connect, SYS_bind};
    allow_all(program, reaching, sizeof reaching / sizeof reaching[0]);
}

static void build(struct program *program, enum csandbox_calls calls, uint32_t no) {
    uint32_t process = (uint32_t)getpid();
    add(program, (struct sock_filter)LOAD(arch));
    if_equal(program, ARCHITECTURE, 1, 0);
    add(program, GIVE(SECCOMP_RET_KILL_PROCESS));
    add(program, (struct sock_filter)LOAD(nr));
    allow_all(program, allowed, sizeof allowed / sizeof allowed[0]);
    if (calls == csandbox_serves || calls == csandbox_serves_networks)
        allow_all(program, serving, sizeof serving / sizeof serving[0]);
    // Allows threads but no new processes. The filter cannot see the arguments of clone3, which the
    // C library tries first. The library falls back to clone only if the error is ENOSYS.
    if_equal(program, SYS_clone3, 0, 1);
    add(program, GIVE(SECCOMP_RET_ERRNO | ENOSYS));
    if (calls != csandbox_computes) allow_with(program, SYS_clone, 0, &thread_flags, 1, no);
    // All code was loaded before, so no memory becomes executable.
    const int mapping[] = {SYS_mmap, SYS_mprotect};
    for (size_t index = 0; index < sizeof mapping / sizeof mapping[0]; index++) {
        if_equal(program, (uint32_t)mapping[index], 0, 4);
        load_argument(program, 2);
        if_any(program, PROT_EXEC, 1, 0);
        add(program, ALLOW);
        add(program, GIVE(no));
    }
    // Forbids typing into terminals and sending signals to the owner of a descriptor. The list
    // names allowed requests, because drivers define more requests than are known here.
    const uint32_t controls[] = {
        TCGETS, TCSETS, TCSETSW, TCSETSF, 0x802C542A, 0x402C542B, 0x402C542C, 0x402C542D, TCFLSH,
        TCSBRK, TIOCGWINSZ, TIOCGPGRP, TIOCGDEV, TIOCOUTQ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX,
        SIOCGIFNAME, SIOCGIFINDEX, SIOCGIFCONF, SIOCGIFFLAGS, SIOCGIFADDR};
    allow_with(program, SYS_ioctl, 1, controls, sizeof controls / sizeof controls[0], no);
    const uint32_t owners[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG};
    allow_without(program, SYS_fcntl, 1, owners, sizeof owners / sizeof owners[0], no);
    allow_sockets(program, calls, no);
    // Allows stream and sequenced-packet pairs: a pair of datagram sockets could be connected
    // again, to any path.
    if_equal(program, SYS_socketpair, 0, 8);
    load_argument(program, 0);
    if_equal(program, AF_UNIX, 0, 5);
    load_type(program);
    if_equal(program, SOCK_STREAM, 1, 0);
    if_equal(program, SOCK_SEQPACKET, 0, 1);
    add(program, ALLOW);
    add(program, GIVE(no));
    // The process may signal itself, and may send SIGTSTP to its job (Ctrl-Z at a question).
    if_equal(program, SYS_kill, 0, 7);
    load_argument(program, 0);
    if_equal(program, process, 3, 0);
    if_equal(program, 0, 0, 3);
    load_argument(program, 1);
    if_equal(program, SIGTSTP, 0, 1);
    add(program, ALLOW);
    add(program, GIVE(no));
    allow_with(program, SYS_tgkill, 0, &process, 1, no);
    // The process may change the priority of its own threads.
    allow_with_both(program, SYS_setpriority, PRIO_PROCESS, 0, no);
    // Limits may be read but not set.
    if_equal(program, SYS_prlimit64, 0, 8);
    load_argument(program, 0);
    if_equal(program, 0, 0, 5);
    load_argument(program, 2);
    if_equal(program, 0, 0, 3);
    add(program, (struct sock_filter)BPF_STMT(
                     BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2]) + 4));
    if_equal(program, 0, 0, 1);
    add(program, ALLOW);
    add(program, GIVE(no));
    const uint32_t options[] = {
        PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_SET_VMA, PR_GET_NO_NEW_PRIVS};
    allow_with(program, SYS_prctl, 0, options, sizeof options / sizeof options[0], no);
    add(program, GIVE(no));
}

int csandbox_filter_calls(enum csandbox_calls calls, bool kills) {
    static struct program program;
    program.count = 0;
    build(
        &program, calls,
        kills ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM);
    struct sock_fprog code = {.len = program.count, .filter = program.steps};
    long result = syscall(
        SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &code);
    if (result == 0) return 0;
    // The call returns the number of a thread that could not be bound.
    return result > 0 ? -ESRCH : -errno;
}

#else

int csandbox_filter_calls(enum csandbox_calls calls, bool kills) {
    (void)calls;
    (void)kills;
    return -ENOSYS;
}

#endif
