// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Puts on record that a frame was turned away unread, as its caller may not ask over its wire.
    package func turnAway(
        _ frame: Frame, over adapter: some ProtocolAdapter, because text: String
    ) async {
        let refusal = Refusal(
            id: id(of: frame), time: environment.now(), adapter: adapter.id,
            protocolID: adapter.schema.protocolID,
            method: "unread", client: frame.peer.client(by: environment),
            channel: frame.peer.channel.name, requestDigest: environment.sha256(frame.bytes.span),
            policyHash: policy.hash, kind: "denied", keys: [], effects: [], dangers: [], facts: [],
            decoding: .opaque, frameBytes: frame.bytes.count, remembers: [],
            reason: Reason(.policyDenied, text))
        // It is turned away also where that cannot be written down.
        try? await ledger.record(refusal)
    }

    /// Answers a frame that an adapter refused.
    ///
    /// A request that names an account to which its client is not connected is judged and recorded
    /// without any account, so that record and reply are the same whatever is held.
    func refused(
        _ error: AdapterError, _ frame: Frame, by adapter: some ProtocolAdapter
    ) async -> Answer {
        guard let request = error.unconnected else { return .refused(error) }
        let (now, peer) = (environment.now(), frame.peer)
        let judged = JudgedRequest(
            adapter: adapter.id, protocolID: adapter.schema.protocolID, method: request.method,
            client: request.client ?? peer.client(by: environment), peer: peer,
            time: max(now, (try? ledger.latestTime()) ?? now), clock: now,
            frameBytes: frame.bytes.count, decoding: .full, facts: [], effects: [], dangers: [],
            operations: [], ownAddresses: [])
        var reason = Reason(
            .policyDenied, "the client is not connected to the account that it names")
        if case .deny(let reasons) = (try? judge(judged))?.verdict, let said = reasons.first {
            reason = said
        }
        let refusal = Refusal(
            id: id(of: frame), time: now, adapter: judged.adapter, protocolID: judged.protocolID,
            method: judged.method, client: judged.client, channel: peer.channel.name,
            requestDigest: environment.sha256(frame.bytes.span), policyHash: policy.hash,
            kind: "denied", keys: [], effects: [], dangers: [], facts: [], decoding: .full,
            frameBytes: judged.frameBytes, remembers: [], reason: reason)
        _ = await record(refusal, of: peer)
        return .refused(error)
    }
}

extension AdapterError {
    /// The code for whoever holds an access token that is for other protocols.
    package static let outOfScope = "out_of_scope"
}
