// SPDX-License-Identifier: Apache-2.0

import SigningCrypto

/// A passphrase that was given once for several commands of one process.
final class KeptPassphrase: Sendable {
    private let secret: SecretBytes
    /// True if a person typed it on the terminal of this process.
    let isTyped: Bool

    init(_ secret: consuming SecretBytes, isTyped: Bool) {
        self.secret = secret
        self.isTyped = isTyped
    }

    /// A copy for one command.
    func copy() -> SecretBytes { secret.withSpan { SecretBytes(copying: $0) } }
}
