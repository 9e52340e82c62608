// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// The kinds of audit entries.
package enum AuditKind: String, CaseIterable {
    case intent, result, refusal, freeze, thaw, revoke, attest, export, broadcast, accept, repair
    case archive, hub, approver, key

    /// What the ledger keeps when it is archived: the newest of the first two, all of the third.
    static let kept = [attest, freeze, repair]
}

/// What goes on record, before it has its place in the chain.
struct AuditRecord {
    let kind: AuditKind
    /// What the clock showed; the entry's own time never goes back.
    let clock: Timestamp
    private var fields: [String: JSON] = [:]
    /// Of what is written for every request: all of it but its time.
    private var text: EntryText?
    /// How much of each of an intent's claims was used before it.
    private var used: [Int128] = []

    /// The longest text of a client's choosing that is kept, in characters.
    static let clientTextMax = 512

    init(_ kind: AuditKind, at clock: Timestamp, _ text: EntryText) {
        self.kind = kind
        self.clock = clock
        self.text = text
    }

    /// With how much of each claim's counter was used before it; that of old entries is not known.
    func stating(used: [Int128]) -> AuditRecord {
        var record = self
        record.used = used
        return record
    }

    init(freezing reason: String, at time: Timestamp) {
        kind = .freeze
        clock = time
        fields = ["reason": .clipped(reason)]
    }

    /// What it ends, where several people were shown it.
    init(thawing freeze: [UInt8]?, at time: Timestamp) {
        kind = .thaw
        clock = time
        fields = freeze.map { ["freeze": .hex($0)] } ?? [:]
    }

    init(revoking ids: [[UInt8]], at time: Timestamp, because reason: String?) {
        kind = .revoke
        clock = time
        var fields: [String: JSON] = ["grants": .array(ids.map { .hex($0) })]
        if let reason { fields["reason"] = .string(reason) }
        self.fields = fields
    }

    init(ending connections: [[UInt8]], at time: Timestamp) {
        kind = .revoke
        clock = time
        fields = ["grants": [], "sessions": .array(connections.map { .hex($0) })]
    }

    init(exporting account: Account, form: String, at time: Timestamp) {
        kind = .export
        clock = time
        fields = [
            "key": .string(account.id.text), "name": .string(account.name),
            "form": .string(form),
        ]
    }

    /// What rules see of a key from now on, and what they saw before.
    init(changing account: Account, to name: String, tags: [String], at time: Timestamp) {
        kind = .key
        clock = time
        fields = [
            "key": .string(account.id.text), "name": .string(name),
            "tags": .array(tags.map { .string($0) }),
            "before": [
                "name": .string(account.name),
                "tags": .array(account.tags.map { .string($0) }),
            ],
        ]
    }

    init(_ result: Broadcast.Result, of itemID: String, at time: Timestamp) {
        kind = .broadcast
        clock = time
        fields = [
            "item": .clipped(itemID), "outcome": .string(result.outcome),
            "text": result.text.map { .clipped($0) } ?? .null,
        ]
    }

    init(accepting mark: [UInt8], at time: Timestamp) {
        kind = .accept
        clock = time
        fields = ["mark": .hex(mark)]
    }

    init(repairing what: String, at time: Timestamp, signature: [UInt8]) {
        kind = .repair
        clock = time
        fields = ["what": .string(what), "signature": .hex(signature)]
    }

    init(beginningAnew reason: String, losing known: Int64, at time: Timestamp, signature: [UInt8])
    {
        kind = .repair
        clock = time
        fields = [
            "what": .string(Self.ledgerRepair), "reason": .clipped(reason),
            "lost": .integer(known), "signature": .hex(signature),
        ]
    }

    /// What is repaired where the record begins anew.
    static let ledgerRepair = "ledger"

    init(
        attesting policyHash: [UInt8], demanding governance: Governance = .none, at time: Timestamp,
        signature: [UInt8]
    ) {
        kind = .attest
        clock = time
        fields = ["policy": .hex(policyHash), "signature": .hex(signature)]
        if !governance.isEmpty { fields["governance"] = GovernanceRecord.json(governance) }
    }

    /// With the yes of several people that it was done by.
    func approved(_ approval: ActApproval?) -> AuditRecord {
        guard let approval else { return self }
        var record = self
        record.fields["approvers"] = approval.json
        return record
    }

    /// What happened to the hubs that share a ledger.
    enum HubChange: String {
        /// One began to share it.
        case share
        /// One joined.
        case join
        /// One that only answers questions to several people was made by another.
        case invite
        /// One was retired by another.
        case retire
        /// One goes on alone, with the ledger for its own.
        case move
        /// Its owner takes it that the database may lose what it answered last.
        case acceptLoss = "accept_loss"
        /// One kept all there was beside the log.
        case snapshot
        /// One removed what stands in the log in front of that.
        case cut
    }

    init(
        _ change: HubChange, _ key: HubKey, named name: String, at time: Timestamp,
        more: [String: JSON] = [:]
    ) {
        kind = .hub
        clock = time
        fields = [
            "what": .string(change.rawValue), "hub": .integer(Int64(key.number)),
            "name": .string(name), "key": .hex(key.publicKey),
        ]
        fields.merge(more) { own, _ in own }
    }

    /// A key of an approver that counts for nothing from now on.
    init(retiring publicKey: [UInt8], at time: Timestamp) {
        kind = .approver
        clock = time
        fields = ["what": .string(Self.retirement), "key": .hex(publicKey)]
    }

    /// The approver keys that lie in a hub that signs.
    init(holding publicKeys: [[UInt8]], at time: Timestamp) {
        kind = .approver
        clock = time
        fields = [
            "what": .string(Self.holding), "keys": .array(publicKeys.map { .hex($0) }),
        ]
    }

    /// What happens to an approver's key.
    static let retirement = "retire"
    static let holding = "hold"

    init(archiving segment: ArchivedSegment, logPublicKey: [UInt8], at time: Timestamp) {
        kind = .archive
        clock = time
        fields = segment.fields
        // With it other hubs make the same file.
        fields["key"] = .hex(logPublicKey)
    }

    /// A text of foreign origin, cut where it is too long for a record.
    static func clipped(_ text: String) -> String {
        // No text has more characters than bytes.
        guard text.utf8.count > clientTextMax else { return text }
        return String(text.unicodeScalars.prefix(clientTextMax))
    }

    /// The entry's text: JSON without white space, names in the order of their bytes.
    func body(at time: Timestamp) -> [UInt8] {
        if let text { return text.ended(at: time, used: used) }
        var fields = fields
        fields["kind"] = .string(kind.rawValue)
        fields["time"] = .integer(time.seconds)
        fields["clock"] = .integer(clock.seconds)
        return JSON.sorted(fields).write()
    }
}

extension Settlement {
    /// The word for it on record.
    var outcome: String {
        switch self {
        case .done: "done"
        case .notUsed: "not_used"
        case .failed: "failed"
        }
    }
}

extension ReplayToken {
    /// What is kept of a token.
    var hash: [UInt8] { Digest.sha256(bytes.span) }
}

extension JSON {
    static func clipped(_ text: String) -> JSON { .string(AuditRecord.clipped(text)) }
}
