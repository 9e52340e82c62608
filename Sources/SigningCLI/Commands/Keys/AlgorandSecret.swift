// SPDX-License-Identifier: Apache-2.0

import SigningCrypto

/// The formats of Algorand secrets.
enum AlgorandSecret {
    /// The index of a key below a kmd master key, which is imported in place of the key.
    private static let masterKeyIndex = Option(name: "--mdk-index", value: "N")
    /// The derivation path of a key below the words of a wallet.
    private static let hdPath = Option(name: "--hd-path", value: "PATH")
    private static let hdMode = Option(
        name: "--hd-mode", value: "MODE", offers: .fixed(BIP32Ed25519.Mode.allCases.map(\.rawValue))
    )
    private static let schemeOption = Option(name: "--scheme", value: "SCHEME")
    /// The import options of Algorand keys only.
    static let options = [masterKeyIndex, hdPath, hdMode, schemeOption]

    /// Reads the 25 words of a key or of a kmd master key, or the words of a wallet.
    static func read(_ text: borrowing SecretBytes, _ invocation: Invocation) throws -> MadeSecret {
        let arguments = invocation.arguments
        let index = try masterKeyIndex(arguments)
        if arguments.has(hdPath.name) || arguments.has(schemeOption.name) {
            let derivation = try WalletDerivation(
                scheme: arguments.value(schemeOption.name), path: arguments.value(hdPath.name),
                mode: arguments.value(hdMode.name))
            guard index == nil else {
                let other = arguments.has(hdPath.name) ? hdPath : schemeOption
                throw CLIError.usage(
                    "\(masterKeyIndex.name) does not go with \(other.name)",
                    hint: "leave out one of them")
            }
            return try derivation.secret(
                of: try WordOptions.entropy(of: text), try WordOptions.passphrase(invocation),
                hasPassphrase: WordOptions.hasPassphrase(invocation))
        }
        for option in [hdMode.name, "--secret-fd"] where arguments.has(option) {
            throw CLIError.usage(
                "\(option) needs \(hdPath.name)",
                hint: WalletDerivation.Scheme.arc52.hint)
        }
        let secret = try readWords(text)
        guard let index else { return MadeSecret(secret: secret) }
        if index < KMDMasterKey.indexFirst {
            invocation.console.warn(
                "a kmd wallet has no key \(index)",
                hint: "the first key of a wallet is --mdk-index \(KMDMasterKey.indexFirst)")
        }
        do throws(CryptoError) {
            var made = MadeSecret(secret: try KMDMasterKey.seed(masterKey: secret, index: index))
            made.isDerived = true
            return made
        } catch {
            throw WordOptions.noKey
        }
    }

    private static func readWords(_ text: borrowing SecretBytes) throws -> SecretBytes {
        // 24 words may be a key with one word missing, or a wallet.
        guard text.withSpan({ MnemonicText.wordCount(in: $0) }) != AlgorandMnemonic.wordCount - 1
        else {
            throw CLIError(
                "an Algorand account has 25 words, and the input has a different number",
                hint: "paste all 25; for the 24 words of a wallet add --scheme arc52, slip10 or "
                    + "ledger")
        }
        return try SecretText.algorand(text)
    }

    private static func masterKeyIndex(_ arguments: Arguments) throws -> UInt32? {
        guard let text = arguments.value(masterKeyIndex.name) else { return nil }
        // A plain conversion would accept "+1" and "007".
        guard let index = UInt32(text), String(index) == text else {
            throw CLIError.usage(
                "\(masterKeyIndex.name) takes a number from 0 to \(UInt32.max)",
                hint: "write \(masterKeyIndex.name) \(KMDMasterKey.indexFirst)")
        }
        return index
    }
}
