// SPDX-License-Identifier: Apache-2.0

// Landlock: the files that a thread may access. Constants that Debian 12's headers lack are defined
// here.

#define _GNU_SOURCE
#include "csandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Has the layout of `struct landlock_ruleset_attr` in version 6.
struct attributes {
    uint64_t files;
    uint64_t networks;
    uint64_t scopes;
};

enum {
    execute = 1 << 0,
    write_file = 1 << 1,
    read_file = 1 << 2,
    read_folder = 1 << 3,
    remove_file = 1 << 5,
    make_regular = 1 << 8,
    make_socket = 1 << 9,
    // All access rights of version 1.
    all_first = (1 << 13) - 1,
    refer = 1 << 13,        // version 2
    truncate_file = 1 << 14, // version 3
    ioctl_device = 1 << 15,  // version 5
    bind_tcp = 1 << 0,       // version 4
    abstract_sockets = 1 << 0, // version 6
    signals = 1 << 1,          // version 6
};

int csandbox_landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version > 0 ? (int)version : 0;
}

static uint64_t handled(int version) {
    uint64_t files = all_first;
    if (version >= 2) files |= refer;
    if (version >= 3) files |= truncate_file;
    if (version >= 5) files |= ioctl_device;
    return files;
}

int csandbox_rules_begin(int version, bool listens, bool speaks) {
    struct attributes attributes = {.files = handled(version)};
    size_t size = sizeof attributes.files;
    if (version >= 4) {
        attributes.networks = listens ? 0 : bind_tcp;
        size += sizeof attributes.networks;
    }
    if (version >= 6) {
        attributes.scopes = signals | (speaks ? 0 : abstract_sockets);
        size += sizeof attributes.scopes;
    }
    long rules = syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
    return rules < 0 ? -errno : (int)rules;
}

int csandbox_rules_add(int rules, int version, const char *path, enum csandbox_access access) {
    int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0) return -errno;
    uint64_t allowed = read_file | read_folder;
    if (access == csandbox_changes)
        allowed |= write_file | remove_file | make_regular | make_socket | truncate_file;
    if (access == csandbox_moves_sockets) allowed = remove_file | make_socket;
    if (access == csandbox_uses_device) allowed |= write_file | ioctl_device;
    struct stat status;
    int result = fstat(place, &status) == 0 ? 0 : -errno;
    if (result == 0) {
        if (!S_ISDIR(status.st_mode))
            allowed &= read_file | write_file | truncate_file | ioctl_device;
        struct landlock_path_beneath_attr rule = {
            .allowed_access = allowed & handled(version), .parent_fd = place};
        if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
            result = -errno;
    }
    close(place);
    return result;
}

int csandbox_rules_apply(int rules) {
    int result = syscall(SYS_landlock_restrict_self, rules, 0) == 0 ? 0 : -errno;
    close(rules);
    return result;
}

int csandbox_thread_count(void) {
    DIR *folder = opendir("/proc/self/task");
    if (!folder) return 0;
    int count = 0;
    while (readdir(folder)) count += 1;
    closedir(folder);
    return count - 2;
}

int csandbox_forbid_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : -errno;
}
