// SPDX-License-Identifier: Apache-2.0

// Who opens a home names frames, approvals and passphrases: one import is enough for that.
@_exported public import SigningCore
@_exported public import SigningCrypto
