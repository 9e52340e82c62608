// SPDX-License-Identifier: Apache-2.0

// The helper: a process outside the sandbox that holds no secret. It opens executables of other
// processes, which Landlock hides from programs in the sandbox. It also starts the two programs
// that the owner named before.

#define _GNU_SOURCE
#include "csandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
    asks_executable = 'x',
    asks_run = 'r',
    asks_end = 'e',
    asks_channel = 'c',
    asks_channel_end = 'k',
};

enum { digest_count = 32 };

// A program that may be started, with the digest that it had when the owner named it.
struct named {
    const char *path;
    const uint8_t *digest;
    bool (*read_digest)(int file, uint8_t *digest);
};

struct question {
    uint32_t number;
    uint32_t kind;
    int32_t process;
};

struct reply {
    uint32_t number;
    int32_t error;
    int32_t process;
};

// The time limits of the helper, in seconds; a program is hashed completely before it runs.
enum { patience = 2, patience_to_run = 30 };

int csandbox_open_executable(int32_t process) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/exe", process);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    // A program that can be run but not read can still be identified by its path.
    if (file < 0 && errno == EACCES) file = open(path, O_PATH | O_CLOEXEC);
    return file < 0 ? -errno : file;
}

// MARK: In the helper

static int checked_folder(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return -errno;
    bool is_owned = status.st_uid == 0 || status.st_uid == geteuid();
    // In a sticky folder, a user cannot replace another user's files.
    bool is_closed = (status.st_mode & 022) == 0 || (status.st_mode & S_ISVTX) != 0;
    return is_owned && is_closed ? 0 : -EPERM;
}

// A user who can replace the program or a folder above it decides what runs.
static int checked_folders(const char *program) {
    char path[4096];
    size_t length = strlen(program);
    if (length >= sizeof path) return -EINVAL;
    memcpy(path, program, length + 1);
    for (size_t place = length; place > 0; place--) {
        if (path[place] != '/') continue;
        path[place] = 0;
        int result = checked_folder(path);
        if (result != 0) return result;
    }
    return checked_folder("/");
}

int csandbox_open_program(const char *program) {
    if (!program) return -ENOENT;
    if (program[0] != '/') return -EINVAL;
    char real[4096];
    if (!realpath(program, real)) return -errno;
    int result = checked_folders(real);
    if (result != 0) return result;
    int file = open(real, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return -errno;
    struct stat status;
    if (fstat(file, &status) != 0) {
        result = -errno;
    } else if (!S_ISREG(status.st_mode) || (status.st_mode & 0111) == 0) {
        result = -EACCES;
    } else if ((status.st_uid != 0 && status.st_uid != geteuid()) || (status.st_mode & 022) != 0) {
        result = -EPERM;
    }
    if (result == 0) return file;
    close(file);
    return result;
}

// The started program, until it is known to have ended; its number cannot be reused before that.
static pid_t running = 0;

// Kills a program and all processes of its job, even if the program itself has ended.
static void end_job(pid_t process) {
    kill(-process, SIGKILL);
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

static void end_program(void) {
    if (running > 0 && waitpid(running, NULL, WNOHANG) == 0) end_job(running);
    running = 0;
}

// Starts a program and returns the socket that is its standard input and output; sets `process` to
// its number. A `quiet` program gets no environment, and its standard error is discarded.
static int start_program(const char *program, int file, bool quiet, pid_t *process) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -errno;
    pid_t parent = getpid();
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return -errno;
    }
    if (child > 0) {
        close(ends[1]);
        *process = child;
        return ends[0];
    }
    // The program ends with its parent, the helper, which ends with the agent.
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent) _exit(127);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGUSR1, SIG_DFL);
    setpgid(0, 0);
    if (dup2(ends[1], 0) != 0 || dup2(ends[1], 1) != 1) _exit(127);
    if (quiet) {
        int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (nothing < 0 || dup2(nothing, 2) != 2) _exit(127);
    }
    // The interpreter of a script opens the script again through this descriptor.
    int copy = dup(file);
    if (copy < 0) _exit(127);
    char *words[] = {(char *)program, NULL};
    char *no_environment[] = {NULL};
    syscall(
        SYS_execveat, copy, "", words, quiet ? no_environment : environ, AT_EMPTY_PATH);
    _exit(127);
}

// MARK: Channels

static pid_t channels[csandbox_channels_max];

static bool has_ended(pid_t process) {
    siginfo_t state = {0};
    int result = waitid(P_PID, (id_t)process, &state, WEXITED | WNOHANG | WNOWAIT);
    return result != 0 || state.si_pid != 0;
}

// Other processes can reuse the numbers of channel programs that have ended.
static void reap_channels(void) {
    for (int place = 0; place < csandbox_channels_max; place++) {
        if (channels[place] <= 0 || !has_ended(channels[place])) continue;
        end_job(channels[place]);
        channels[place] = 0;
    }
}

static int end_channel(pid_t process) {
    for (int place = 0; place < csandbox_channels_max; place++) {
        if (process <= 0 || channels[place] != process) continue;
        end_job(process);
        channels[place] = 0;
    }
    return -ESRCH;
}

static int start_channel(const char *program, int file, pid_t *process) {
    for (int place = 0; place < csandbox_channels_max; place++) {
        if (channels[place] > 0) continue;
        int result = start_program(program, file, true, process);
        if (result >= 0) channels[place] = *process;
        return result;
    }
    return -EAGAIN;
}

