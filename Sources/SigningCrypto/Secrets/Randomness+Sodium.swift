// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// The random source of the operating system.
public enum Randomness {
    /// Returns fresh random bytes for public values: nonces, salts, identifiers.
    ///
    /// For secret values use `SecretBytes.random`.
    public static func bytes(_ count: Int) -> [UInt8] {
        precondition(Sodium.isReady, "libsodium could not be initialised.")
        var bytes = [UInt8](repeating: 0, count: count)
        unsafe randombytes_buf(&bytes, count)
        return bytes
    }
}
