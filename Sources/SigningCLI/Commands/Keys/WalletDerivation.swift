// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import SigningVault

/// The derivation of an Algorand key from the words of a wallet.
struct WalletDerivation {
    /// The derivation schemes of wallets.
    enum Scheme: String, CaseIterable {
        /// BIP32-Ed25519 as in ARC-52.
        case arc52
        /// SLIP-10, in which every number of a path is hardened.
        case slip10
        /// The scheme of the Algorand app on Ledger devices.
        case ledger

        /// The default path of the first key.
        var path: String { self == .slip10 ? "m/44'/283'/0'/0'/0'" : "m/44'/283'/0'/0/0" }

        var hint: String { "write --hd-path \"\(path)\"" }
    }

    let scheme: Scheme
    let numbers: [UInt32]
    let mode: BIP32Ed25519.Mode

    /// Refuses a path that wallets of the scheme do not use, as its account would be empty.
    init(scheme name: String?, path text: String?, mode: String?) throws {
        guard let scheme = Scheme(rawValue: name ?? Scheme.arc52.rawValue) else {
            throw CLIError.usage(
                "unknown --scheme \"\(VisibleText.quotable(name ?? ""))\"",
                hint: "one of: \(Scheme.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        let path = text ?? scheme.path
        guard let numbers = BIP32Ed25519.Path(path)?.numbers else {
            throw CLIError.usage(
                "--hd-path takes at most \(BIP32Ed25519.Path.depthMax) numbers",
                hint: scheme.hint)
        }
        self.scheme = scheme
        self.numbers = numbers
        self.mode = try Self.mode(mode, scheme)
        guard scheme.uses(numbers) else { throw Self.mismatch(path, numbers, scheme) }
    }

    private static func mismatch(
        _ path: String, _ numbers: [UInt32], _ scheme: Scheme
    ) -> CLIError {
        let others = Scheme.allCases.filter { $0 != scheme && $0.uses(numbers) }
        let hint =
            others.isEmpty
            ? scheme.hint
            : "add "
                + others.map { "--scheme \($0.rawValue) (\($0.wallets))" }
                .joined(separator: ", or ")
        return .usage(
            "--hd-path \"\(path)\" is not a path that wallets use with \(scheme.name)", hint: hint)
    }

    private static func mode(_ text: String?, _ scheme: Scheme) throws -> BIP32Ed25519.Mode {
        guard let text else { return .peikert }
        guard scheme == .arc52 else {
            throw CLIError.usage(
                "--hd-mode does not go with --scheme \(scheme.rawValue)", hint: "leave it out")
        }
        guard let mode = BIP32Ed25519.Mode(rawValue: text) else {
            let names = BIP32Ed25519.Mode.allCases.map(\.rawValue)
            throw CLIError.usage(
                "--hd-mode takes \(names.joined(separator: " or "))",
                hint: "leave it out, unless your wallet says otherwise")
        }
        return mode
    }

    /// Derives the key; only an ARC-52 key, which has no 25 words, keeps the words of the wallet.
    func secret(
        of entropy: consuming SecretBytes, _ passphrase: borrowing SecretBytes,
        hasPassphrase: Bool
    ) throws -> MadeSecret {
        do throws(CryptoError) {
            var made = try derive(from: entropy, passphrase)
            if scheme == .arc52, let path = BIP32Ed25519.Path(numbers: numbers) {
                made.phrase = KeyPhrase(
                    entropy: entropy, place: .extended(path, mode), hasPassphrase: hasPassphrase)
            }
            made.isDerived = true
            return made
        } catch {
            throw WordOptions.noKey
        }
    }

    private func derive(
        from entropy: borrowing SecretBytes, _ passphrase: borrowing SecretBytes
    ) throws(CryptoError) -> MadeSecret {
        if scheme == .slip10 {
            guard let path = SLIP10.Path(numbers: numbers.map { $0 - BIP32.hardened }) else {
                throw .invalidSecretKey
            }
            return MadeSecret(
                secret: try SLIP10.secret(entropy: entropy, passphrase: passphrase, path: path))
        }
        guard let path = BIP32Ed25519.Path(numbers: numbers) else { throw .invalidSecretKey }
        if scheme == .ledger {
            return MadeSecret(
                secret: try LedgerEd25519.secret(
                    entropy: entropy, passphrase: passphrase, path: path))
        }
        return MadeSecret(
            secret: try BIP32Ed25519.secret(
                entropy: entropy, passphrase: passphrase, path: path, mode: mode))
    }
}

extension WalletDerivation.Scheme {
    /// True if wallets of this scheme derive keys at this path.
    fileprivate func uses(_ numbers: [UInt32]) -> Bool {
        let hardened = BIP32.hardened
        guard numbers.count == 5, numbers[0] == 44 + hardened, numbers[2] >= hardened else {
            return false
        }
        let isAlgorand = numbers[1] == 283 + hardened
        let tail = numbers[3...]
        switch self {
        // Identity keys have the coin type 0 (ARC-52).
        case .arc52:
            return (isAlgorand || numbers[1] == hardened) && tail.allSatisfy { $0 < hardened }
        case .slip10: return isAlgorand && tail.allSatisfy { $0 >= hardened }
        case .ledger: return isAlgorand && tail.allSatisfy { $0 == 0 }
        }
    }

    fileprivate var name: String {
        switch self {
        case .arc52: "ARC-52"
        case .slip10: "SLIP-10"
        case .ledger: "a Ledger"
        }
    }

    fileprivate var wallets: String {
        switch self {
        case .arc52: "wallets of ARC-52"
        case .slip10: "as Trust Wallet does"
        case .ledger: "Ledger's Algorand app"
        }
    }
}
