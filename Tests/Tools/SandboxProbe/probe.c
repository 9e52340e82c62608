// SPDX-License-Identifier: Apache-2.0

// Enters the sandbox of an agent and tries acts that must fail in it and acts that must work.
// usage: sandbox-probe HOME OUTSIDE NETWORKS SOCKET
// HOME may be changed, and OUTSIDE is a file that may not be touched. NETWORKS is 0 or 1, 2 for a
// program that keeps a channel, or 3 for one that uses services of the desktop. Another program
// listens at SOCKET. Prints a line for each act: NAME ok, or NAME ERROR.

#define _GNU_SOURCE
#include "csandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <sys/un.h>
#include <unistd.h>

static void tell(const char *name, long result) {
    printf("%s %s\n", name, result >= 0 ? "ok" : strerrorname_np(errno));
    fflush(stdout);
}

static const uint8_t no_digest[32];

static bool never(int file, uint8_t *digest) {
    (void)file;
    (void)digest;
    return false;
}

static char *in(const char *folder, const char *name) {
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static void *touch(void *path) {
    return (void *)(long)(open(path, O_RDONLY) < 0 ? errno : 0);
}

static void files(const char *home, const char *outside) {
    int file = open(in(home, "file"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    tell("write-home", file);
    tell("mode-of-file", fchmod(file, 0700));
    tell("owner-of-file", fchown(file, getuid(), getgid()));
    // A file in the home is data; mapping it as code must fail.
    void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    tell("code-in-file", code == MAP_FAILED ? -1 : 0);
    tell("rename-home", rename(in(home, "file"), in(home, "other")));
    tell("remove-home", unlink(in(home, "other")));
    tell("mode-home", chmod(in(home, "file"), 0644));
    tell("folder-home", mkdir(in(home, "folder"), 0700));
    tell("link-home", symlink("/", in(home, "link")));
    tell("device-home", mknod(in(home, "device"), S_IFCHR | 0600, 0));
    tell("read-outside", open(outside, O_RDONLY));
    tell("write-outside", open(outside, O_WRONLY));
    tell("mode-outside", chmod(outside, 0666));
    tell("mode-outside-at", fchmodat(AT_FDCWD, outside, 0666, 0));
    tell("owner-outside", chown(outside, getuid(), getgid()));
    tell("attribute-outside", setxattr(outside, "user.x", "x", 1, 0));
    tell("times-outside", utimensat(AT_FDCWD, outside, NULL, 0));
    tell("cut-outside", truncate(outside, 0));
    tell("remove-outside", unlink(outside));
    tell("move-outside", rename(outside, in(home, "taken")));
    tell("hard-link-outside", link(outside, in(home, "linked")));
    tell("write-etc", open("/etc/countersign-probe", O_WRONLY | O_CREAT, 0600));
    tell("write-tmp", open("/tmp/countersign-probe", O_WRONLY | O_CREAT, 0600));
    tell("read-etc", open("/etc/passwd", O_RDONLY));
    tell("write-null", open("/dev/null", O_RDWR));
}

static void others(pid_t other) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/exe", other);
    tell("exe-of-other", open(path, O_RDONLY));
    snprintf(path, sizeof path, "/proc/%d/environ", other);
    tell("environ-of-other", open(path, O_RDONLY));
    snprintf(path, sizeof path, "/proc/%d/mem", other);
    tell("memory-of-other", open(path, O_RDWR));
    snprintf(path, sizeof path, "/proc/%d/stat", other);
    tell("stat-of-other", open(path, O_RDONLY));
    tell("ptrace", ptrace(PTRACE_ATTACH, other, 0, 0));
    char byte;
    struct iovec local = {&byte, 1}, remote = {&byte, 1};
    tell("read-memory", process_vm_readv(other, &local, 1, &remote, 1, 0));
    tell("write-memory", process_vm_writev(other, &local, 1, &remote, 1, 0));
    tell("kill", kill(other, 0));
    tell("kill-thread", (int)syscall(SYS_tgkill, other, other, 0));
    struct rlimit core = {0, 0};
    tell("read-limits", getrlimit(RLIMIT_CORE, &core));
    tell("own-name", prctl(PR_SET_NAME, "probe", 0, 0, 0));
    tell("own-priority", setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0)));
    tell("own-signal", kill(getpid(), 0));
    tell("own-thread", (int)syscall(SYS_tgkill, getpid(), getpid(), 0));
    tell("own-terminal", ioctl(0, TCGETS, path) == 0 || errno == ENOTTY ? 0 : -1);
    tell("own-descriptor", fcntl(0, F_GETFD));
    tell("own-limits", setrlimit(RLIMIT_CORE, &core));
    tell("limits-of-other", (int)syscall(SYS_prlimit64, other, 0, NULL, NULL));
    tell("priority-of-other", setpriority(PRIO_PROCESS, other, 19));
    tell("priority-of-group", setpriority(PRIO_PGRP, 0, 19));
    cpu_set_t places;
    CPU_ZERO(&places);
    tell("place-of-other", (int)syscall(SYS_sched_setaffinity, other, sizeof places, &places));
    tell("signal-group", kill(0, 0));
    int pipes[2];
    tell("pipe", pipe(pipes));
    // The kernel sends any chosen signal to the owner of a descriptor when data arrives.
    tell("signal-by-descriptor", fcntl(pipes[0], F_SETOWN, other));
    tell("choose-signal", fcntl(pipes[0], F_SETSIG, SIGKILL));
    int number = other;
    tell("signal-by-control", ioctl(pipes[0], FIOSETOWN, &number));
}

