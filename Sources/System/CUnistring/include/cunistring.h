// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libunistring's headers rename the integers of <stdint.h>, which other modules then see as
// different types. So this header exposes only these two functions.

/// True if the bytes are well-formed UTF-8.
bool cunistring_is_text(const uint8_t *text, size_t count);

/// Writes a text in NFKC or NFKD to the caller's buffer; false if it is no text or the buffer is
/// too small.
///
/// `result_count` is the size of the buffer before the call and the length of the result after
/// it.
bool cunistring_normalize(bool composes, const uint8_t *text, size_t count, uint8_t *result,
                          size_t *result_count);
