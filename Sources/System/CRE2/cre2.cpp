// SPDX-License-Identifier: Apache-2.0
#include "CRE2.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

struct cre2_pattern {
    re2::RE2 compiled;

    cre2_pattern(const re2::StringPiece &text, const re2::RE2::Options &options)
        : compiled(text, options) {}
};

// An empty Swift string may have no address at all.
static re2::StringPiece piece(const uint8_t *text, size_t length) {
    return text ? re2::StringPiece(reinterpret_cast<const char *>(text), length)
                : re2::StringPiece("", 0);
}

cre2_pattern *cre2_compile(const uint8_t *text, size_t length, int64_t memory_max,
                           uint8_t *error, size_t error_size) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_max_mem(memory_max);
    std::unique_ptr<cre2_pattern> pattern(
        new (std::nothrow) cre2_pattern(piece(text, length), options));
    if (pattern && pattern->compiled.ok()) return pattern.release();
    const char *why = pattern ? pattern->compiled.error().c_str() : "out of memory";
    if (error_size > 0) {
        size_t count = std::min(std::strlen(why), error_size - 1);
        std::memcpy(error, why, count);
        error[count] = 0;
    }
    return nullptr;
}

bool cre2_matches_whole(const cre2_pattern *pattern, const uint8_t *text, size_t length) {
    return re2::RE2::FullMatchN(piece(text, length), pattern->compiled, nullptr, 0);
}

void cre2_free(cre2_pattern *pattern) { delete pattern; }