static void execution(void) {
    tell("exec", execl("/bin/true", "true", (char *)NULL));
    tell("exec-descriptor", (int)syscall(SYS_execveat, 0, "", NULL, NULL, 0x1000));
    pid_t child = fork();
    if (child == 0) _exit(0);
    tell("fork", child);
    tell("memory-file", (int)syscall(SYS_memfd_create, "x", 0));
    void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    tell("code-in-memory", code == MAP_FAILED ? -1 : 0);
    void *data = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    tell("memory", data == MAP_FAILED ? -1 : 0);
    tell("data-to-code", mprotect(data, 4096, PROT_READ | PROT_EXEC));
    errno = EPERM;
    tell("library", dlopen("libcurl.so.4", RTLD_NOW) ? 0 : -1);
}

// The socket of another process, whose path is known.
static void sockets(const char *path) {
    int unix_socket = socket(AF_UNIX, SOCK_STREAM, 0);
    tell("unix-socket", unix_socket);
    tell("unix-datagrams", socket(AF_UNIX, SOCK_DGRAM, 0));
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int held[2] = {-1, -1};
    tell("pair", socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, held));
    // A connected pair must not connect elsewhere.
    int result = connect(held[0], (struct sockaddr *)&address, sizeof address);
    tell("connect-pair", result);
    tell("datagram-pair", socketpair(AF_UNIX, SOCK_DGRAM, 0, held));
}

