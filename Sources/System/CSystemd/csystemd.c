// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "csystemd.h"

#include "../dlopen_note.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#define LOGIN "org.freedesktop.login1"
#define LOGIN_PATH "/org/freedesktop/login1"
#define MANAGER LOGIN ".Manager"
#define SESSION LOGIN ".Session"
#define NOTICES "org.freedesktop.Notifications"
#define NOTICES_PATH "/org/freedesktop/Notifications"

// Timeout in microseconds; a working bus answers sooner.
static const uint64_t patience = 2000000;

#define FUNCTIONS(each) \
    each(open_system) each(open_user) each(flush_close_unref) each(get_fd) each(process) \
    each(set_method_call_timeout) each(call_method) each(get_property) \
    each(message_read) each(message_enter_container) each(message_exit_container) \
    each(message_skip) each(message_unref) each(message_get_path) each(message_get_sender) \
    each(message_is_signal)

static struct {
#define MEMBER(name) __typeof__(&sd_bus_##name) name;
    FUNCTIONS(MEMBER)
#undef MEMBER
} bus_functions;

#define CALL(name) bus_functions.name

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_ready = false;

// The soname of the ABI that the included header describes.
#define SONAME "libsystemd.so.0"
DLOPEN_NOTE(SONAME, "login", "The lock at logout, and notices on the desktop", "recommended");

