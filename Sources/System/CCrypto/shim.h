// SPDX-License-Identifier: Apache-2.0
#pragma once

// SHA-256 is called as it is, for one message at a time: EVP costs a context for each.
// Keys of P-256 are as well: EVP takes a secret as a list of parameters, copied twice.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/sha.h>
