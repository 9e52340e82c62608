// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a process may do below a path, or with a file.
enum csandbox_access {
    csandbox_reads = 0,
    // Reads, writes, makes and removes files and sockets.
    csandbox_changes = 1,
    // Reads and writes a device and sets it.
    csandbox_uses_device = 2,
};

// The newest interface of Landlock that the kernel speaks; 0 where it has none.
int csandbox_landlock_version(void);

// A set of rules for a version, which forbids all but what is added; -errno where it fails.
int csandbox_rules_begin(int version, bool listens);
// Adds a path, which may be missing; 0 or -errno.
int csandbox_rules_add(
    int rules, int version, const char *_Nonnull path, enum csandbox_access access);
// Binds the calling thread, and those that it starts, for good; closes the rules; 0 or -errno.
int csandbox_rules_apply(int rules);

// How many threads the process has; 0 where that cannot be told.
int csandbox_thread_count(void);

// Lets nothing that is executed from here on win rights; 0 or -errno.
int csandbox_forbid_new_privileges(void);

// Lets every thread make no system calls but those that a server needs; 0 or -errno.
//
// Others fail with EPERM, or end the process where `kills`.
int csandbox_filter_calls(bool allows_networks, bool kills);

// Forks the process that looks at others for this one, outside of what binds this one, and starts
// `program` for it, if there is one; its socket, or -errno. Call it while there is one thread.
int csandbox_helper_start(const char *_Nullable program);
// A descriptor of the executable of a process, to read where that is allowed; -errno otherwise.
int csandbox_open_executable(int32_t process);
// The same by the helper.
int csandbox_helper_executable(int helper, uint32_t number, int32_t process);
// A descriptor of a program, if it and all folders above it are for its owner or root to change
// alone, -errno otherwise: -EPERM for what others may change, -EACCES for what cannot be run.
int csandbox_open_program(const char *_Nullable program);
// The same of the program that the helper may start.
int csandbox_helper_program(int helper, uint32_t number);
// Starts what was looked at last; the socket of its standard input and output, or -errno.
int csandbox_helper_run(int helper, uint32_t number);
// Ends what was started, if it has not ended by itself: -ESRCH once it is gone.
int csandbox_helper_end(int helper, uint32_t number);
