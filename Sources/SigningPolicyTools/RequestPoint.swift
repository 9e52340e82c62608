// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// A made-up request of one operation, as values of fields.
///
/// `RequestSpace` makes it, and `PolicyDifference` judges it by two policies.
package struct RequestPoint: Sendable {
    package let protocolID: ProtocolID
    package let method: String
    /// The values by field name; a field that is not in it is absent.
    package var values: [String: FactValue]
    package let time: Timestamp
    /// The unit of the account's outflow; nil if no rule uses it.
    private let outflowUnit: AmountUnit?

    package init(
        protocolID: ProtocolID, method: String, values: [String: FactValue], time: Timestamp,
        outflowUnit: AmountUnit? = nil
    ) {
        self.protocolID = protocolID
        self.method = method
        self.values = values
        self.time = time
        self.outflowUnit = outflowUnit
    }

    /// The request, with these addresses as the home's accounts.
    package func judged(own: [String]) -> JudgedRequest {
        let account = Account(
            id: KeyID("0"), name: text(.key) ?? FieldSpace.otherText, protocolID: protocolID,
            algorithm: .ed25519, publicKey: [], address: own.first ?? "", network: nil,
            tags: texts(.keyTags))
        let facts = values.filter {
            EngineFact(rawValue: $0.key) == nil && $0.key != PolicyField.outflowName
        }.map { Fact($0.key, $0.value) }
        let operation = RequestedOperation(
            account: account, operation: .publicKey, facts: facts,
            effects: texts(.effects).compactMap { Effect(rawValue: $0) },
            dangers: texts(.danger).map { Danger($0) }, outflows: outflows)
        let uid = number(.processUID).flatMap { UInt32(exactly: $0) }
        let peer = Peer(
            channel: text(.channel).map { ChannelName($0) } ?? .commandLine, provedUserID: uid,
            executable: text(.processExecutable), unit: text(.processUnit), credential: page)
        var judged = JudgedRequest(
            adapter: AdapterID(protocolID.name), protocolID: protocolID, method: method,
            client: client, peer: peer,
            time: number(.time).map { Timestamp(seconds: Int64(clamping: $0)) } ?? time,
            frameBytes: Int(clamping: number(.size) ?? 100),
            decoding: text(.decoded).flatMap { Decoding(rawValue: $0) } ?? .full, facts: [],
            effects: [], dangers: [], operations: [operation], ownAddresses: own)
        judged.hub = text(.hub)
        return judged
    }

    /// The request for people, in one line.
    package func text(of fields: [PolicyField]) -> String {
        let named = fields.sorted { $0.name < $1.name }.compactMap { field in
            values[field.name].map { "\(field.name) is \(field.shown($0))" }
        }
        let subject = "\(protocolID) \(VisibleText.escaped(method))"
        return named.isEmpty ? subject : "\(subject) where \(named.joined(separator: ", "))"
    }

    /// The client; nil if the point has no field about a client.
    private var client: Client? {
        let facts: [EngineFact] = [
            .client, .clientParty, .clientName, .clientProof, .clientCallback, .clientProfile,
        ]
        guard facts.contains(where: { values[$0.rawValue] != nil }) else { return nil }
        return Client(
            id: text(.client) ?? text(.clientParty) ?? FieldSpace.otherText,
            name: text(.clientName), proof: proof, party: text(.clientParty),
            callback: text(.clientCallback))
    }

    /// The outflow of the account, in the asset that rules count.
    private var outflows: [Outflow] {
        guard let outflowUnit, let amount = values[PolicyField.outflowName]?.number else {
            return []
        }
        let asset = Asset(
            id: outflowUnit.symbol, network: "", name: outflowUnit.smallest, unit: outflowUnit)
        return [Outflow(asset, amount)]
    }

    private var proof: Client.Proof {
        let profile = text(.clientProfile)
        guard let word = text(.clientProof) else {
            return profile.map { .browser(profile: $0) } ?? .claimed
        }
        return Client.Proof(
            word: word,
            profile: word == "browser" ? profile ?? FieldSpace.otherText : nil) ?? .claimed
    }

    /// The page, if rules use more of it than the client's name.
    private var page: Credential? {
        text(.clientTopOrigin).map {
            .page(
                BrowserPage(
                    profile: proof.profile ?? FieldSpace.otherText, origin: text(.client) ?? $0,
                    party: text(.clientParty) ?? $0, topOrigin: $0, document: nil))
        }
    }

    private func text(_ fact: EngineFact) -> String? {
        if case .text(let text) = values[fact.rawValue] { text } else { nil }
    }

    private func texts(_ fact: EngineFact) -> [String] {
        guard case .list(let list) = values[fact.rawValue] else { return [] }
        return list.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    private func number(_ fact: EngineFact) -> Int128? { values[fact.rawValue]?.number }
}
