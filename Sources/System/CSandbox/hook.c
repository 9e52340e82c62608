// SPDX-License-Identifier: Apache-2.0

// The run of a program that the owner named, which learns that something waits.

#define _GNU_SOURCE
#include "csandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The environment of the agent may contain secrets, such as the tokens of nodes.
static const char *const passed_on[] = {
    "HOME", "USER", "LOGNAME", "LANG", "PATH", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY", "WAYLAND_DISPLAY",
};
enum { passed_on_count = sizeof passed_on / sizeof passed_on[0], pause_milliseconds = 50 };

// Runs in the new process, which has no other thread; never returns.
static void become(const char *program, int file, const char *news, int count, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent) _exit(127);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGUSR1, SIG_DFL);
    setpgid(0, 0);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int stream = 0; stream < 3; stream++)
        if (nothing < 0 || dup2(nothing, stream) != stream) _exit(127);
    char *environment[passed_on_count + 3];
    int used = 0;
    for (int place = 0; place < passed_on_count; place++) {
        const char *value = getenv(passed_on[place]);
        if (value && asprintf(&environment[used], "%s=%s", passed_on[place], value) > 0) used++;
    }
    if (asprintf(&environment[used++], "COUNTERSIGN_NEWS=%s", news) < 0) _exit(127);
    if (asprintf(&environment[used++], "COUNTERSIGN_COUNT=%d", count) < 0) _exit(127);
    environment[used] = NULL;
    // The interpreter of a script opens the script again through this descriptor.
    int copy = dup(file);
    char *words[] = {(char *)program, NULL};
    if (copy >= 0) syscall(SYS_execveat, copy, "", words, environment, AT_EMPTY_PATH);
    _exit(127);
}

static int64_t now_milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int csandbox_hook_run(const char *program, const char *news, int count, int seconds, int line) {
    int file = csandbox_open_program(program);
    if (file < 0) return file;
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) become(program, file, news, count, parent);
    int failure = errno;
    close(file);
    if (child < 0) return -failure;
    setpgid(child, child);
    int64_t end = now_milliseconds() + 1000 * (int64_t)seconds;
    bool has_ended = false, has_left = false;
    while (!has_ended && !has_left && now_milliseconds() < end) {
        // The number of the program stays in use until its whole job has been killed.
        siginfo_t state = {0};
        has_ended = waitid(P_PID, (id_t)child, &state, WEXITED | WNOHANG | WNOWAIT) != 0
            || state.si_pid != 0;
        struct pollfd other_end = {.fd = line};
        if (!has_ended) has_left = poll(&other_end, 1, pause_milliseconds) > 0;
    }
    kill(-child, SIGKILL);
    int status = 0;
    if (waitpid(child, &status, 0) != child) return -errno;
    if (!has_ended) return -ETIME;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
