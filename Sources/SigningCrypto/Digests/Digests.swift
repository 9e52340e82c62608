// SPDX-License-Identifier: Apache-2.0

// Who may use keys may hash and verify.
@_exported public import SigningDigests
