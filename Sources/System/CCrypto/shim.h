// SPDX-License-Identifier: Apache-2.0
#pragma once

// SHA-256 is called as it is, for one message at a time: EVP costs a context for each.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
