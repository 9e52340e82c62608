// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import SigningStorage

/// The forms that Algorand secrets are kept in.
enum AlgorandSecret {
    /// The number of a key of kmd, whose master key is read in place of the key.
    private static let masterKeyIndex = Option(name: "--mdk-index", value: "N")
    /// The path of a key below the words of an HD wallet, and how it is derived.
    private static let hdPath = Option(name: "--hd-path", value: "PATH")
    private static let hdMode = Option(name: "--hd-mode", value: "MODE")
    /// What only these keys are imported with.
    static let options = [masterKeyIndex, hdPath, hdMode]

    /// Reads the 25 words of a key or of the master key it comes from, or those of an HD wallet.
    static func read(
        _ text: borrowing SecretBytes, _ invocation: Invocation
    ) throws(CLIError) -> MadeSecret {
        let index = try masterKeyIndex(invocation.arguments)
        if let path = try path(invocation.arguments) {
            guard index == nil else {
                throw .usage(
                    "\(masterKeyIndex.name) means nothing with \(hdPath.name)",
                    hint: "leave one out")
            }
            return try derive(from: text, path, mode(invocation.arguments))
        }
        guard !invocation.arguments.has(hdMode.name) else {
            throw .usage("\(hdMode.name) means nothing without \(hdPath.name)", hint: pathHint)
        }
        let secret = try readWords(text)
        guard let index else { return MadeSecret(secret: secret) }
        if index < KMDMasterKey.indexFirst {
            invocation.console.warn(
                "kmd never makes key \(index) of a wallet",
                hint: "its first key is that of --mdk-index \(KMDMasterKey.indexFirst)")
        }
        do throws(CryptoError) {
            return MadeSecret(secret: try KMDMasterKey.seed(masterKey: secret, index: index))
        } catch {
            throw WordOptions.noKey
        }
    }

    private static func readWords(
        _ text: borrowing SecretBytes
    ) throws(CLIError) -> SecretBytes {
        // One word short of a key is as many as HD wallets show.
        guard text.withSpan({ MnemonicText.wordCount(in: $0) }) != AlgorandMnemonic.wordCount - 1
        else {
            throw CLIError(
                "there are not 25 words", hint: "paste all; the 24 of a wallet need --hd-path")
        }
        return try CLIError.wrapping { () throws(SecretText.Failure) in
            try SecretText.algorand(text)
        }
    }

    private static func derive(
        from text: borrowing SecretBytes, _ path: BIP32Ed25519.Path, _ mode: BIP32Ed25519.Mode
    ) throws(CLIError) -> MadeSecret {
        let entropy = try WordOptions.entropy(of: text)
        let secret: SecretBytes
        do throws(CryptoError) {
            secret = try BIP32Ed25519.secret(
                entropy: entropy, passphrase: SecretBytes(count: 0) { _ in }, path: path,
                mode: mode)
        } catch {
            throw WordOptions.noKey
        }
        let phrase = KeyPhrase(
            entropy: entropy, place: .extended(path, mode), hasPassphrase: false)
        return MadeSecret(secret: secret, phrase: phrase)
    }

    private static func path(_ arguments: Arguments) throws(CLIError) -> BIP32Ed25519.Path? {
        guard let text = arguments.value(hdPath.name) else { return nil }
        guard let path = BIP32Ed25519.Path(text) else {
            throw .usage(
                "\(hdPath.name) takes numbers, \(BIP32Ed25519.Path.depthMax) at most",
                hint: pathHint)
        }
        return path
    }

    private static let pathHint = "write \(hdPath.name) \"\(BIP32Ed25519.Path.algorand.text)\""

    private static func mode(_ arguments: Arguments) throws(CLIError) -> BIP32Ed25519.Mode {
        guard let text = arguments.value(hdMode.name) else { return .peikert }
        guard let mode = BIP32Ed25519.Mode(rawValue: text) else {
            let names = BIP32Ed25519.Mode.allCases.map(\.rawValue)
            throw .usage(
                "\(hdMode.name) takes \(names.joined(separator: " or "))",
                hint: "leave it out, unless your wallet says otherwise")
        }
        return mode
    }

    private static func masterKeyIndex(_ arguments: Arguments) throws(CLIError) -> UInt32? {
        guard let text = arguments.value(masterKeyIndex.name) else { return nil }
        // The number alone would take "+1" and "007".
        guard let index = UInt32(text), String(index) == text else {
            throw .usage(
                "\(masterKeyIndex.name) takes a number from 0 to \(UInt32.max)",
                hint: "write \(masterKeyIndex.name) \(KMDMasterKey.indexFirst)")
        }
        return index
    }
}
