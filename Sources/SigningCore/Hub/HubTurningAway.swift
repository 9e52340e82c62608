// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Puts on record that a frame was turned away unread, as its caller may not ask over its wire.
    package func turnAway(
        _ frame: Frame, over adapter: some ProtocolAdapter, because text: String
    ) async {
        let refusal = Refusal(
            time: environment.now(), adapter: adapter.id, protocolID: adapter.schema.protocolID,
            method: "unread", client: frame.peer.client(by: environment),
            channel: frame.peer.door.name, requestDigest: environment.sha256(frame.bytes.span),
            policyHash: policy.hash, kind: "denied", keys: [], effects: [], dangers: [], facts: [],
            decoding: .opaque, frameBytes: frame.bytes.count, remembers: [],
            reason: Reason(.policyDenied, text))
        // It is turned away also where that cannot be written down.
        try? await ledger.record(refusal)
    }
}

extension AdapterError {
    /// The code for whoever holds an access token that is for other protocols.
    package static let outOfScope = "out_of_scope"
}
