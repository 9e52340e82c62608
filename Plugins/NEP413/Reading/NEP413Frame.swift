// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCore

/// A frame with checked members, before an account is chosen.
public struct NEP413Frame: Sendable {
    /// True for a call.
    ///
    /// Without one, the members of NEP-413 mean `signMessage`, and the reply has no member
    /// `result`.
    let isCall: Bool
    let call: WalletCall
    /// The state of the message, which a refusal echoes too.
    let state: String?

    init(_ members: NEP413Members, bytes: Int, state: String?) throws(NEARRefusal) {
        self.state = state
        isCall = members.value("method") != nil
        guard !isCall else {
            call = try WalletCall(members)
            return
        }
        guard bytes <= NEP413Limits.messageFrameBytesMax else {
            throw .tooLarge("the request", bytesMax: NEP413Limits.messageFrameBytesMax)
        }
        call = .signMessage(try NEP413Wire(members))
    }

    private init(_ call: WalletCall, state: String?) {
        isCall = true
        self.call = call
        self.state = state
    }

    /// The two parts of a call that signs in with a message and adds a key, each of which gets its
    /// own decision; nil for other calls.
    var decisions: (first: NEP413Frame, second: NEP413Frame)? {
        guard case .signInAndSignMessage(let wire, .some(let key)) = call else { return nil }
        return (
            NEP413Frame(.signMessage(wire), state: wire.state),
            NEP413Frame(.signIn(wire.clientContext, key), state: nil)
        )
    }
}
