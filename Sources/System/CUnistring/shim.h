// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <uninorm.h>
#include <unistr.h>

// The forms are macros around addresses, which Swift does not import.

static inline uninorm_t countersign_nfkc(void) { return UNINORM_NFKC; }

static inline uninorm_t countersign_nfkd(void) { return UNINORM_NFKD; }
