// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCodecs
public import SigningCore

extension NEP413Adapter: SignedStatementReader {
    private static let statementNames = [
        "message", "recipient", "nonce", "callbackUrl", "state", "accountId", "network",
        "publicKey", "signature", "callbackVariants", "pageUrl",
    ]

    /// Parses signed data for verification.
    ///
    /// It accepts a message with its SignedMessage in one object. It also accepts a signed
    /// transaction or delegate action in Base64, bare or in the answer to a call, and a signed
    /// payload of NEAR Intents.
    public func readSigned(_ bytes: Span<UInt8>) throws(StatementError) -> SignedStatement {
        do throws(NEARRefusal) {
            if let statement = try signedBorsh(bytes) { return statement }
            let members = try NEP413Members(bytes, bytesMax: frameBytesMax)
            if members.value(IntentsPayload.member) != nil {
                return try IntentsPayload.statement(members)
            }
            return try Self.claim(members).statement(
                withVariants: try members.flag("callbackVariants"),
                page: try members.text("pageUrl", bytesMax: MessageLimits.callbackBytesMax))
        } catch {
            throw StatementError(error.text)
        }
    }

    static func claim(_ members: NEP413Members) throws(NEARRefusal) -> MessageClaim {
        try members.requireOnly(statementNames)
        let payload = try NEP413Payload(members)
        let accountID = try members.optionalAccountID("accountId")
        let network = try members.network()
        let keyText = try members.requiredText("publicKey", bytesMax: NEP413Limits.keyBytesMax)
        let key = try KeyText(reading: keyText)
        let signatureText = try members.requiredText(
            "signature", bytesMax: NEP413Limits.signatureBytesMax)
        return MessageClaim(
            payload: payload, accountID: accountID, network: network, key: key, keyText: keyText,
            signature: try SignatureForm.read(signatureText, by: key.curve))
    }
}
