// SPDX-License-Identifier: Apache-2.0

// The permissions that the process gives up before it reads input. It keeps libraries and network
// access.

#define _GNU_SOURCE
#include "datachannel.h"

#include "csandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int bind_files(void) {
    int version = csandbox_landlock_version();
    if (version <= 0) return 0;
    int rules = csandbox_rules_begin(version, false, false);
    if (rules < 0) return 0;
    // Libraries, name resolution, and machine data that the C library reads.
    static const char *const places[] = {
        "/usr", "/lib", "/lib64", "/etc", "/dev/urandom", "/sys/devices/system/cpu", "/proc/self",
        "/proc/sys", "/proc/net"};
    for (size_t index = 0; index < sizeof places / sizeof places[0]; index++) {
        // A missing path needs no rule.
        csandbox_rules_add(rules, version, places[index], csandbox_reads);
    }
    return csandbox_rules_apply(rules) == 0 ? version : 0;
}

static bool limit(int resource, rlim_t value) {
    struct rlimit both;
    if (getrlimit(resource, &both) != 0) return false;
    // The inherited hard limit may be lower.
    if (both.rlim_max > value) both.rlim_max = value;
    both.rlim_cur = both.rlim_max;
    return setrlimit(resource, &both) == 0;
}

static bool limit_uses(void) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    bool is_set = pthread_attr_setstacksize(&attributes, stack_bytes) == 0 &&
                  pthread_setattr_default_np(&attributes) == 0;
    pthread_attr_destroy(&attributes);
#ifndef __SANITIZE_ADDRESS__
    // Sanitizers need far more memory than this limit.
    is_set = is_set && limit(RLIMIT_DATA, memory_bytes_max);
#endif
    return is_set && limit(RLIMIT_NOFILE, descriptors_max) && limit(RLIMIT_CORE, 0);
}

// Replaces the C library's function for all libraries, because no resource limit counts the threads
// of one process.
int pthread_create(
    pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument
) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    if (!real) return ENOSYS;
    if (csandbox_thread_count() < threads_max) return real(thread, attributes, body, argument);
    // GLib would end the process without a message.
    output_put(json_pack(
        "{s:s, s:s}", "type", "error", "message",
        "the channel needs more threads than it may have"));
    output_finish(exit_software);
}

struct guard_state guard_enter(void) {
    // The process ends with the thread that started it, and at the end of standard input.
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    // A new process group: terminal keys such as Ctrl-C go only to the program that started this
    // one.
    setpgid(0, 0);
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
    clearenv();
    // Does not read or write a plugin cache, and does not start a process to scan plugins.
    setenv("GST_REGISTRY_DISABLE", "yes", 1);
    setenv("GST_REGISTRY_UPDATE", "no", 1);
    setenv("GST_REGISTRY_FORK", "no", 1);
    setenv("GIO_USE_VFS", "local", 1);
    setenv("GSETTINGS_BACKEND", "memory", 1);
    setenv("GIO_MODULE_DIR", "/nonexistent", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    // Limits malloc arenas; otherwise each thread keeps its own.
    mallopt(M_ARENA_MAX, 2);
    signal(SIGPIPE, SIG_IGN);
    bool uses = limit_uses();
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    csandbox_forbid_new_privileges();
    return (struct guard_state){.files = bind_files(), .uses = uses};
}

void guard_finish(struct guard_state *state) {
    state->calls = csandbox_filter_calls(csandbox_reaches_networks, false) == 0;
}

const char *guard_problem(struct guard_state state) {
    if (!state.calls) return "the kernel has no seccomp, which the channel is kept behind";
    return state.uses ? NULL : "what the process uses cannot be limited";
}
