// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

// The part of sd-bus that is used; `dlopen` loads it at its first use. One thread at a time calls
// the functions for one bus. Functions return -errno on failure.

typedef struct sd_bus sd_bus;

// True if the library is installed.
bool csystemd_is_ready(void);

// Connects to the system bus or to the user's session bus.
int csystemd_open(sd_bus *_Nullable *_Nonnull bus, bool is_users);
void csystemd_close(sd_bus *_Nullable bus);
// The descriptor that becomes readable when a message arrives.
int csystemd_descriptor(sd_bus *_Nonnull bus);

// The kinds of events that logind reports.
enum csystemd_kind {
    csystemd_other = 0,
    csystemd_sleeps = 1,
    csystemd_wakes = 2,
    csystemd_shuts_down = 3,
    // The screen or the session at `path` is to be locked, or the session closes.
    csystemd_locks = 4,
    csystemd_closes = 5,
    // A session was added or removed.
    csystemd_sessions = 6,
};

struct csystemd_event {
    enum csystemd_kind kind;
    char path[256];
};

// Subscribes to events about sessions and sleep.
int csystemd_listen(sd_bus *_Nonnull bus);
// Reads the next event of logind; returns 1, or 0 if there is no event.
int csystemd_next(sd_bus *_Nonnull bus, struct csystemd_event *_Nonnull event);
// Writes the user of a session.
int csystemd_session_user(sd_bus *_Nonnull bus, const char *_Nonnull path, uint32_t *_Nonnull user);
// Returns the number of sessions in which a user is present.
int csystemd_session_count(sd_bus *_Nonnull bus, uint32_t user);
// Returns a descriptor that delays sleep briefly until it is closed.
int csystemd_hold_sleep(sd_bus *_Nonnull bus);

// Shows a notification, replaces the one with the number `replaced` unless that is 0, and writes
// the new number.
int csystemd_notify(
    sd_bus *_Nonnull bus, uint32_t replaced, const char *_Nonnull summary,
    const char *_Nonnull body, uint32_t *_Nonnull number);
// Closes a notification.
int csystemd_take_back(sd_bus *_Nonnull bus, uint32_t number);
