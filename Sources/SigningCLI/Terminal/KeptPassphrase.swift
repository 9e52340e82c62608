// SPDX-License-Identifier: Apache-2.0

import SigningCrypto

/// A passphrase that a person typed once for several commands of one process.
final class KeptPassphrase: Sendable {
    private let secret: SecretBytes

    init(_ secret: consuming SecretBytes) { self.secret = secret }

    /// A copy for one command.
    func copy() -> SecretBytes { secret.withSpan { SecretBytes(copying: $0) } }
}
