// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningFiles

/// A request and the decision about it, read from an entry of the record; without its payload.
package struct RecordedRequest: Sendable {
    /// The decision about a request.
    package enum Decision: String, Hashable, Sendable {
        /// Rules, or the client's connection, allowed the request without a question.
        case allow
        /// A remembered yes of a person allowed the request.
        case remembered
        /// A person or several approvers were asked and allowed the request.
        case approved
        /// A person was needed, but denied the request, did not answer, or could not be asked.
        case ask
        /// Rules or their limits denied the request.
        case deny
    }

    /// The entry's number.
    package let sequence: Int64
    /// The time of the entry.
    package let time: Timestamp
    /// The decision; nil if the request ended for another reason than the policy or a person.
    package let decision: Decision?
    /// The adapter of the wire that carried the request.
    package let adapter: AdapterID
    /// The protocol of the request.
    package let protocolID: ProtocolID
    /// The method that the client called.
    package let method: String
    /// The client that sent the request; nil if it is not known.
    package let client: Client?
    /// The name of the channel by which the request arrived.
    package let channel: String
    /// The ids of the keys, in the order of the operations.
    package let keys: [KeyID]
    /// The effects of the request.
    package let effects: [Effect]
    /// The dangers of the request.
    package let dangers: [Danger]
    /// The facts about each operation, in the order of the operations.
    package let facts: [[Fact]]
    /// The part of the request that the adapter understood.
    package let decoding: Decoding
    /// The size of the frame in bytes.
    package let frameBytes: Int
    /// The name of the hub that judged the request; nil if the record is not shared.
    package var hub: String?

    /// Reads an entry; nil if it records no request, or was written before facts were recorded.
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
