// SPDX-License-Identifier: Apache-2.0

#include "cunistring.h"

#include <stdlib.h>
#include <string.h>

#include <uninorm.h>
#include <unistr.h>

bool cunistring_is_text(const uint8_t *text, size_t count) { return u8_check(text, count) == NULL; }

bool cunistring_normalize(bool composes, const uint8_t *text, size_t count, uint8_t *result,
                          size_t *result_count) {
    size_t room = *result_count;
    uint8_t *made =
        u8_normalize(composes ? UNINORM_NFKC : UNINORM_NFKD, text, count, result, result_count);
    if (made == result) return made != NULL;
    // libunistring allocated its own buffer, which was not wiped.
    if (made != NULL) {
        explicit_bzero(made, *result_count);
        free(made);
    }
    *result_count = room;
    return false;
}
