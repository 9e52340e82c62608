// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stdint.h>

// The part of sd-bus that is used, loaded by `dlopen` when it is used first. Everything about one
// bus is called by one thread at a time. Functions return -errno where something fails.

typedef struct sd_bus sd_bus;

// Whether the library is on this machine.
bool csystemd_is_ready(void);

// Connects to the bus of the machine, or to that of the user.
int csystemd_open(sd_bus *_Nullable *_Nonnull bus, bool is_users);
void csystemd_close(sd_bus *_Nullable bus);
// The descriptor that is ready when something has come.
int csystemd_descriptor(sd_bus *_Nonnull bus);

// What logind tells.
enum csystemd_kind {
    csystemd_other = 0,
    csystemd_sleeps = 1,
    csystemd_wakes = 2,
    csystemd_shuts_down = 3,
    // A session is to be locked, or its screen is, or it closes: the path says which.
    csystemd_locks = 4,
    csystemd_closes = 5,
    // Sessions came or went.
    csystemd_sessions = 6,
};

struct csystemd_event {
    enum csystemd_kind kind;
    char path[256];
};

// Asks for what is told of sessions and sleep.
int csystemd_listen(sd_bus *_Nonnull bus);
// The next thing that logind told: 1, or 0 where there is none.
int csystemd_next(sd_bus *_Nonnull bus, struct csystemd_event *_Nonnull event);
// The user that a session is of.
int csystemd_session_user(sd_bus *_Nonnull bus, const char *_Nonnull path, uint32_t *_Nonnull user);
// How many sessions of people a user has.
int csystemd_session_count(sd_bus *_Nonnull bus, uint32_t user);
// A descriptor that holds sleep back for a moment until it is closed.
int csystemd_hold_sleep(sd_bus *_Nonnull bus);

// Shows a notification in place of another one, if that is not 0; the number of the new one.
int csystemd_notify(
    sd_bus *_Nonnull bus, uint32_t replaced, const char *_Nonnull summary,
    const char *_Nonnull body, uint32_t *_Nonnull number);
// Takes one away.
int csystemd_take_back(sd_bus *_Nonnull bus, uint32_t number);
