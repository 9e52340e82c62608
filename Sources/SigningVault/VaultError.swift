// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
package import SigningCrypto
internal import SigningFiles

/// An error of the vault.
package enum VaultError: Error, Hashable, Sendable {
    /// The passphrase is wrong.
    case wrongPassphrase
    /// The record with this name does not match its seal: it was damaged, changed or exchanged.
    case corruptedRecord(String)
    /// The file has the format of a newer version.
    case newerFormat(found: Int, supported: Int)
    /// The file has the format of an older version and must be upgraded.
    case olderFormat(found: Int, supported: Int)
    /// The vault is locked.
    case locked
    /// A vault, or a key of this name, exists already.
    case alreadyExists(String)
    /// The vault contains the same key under this name already, and the key may be stored only
    /// once.
    case duplicateKey(name: String)
    /// The vault contains the same key for the same account and network already, under this name.
    case duplicateAccount(name: String)
    /// The vault contains no key of this name.
    case unknownKey(name: String)
    /// The vault contains no passkey of this name.
    case unknownPasskey(name: String)
    /// The account of this name is watch-only: its members hold the keys.
    case noSecret(name: String)
    /// This program does not support the algorithm, with this id, of the key of this name.
    case unknownAlgorithm(name: String, id: String)
    /// The name is not 1 to 64 ASCII characters: alphanumeric, dots, underlines or hyphens.
    case invalidName(String)
    /// The bytes are not a secret key of the algorithm.
    case invalidSecret
    /// An approver key must not sign an answer to this question, for this reason.
    case refusedQuestion(String)
    /// The file cannot be read or written, or memory is exhausted.
    case storage(String)

    /// The error in plain words.
    package var text: String {
        switch self {
        case .wrongPassphrase: "the passphrase is wrong"
        case .corruptedRecord(let name): "the sealed record \"\(name)\" was damaged or changed"
        case .newerFormat(let found, let supported):
            "the vault has format \(found), this version knows formats up to "
                + "\(supported): install the newer version"
        case .olderFormat(let found, let supported):
            "the vault has format \(found) of an older version, this version works with format "
                + "\(supported)"
        case .locked: "the vault is locked"
        case .alreadyExists(let name): "\"\(name)\" already exists"
        case .duplicateKey(let name): "this home already has this key, as \"\(name)\""
        case .duplicateAccount(let name):
            "this home already has this key for this account, as \"\(name)\""
        case .unknownKey(let name): "unknown key \"\(name)\""
        case .unknownPasskey(let name): "unknown passkey \"\(name)\""
        case .noSecret(let name): "this home does not have the secret of \"\(name)\""
        case .unknownAlgorithm(let name, let id):
            "\(name) is a key of the algorithm \"\(VisibleText.quotable(id))\", which this program"
                + " does not support"
        case .invalidName(let name):
            "\"\(VisibleText.quotable(name, countMax: VaultName.countMax))\" is not a name: use 1"
                + " to \(VaultName.countMax) of A-Z a-z 0-9 . _ -"
        case .invalidSecret: "the bytes are not a secret key of this algorithm"
        case .refusedQuestion(let text): "the question is not answered: \(text)"
        case .storage(let text): text
        }
    }
}

extension VaultError: StorageError {
    init(_ error: SQLiteError) {
        switch error {
        case .newerFormat(_, let found, let supported):
            self = .newerFormat(found: found, supported: supported)
        case .olderFormat(_, let found, let supported):
            self = .olderFormat(found: found, supported: supported)
        default: self = .storage(error.text)
        }
    }

    init(_ error: HomeError) {
        self = .storage(error.text)
    }

    /// The error for a record that could not be opened.
    package init(opening record: String, _ error: CryptoError) {
        self =
            switch error {
            case .outOfMemory: .storage("there is not enough memory")
            default: .corruptedRecord(record)
            }
    }
}

extension KeyStoreError {
    init(_ error: VaultError) {
        self =
            switch error {
            case .locked: .locked
            case .corruptedRecord(let name): .damaged(name: name)
            case .unknownAlgorithm(let name, let id): .unknownAlgorithm(name: name, id: id)
            default: .unavailable(error.text)
            }
    }
}

/// The rules for names of keys and settings.
enum VaultName {
    /// The longest name, in bytes.
    static let countMax = 64

    private static let allowed = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-".utf8)

    static func check(_ name: String) throws(VaultError) {
        guard (1...countMax).contains(name.utf8.count), allowed.isSuperset(of: name.utf8) else {
            throw .invalidName(name)
        }
    }
}
