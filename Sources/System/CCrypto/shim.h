// SPDX-License-Identifier: Apache-2.0
#pragma once

// SHA-256 is called directly, because EVP allocates a context for each message.
// P-256 keys are used directly too: EVP takes a secret as a parameter list and copies it twice.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/sha.h>
