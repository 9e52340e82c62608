// SPDX-License-Identifier: Apache-2.0

// Code that uses keys also hashes and verifies; one import provides both.
@_exported public import SigningDigests
