// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto

/// Why the vault did not do what it was asked.
package enum VaultError: Error, Hashable, Sendable {
    /// The passphrase does not open this vault.
    case wrongPassphrase
    /// The record of this name is not what was sealed: damaged, edited or swapped.
    case corruptedRecord(String)
    /// The file was written by a newer version.
    case newerFormat(found: Int, supported: Int)
    /// The file was written by an older version and has to be brought to the newest format.
    case olderFormat(found: Int, supported: Int)
    /// The vault has to be unlocked first.
    case locked
    /// There is a vault, or a key of this name, already.
    case alreadyExists(String)
    /// The same key is held already, under this name; a key belongs to one protocol.
    case duplicateKey(name: String)
    /// The same key is held already for this account and network, under this name.
    case duplicateAccount(name: String)
    /// No key has this name.
    case unknownKey(name: String)
    /// No passkey has this name.
    case unknownPasskey(name: String)
    /// The account of this name is watched only: its members hold the keys.
    case noSecret(name: String)
    /// A name is not 1 to 64 letters, digits, dots, underlines or hyphens.
    case invalidName(String)
    /// The bytes are no secret key of the algorithm.
    case invalidSecret
    /// No approver key signs an answer to this question, because of this.
    case refusedQuestion(String)
    /// The file cannot be read or written, or memory is short.
    case storage(String)

    /// The error in plain words.
    package var text: String {
        switch self {
        case .wrongPassphrase: "the passphrase is wrong"
        case .corruptedRecord(let name): "the record of \"\(name)\" was damaged or changed"
        case .newerFormat(let found, let supported):
            "the vault has format \(found), this version knows formats up to \(supported)"
        case .olderFormat(let found, let supported):
            "the vault has format \(found) of an older version, this version works with format "
                + "\(supported)"
        case .locked: "the vault is locked"
        case .alreadyExists(let name): "\"\(name)\" exists already"
        case .duplicateKey(let name): "this key is held already, as \"\(name)\""
        case .duplicateAccount(let name):
            "this key is held already for this account, as \"\(name)\""
        case .unknownKey(let name): "no key is called \"\(name)\""
        case .unknownPasskey(let name): "no passkey is called \"\(name)\""
        case .noSecret(let name): "no secret of \"\(name)\" is held"
        case .invalidName(let name):
            "\"\(VisibleText.quotable(name, countMax: VaultName.countMax))\" is not a name: use 1"
                + " to \(VaultName.countMax) of A-Z a-z 0-9 . _ -"
        case .invalidSecret: "the bytes are no secret key of this algorithm"
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
        case .failed, .unexpectedValue, .noWriteAheadLog, .foreignFile: self = .storage(error.text)
        }
    }

    init(_ error: HomeError) {
        self = .storage(error.text)
    }

    /// What a failed opening of a record means.
    init(opening record: String, _ error: CryptoError) {
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
            default: .unavailable(error.text)
            }
    }
}

/// Names of keys and settings.
enum VaultName {
    /// The longest name, in bytes.
    static let countMax = 64

    static func check(_ name: String) throws(VaultError) {
        guard (1...countMax).contains(name.utf8.count), name.utf8.allSatisfy(isAllowed) else {
            throw .invalidName(name)
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
