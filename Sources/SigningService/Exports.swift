// SPDX-License-Identifier: Apache-2.0

// Code that opens a home needs the types of frames, approvals and passphrases; one import provides
// both.
@_exported public import SigningCore
@_exported public import SigningCrypto
