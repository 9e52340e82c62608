// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/prctl.h>

// prctl is variadic.
static inline int linux_shim_forbid_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// What lists of processes call this one, at most 15 bytes.
static inline int linux_shim_name_process(const char *_Nonnull name) {
    return prctl(PR_SET_NAME, name, 0, 0, 0);
}

static inline int linux_shim_allows_dumps(void) {
    return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
}