static void load(void) {
    void *library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
#define FIND(name) \
    bus_functions.name = (__typeof__(bus_functions.name))dlsym(library, "sd_bus_" #name); \
    if (!bus_functions.name) return;
    FUNCTIONS(FIND)
#undef FIND
    is_ready = true;
}

bool csystemd_is_ready(void) { return pthread_once(&once, load) == 0 && is_ready; }

int csystemd_open(sd_bus **bus, bool is_users) {
    if (!csystemd_is_ready()) return -ENOSYS;
    int result = is_users ? CALL(open_user)(bus) : CALL(open_system)(bus);
    if (result < 0) return result;
    return CALL(set_method_call_timeout)(*bus, patience);
}

void csystemd_close(sd_bus *bus) {
    if (bus) CALL(flush_close_unref)(bus);
}

int csystemd_descriptor(sd_bus *bus) { return CALL(get_fd)(bus); }

// MARK: Events of logind

static int add_match(sd_bus *bus, const char *rule) {
    return CALL(call_method)(
        bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch",
        NULL, NULL, "s", rule);
}

int csystemd_listen(sd_bus *bus) {
    const char *rules[] = {
        "type='signal',sender='" LOGIN "',interface='" MANAGER "'",
        "type='signal',sender='" LOGIN "',interface='" SESSION "',member='Lock'",
        "type='signal',sender='" LOGIN "',interface='org.freedesktop.DBus.Properties',"
        "member='PropertiesChanged',arg0='" SESSION "'",
    };
    for (size_t index = 0; index < sizeof rules / sizeof rules[0]; index++) {
        int result = add_match(bus, rules[index]);
        if (result < 0) return result;
    }
    return 0;
}

// Any program can send a D-Bus signal to another; only signals of logind are accepted.
static bool is_from_login(sd_bus *bus, sd_bus_message *message) {
    const char *sender = CALL(message_get_sender)(message);
    const char *owner = NULL;
    sd_bus_message *reply = NULL;
    int result = CALL(call_method)(
        bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
        "GetNameOwner", NULL, &reply, "s", LOGIN);
    if (result >= 0) result = CALL(message_read)(reply, "s", &owner);
    bool is_so = result >= 0 && sender && owner && strcmp(sender, owner) == 0;
    CALL(message_unref)(reply);
    return is_so;
}

static bool reads_true(sd_bus_message *message) {
    int value = 0;
    return CALL(message_read)(message, "b", &value) >= 0 && value;
}

static enum csystemd_kind kind_of_change(sd_bus_message *message) {
    enum csystemd_kind kind = csystemd_other;
    const char *interface = NULL;
    if (CALL(message_read)(message, "s", &interface) < 0) return kind;
    if (CALL(message_enter_container)(message, 'a', "{sv}") < 0) return kind;
    while (CALL(message_enter_container)(message, 'e', "sv") > 0) {
        const char *name = NULL;
        int value = 0;
        const char *text = NULL;
        if (CALL(message_read)(message, "s", &name) < 0) return kind;
        if (strcmp(name, "LockedHint") == 0) {
            if (CALL(message_read)(message, "v", "b", &value) < 0) return kind;
            if (value) kind = csystemd_locks;
        } else if (strcmp(name, "State") == 0) {
            if (CALL(message_read)(message, "v", "s", &text) < 0) return kind;
            if (strcmp(text, "closing") == 0) kind = csystemd_closes;
        } else if (CALL(message_skip)(message, "v") < 0) {
            return kind;
        }
        if (CALL(message_exit_container)(message) < 0) return kind;
    }
    return kind;
}

static enum csystemd_kind kind_of(sd_bus_message *message) {
    if (CALL(message_is_signal)(message, MANAGER, "PrepareForSleep"))
        return reads_true(message) ? csystemd_sleeps : csystemd_wakes;
    if (CALL(message_is_signal)(message, MANAGER, "PrepareForShutdown"))
        return reads_true(message) ? csystemd_shuts_down : csystemd_other;
    if (CALL(message_is_signal)(message, MANAGER, "SessionNew")
        || CALL(message_is_signal)(message, MANAGER, "SessionRemoved")
        || CALL(message_is_signal)(message, MANAGER, "UserRemoved"))
        return csystemd_sessions;
    if (CALL(message_is_signal)(message, SESSION, "Lock")) return csystemd_locks;
    if (CALL(message_is_signal)(message, "org.freedesktop.DBus.Properties", "PropertiesChanged"))
        return kind_of_change(message);
    return csystemd_other;
}

int csystemd_next(sd_bus *bus, struct csystemd_event *event) {
    for (;;) {
        sd_bus_message *message = NULL;
        int result = CALL(process)(bus, &message);
        if (result <= 0) return result;
        if (!message) continue;
        event->kind = kind_of(message);
        const char *path = CALL(message_get_path)(message);
        bool is_told = event->kind != csystemd_other && path && strlen(path) < sizeof event->path
            && is_from_login(bus, message);
        if (is_told) strcpy(event->path, path);
        CALL(message_unref)(message);
        if (is_told) return 1;
    }
}

int csystemd_session_user(sd_bus *bus, const char *path, uint32_t *user) {
    sd_bus_message *reply = NULL;
    const char *own = NULL;
    int result = CALL(get_property)(bus, LOGIN, path, SESSION, "User", NULL, &reply, "(uo)");
    if (result >= 0) result = CALL(message_read)(reply, "(uo)", user, &own);
    CALL(message_unref)(reply);
    return result < 0 ? result : 0;
}

// Excludes sessions without a person: since systemd 256 the user manager has a session as well.
static bool is_of_people(sd_bus *bus, const char *path) {
    sd_bus_message *reply = NULL;
    const char *class = NULL;
    int result = CALL(get_property)(bus, LOGIN, path, SESSION, "Class", NULL, &reply, "s");
    if (result >= 0) result = CALL(message_read)(reply, "s", &class);
    bool is_so = result < 0 || strncmp(class, "user", 4) == 0;
    CALL(message_unref)(reply);
    return is_so;
}

int csystemd_session_count(sd_bus *bus, uint32_t user) {
    sd_bus_message *reply = NULL;
    int result = CALL(call_method)(
        bus, LOGIN, LOGIN_PATH, MANAGER, "ListSessions", NULL, &reply, "");
    if (result >= 0) result = CALL(message_enter_container)(reply, 'a', "(susso)");
    int count = 0;
    while (result >= 0) {
        const char *id, *name, *seat, *path;
        uint32_t owner = 0;
        result = CALL(message_read)(reply, "(susso)", &id, &owner, &name, &seat, &path);
        if (result <= 0) break;
        if (owner == user && is_of_people(bus, path)) count += 1;
    }
    CALL(message_unref)(reply);
    return result < 0 ? result : count;
}

int csystemd_hold_sleep(sd_bus *bus) {
    sd_bus_message *reply = NULL;
    int held = -1;
    int result = CALL(call_method)(
        bus, LOGIN, LOGIN_PATH, MANAGER, "Inhibit", NULL, &reply, "ssss", "sleep", "countersign",
        "locks the vault", "delay");
    if (result >= 0) result = CALL(message_read)(reply, "h", &held);
    if (result >= 0) {
        result = fcntl(held, F_DUPFD_CLOEXEC, 3);
        if (result < 0) result = -errno;
    }
    CALL(message_unref)(reply);
    return result;
}

// MARK: Notifications

int csystemd_notify(
    sd_bus *bus, uint32_t replaced, const char *summary, const char *body, uint32_t *number
) {
    sd_bus_message *reply = NULL;
    int result = CALL(call_method)(
        bus, NOTICES, NOTICES_PATH, NOTICES, "Notify", NULL, &reply, "susssasa{sv}i",
        "Countersign", replaced, "", summary, body, 0, 1, "desktop-entry", "s", "countersign",
        -1);
    if (result >= 0) result = CALL(message_read)(reply, "u", number);
    CALL(message_unref)(reply);
    return result < 0 ? result : 0;
}

int csystemd_take_back(sd_bus *bus, uint32_t number) {
    return CALL(call_method)(
        bus, NOTICES, NOTICES_PATH, NOTICES, "CloseNotification", NULL, NULL, "u", number);
}
