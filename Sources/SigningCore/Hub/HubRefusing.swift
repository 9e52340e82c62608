// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Records that a frame was refused unread because its client may not use its wire.
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
        // The frame is refused even if that cannot be recorded.
        try? await ledger.record(refusal)
    }

    /// Answers a frame that an adapter refused.
    ///
    /// If the request names an account to which its client is not connected, it is judged and
    /// recorded without any account. So neither record nor reply shows whether this home holds the
    /// account.
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
    /// The error code for a client whose access token is for other protocols.
    package static let outOfScope = "out_of_scope"
}

extension SigningHub {
    /// Records a refusal and returns whether it is on record.
    ///
    /// Transports limit the refusals of each client, but requests by commands bypass them. So that
    /// a loop of commands does not fill the disk, all commands share one limit here. A refusal by a
    /// person, or one that cannot be counted, is always recorded.
    func record(_ refusal: Refusal, of peer: Peer) async -> Bool {
        if peer.channel == .commandLine, refusal.reason.code != .personDenied {
            let tally = QuestionTally(
                about: environment.sha256("refusals of commands".utf8.span),
                maximum: RateLimit.burst, seconds: Int64(RateLimit.burst) * RateLimit.seconds)
            if await (try? ledger.count(tally, at: environment.now())) == false { return false }
        }
        return await (try? ledger.record(refusal)) != nil
    }
}
