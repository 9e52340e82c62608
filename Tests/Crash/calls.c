// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program under test: counts its calls that change files below one folder, and
// stops the program, or lets the call fail, at a given one. The crash matrix (crash.py) uses it.
//
// CRASH_FOLDER is the folder. CRASH_STATE is a file that holds a `struct state`; the driver writes
// it, also while the program runs. CRASH_TRACE, if set, is a file that gets every call with its data.
//
// Not counted: the shared memory of SQLite (-shm), which no program needs after a crash.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum mode { COUNT, KILL, FAIL, FILL };
enum kind { WRITE, SYNC, CREATE, CUT, ALLOCATE, RENAME, REMOVE, LINK, FOLDER, REPLY };
static const char *const words[] = {
    "write", "sync", "create", "truncate", "allocate", "rename", "remove", "link", "mkdir", "reply"};

struct state {
    _Atomic int32_t armed, mode;
    _Atomic int64_t at, count, hits;
};

static struct state *state;
static char folder[PATH_MAX];
static size_t folder_length;
static int trace = -1;
static pthread_mutex_t trace_lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("CRASH_STATE"), *root = getenv("CRASH_FOLDER"), *log = getenv("CRASH_TRACE");
    if (!path || !root || !realpath(root, folder)) return;
    folder_length = strlen(folder);
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    void *memory = mmap(NULL, sizeof(struct state), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (memory == MAP_FAILED) abort();
    if (log) {
        int low = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        // A high number, so that the numbers of the program's own files stay as they are.
        trace = fcntl(low, F_DUPFD_CLOEXEC, 900);
        syscall(SYS_close, low);
        if (trace < 0) abort();
    }
    state = memory;
}

static int is_below(const char *path) {
    size_t length = strlen(path);
    if (strncmp(path, folder, folder_length) || path[folder_length] != '/') return 0;
    return length < 4 || strcmp(path + length - 4, "-shm");
}

// The path of an open file below the folder, or NULL.
static const char *path_of(int file, char *buffer) {
    if (!state || !state->armed) return NULL;
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlinkat(AT_FDCWD, link, buffer, PATH_MAX - 1);
    if (length <= 0) return NULL;
    buffer[length] = 0;
    if (length > 10 && !strcmp(buffer + length - 10, " (deleted)")) return NULL;
    return is_below(buffer) ? buffer : NULL;
}

static const char *path_at(int base, const char *path, char *buffer) {
    if (!state || !state->armed || !path) return NULL;
    if (*path == '/') {
        snprintf(buffer, PATH_MAX, "%s", path);
    } else {
        char link[40], start[PATH_MAX];
        snprintf(link, sizeof link, "/proc/self/fd/%d", base);
        ssize_t length = readlinkat(AT_FDCWD, base == AT_FDCWD ? "/proc/self/cwd" : link, start, PATH_MAX - 1);
        if (length <= 0) return NULL;
        start[length] = 0;
        if (snprintf(buffer, PATH_MAX, "%s/%s", start, path) >= PATH_MAX) return NULL;
    }
    return is_below(buffer) ? buffer : NULL;
}

// One line, "KIND OFFSET SIZE PATH [TO]" with tabs, and SIZE bytes of data behind it.
static void note(
    enum kind kind, const char *path, const char *to, int64_t offset, const struct iovec *parts, int count) {
    if (trace < 0) return;
    size_t size = 0;
    for (int i = 0; i < count; i++) size += parts[i].iov_len;
    char line[2 * PATH_MAX + 80];
    int length = snprintf(
        line, sizeof line, "%s\t%lld\t%zu\t%s\t%s\n", words[kind], (long long)offset, size, path, to ? to : "");
    pthread_mutex_lock(&trace_lock);
    syscall(SYS_write, trace, line, length);
    for (int i = 0; i < count; i++) syscall(SYS_write, trace, parts[i].iov_base, parts[i].iov_len);
    pthread_mutex_unlock(&trace_lock);
}