static void kernel(void) {
    tell("io-uring", (int)syscall(SYS_io_uring_setup, 1, NULL));
    tell("bpf", (int)syscall(SYS_bpf, 0, NULL, 0));
    tell("namespace", (int)syscall(SYS_unshare, 0x10000000));
    tell("mount", (int)syscall(SYS_mount, "x", "/", "x", 0, NULL));
    tell("keys", (int)syscall(SYS_keyctl, 0, 0, 0, 0, 0));
    tell("dumpable", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
    tell("new-filter", (int)syscall(SYS_seccomp, 1, 0, NULL));
    char key = 'x';
    tell("type-into-terminal", ioctl(0, TIOCSTI, &key));
    tell("internet", socket(AF_INET, SOCK_STREAM, 0));
    tell("packets", socket(AF_PACKET, SOCK_RAW, 0));
    tell("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
    tell("netlink-diagnosis", socket(AF_NETLINK, SOCK_DGRAM, NETLINK_SOCK_DIAG));
    tell("netlink-devices", socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT));
    tell("netlink-audit", socket(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT));
    tell("internet-datagrams", socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_UDP));
    tell("raw-socket", socket(AF_INET, SOCK_RAW, IPPROTO_ICMP));
    tell("raw-socket-6", socket(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6));
    tell("raw-socket-all", socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW));
    tell("ping-socket", socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP));
    tell("multipath", socket(AF_INET, SOCK_STREAM, IPPROTO_MPTCP));
    tell("other-transport", socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP));
    tell("ordered-packets", socket(AF_INET, SOCK_SEQPACKET, 0));
    // Invalid flags, which the kernel refuses with EINVAL, so no thread starts even if the filter
    // allows them.
    long flags = CLONE_THREAD | CLONE_NEWNS | CLONE_FS;
    tell("thread-in-namespace", syscall(SYS_clone, flags, 0, 0, 0, 0));
    tell("thread-without-memory", syscall(SYS_clone, CLONE_THREAD, 0, 0, 0, 0));
    tell("new-process", syscall(SYS_clone, CLONE_NEWNS | CLONE_FS | SIGCHLD, 0, 0, 0, 0));
}

static void listening(int held) {
    tell("listen", listen(held, 4));
    int result = accept4(held, NULL, NULL, SOCK_NONBLOCK);
    tell("accept", result < 0 && (errno == EAGAIN || errno == EINVAL) ? 0 : result);
}

int main(int count, char **words) {
    if (count != 5) return 64;
    const enum csandbox_calls modes[] = {
        csandbox_serves, csandbox_serves_networks, csandbox_reaches_networks, csandbox_speaks};
    unsigned mode = (unsigned)(words[3][0] - '0');
    if (mode > 3) return 64;
    // The socket gets its port before the sandbox restricts the process.
    int held = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    if (bind(held, (struct sockaddr *)&here, sizeof here) != 0) return 70;
    pid_t other = getppid();
    int helper = csandbox_helper_start(NULL, no_digest, NULL, no_digest, never);
    int version = csandbox_landlock_version();
    printf("landlock %d\n", version);
    csandbox_forbid_new_privileges();
    if (version > 0) {
        int rules = csandbox_rules_begin(version, false, false);
        const char *read[] = {"/usr", "/lib", "/lib64", "/etc", "/proc"};
        for (size_t index = 0; index < sizeof read / sizeof read[0]; index++)
            csandbox_rules_add(rules, version, read[index], csandbox_reads);
        csandbox_rules_add(rules, version, "/dev/null", csandbox_uses_device);
        csandbox_rules_add(rules, version, words[1], csandbox_changes);
        errno = -csandbox_rules_apply(rules);
        tell("files", errno == 0 ? 0 : -1);
    }
    errno = -csandbox_filter_calls(modes[mode], false);
    tell("calls", errno == 0 ? 0 : -1);
    pthread_t thread;
    errno = pthread_create(&thread, NULL, touch, words[2]);
    tell("thread", errno == 0 ? 0 : -1);
    void *result = NULL;
    pthread_join(thread, &result);
    errno = (int)(long)result;
    tell("thread-read-outside", errno == 0 ? 0 : -1);
    files(words[1], words[2]);
    others(other);
    execution();
    sockets(words[4]);
    kernel();
    listening(held);
    int file = csandbox_helper_executable(helper, 1, other);
    errno = -file;
    tell("helper-exe", file);
    errno = -csandbox_helper_run(helper, 2);
    tell("helper-program", errno == 0 ? 0 : -1);
    int32_t process = 0;
    errno = -csandbox_helper_channel(helper, 3, &process);
    tell("helper-channel", errno == 0 ? 0 : -1);
    // The helper must end only programs that it started.
    errno = -csandbox_helper_channel_end(helper, 4, other);
    tell("helper-end", errno == 0 ? 0 : -1);
    return 0;
}
