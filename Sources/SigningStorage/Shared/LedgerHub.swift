// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles

/// One of the hubs that share a ledger.
package struct LedgerHub: Hashable, Sendable {
    /// The number by which the log identifies the hub.
    package let number: Int32
    /// The name for people.
    package let name: String
    /// The public key for its batches: Ed25519, 32 bytes.
    package let publicKey: [UInt8]
    /// The number of the entry by which the hub joined.
    package let joined: Int64
    /// The time at which the hub was retired; nil if it was not retired.
    package let retired: Timestamp?
    /// True if the hub only answers questions to several approvers.
    package var answersOnly = false

    /// True if the hub is not retired and signs requests.
    package var isInUse: Bool { retired == nil && !answersOnly }

    /// The most hubs that a ledger can ever have.
    package static let countMax = 1_000
    /// The longest name, in characters.
    package static let nameMax = 64

    /// Whether a text is a valid name: ASCII alphanumerics, `-`, `.` and `_`.
    package static func isName(_ text: String) -> Bool {
        (1...nameMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || "-._".utf8.contains(byte)
            }
    }
}

extension Access<LedgerError> {
    /// Every hub that ever shared the ledger, in order of numbers.
    func hubs() throws(LedgerError) -> [LedgerHub] {
        try all(
            """
            SELECT number, name, public_key, joined, retired, answers_only FROM hubs
            ORDER BY number
            """
        ) { row throws(LedgerError) in try row.hub() }
    }

    func hub(_ number: Int32) throws(LedgerError) -> LedgerHub? {
        try first(
            """
            SELECT number, name, public_key, joined, retired, answers_only FROM hubs
            WHERE number = ?
            """, .integer(Int64(number))
        ) { row throws(LedgerError) in try row.hub() }
    }

    /// The hub that wrote an entry; nil if the entry is from before the ledger was shared.
    func writer(of sequence: Int64) throws(LedgerError) -> Int32? {
        try first(
            """
            SELECT hub FROM writers WHERE first_sequence <= ?
            ORDER BY first_sequence DESC LIMIT 1
            """, .integer(sequence)
        ) { row throws(LedgerError) in try row.hubNumber(0) }
    }

    func noteWriter(_ hub: Int32, from sequence: Int64) throws(LedgerError) {
        try run(
            "INSERT INTO writers (first_sequence, hub) VALUES (?, ?)", .integer(sequence),
            .integer(Int64(hub)))
    }

    /// The hub that left the log and continues the ledger alone; nil if there is none.
    func movedToHub() throws(LedgerError) -> Int32? {
        let text = try first("SELECT value FROM meta WHERE name = 'moved'") {
            row throws(LedgerError) in try row.text(0)
        }
        guard let text else { return nil }
        guard let hub = Int32(text) else {
            throw .corrupt("the place that the ledger was moved to is not known")
        }
        return hub
    }

    /// Adds a hub, on record.
    func add(
        _ key: HubKey, named name: String, as what: HubEntry.Change, at time: Timestamp
    ) throws(LedgerError) -> AuditHead {
        try append(.hub(HubEntry(what, key, named: name)), at: time)
    }

    /// A number that no hub has had, for a hub with this name.
    func freeHubNumber(for name: String) throws(LedgerError) -> Int32 {
        let hubs = try hubs()
        guard LedgerHub.isName(name) else {
            throw .unavailable(
                "a hub's name is 1 to \(LedgerHub.nameMax) letters and digits of ASCII, - . and _")
        }
        guard !hubs.contains(where: { $0.name == name && $0.retired == nil }) else {
            throw .unavailable("hub \"\(name)\" already exists: choose another name")
        }
        guard hubs.count < LedgerHub.countMax else {
            throw .unavailable("this ledger has had the maximum number of hubs")
        }
        let (number, isTooMuch) = (hubs.last?.number ?? 0).addingReportingOverflow(1)
        guard !isTooMuch else { throw .unavailable("all numbers for hubs are used") }
        return number
    }
}

extension Row<LedgerError> {
    fileprivate func hub() throws(LedgerError) -> LedgerHub {
        LedgerHub(
            number: try hubNumber(0), name: try text(1), publicKey: try bytes(2),
            joined: try integer(3),
            retired: try optionalInteger(4).map { Timestamp(seconds: $0) },
            answersOnly: try integer(5) != 0)
    }

    fileprivate func hubNumber(_ column: Int) throws(LedgerError) -> Int32 {
        guard let number = Int32(exactly: try integer(column)), number > 0 else {
            throw .corrupt("a hub has no number")
        }
        return number
    }
}
