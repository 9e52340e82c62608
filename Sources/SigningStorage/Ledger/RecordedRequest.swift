// SPDX-License-Identifier: Apache-2.0

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
        let request: RequestEntry
        switch entry.change {
        case .intent(let intent):
            request = intent.request
            decision = Self.decision(by: intent.decidedBy)
        case .refusal(let refusal):
            request = refusal.request
            decision = Self.decision(refusal.reason.code)
        default: return nil
        }
        guard let keys = request.keys, let effects = request.effects,
            let dangers = request.dangers, let facts = request.facts,
            let decoding = request.decoding, let size = request.frameBytes
        else { return nil }
        sequence = entry.sequence
        time = entry.time
        adapter = request.adapter
        protocolID = request.protocolID
        method = request.method
        client = request.client?.client
        channel = request.channel
        self.keys = keys
        self.effects = effects
        self.dangers = dangers
        self.facts = facts
        self.decoding = decoding
        frameBytes = Int(clamping: size)
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
}
