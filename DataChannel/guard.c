// SPDX-License-Identifier: Apache-2.0

// What the process gives up before it reads anything: it needs libraries and the network.

#define _GNU_SOURCE
#include "datachannel.h"

#include "csandbox.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int bind_files(void) {
    int version = csandbox_landlock_version();
    if (version <= 0) return 0;
    int rules = csandbox_rules_begin(version, true, false);
    if (rules < 0) return 0;
    // Libraries, the names of servers, and what the C library asks about the machine.
    static const char *const places[] = {
        "/usr", "/lib", "/lib64", "/etc", "/dev/urandom", "/sys/devices/system/cpu", "/proc/self",
        "/proc/sys", "/proc/net"};
    for (size_t index = 0; index < sizeof places / sizeof places[0]; index++) {
        // What is not there needs no rule.
        csandbox_rules_add(rules, version, places[index], csandbox_reads);
    }
    return csandbox_rules_apply(rules) == 0 ? version : 0;
}

struct guard_state guard_enter(void) {
    // It ends with the thread that started it, and at the end of standard input.
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    // Nobody's job: keys for the terminal are for the program that started it.
    setpgid(0, 0);
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
    clearenv();
    // No cache of plugins is read or written, no other process looks at them.
    setenv("GST_REGISTRY_DISABLE", "yes", 1);
    setenv("GST_REGISTRY_UPDATE", "no", 1);
    setenv("GST_REGISTRY_FORK", "no", 1);
    setenv("GIO_USE_VFS", "local", 1);
    setenv("GSETTINGS_BACKEND", "memory", 1);
    setenv("GIO_MODULE_DIR", "/nonexistent", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    // Each thread keeps memory of its own otherwise.
    setenv("MALLOC_ARENA_MAX", "2", 1);
    signal(SIGPIPE, SIG_IGN);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    csandbox_forbid_new_privileges();
    return (struct guard_state){.files = bind_files()};
}

void guard_finish(struct guard_state *state) {
    state->calls = csandbox_filter_calls(csandbox_serves_networks, false) == 0;
}
