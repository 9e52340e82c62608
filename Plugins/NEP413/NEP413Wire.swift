// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// A request as it stands on the wire, every member checked by itself.
struct NEP413Wire {
    private static let names = [
        "message", "recipient", "nonce", "callbackUrl", "state", "accountId", "network",
    ]

    let payload: NEP413Payload
    let state: String?
    let accountID: String?
    let network: String?

    /// Reads the members of a request to sign.
    init(_ members: NEP413Members) throws(Refusal) {
        try members.requireOnly(Self.names)
        payload = try NEP413Payload(members)
        state = try members.text("state", bytesMax: NEP413Limits.stateBytesMax)
        accountID = try members.accountID()
        network = try members.network()
    }
}

extension NEP413Payload {
    /// Reads the four members that are signed.
    init(_ members: NEP413Members) throws(Refusal) {
        guard let nonce = members.value("nonce") else { throw .invalid("nonce is missing") }
        try self.init(
            message: members.requiredText("message", bytesMax: NEP413Limits.messageBytesMax),
            nonce: NonceForm.read(nonce),
            recipient: members.requiredText(
                "recipient", bytesMax: NEP413Limits.recipientBytesMax),
            callbackURL: members.text("callbackUrl", bytesMax: NEP413Limits.callbackBytesMax))
    }
}

extension NEP413Members {
    /// The account named, if one is.
    func accountID() throws(Refusal) -> String? {
        let text = try text("accountId", bytesMax: NEP413Limits.accountBytesMax)
        guard let text else { return nil }
        guard NEARAccountID.isValid(text) else {
            throw .invalid("accountId is not a NEAR account id")
        }
        return text
    }

    /// The network named, if one is.
    func network() throws(Refusal) -> String? {
        let text = try text("network", bytesMax: NEP413Limits.networkBytesMax)
        guard let text else { return nil }
        guard NEARNetwork.isKnown(text) else {
            throw .invalid("network must be mainnet or testnet")
        }
        return text
    }
}

/// The networks this hub knows by name.
enum NEARNetwork {
    static func isKnown(_ name: String) -> Bool { name == "mainnet" || name == "testnet" }
}
