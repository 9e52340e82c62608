// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keys are used directly, because EVP takes a secret as a parameter list and copies it twice.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/obj_mac.h>
#include <openssl/sha.h>
