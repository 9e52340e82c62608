// SPDX-License-Identifier: Apache-2.0
// RE2 as plain C: compile a pattern, match a whole text. Debian: libre2-dev.
// RE2 matches in linear time and refuses constructs that need backtracking.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cre2_pattern cre2_pattern;

// Returns NULL if the pattern is invalid; `error` then holds the reason, truncated to `error_size`
// with its terminating zero.
// `memory_max` bounds the compiled program and its automaton in bytes.
cre2_pattern *cre2_compile(const uint8_t *text, size_t length, int64_t memory_max,
                           uint8_t *error, size_t error_size);
bool cre2_matches_whole(const cre2_pattern *pattern, const uint8_t *text, size_t length);
void cre2_free(cre2_pattern *pattern);

#ifdef __cplusplus
}
#endif
