// SPDX-License-Identifier: Apache-2.0

import NEAR

/// A message to be signed, in the form of the wire.
struct NEP413Wire: Sendable {
    private static let names = [
        "message", "recipient", "nonce", "callbackUrl", "state", "accountId",
    ]

    let payload: NEP413Payload
    let state: String?
    let clientContext: NEARClientContext

    /// Reads the members of a request to sign.
    init(_ members: NEP413Members) throws(NEARRefusal) {
        let clientContext = try NEARClientContext(members, and: Self.names)
        try self.init(reading: members, for: clientContext)
    }

    /// Reads a message within a call, which names the account.
    init(_ members: NEP413Members, for clientContext: NEARClientContext) throws(NEARRefusal) {
        try members.requireOnly(Self.names.filter { $0 != "accountId" })
        try self.init(reading: members, for: clientContext)
    }

    private init(
        reading members: NEP413Members, for clientContext: NEARClientContext
    ) throws(NEARRefusal) {
        payload = try NEP413Payload(members)
        state = try members.text("state", bytesMax: NEP413Limits.stateBytesMax)
        self.clientContext = clientContext
    }
}

extension NEP413Payload {
    /// Reads the four signed members.
    init(_ members: NEP413Members) throws(NEARRefusal) {
        guard let nonce = members.value("nonce") else { throw .invalid("nonce is missing") }
        try self.init(
            message: members.requiredText("message", bytesMax: MessageLimits.messageBytesMax),
            nonce: NonceForm.read(nonce),
            recipient: members.requiredText(
                "recipient", bytesMax: MessageLimits.recipientBytesMax),
            callbackURL: members.text("callbackUrl", bytesMax: MessageLimits.callbackBytesMax))
    }
}
