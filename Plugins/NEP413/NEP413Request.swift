// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// A message that somebody wants signed by NEP-413.
public struct NEP413Request: SignRequest {
    /// The account that is to sign.
    public let account: Account
    /// One signature.
    public let operations: [RequestedOperation]
    /// What rules may ask about the message.
    public let facts: [Fact]
    /// `provesIdentity`, and what an order to NEAR Intents may do.
    public let effects: [Effect]
    /// What a rule has to name before it covers the message.
    public let dangers: [Danger]
    /// The account and the nonce.
    public let replayToken: ReplayToken?

    let payload: NEP413Payload
    let network: String?
    let state: String?
    let callbackOrigin: String?
    let intents: IntentsFinding
    let isNonceReused: Bool?

    /// `near`.
    public var protocolID: ProtocolID { NEP413Adapter.protocolID }
    /// `sign_message`.
    public var method: String { NEP413Adapter.method }
    /// Nobody: the wire names the recipient of the signature, not who asks for it.
    public var client: Client? { nil }
    /// Partial where the message may be an order that cannot be read.
    public var decoding: Decoding { intents == .unreadable ? .partial : .full }

    init(_ wire: NEP413Wire, in context: DecodingContext) throws(Refusal) {
        account = try Self.account(for: wire, among: context.accounts)
        payload = wire.payload
        network = wire.network ?? account.network
        state = wire.state
        callbackOrigin = payload.callbackURL.flatMap(CallbackOrigin.read)
        intents = IntentsFinding(recipient: payload.recipient, message: payload.message)

        let token = Self.replayToken(account, payload.nonce)
        replayToken = token
        isNonceReused = context.wasSeen(token)

        operations = [
            RequestedOperation(
                account: account,
                operation: .sign(
                    SigningInput(domain: NEP413Adapter.domainID, preimage: payload.preimage)),
                facts: [], effects: [], dangers: [])
        ]
        effects = [.provesIdentity] + intents.effects
        dangers = Self.dangers(payload, network: network, intents: intents)
        facts = Self.facts(
            payload, network: network, callbackOrigin: callbackOrigin, intents: intents,
            isNonceReused: isNonceReused)
    }

    /// A nonce may come again, to sign the same message anew; a rule can forbid it.
    private static func replayToken(_ account: Account, _ nonce: [UInt8]) -> ReplayToken {
        ReplayToken(
            Array("nep413:".utf8) + Array(account.address.utf8) + [0] + nonce, isSingleUse: false)
    }

    private static func dangers(
        _ payload: NEP413Payload, network: String?, intents: IntentsFinding
    ) -> [Danger] {
        var dangers: [Danger] = []
        if intents != .none { dangers.append(.intents) }
        if let network, !NEARNetwork.isKnown(network) { dangers.append(.unknownNetwork) }
        if payload.message.utf8.count > NEP413Limits.messageBytesUsual {
            dangers.append(.oversize)
        }
        let read = [payload.message, payload.recipient, payload.callbackURL ?? ""]
        if read.contains(where: VisibleText.hasHidden) { dangers.append(.controlCharacters) }
        return dangers
    }

    private static func facts(
        _ payload: NEP413Payload, network: String?, callbackOrigin: String?,
        intents: IntentsFinding, isNonceReused: Bool?
    ) -> [Fact] {
        var facts = [
            Fact("recipient", .text(payload.recipient)),
            Fact("message.bytes", .integer(Int128(payload.message.utf8.count))),
        ]
        if let network { facts.append(Fact("network", .text(network))) }
        if let callbackOrigin { facts.append(Fact("callback.origin", .text(callbackOrigin))) }
        if let isNonceReused { facts.append(Fact("nonce.reused", .bool(isNonceReused))) }
        if let isForIntents = intents.isKnown(recipient: payload.recipient) {
            facts.append(Fact("intents", .bool(isForIntents)))
        }
        if let kinds = intents.kinds {
            facts.append(Fact("intents.kinds", .list(kinds.map { .text($0) })))
        }
        return facts
    }
}