static bool send_reply(int socket, uint32_t number, int result, pid_t process) {
    struct reply reply = {
        .number = number, .error = result < 0 ? -result : 0, .process = process};
    struct iovec part = {.iov_base = &reply, .iov_len = sizeof reply};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (result >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(head), &result, sizeof result);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof reply;
}

// Runs only the named program: the descriptor that was hashed is the one that is executed.
static int run_named(const struct named *named, bool is_channel, pid_t *process) {
    if (!named->path) return -ENOENT;
    int file = csandbox_open_program(named->path);
    if (file < 0) return file;
    uint8_t found[digest_count];
    int result = named->read_digest(file, found) ? 0 : -EIO;
    if (result == 0 && memcmp(found, named->digest, sizeof found) != 0) result = -EKEYREJECTED;
    if (result == 0 && is_channel) {
        result = start_channel(named->path, file, process);
    } else if (result == 0) {
        end_program();
        result = start_program(named->path, file, false, &running);
    }
    close(file);
    return result;
}

static void serve(int socket, const struct named *named, const struct named *channel) {
    for (;;) {
        struct question question;
        ssize_t count = recv(socket, &question, sizeof question, 0);
        if (count < 0 && errno == EINTR) continue;
        // The agent has ended.
        if (count != (ssize_t)sizeof question) {
            end_program();
            _exit(0);
        }
        int result = -EINVAL;
        pid_t process = 0;
        reap_channels();
        if (question.kind == asks_executable) {
            result = csandbox_open_executable(question.process);
        } else if (question.kind == asks_run) {
            result = run_named(named, false, &process);
        } else if (question.kind == asks_channel) {
            result = run_named(channel, true, &process);
        } else if (question.kind == asks_channel_end) {
            result = end_channel(question.process);
        } else if (question.kind == asks_end) {
            end_program();
            result = -ESRCH;
        }
        if (!send_reply(socket, question.number, result, process)) _exit(0);
        if (result >= 0) close(result);
    }
}

static void close_all_but(int kept) {
    long limit = sysconf(_SC_OPEN_MAX);
    if (kept > 3) syscall(SYS_close_range, 3, kept - 1, 0);
    if (syscall(SYS_close_range, kept + 1, ~0U, 0) == 0) return;
    // For kernels before Linux 5.9.
    for (int number = 3; number < (limit < 65536 ? limit : 65536); number++)
        if (number != kept) close(number);
}

int csandbox_aid_start(const char *name, int *socket) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return -errno;
    pid_t child = fork();
    if (child < 0) {
        int result = -errno;
        close(ends[0]);
        close(ends[1]);
        return result;
    }
    if (child == 0) {
        // The new process group keeps the helper away from terminal keys such as Ctrl-C; it ends
        // with the agent.
        setpgid(0, 0);
        prctl(PR_SET_NAME, name, 0, 0, 0);
        close_all_but(ends[1]);
        *socket = ends[1];
        return 0;
    }
    close(ends[1]);
    *socket = ends[0];
    return child;
}

int csandbox_helper_start(
    const char *path, const uint8_t *digest, const char *channel, const uint8_t *channel_digest,
    bool (*read_digest)(int file, uint8_t *digest)
) {
    struct named named = {path, digest, read_digest};
    struct named keeper = {channel, channel_digest, read_digest};
    int socket = -1;
    int child = csandbox_aid_start("countersign-aid", &socket);
    if (child < 0) return child;
    if (child == 0) {
        serve(socket, &named, &keeper);
        _exit(0);
    }
    struct timeval limit = {.tv_sec = patience};
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    return socket;
}

// MARK: Inside the sandbox

static int ask(int helper, struct question question, int seconds, int32_t *process) {
    struct timeval limit = {.tv_sec = seconds};
    setsockopt(helper, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (send(helper, &question, sizeof question, MSG_NOSIGNAL) != (ssize_t)sizeof question)
        return -errno;
    for (;;) {
        struct reply reply = {0, 0, 0};
        struct iovec part = {.iov_base = &reply, .iov_len = sizeof reply};
        union {
            struct cmsghdr head;
            char bytes[CMSG_SPACE(sizeof(int))];
        } control;
        struct msghdr message = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
            .msg_controllen = sizeof control.bytes};
        ssize_t count = recvmsg(helper, &message, MSG_CMSG_CLOEXEC);
        if (count < 0 && errno == EINTR) continue;
        if (count != (ssize_t)sizeof reply) return count < 0 ? -errno : -EPIPE;
        int file = -EBADMSG;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(int)))
            memcpy(&file, CMSG_DATA(head), sizeof file);
        if (reply.number == question.number) {
            if (process) *process = reply.process;
            return reply.error != 0 ? -reply.error : file;
        }
        // A late answer to a question that timed out is discarded.
        if (file >= 0) close(file);
    }
}

int csandbox_helper_executable(int helper, uint32_t number, int32_t process) {
    struct question question = {.number = number, .kind = asks_executable, .process = process};
    return ask(helper, question, patience, NULL);
}

int csandbox_helper_run(int helper, uint32_t number) {
    struct question question = {.number = number, .kind = asks_run};
    return ask(helper, question, patience_to_run, NULL);
}

int csandbox_helper_end(int helper, uint32_t number) {
    struct question question = {.number = number, .kind = asks_end};
    return ask(helper, question, patience, NULL);
}

int csandbox_helper_channel(int helper, uint32_t number, int32_t *process) {
    struct question question = {.number = number, .kind = asks_channel};
    return ask(helper, question, patience_to_run, process);
}

int csandbox_helper_channel_end(int helper, uint32_t number, int32_t process) {
    struct question question = {.number = number, .kind = asks_channel_end, .process = process};
    return ask(helper, question, patience, NULL);
}
