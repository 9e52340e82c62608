// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningFiles

/// What is written for every request, piece by piece in the order of names: it is most of what
/// a ledger does with a request.
extension AuditRecord {
    init(_ intent: Intent) {
        var text = EntryText()
        text.add("adapter", intent.adapter.name)
        if let approval = intent.approval { text.add("approvers", .approval(approval)) }
        text.add("channel", Self.clipped(intent.channel))
        text.add("claims", .array(intent.claims.map { .claim($0) }))
        text.add("client", .client(intent.client))
        text.add("clock", intent.time.seconds)
        text.add("dangers", intent.dangers.lazy.map(\.name))
        text.add("decided_by", intent.decidedBy)
        text.add("decoded", intent.decoding.rawValue)
        text.add("effects", intent.effects.lazy.map(\.rawValue))
        text.add("facts", .array(intent.facts.map { FactRecord.json($0) }))
        text.add("grants", intent.grants.lazy.map(\.idText))
        text.add("id", hex: intent.id)
        text.add("keys", intent.keys.lazy.map(\.text))
        text.add("kind", AuditKind.intent.rawValue)
        text.add("method", Self.clipped(intent.method))
        text.add("policy", hex: intent.policyHash)
        text.add("protocol", intent.protocolID.name)
        text.add("replay", intent.replayToken.map { .token($0) } ?? .null)
        text.add("request", hex: intent.requestDigest)
        text.add("rules", intent.rules)
        if !intent.serials.isEmpty {
            text.add("serials", .array(intent.serials.map { .serial($0) }))
        }
        text.add("size", Int64(intent.frameBytes))
        self.init(.intent, at: intent.time, text)
    }

    init(_ settlement: Settlement, of intentID: [UInt8], at time: Timestamp) {
        var text = EntryText()
        if case .done(_, _, _, _, let broadcast?, _) = settlement {
            text.add("broadcast", broadcast.items.lazy.map(\.id))
        }
        text.add("clock", time.seconds)
        text.add("id", hex: intentID)
        if case .done(_, _, _, _, _, let identifiers) = settlement, !identifiers.isEmpty {
            text.add("identifiers", identifiers.lazy.map { Self.clipped($0) })
        }
        text.add("kind", AuditKind.result.rawValue)
        if case .done(_, _, _, _, let broadcast?, _) = settlement {
            text.add("network", Self.clipped(broadcast.network))
        }
        text.add("outcome", settlement.outcome)
        switch settlement {
        case .done(let digests, let remembers, _, let connections, _, _):
            if !remembers.isEmpty { text.add("remembers", .grants(remembers)) }
            text.add("results", .array(digests.map { .hex($0) }))
            if !connections.isEmpty {
                text.add("sessions", .array(connections.map { .change($0) }))
            }
        case .notUsed(let reason), .failed(let reason): text.add("reason", .reason(reason))
        }
        self.init(.result, at: time, text)
    }

    init(_ refusal: Refusal) {
        var text = EntryText()
        text.add("adapter", refusal.adapter.name)
        text.add("channel", Self.clipped(refusal.channel))
        text.add("client", .client(refusal.client))
        text.add("clock", refusal.time.seconds)
        text.add("dangers", refusal.dangers.lazy.map(\.name))
        text.add("decoded", refusal.decoding.rawValue)
        text.add("effects", refusal.effects.lazy.map(\.rawValue))
        text.add("facts", .array(refusal.facts.map { FactRecord.json($0) }))
        text.add("id", hex: refusal.id)
        text.add("keys", refusal.keys.lazy.map(\.text))
        text.add("kind", AuditKind.refusal.rawValue)
        text.add("method", Self.clipped(refusal.method))
        text.add("outcome", refusal.kind)
        text.add("policy", hex: refusal.policyHash)
        text.add("protocol", refusal.protocolID.name)
        text.add("reason", .reason(refusal.reason))
        if !refusal.remembers.isEmpty {
            text.add("remembers", .grants(refusal.remembers.map { SealedGrant($0, seal: []) }))
        }
        text.add("request", hex: refusal.requestDigest)
        text.add("size", Int64(refusal.frameBytes))
        self.init(.refusal, at: refusal.time, text)
    }
}

extension JSON {
    /// Grants as they stand in their table.
    fileprivate static func grants(_ grants: [SealedGrant]) -> JSON {
        .array(grants.map { ["body": .string(GrantRecord.body($0.grant)), "seal": .hex($0.seal)] })
    }

    fileprivate static func client(_ client: Client?) -> JSON {
        guard let client else { return .null }
        let callback = client.proof == .callback ? nil : client.callback
        return .members([
            ("callback", callback.map { .clipped($0) }), ("id", .clipped(client.id)),
            ("name", client.name.map { .clipped($0) } ?? .null),
            ("proof", .string(client.proof.rawValue)),
        ])
    }

    fileprivate static func claim(_ claim: LimitClaim) -> JSON {
        var since: JSON?
        var window = JSON.null
        switch claim.window {
        case .sliding(let seconds): window = .integer(seconds)
        case .since(let start): since = .integer(start.seconds)
        case .ever: break
        }
        return .members([
            ("amount", .string(String(claim.amount))), ("counter", .string(claim.counter)),
            ("maximum", .string(String(claim.maximum))), ("since", since), ("window", window),
        ])
    }

    fileprivate static func serial(_ use: SerialUse) -> JSON {
        ["number": .string(String(use.number)), "series": .clipped(use.series)]
    }

    /// With the policy's hash and the request's, enough to check each signature again.
    static func approval(_ approval: JointApproval) -> JSON {
        [
            "expires": .integer(approval.expires.seconds), "question": .hex(approval.digest),
            "totals": .array(approval.totals.map { .string($0) }),
            "yes": .array(
                approval.yeses.map { yes in
                    [
                        "key": .hex(yes.answer.publicKey), "name": .clipped(yes.name),
                        "signature": .hex(yes.answer.signature),
                    ]
                }),
        ]
    }

    fileprivate static func token(_ token: ReplayToken) -> JSON {
        ["hash": .hex(token.hash), "single_use": .bool(token.isSingleUse)]
    }

    fileprivate static func change(_ change: ConnectionChange) -> JSON {
        switch change {
        case .opens(let connection):
            .members([
                ("client", .client(connection.client)),
                ("expires", connection.expires.map { .integer($0.seconds) }),
                ("key", .string(connection.key.text)), ("network", .clipped(connection.network)),
                ("opens", .hex(connection.id)),
            ])
        case .ends(let id): ["ends": .hex(id)]
        case .forgets(let client, let protocolID):
            ["forgets": .client(client), "protocol": .string(protocolID.name)]
        }
    }

    fileprivate static func reason(_ reason: Reason) -> JSON {
        [
            "code": .string(reason.code.rawValue), "rule": reason.rule.map { .string($0) } ?? .null,
            "text": .clipped(reason.text),
        ]
    }

    /// Members in this order, without those that are not there.
    private static func members(_ members: [(name: String, value: JSON?)]) -> JSON {
        .object(
            JSONObject(
                members.compactMap { member in
                    member.value.map { .init(name: member.name, value: $0) }
                }))
    }
}
