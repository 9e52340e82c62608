// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import SigningService
import SigningTerminal

extension Passphrase: PassphraseSource {
    /// Shows a request that was decided without a question, and the rule or grant that decided.
    func announce(_ use: KeyUse) {
        if descriptor == nil { TerminalPassphrase().announce(use) }
    }

    /// Reads the passphrase with a prompt that names its use.
    func read(for use: KeyUse, isAgain: Bool) throws(ServiceError) -> SecretBytes {
        do {
            return try read(to: use.purpose, isAgain: isAgain)
        } catch {
            let error = CLIError(error)
            throw ServiceError(
                error.message, hint: error.hint, isCancelled: error.isCancelled)
        }
    }
}
