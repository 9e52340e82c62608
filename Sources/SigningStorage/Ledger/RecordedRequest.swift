// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore

/// A request as the record has it: what was asked and what was said, without its payload.
package struct RecordedRequest: Sendable {
    /// What was said.
    package enum Decision: String, Hashable, Sendable {
        /// Rules allowed it.
        case allow
        /// A person was needed, and had said yes before.
        case remembered
        /// A person was needed, and said yes.
        case approved
        /// A person was needed, and said no or was not there.
        case ask
        /// Rules denied it.
        case deny
    }

    /// The entry's number.
    package let sequence: Int64
    /// When.
    package let time: Timestamp
    /// What was said; nil where something else than the policy ended it.
    package let decision: Decision?
    /// The wire.
    package let adapter: AdapterID
    /// The protocol.
    package let protocolID: ProtocolID
    /// The method.
    package let method: String
    /// Who asked.
    package let client: Client?
    /// The door.
    package let channel: String
    /// The keys, in order of the operations.
    package let keys: [KeyID]
    /// What would happen.
    package let effects: [Effect]
    /// What was flagged.
    package let dangers: [Danger]
    /// What each operation is about.
    package let facts: [[Fact]]
    /// How much was understood.
    package let decoding: Decoding
    /// The size of the frame in bytes.
    package let frameBytes: Int
    /// The hub that judged it, where the record is shared.
    package var hub: String?

    /// Nil where the entry speaks of no request, or of one from before facts were recorded.
    package init?(_ entry: AuditEntry) {
        guard let kind = AuditKind(rawValue: entry.kind), [.intent, .refusal].contains(kind),
            let body = try? JSON.parse(Array(entry.body.utf8).span),
            let adapter = body["adapter"]?.text, let protocolName = body["protocol"]?.text,
            let method = body["method"]?.text, let channel = body["channel"]?.text,
            let keys = body["keys"]?.list?.compactMap(\.text),
            let effects = body["effects"]?.list?.compactMap(\.text),
            let dangers = body["dangers"]?.list?.compactMap(\.text),
            let facts = body["facts"]?.list?.compactMap({ FactRecord.facts($0) }),
            let decoding = body["decoded"]?.text.flatMap({ Decoding(rawValue: $0) }),
            let size = body["size"]?.integerValue
        else { return nil }
        sequence = entry.sequence
        time = entry.time
        self.adapter = AdapterID(adapter)
        protocolID = ProtocolID(protocolName)
        self.method = method
        client = body["client"].flatMap(Self.client)
        self.channel = channel
        self.keys = keys.map { KeyID($0) }
        self.effects = effects.compactMap { Effect(rawValue: $0) }
        self.dangers = dangers.map { Danger($0) }
        self.facts = facts
        self.decoding = decoding
        frameBytes = Int(clamping: size)
        decision =
            kind == .intent
            ? Self.decision(by: body["decided_by"]?.text)
            : Self.decision(body["reason"]?["code"]?.text.flatMap { ReasonCode(rawValue: $0) })
    }

    static func decision(by name: String?) -> Decision {
        switch name {
        case "person", "program", "approvers": .approved
        case "grant": .remembered
        default: .allow
        }
    }

    static func decision(_ code: ReasonCode?) -> Decision? {
        switch code {
        case .policyDenied, .limitExceeded: .deny
        case .personDenied, .approvalUnavailable, .approvalTimedOut, .withdrawn, .tooManyQuestions:
            .ask
        default: nil
        }
    }

    private static func client(_ json: JSON) -> Client? {
        guard let id = json["id"]?.text,
            let proof = json["proof"]?.text.flatMap({ Client.Proof(rawValue: $0) })
        else { return nil }
        return Client(
            id: id, name: json["name"]?.text, proof: proof,
            callback: json["callback"]?.text ?? (proof == .callback ? id : nil))
    }
}
