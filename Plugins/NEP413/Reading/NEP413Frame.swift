// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCore

/// A frame with every member checked, before an account is chosen.
public struct NEP413Frame: Sendable {
    /// NEP-413's members alone are short for `signMessage`, and answered without a `result`.
    let isCall: Bool
    let call: WalletCall
    /// What is sent back with a refusal as well, where the message has it.
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

    /// The two decisions of a call that signs in, signs a message and adds a key; nil for others.
    var decisions: (first: NEP413Frame, second: NEP413Frame)? {
        guard case .signInAndSignMessage(let wire, .some(let key)) = call else { return nil }
        return (
            NEP413Frame(.signMessage(wire), state: wire.state),
            NEP413Frame(.signIn(wire.clientContext, key), state: nil)
        )
    }
}
