// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

/// Names a library in the program that is loaded when it is first needed, for tools of packages and
/// initial RAM disks (https://systemd.io/ELF_DLOPEN_METADATA). The priority is "required",
/// "recommended" or "suggested".
#define DLOPEN_NOTE(soname, feature, description, priority) \
    DLOPEN_NOTE_OF( \
        "[{\"soname\":[\"" soname "\"],\"feature\":\"" feature "\",\"description\":\"" \
        description "\",\"priority\":\"" priority "\"}]")

#define DLOPEN_NOTE_OF(json) \
    __attribute__((used, retain, section(".note.dlopen"), aligned(4))) static const struct { \
        uint32_t name_size, text_size, type; \
        char name[4]; \
        _Alignas(uint32_t) char text[sizeof(json)]; \
    } dlopen_note = {4, sizeof(json), 0x407c0c0a, "FDO", json}
