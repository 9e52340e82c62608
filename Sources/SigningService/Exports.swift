// SPDX-License-Identifier: Apache-2.0

// Code that opens a home needs the types of frames, approvals, passphrases and policies; one import
// provides all.
@_exported public import SigningCore
@_exported public import SigningCrypto
@_exported public import SigningPolicy
@_exported public import SigningWires
