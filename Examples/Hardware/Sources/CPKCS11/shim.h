// SPDX-License-Identifier: Apache-2.0
// The C interface of PKCS #11 tokens, from the Debian package libp11-kit-dev.
#include <p11-kit-1/p11-kit/pkcs11.h>
