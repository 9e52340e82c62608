// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <secp256k1.h>
#include <secp256k1_ecdh.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_recovery.h>
#include <secp256k1_schnorrsig.h>

/// The context for operations without secrets; Swift imports the library's own as a variable.
static inline const secp256k1_context *secp256k1_context_for_verifying(void) {
    return secp256k1_context_static;
}
