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
    // Renames and removes sockets, and reads nothing.
    csandbox_moves_sockets = 3,
};

// Which system calls a process may make.
enum csandbox_calls {
    // Answers on sockets that were made before, and makes none but pairs.
    csandbox_serves = 0,
    // Makes internet sockets as well.
    csandbox_serves_networks = 1,
    // Makes Unix stream sockets, and connects them.
    csandbox_speaks = 2,
    // Makes internet sockets (UDP and TCP), but does not listen.
    csandbox_reaches_networks = 3,
    // Makes no sockets but pairs, and no threads.
    csandbox_computes = 4,
};

// The newest interface of Landlock that the kernel speaks; 0 where it has none.
int csandbox_landlock_version(void);

// A set of rules for a version, which forbids all but what is added; -errno where it fails. What
// `listens` may take ports, and what `speaks` reaches abstract sockets.
int csandbox_rules_begin(int version, bool listens, bool speaks);
// Adds a path, which may be missing; 0 or -errno.
int csandbox_rules_add(
    int rules, int version, const char *_Nonnull path, enum csandbox_access access);
// Binds the calling thread, and those that it starts, for good; closes the rules; 0 or -errno.
int csandbox_rules_apply(int rules);

// How many threads the process has; 0 where that cannot be told.
int csandbox_thread_count(void);

// Lets nothing that is executed from here on win rights; 0 or -errno.
int csandbox_forbid_new_privileges(void);

// Lets every thread make no system calls but those that are needed; 0 or -errno.
//
// Others fail with EPERM, or end the process where `kills`.
int csandbox_filter_calls(enum csandbox_calls calls, bool kills);

// Forks a process that has no descriptor but one end of a pair of sockets and what it writes its
// messages to: 0 in that process, its number in this one, -errno where there is none. Call it while
// there is one thread.
int csandbox_aid_start(const char *_Nonnull name, int *_Nonnull socket);

// How many programs that keep a channel run at one time.
enum { csandbox_channels_max = 8 };

// Forks the process that looks at others for this one, outside of what binds this one, and starts
// the program at `path`, and those at `channel`, if there are any and their SHA-256 are `digest`
// and `channel_digest`, of 32 bytes, which `read_digest` writes of an open file where that can be
// read; its socket, or -errno. Call it while there is one thread.
int csandbox_helper_start(
    const char *_Nullable path, const uint8_t *_Nonnull digest, const char *_Nullable channel,
    const uint8_t *_Nonnull channel_digest,
    bool (*_Nonnull read_digest)(int file, uint8_t *_Nonnull digest));
// A descriptor of the executable of a process, to read where that is allowed; -errno otherwise.
int csandbox_open_executable(int32_t process);
// The same by the helper.
int csandbox_helper_executable(int helper, uint32_t number, int32_t process);
// A descriptor of a program, if it and all folders above it are for its owner or root to change
// alone, -errno otherwise: -EPERM for what others may change, -EACCES for what cannot be run.
int csandbox_open_program(const char *_Nullable program);
// Starts what was named, if it is still that; the socket of its standard input and output, or
// -errno: -EKEYREJECTED where it is another by now.
int csandbox_helper_run(int helper, uint32_t number);
// Ends what was started, if it has not ended by itself: -ESRCH once it is gone.
int csandbox_helper_end(int helper, uint32_t number);
// Starts what keeps one channel, without any environment, if it is still what was named: the socket
// of its standard input and output, and its number, or -errno; -EAGAIN where there are
// `csandbox_channels_max`.
int csandbox_helper_channel(int helper, uint32_t number, int32_t *_Nonnull process);
// Ends one of those and all of its job by its number, and frees its place: -ESRCH always, as what has
// ended is not another's.
int csandbox_helper_channel_end(int helper, uint32_t number, int32_t process);
