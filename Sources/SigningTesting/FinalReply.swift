// SPDX-License-Identifier: Apache-2.0

public import SigningCore

extension ProtocolAdapter {
    /// The reply that the hub sends: results that do not fit the wire become a failure.
    public func finalReply(_ outcome: Outcome, to request: Request) -> Reply {
        let reply = encode(outcome, to: request)
        guard case .undeliverable(let reason) = reply else { return reply }
        return encode(.failed(reason), to: request)
    }
}
