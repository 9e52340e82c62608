// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

/// A message with the account that signs it.
package struct MessageSigning: Sendable {
    package let account: Account
    package let payload: NEP413Payload
    let network: String?
    private let isNetworkKnown: Bool
    let callbackOrigin: String?
    let intents: IntentsFinding
    let isNonceReused: Bool?
    /// The SHA-256 of the message.
    private let digest: [UInt8]

    init(
        _ payload: NEP413Payload, by account: Account, of clientContext: NEARClientContext,
        wasSeen: Bool?
    ) {
        self.account = account
        self.payload = payload
        network = clientContext.network ?? account.network
        isNetworkKnown = network.map(clientContext.networks.contains) ?? true
        callbackOrigin = payload.callbackURL.flatMap { try? WebOrigin($0).text }
        intents = IntentsFinding(recipient: payload.recipient, message: payload.message)
        isNonceReused = wasSeen
        digest = Digest.sha256(payload.message.utf8.span)
    }

    var operation: RequestedOperation {
        RequestedOperation(
            account: account,
            operation: .sign(
                SigningInput(domain: .nearMessage, preimage: payload.preimage)),
            facts: [], effects: [], dangers: [], outflows: outflows,
            undetermined: (isNonceReused == nil ? ["nonce.reused"] : []) + intents.undetermined)
    }

    /// The tokens that leave the balance which the recipient keeps for the account.
    ///
    /// Empty if one of the orders cannot be read: otherwise a limit would count only the others.
    private var outflows: [Outflow] {
        let assets = AssetNetwork(network)
        return Outflow.totals(
            of: (intents.orders ?? []).flatMap(\.moves).map { move in
                Outflow(
                    assets.token(of: payload.recipient, named: move.token),
                    Int128(clamping: move.amount))
            })
    }

    var dangers: [Danger] {
        var dangers: [Danger] = []
        if intents != .none { dangers.append(.intents) }
        if !isNetworkKnown { dangers.append(.unknownNetwork) }
        if payload.message.utf8.count > MessageLimits.messageBytesUsual {
            dangers.append(.oversize)
        }
        let read = [payload.message, payload.recipient, payload.callbackURL ?? ""]
        if read.contains(where: VisibleText.hasHidden) { dangers.append(.controlCharacters) }
        return dangers
    }

    func facts(signsIn: Bool) -> [Fact] {
        var facts = [
            Fact("recipient", .text(payload.recipient)),
            Fact("message.bytes", .integer(Int128(payload.message.utf8.count))),
            Fact("message.sha256", .bytes(digest)),
        ]
        if let callback = payload.callbackURL { facts.append(Fact("callback", .text(callback))) }
        if let network { facts.append(Fact("network", .text(network))) }
        if let callbackOrigin { facts.append(Fact("callback.origin", .text(callbackOrigin))) }
        if let isNonceReused { facts.append(Fact("nonce.reused", .bool(isNonceReused))) }
        if let isForIntents = intents.isKnown(recipient: payload.recipient) {
            facts.append(Fact("intents", .bool(isForIntents)))
        }
        if let kinds = intents.kinds {
            facts.append(Fact("intents.kinds", .list(kinds.map { .text($0) })))
        }
        if let orders = intents.orders {
            if let receivers = intents.receivers, !receivers.isEmpty {
                facts.append(Fact("intents.receiver", .list(receivers.map { .text($0) })))
            }
            let tokens = orders.flatMap(\.moves).compactMap(\.token)
            if !tokens.isEmpty {
                facts.append(Fact("intents.tokens", .list(tokens.map { .text($0) })))
            }
        }
        if signsIn { facts.append(Fact("signs_in", .bool(true))) }
        return facts
    }
}

extension NEARRequest {
    /// Creates a request to sign a message; if the client signs in, also a connection.
    package init(
        message payload: NEP413Payload, of clientContext: NEARClientContext, signsIn: Bool,
        in context: NEARContext
    ) throws(NEARRefusal) {
        let account = try clientContext.account(in: context.hub)
        try context.lookup?.check(isFor: account, on: clientContext.network ?? account.network)
        let token = Self.replayToken(account, payload.nonce)
        let message = MessageSigning(
            payload, by: account, of: clientContext, wasSeen: context.hub.wasSeen(token))
        var changes: [ConnectionChange] = []
        if signsIn {
            let network = try clientContext.network(or: account)
            changes = try Self.opening(account, on: network, in: context.hub)
        }
        self.init(
            Method.signMessage, .message(message, signsIn: signsIn),
            operations: [message.operation], facts: message.facts(signsIn: signsIn),
            effects: [.provesIdentity] + (signsIn ? [.revealsKey] : []) + message.intents.effects,
            dangers: message.dangers, replayToken: token,
            decoding: message.intents.undetermined.isEmpty ? .full : .partial,
            connectionChanges: changes)
        purpose = clientContext.purpose
    }

    /// Returns the token of a nonce; a nonce may be reused unless a rule forbids it.
    private static func replayToken(_ account: Account, _ nonce: [UInt8]) -> ReplayToken {
        ReplayToken(
            Array("nep413:".utf8) + Array(account.address.utf8) + [0] + nonce, isSingleUse: false)
    }
}
