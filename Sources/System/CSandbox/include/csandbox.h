// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The access that a process has below a path, or to a file.
enum csandbox_access {
    csandbox_reads = 0,
    // Reads, writes, creates and removes files and sockets.
    csandbox_changes = 1,
    // Reads, writes and configures a device.
    csandbox_uses_device = 2,
    // Renames and removes sockets, but reads nothing.
    csandbox_moves_sockets = 3,
};

// The system calls that a process may make.
enum csandbox_calls {
    // Accepts connections on existing sockets, and creates only socket pairs.
    csandbox_serves = 0,
    // Also creates internet sockets.
    csandbox_serves_networks = 1,
    // Creates Unix stream sockets and connects them.
    csandbox_speaks = 2,
    // Creates internet sockets (UDP and TCP), but does not listen.
    csandbox_reaches_networks = 3,
    // Creates only socket pairs, and no threads.
    csandbox_computes = 4,
};

// The newest Landlock version that the kernel supports; 0 if it has no Landlock.
int csandbox_landlock_version(void);

// Creates a ruleset for a Landlock version, which forbids everything that is not added; -errno on
// failure. `listens` allows binding ports, and `speaks` allows abstract sockets.
int csandbox_rules_begin(int version, bool listens, bool speaks);
// Adds a path, which may be missing; returns 0 or -errno.
int csandbox_rules_add(
    int rules, int version, const char *_Nonnull path, enum csandbox_access access);
// Binds the calling thread and the threads that it starts, permanently, and closes the ruleset;
// returns 0 or -errno.
int csandbox_rules_apply(int rules);

// The number of threads of the process; 0 if it cannot be determined.
int csandbox_thread_count(void);

// Prevents executed programs from gaining privileges; returns 0 or -errno.
int csandbox_forbid_new_privileges(void);

// Limits every thread to the needed system calls; returns 0 or -errno.
//
// Other calls fail with EPERM, or end the process if `kills` is true.
int csandbox_filter_calls(enum csandbox_calls calls, bool kills);

// Forks a process that keeps only one end of a socket pair and its standard streams. Returns 0 in
// that process, its number in this one, or -errno. Call it while the process has one thread.
int csandbox_aid_start(const char *_Nonnull name, int *_Nonnull socket);

// The number of channel programs that can run at one time.
enum { csandbox_channels_max = 8 };

// Forks the helper, which looks at other processes outside this sandbox. It can start the programs
// at `path` and `channel`, if these are not NULL and their SHA-256 is `digest` and `channel_digest`
// (32 bytes). `read_digest` writes the digest of an open file, if it can be read. Returns the
// socket of the helper, or -errno. Call it while the process has one thread.
int csandbox_helper_start(
    const char *_Nullable path, const uint8_t *_Nonnull digest, const char *_Nullable channel,
    const uint8_t *_Nonnull channel_digest,
    bool (*_Nonnull read_digest)(int file, uint8_t *_Nonnull digest));
// Opens the executable of a process, for reading if that is permitted; returns a descriptor or
// -errno.
int csandbox_open_executable(int32_t process);
// Opens the executable of a process through the helper.
int csandbox_helper_executable(int helper, uint32_t number, int32_t process);
// Opens a program if only its owner or root can change it and all folders above it. Returns a
// descriptor or -errno: -EPERM if others can change it, -EACCES if it is not executable.
int csandbox_open_program(const char *_Nullable program);
// Runs a program without a shell and waits for it, at most this number of seconds or until the other
// end of the socket `line` closes; then kills all processes of its job. Its streams are empty, and
// its environment has `news`, `count` and a few variables of this process. Returns its exit status,
// 128 and more for a signal, or -errno: -ETIME if it was killed, and those of
// `csandbox_open_program`.
int csandbox_hook_run(
    const char *_Nonnull program, const char *_Nonnull news, int count, int seconds, int line);
// Starts the named program if it is unchanged. Returns the socket of its standard input and output,
// or -errno; -EKEYREJECTED if the program has changed.
int csandbox_helper_run(int helper, uint32_t number);
// Ends the started program if it still runs; returns -ESRCH once it has ended.
int csandbox_helper_end(int helper, uint32_t number);
// Starts the named channel program, without an environment, if it is unchanged. Returns the socket
// of its standard input and output and writes its number to `process`; or -errno, which is -EAGAIN
// if `csandbox_channels_max` programs run.
int csandbox_helper_channel(int helper, uint32_t number, int32_t *_Nonnull process);
// Ends a channel program and its job by its number, and frees its place. Always returns -ESRCH, as
// the number may belong to another process after the end.
int csandbox_helper_channel_end(int helper, uint32_t number, int32_t process);
