// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libunistring's headers rename the integers of <stdint.h>, which other modules then see as other
// types; so only these two calls of it are seen outside of this target.

/// Whether bytes are well-formed UTF-8.
bool cunistring_is_text(const uint8_t *text, size_t count);

/// Writes a text in NFKC or NFKD into lent memory; false where it is no text or there is no room.
///
/// `result_count` is the room before and the length after.
bool cunistring_normalize(bool composes, const uint8_t *text, size_t count, uint8_t *result,
                          size_t *result_count);
