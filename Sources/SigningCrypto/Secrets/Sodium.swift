// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// Starts libsodium once per process.
enum Sodium {
    /// True if the library is ready; the first access starts it.
    static let isReady = sodium_init() >= 0
}
