// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import SigningFiles
internal import SigningVault

/// The rows of `local`, which are not shared: the identity of this hub in a shared log, complete or
/// absent, and the questions that it asked.
enum LocalRow: String, CaseIterable {
    case mark = "log mark"
    case place = "log place"
    case address = "log address"
    case ledger = "ledger"
    case founder = "founder"
    case hub = "hub"
    case teamKey = "team key"
    case hubKey = "hub key"
    /// The newest format of a copied batch, in decimal digits.
    case format = "log format"
    /// The public key that signs the owner's entries, as the vault or the invitation names it.
    case logKey = "log key"
    /// The digests of the questions to several approvers that this hub asked, concatenated.
    case asked = "asked"
}

extension Access<LedgerError> {
    /// The value of a local row; nil if it does not exist.
    func local(_ row: LocalRow) throws(LedgerError) -> [UInt8]? {
        try first("SELECT value FROM local WHERE name = ?", .text(row.rawValue)) {
            row throws(LedgerError) in try row.bytes(0)
        }
    }

    func set(_ row: LocalRow, to value: [UInt8]) throws(LedgerError) {
        try run(
            "INSERT OR REPLACE INTO local (name, value) VALUES (?, ?)", .text(row.rawValue),
            .bytes(value))
    }

    private func set(_ row: LocalRow, to secret: borrowing SecretBytes) throws(LedgerError) {
        try run(
            "INSERT OR REPLACE INTO local (name, value) VALUES ('\(row.rawValue)', ?)", secret)
    }

    private func secret(_ row: LocalRow) throws(LedgerError) -> SecretBytes {
        let found = try secret("SELECT value FROM local WHERE name = '\(row.rawValue)'")
        guard let secret = consume found else { throw Self.incomplete }
        return secret
    }

    /// The position up to which the shared log is copied.
    func logPlace() throws(LedgerError) -> LogPlace {
        guard let place = try local(.place).flatMap({ LogPlace(bytes: $0) }) else {
            throw Self.incomplete
        }
        return place
    }

    /// Whether a batch's format is not older than that of the batches before it; stores a newer
    /// one.
    ///
    /// A hub with the older format could not have read those batches.
    func follows(_ version: Int32) throws(LedgerError) -> Bool {
        let known = try formatOfLog()
        if version > known { try set(.format, to: Array(String(version).utf8)) }
        return version >= known
    }

    /// Whether another hub, or this one, has still to carry the rows of an older version.
    func awaitsCarriedRows() throws(LedgerError) -> Bool {
        guard try local(.mark) != nil, try auditHead() != .empty else { return false }
        guard try formatOfLog() < Schema.entriesVersion else { return false }
        return try carriedDigests().isEmpty
    }

    private func formatOfLog() throws(LedgerError) -> Int32 {
        try local(.format).flatMap { Int32(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    func set(_ place: LogPlace) throws(LedgerError) {
        try set(.place, to: place.bytes)
        if place != .origin { try keep(place) }
    }

    /// The identity of this hub; returns `known` if it is unchanged.
    func logIdentity(known: LogIdentity? = nil) throws(LedgerError) -> LogIdentity? {
        guard let mark = try local(.mark) else { return nil }
        if let known, known.mark == mark { return known }
        guard let address = try local(.address), let ledger = try local(.ledger),
            let founder = try local(.founder).flatMap({ HubKey($0) }),
            let hub = try local(.hub).flatMap({ HubKey($0) })
        else { throw Self.incomplete }
        let seed = try secret(.hubKey)
        let hubKey: Ed25519Key
        do throws(CryptoError) {
            hubKey = try Ed25519Key(seed: seed)
        } catch {
            throw Self.incomplete
        }
        return LogIdentity(
            mark: mark, address: String(decoding: address, as: UTF8.self), ledger: ledger,
            founder: founder, hub: hub.number, teamKey: try secret(.teamKey),
            hubKey: hubKey)
    }

    /// Whether the data of a hub is complete; true if the record is not shared.
    func isCompleteHub() throws(LedgerError) -> Bool {
        do throws(LedgerError) {
            _ = try logIdentity()
            return true
        } catch .corrupt {
            return false
        }
    }

    /// Becomes the first hub of a new team.
    func found(_ number: Int32, at address: String) throws(LedgerError) -> LogIdentity {
        try set(.address, to: Array(address.utf8))
        try set(.ledger, to: Randomness.bytes(LogPlace.origin.hash.count))
        try set(.teamKey, to: SecretBytes.random(count: AEAD.keyCount))
        let key = try becomeHub(number)
        try set(.founder, to: key.bytes)
        try set(.origin)
        guard let identity = try logIdentity() else { throw Self.incomplete }
        return identity
    }

    /// Becomes the invited hub, with this address of the log or the one in the invitation.
    func become(_ invitation: borrowing Invitation, at address: String?) throws(LedgerError) {
        try set(.address, to: Array((address ?? invitation.address).utf8))
        try set(.ledger, to: invitation.ledger)
        try set(.teamKey, to: invitation.teamKey)
        try set(.founder, to: invitation.founder.bytes)
        try set(.hubKey, to: invitation.seed)
        try set(.hub, to: invitation.hub.bytes)
        try set(.place, to: invitation.place.bytes)
        try set(.logKey, to: invitation.logPublicKey)
        try set(.mark, to: Randomness.bytes(Self.markCount))
        guard try logIdentity()?.publicKey == invitation.hub.publicKey else {
            throw .unavailable("the invitation contains the key of another hub")
        }
    }

    /// The key that seals the log.
    func teamKey() throws(LedgerError) -> SecretBytes { try secret(.teamKey) }

    /// Creates a new key for a hub number; deletes the previous identity.
    func becomeHub(_ number: Int32) throws(LedgerError) -> HubKey {
        let seed = SecretBytes.random(count: Ed25519Key.seedCount)
        let key: HubKey
        do throws(CryptoError) {
            key = HubKey(number: number, publicKey: try Ed25519Key(seed: seed).publicKey)
        } catch {
            throw .unavailable("a key cannot be made: \(error)")
        }
        try set(.hubKey, to: seed)
        try set(.hub, to: key.bytes)
        try set(.mark, to: Randomness.bytes(Self.markCount))
        try run("DELETE FROM local WHERE name = ?", .text(LocalRow.asked.rawValue))
        return key
    }

    /// Changes the address of the log.
    func reach(logAt address: String) throws(LedgerError) {
        try set(.address, to: Array(address.utf8))
        try set(.mark, to: Randomness.bytes(Self.markCount))
    }

    /// Makes a copy an ordinary ledger again.
    func forgetLog() throws(LedgerError) {
        for row in LocalRow.allCases {
            try run("DELETE FROM local WHERE name = ?", .text(row.rawValue))
        }
        try run("DELETE FROM log_places")
        try run("DELETE FROM hub_statements")
    }

    private static var markCount: Int { 16 }
    private static var incomplete: LedgerError {
        .corrupt(
            "this hub's data about the shared log is incomplete: restore the home from a backup")
    }
}
