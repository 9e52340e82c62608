// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningCrypto

/// The kinds of audit entries.
package enum AuditKind: String, CaseIterable {
    case intent, result, refusal, freeze, thaw, revoke, attest, export, broadcast, accept, repair
    case archive, hub

    /// What the ledger keeps when it is archived: the newest of the first, all of the second.
    static let kept = [attest, repair]
}

/// What goes on record, before it has its place in the chain.
struct AuditRecord {
    let kind: AuditKind
    /// What the clock showed; the entry's own time never goes back.
    let clock: Timestamp
    private let fields: [String: JSON]

    /// The longest text of a client's choosing that is kept, in characters.
    static let clientTextMax = 512

    init(_ intent: Intent) {
        kind = .intent
        clock = intent.time
        let more: [String: JSON] = [
            "serials": intent.serials.isEmpty
                ? .null : .array(intent.serials.map { .serial($0) }),
            "approvers": intent.approval.map { .approval($0) } ?? .null,
        ]
        fields = [
            "id": .hex(intent.id), "adapter": .string(intent.adapter.name),
            "protocol": .string(intent.protocolID.name), "method": .clipped(intent.method),
            "client": .client(intent.client), "channel": .clipped(intent.channel),
            "keys": .strings(intent.keys.map(\.text)), "request": .hex(intent.requestDigest),
            "policy": .hex(intent.policyHash), "decided_by": .string(intent.decidedBy),
            "grants": .strings(intent.grants.map(\.idText)),
            "facts": .array(intent.facts.map { FactRecord.json($0) }),
            "decoded": .string(intent.decoding.rawValue),
            "size": .integer(Int64(intent.frameBytes)),
            "rules": .strings(intent.rules), "effects": .strings(intent.effects.map(\.rawValue)),
            "dangers": .strings(intent.dangers.map(\.name)),
            "claims": .array(intent.claims.map { .claim($0) }),
            "replay": intent.replayToken.map { .token($0) } ?? .null,
        ].merging(more.filter { !$0.value.isNull }) { first, _ in first }
    }

    init(_ settlement: Settlement, of intentID: [UInt8], at time: Timestamp) {
        kind = .result
        clock = time
        var fields: [String: JSON] = [
            "id": .hex(intentID), "outcome": .string(settlement.outcome),
        ]
        switch settlement {
        case .done(let digests, let remembers, _, let connections, let broadcast):
            fields["results"] = .array(digests.map { .hex($0) })
            if let broadcast {
                fields["broadcast"] = .strings(broadcast.items.map(\.id))
                fields["network"] = .clipped(broadcast.network)
            }
            if !connections.isEmpty { fields["sessions"] = .array(connections.map { .change($0) }) }
            if !remembers.isEmpty { fields["remembers"] = .grants(remembers) }
        case .notUsed(let reason), .failed(let reason): fields["reason"] = .reason(reason)
        }
        self.fields = fields
    }

    init(_ refusal: Refusal) {
        kind = .refusal
        clock = refusal.time
        var fields: [String: JSON] = [
            "adapter": .string(refusal.adapter.name),
            "protocol": .string(refusal.protocolID.name), "method": .clipped(refusal.method),
            "client": .client(refusal.client), "channel": .clipped(refusal.channel),
            "request": .hex(refusal.requestDigest), "policy": .hex(refusal.policyHash),
            "outcome": .string(refusal.kind), "reason": .reason(refusal.reason),
            "keys": .strings(refusal.keys.map(\.text)),
            "effects": .strings(refusal.effects.map(\.rawValue)),
            "dangers": .strings(refusal.dangers.map(\.name)),
            "facts": .array(refusal.facts.map { FactRecord.json($0) }),
            "decoded": .string(refusal.decoding.rawValue),
            "size": .integer(Int64(refusal.frameBytes)),
        ]
        if !refusal.remembers.isEmpty {
            fields["remembers"] = .grants(refusal.remembers.map { SealedGrant($0, seal: []) })
        }
        self.fields = fields
    }

    init(freezing reason: String, at time: Timestamp) {
        kind = .freeze
        clock = time
        fields = ["reason": .clipped(reason)]
    }

