// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCrypto
import SigningFiles

/// A wallet of kmd, the key daemon of Algorand nodes: an SQLite file with sealed keys.
///
/// The layout is that of go-algorand's driver `sqlite`, version 1.
enum KMDWallet {
    static let magic = "SQLite format 3\0"

    /// Reads all keys, after the password of the wallet unless that is empty.
    static func read(_ source: borrowing KeySource, _ invocation: Invocation) throws -> KeyBundle {
        let shown = source.shown
        guard source.bytes.withSpan({ $0.count > 18 && $0[18] != walVersion }) else {
            throw KMDRows.isOther(shown)
        }
        guard source.bytes.withSpan({ isWhole($0) }) else { throw unreadable(shown) }
        let rows: KMDRows
        do throws(SQLiteError) {
            rows = try source.bytes.withSpan { image throws(SQLiteError) in
                try KMDRows(image: image)
            }
        } catch {
            throw unreadable(shown)
        }
        return try keys(of: rows, shown, invocation)
    }

    /// True if the image has all pages that its header counts.
    private static func isWhole(_ image: Span<UInt8>) -> Bool {
        guard image.count >= headerCount else { return false }
        let size = Int(image[16]) << 8 | Int(image[17])
        let count = (28..<32).reduce(0) { $0 << 8 | Int(image[$1]) }
        return count * (size == 1 ? 65_536 : size) <= image.count
    }

    private static func unreadable(_ shown: String) -> CLIError {
        CLIError(
            "\(shown) is damaged, or kmd was writing it",
            hint: "stop kmd (goal kmd stop), and copy the file again")
    }

    /// The length of the header of an SQLite file, in bytes.
    private static let headerCount = 100
    /// The version byte of a file with a write-ahead log, which kmd does not use.
    private static let walVersion: UInt8 = 2

    private static func keys(
        of rows: KMDRows, _ shown: String, _ invocation: Invocation
    ) throws -> KeyBundle {
        try rows.check(shown)
        try KeyBundle.check(count: rows.keys.count, shown)
        guard let sealed = KMDBox(rows.master) else { throw damaged(shown) }
        let master = try master(sealed, shown, invocation)
        var bundle = KeyBundle()
        for (publicKey, box) in rows.keys {
            let isKey = publicKey.count == AlgorandPair.count / 2
            let address = isKey ? AlgorandAddress.text(publicKey: publicKey.span) : "a key"
            if let seed = seed(in: box, master, address) {
                bundle.keys.append(BundledKey(seed))
            } else {
                bundle.leftOut.append("\(address) has a damaged secret in \(shown)")
            }
        }
        if rows.multisigCount > 0 {
            bundle.leftOut.append(
                "multisignature accounts have no secret of their own: countersign key watch")
        }
        return bundle
    }

    private static func seed(
        in box: [UInt8], _ master: borrowing SecretBytes, _ address: String
    ) -> SecretBytes? {
        guard let box = KMDBox(box), let encoded = box.open(master, kind: "secret_key") else {
            return nil
        }
        // The pair is a MessagePack byte string of 64 bytes.
        return encoded.withSpan { span in
            guard span.count == AlgorandPair.count + 2, span[0] == 0xC4, span[1] == 64 else {
                return nil
            }
            return AlgorandPair.seed(of: span.extracting(2..<span.count), address: address)
        }
    }

    private static func master(
        _ box: KMDBox, _ shown: String, _ invocation: Invocation
    ) throws -> SecretBytes {
        try box.checkCost(shown)
        if !invocation.arguments.has("--secret-fd"),
            let master = box.open(password: SecretBytes(count: 0) { _ in }, kind: masterKind)
        {
            return master
        }
        let password = try SecondSecret(invocation, "password of the wallet").read(
            prompt: "password of the kmd wallet: ")
        guard let master = box.open(password: password, kind: masterKind) else {
            throw CLIError("the password does not open \(shown)", hint: "check its spelling")
        }
        return master
    }

    private static let masterKind = "master_key"

    static func damaged(_ shown: String) -> CLIError {
        CLIError(
            "\(shown) is a damaged kmd wallet",
            hint: "export each account with goal account export, and import its 25 words")
    }
}

/// The rows of a kmd wallet; nothing in them is secret before it is opened.
struct KMDRows {
    private let tables: Set<String>
    private var driver = ("", Int64(0))
    private(set) var master: [UInt8] = []
    private(set) var keys: [(publicKey: [UInt8], box: [UInt8])] = []
    private(set) var multisigCount: Int64 = 0

    init(image: Span<UInt8>) throws(SQLiteError) {
        let database = try SQLiteConnection(image: image)
        var tables: Set<String> = []
        // Only ordinary tables have a root page.
        let names = try database.statement(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 LIMIT 64")
        while try names.step() { tables.insert(try names.text(0)) }
        self.tables = tables
        guard tables.isSuperset(of: Self.needed) else { return }
        let head = try database.statement(
            "SELECT driver_name, driver_version, mep_encrypted FROM metadata LIMIT 1")
        if try head.step() {
            driver = (try head.text(0), try head.integer(1))
            master = try head.bytes(2)
        }
        let rows = try database.statement(
            "SELECT address, secret_key_encrypted FROM keys ORDER BY key_idx IS NULL, key_idx,"
                + " address LIMIT \(KeyBundle.accountsMax + 1)")
        while try rows.step() { keys.append((try rows.bytes(0), try rows.bytes(1))) }
        guard tables.contains("msig_addrs") else { return }
        let joint = try database.statement("SELECT count(*) FROM msig_addrs")
        if try joint.step() { multisigCount = try joint.integer(0) }
    }

    /// Throws if the database is not a wallet of kmd, with what it is.
    func check(_ shown: String) throws {
        guard tables.isSuperset(of: Self.needed) else {
            let isParticipation = tables.contains { $0.lowercased().hasPrefix("participation") }
            throw isParticipation
                ? CLIError(
                    "\(shown) has participation keys, which vote for an account and cannot sign "
                        + "its transactions",
                    hint: "import the key of the account itself: its 25 words or the kmd wallet")
                : Self.isOther(shown)
        }
        guard driver == ("sqlite", 1) else {
            throw CLIError(
                "\(shown) is a kmd wallet of another version than 1",
                hint: "export each account with goal account export, and import its 25 words")
        }
    }

    static func isOther(_ shown: String) -> CLIError {
        CLIError(
            "\(shown) is an SQLite database, but not a kmd wallet",
            hint: "kmd keeps wallets in the folder sqlite_wallets")
    }

    private static let needed: Set = ["metadata", "keys"]
}