// Counts one call. Returns true if it has to fail, with the error in errno.
static int meets_fault(enum kind kind) {
    int64_t number = atomic_fetch_add(&state->count, 1) + 1;
    int needs_space = kind != SYNC && kind != REMOVE && kind != CUT;
    switch (state->mode) {
    case KILL:
        if (number != state->at) return 0;
        state->hits = 1;
        syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
        // The agent's sandbox may forbid the signal; this ends the process just as suddenly.
        for (;;) syscall(SYS_exit_group, 128 + SIGKILL);
    case FAIL:
        if (number != state->at || (kind != WRITE && kind != SYNC)) return 0;
        state->hits = 1;
        errno = EIO;
        return 1;
    case FILL:
        if (number < state->at || !needs_space) return 0;
        state->hits = 1;
        errno = ENOSPC;
        return 1;
    default: return 0;
    }
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static int64_t place_of(int file) {
    struct stat status;
    if ((fcntl(file, F_GETFL) & O_APPEND) && !fstat(file, &status)) return status.st_size;
    return lseek(file, 0, SEEK_CUR);
}

// Replies leave by standard output or a socket.
static void note_reply(int file, const struct iovec *parts, int count) {
    struct stat status;
    if (!state || !state->armed || trace < 0 || file == trace) return;
    if (file == 1 || (!fstat(file, &status) && S_ISSOCK(status.st_mode))) note(REPLY, "-", NULL, 0, parts, count);
}

// Returns true if the write has to fail.
static int fails_write(int file, const struct iovec *parts, int count, int64_t offset) {
    char buffer[PATH_MAX];
    const char *path = path_of(file, buffer);
    if (!path) return note_reply(file, parts, count), 0;
    if (meets_fault(WRITE)) return 1;
    note(WRITE, path, NULL, offset < 0 ? place_of(file) : offset, parts, count);
    return 0;
}

ssize_t write(int file, const void *data, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    struct iovec part = {(void *)data, size};
    return fails_write(file, &part, 1, -1) ? -1 : real(file, data, size);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    return fails_write(file, parts, count, -1) ? -1 : real(file, parts, count);
}

#define PWRITE(name, offset_type) \
    ssize_t name(int file, const void *data, size_t size, offset_type offset) { \
        REAL(ssize_t, #name, int, const void *, size_t, offset_type); \
        struct iovec part = {(void *)data, size}; \
        return fails_write(file, &part, 1, offset) ? -1 : real(file, data, size, offset); \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define PWRITEV(name, offset_type) \
    ssize_t name(int file, const struct iovec *parts, int count, offset_type offset) { \
        REAL(ssize_t, #name, int, const struct iovec *, int, offset_type); \
        return fails_write(file, parts, count, offset) ? -1 : real(file, parts, count, offset); \
    }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

ssize_t send(int file, const void *data, size_t size, int flags) {
    REAL(ssize_t, "send", int, const void *, size_t, int);
    struct iovec part = {(void *)data, size};
    note_reply(file, &part, 1);
    return real(file, data, size, flags);
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags) {
    REAL(ssize_t, "sendmsg", int, const struct msghdr *, int);
    note_reply(file, message->msg_iov, (int)message->msg_iovlen);
    return real(file, message, flags);
}

// A sync counts as done only when it is done.
#define SYNC_CALL(name) \
    int name(int file) { \
        REAL(int, #name, int); \
        char buffer[PATH_MAX]; \
        const char *path = path_of(file, buffer); \
        if (path && meets_fault(SYNC)) return -1; \
        int result = real(file); \
        if (path && !result) note(SYNC, path, NULL, 0, NULL, 0); \
        return result; \
    }
SYNC_CALL(fsync)
SYNC_CALL(fdatasync)

#define CUT_CALL(name, offset_type) \
    int name(int file, offset_type size) { \
        REAL(int, #name, int, offset_type); \
        char buffer[PATH_MAX]; \
        const char *path = path_of(file, buffer); \
        if (path && meets_fault(CUT)) return -1; \
        if (path) note(CUT, path, NULL, size, NULL, 0); \
        return real(file, size); \
    }
CUT_CALL(ftruncate, off_t)
CUT_CALL(ftruncate64, off64_t)

#define ALLOCATE_CALL(name, offset_type) \
    int name(int file, offset_type offset, offset_type size) { \
        REAL(int, #name, int, offset_type, offset_type); \
        char buffer[PATH_MAX]; \
        if (path_of(file, buffer) && meets_fault(ALLOCATE)) return errno; \
        return real(file, offset, size); \
    }
ALLOCATE_CALL(posix_fallocate, off_t)
ALLOCATE_CALL(posix_fallocate64, off64_t)

// Opening counts if it makes or empties a file.
static int fails_open(int base, const char *name, int flags) {
    char buffer[PATH_MAX];
    struct stat status;
    if (!(flags & (O_CREAT | O_TRUNC))) return 0;
    int error = errno;
    const char *path = path_at(base, name, buffer);
    int exists = path && !lstat(path, &status);
    errno = error;
    int has_effect = exists ? (flags & O_TRUNC) && !(flags & O_EXCL) : flags & O_CREAT;
    if (!path || !has_effect) return 0;
    if (meets_fault(CREATE)) return 1;
    note(exists ? CUT : CREATE, path, NULL, 0, NULL, 0);
    return 0;
}

static mode_t given_mode(int flags, va_list list) {
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, #name, const char *, int, ...); \
        va_list list; \
        va_start(list, flags); \
        mode_t mode = given_mode(flags, list); \
        va_end(list); \
        return fails_open(AT_FDCWD, path, flags) ? -1 : real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    int name(int base, const char *path, int flags, ...) { \
        REAL(int, #name, int, const char *, int, ...); \
        va_list list; \
        va_start(list, flags); \
        mode_t mode = given_mode(flags, list); \
        va_end(list); \
        return fails_open(base, path, flags) ? -1 : real(base, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

// A call that changes names. A name that cannot be removed or made is noted all the same; the
// driver's model of the files ignores what has no effect.
static int fails_name(enum kind kind, int base, const char *name, int other, const char *to) {
    char first[PATH_MAX], second[PATH_MAX];
    const char *path = path_at(base, name, first), *target = to ? path_at(other, to, second) : NULL;
    if (!path && !target) return 0;
    if (meets_fault(kind)) return 1;
    note(kind, path ? path : name, target, 0, NULL, 0);
    return 0;
}

int rename(const char *from, const char *to) {
    REAL(int, "rename", const char *, const char *);
    return fails_name(RENAME, AT_FDCWD, from, AT_FDCWD, to) ? -1 : real(from, to);
}

int renameat(int base, const char *from, int other, const char *to) {
    REAL(int, "renameat", int, const char *, int, const char *);
    return fails_name(RENAME, base, from, other, to) ? -1 : real(base, from, other, to);
}

int renameat2(int base, const char *from, int other, const char *to, unsigned flags) {
    REAL(int, "renameat2", int, const char *, int, const char *, unsigned);
    return fails_name(RENAME, base, from, other, to) ? -1 : real(base, from, other, to, flags);
}

int link(const char *from, const char *to) {
    REAL(int, "link", const char *, const char *);
    return fails_name(LINK, AT_FDCWD, from, AT_FDCWD, to) ? -1 : real(from, to);
}

int linkat(int base, const char *from, int other, const char *to, int flags) {
    REAL(int, "linkat", int, const char *, int, const char *, int);
    return fails_name(LINK, base, from, other, to) ? -1 : real(base, from, other, to, flags);
}

int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    return fails_name(REMOVE, AT_FDCWD, path, 0, NULL) ? -1 : real(path);
}

int unlinkat(int base, const char *path, int flags) {
    REAL(int, "unlinkat", int, const char *, int);
    return fails_name(REMOVE, base, path, 0, NULL) ? -1 : real(base, path, flags);
}

int rmdir(const char *path) {
    REAL(int, "rmdir", const char *);
    return fails_name(REMOVE, AT_FDCWD, path, 0, NULL) ? -1 : real(path);
}

int mkdir(const char *path, mode_t mode) {
    REAL(int, "mkdir", const char *, mode_t);
    return fails_name(FOLDER, AT_FDCWD, path, 0, NULL) ? -1 : real(path, mode);
}

int mkdirat(int base, const char *path, mode_t mode) {
    REAL(int, "mkdirat", int, const char *, mode_t);
    return fails_name(FOLDER, base, path, 0, NULL) ? -1 : real(base, path, mode);
}