    init(thawingAt time: Timestamp) {
        kind = .thaw
        clock = time
        fields = [:]
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

    init(attesting policyHash: [UInt8], at time: Timestamp, signature: [UInt8]) {
        kind = .attest
        clock = time
        fields = ["policy": .hex(policyHash), "signature": .hex(signature)]
    }

    /// What happened to the hubs that share a ledger.
    enum HubChange: String {
        /// One began to share it.
        case share
        /// One joined.
        case join
        /// One was retired by another.
        case retire
        /// One goes on alone, with the ledger for its own.
        case move
    }

    init(_ change: HubChange, _ key: HubKey, named name: String, at time: Timestamp) {
        kind = .hub
        clock = time
        fields = [
            "what": .string(change.rawValue), "hub": .integer(Int64(key.number)),
            "name": .string(name), "key": .hex(key.publicKey),
        ]
    }

    init(archiving segment: ArchivedSegment, at time: Timestamp) {
        kind = .archive
        clock = time
        fields = segment.fields
    }

    /// A text of foreign origin, cut where it is too long for a record.
    static func clipped(_ text: String) -> String {
        String(text.unicodeScalars.prefix(clientTextMax))
    }

    /// The entry's text: JSON without white space, names in the order of their bytes.
    func body(at time: Timestamp) -> String {
        var fields = fields
        fields["kind"] = .string(kind.rawValue)
        fields["time"] = .integer(time.seconds)
        fields["clock"] = .integer(clock.seconds)
        return String(decoding: JSON.sorted(fields).write(), as: UTF8.self)
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
    static func sorted(_ fields: [String: JSON]) -> JSON {
        let members = fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return .object(JSONObject(members.map { .init(name: $0.key, value: $0.value) }))
    }

    fileprivate static func hex(_ bytes: [UInt8]) -> JSON { .string(Hex.encode(bytes.span)) }

    fileprivate static func strings(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }

    fileprivate static func clipped(_ text: String) -> JSON {
        .string(AuditRecord.clipped(text))
    }

    /// Grants as they stand in their table.
    fileprivate static func grants(_ grants: [SealedGrant]) -> JSON {
        .array(
            grants.map {
                .sorted(["body": .string(GrantRecord.body($0.grant)), "seal": .hex($0.seal)])
            })
    }

    fileprivate static func client(_ client: Client?) -> JSON {
        guard let client else { return .null }
        var members: [String: JSON] = [
            "id": .clipped(client.id), "name": client.name.map { .clipped($0) } ?? .null,
            "proof": .string(client.proof.rawValue),
        ]
        if let callback = client.callback, client.proof != .callback {
            members["callback"] = .clipped(callback)
        }
        return .sorted(members)
    }

    fileprivate static func claim(_ claim: LimitClaim) -> JSON {
        var members: [String: JSON] = [
            "counter": .string(claim.counter), "maximum": .string(String(claim.maximum)),
            "amount": .string(String(claim.amount)), "window": .null,
        ]
        switch claim.window {
        case .sliding(let seconds): members["window"] = .integer(seconds)
        case .since(let start): members["since"] = .integer(start.seconds)
        case .ever: break
        }
        return .sorted(members)
    }

    fileprivate static func serial(_ use: SerialUse) -> JSON {
        .sorted(["series": .clipped(use.series), "number": .string(String(use.number))])
    }

    /// With the policy's hash and the request's, enough to check each signature again.
    fileprivate static func approval(_ approval: JointApproval) -> JSON {
        .sorted([
            "question": .hex(approval.digest), "expires": .integer(approval.expires.seconds),
            "totals": .strings(approval.totals),
            "yes": .array(
                approval.yeses.map { yes in
                    .sorted([
                        "name": .clipped(yes.name), "key": .hex(yes.answer.publicKey),
                        "signature": .hex(yes.answer.signature),
                    ])
                }),
        ])
    }

    fileprivate static func token(_ token: ReplayToken) -> JSON {
        .sorted(["hash": .hex(token.hash), "single_use": .bool(token.isSingleUse)])
    }

    fileprivate static func change(_ change: ConnectionChange) -> JSON {
        switch change {
        case .opens(let connection):
            var fields: [String: JSON] = [
                "opens": .hex(connection.id), "client": .client(connection.client),
                "key": .string(connection.key.text), "network": .clipped(connection.network),
            ]
            if let expires = connection.expires { fields["expires"] = .integer(expires.seconds) }
            return .sorted(fields)
        case .ends(let id): return .sorted(["ends": .hex(id)])
        case .forgets(let client, let protocolID):
            return .sorted(["forgets": .client(client), "protocol": .string(protocolID.name)])
        }
    }

    fileprivate static func reason(_ reason: Reason) -> JSON {
        .sorted([
            "code": .string(reason.code.rawValue), "text": .clipped(reason.text),
            "rule": reason.rule.map { .string($0) } ?? .null,
        ])
    }
}
