// SPDX-License-Identifier: Apache-2.0

import NEAR
public import SigningCore

/// A call on a NEAR wallet: a message, a session, transactions or delegate actions.
public final class NEP413Request: SignRequest {
    let near: NEARRequest
    let state: String?
    /// True for a call, which is answered as a call; false for a bare message.
    let isCall: Bool
    /// The client as the transport names it: the wire only names the recipient of a signature.
    public let client: Client?

    /// The protocol id, `near`.
    public var protocolID: ProtocolID { .near }
    /// The method name in rules, such as `sign_message`.
    public var method: String { near.method }
    /// One operation for each message, transaction and delegate action.
    public var operations: [RequestedOperation] { near.operations }
    /// The facts about the whole request.
    public var facts: [Fact] { near.facts }
    /// Effects beyond those of the operations.
    public var effects: [Effect] { near.effects }
    /// Dangers beyond those of the operations.
    public var dangers: [Danger] { near.dangers }
    /// The account and the nonce of a message.
    public var replayToken: ReplayToken? { near.replayToken }
    /// Partial if some signed content cannot be read.
    public var decoding: Decoding { near.decoding }
    /// The connection changes, used nonces and notes.
    public var terms: RequestTerms { near.terms }
    /// The hashes of the signed transactions, messages and delegate actions.
    public var identifiers: [String] { operations.compactMap(\.signedHash) }

    /// The summary for a person.
    public var summary: Summary {
        var summary = near.summary
        if let state {
            summary.lines.append(
                .init("state", "\(state.utf8.count) bytes, sent back and not signed"))
        }
        return summary
    }

    init(_ frame: NEP413Frame, in context: NEARContext) throws(NEARRefusal) {
        client = context.hub.client
        state = frame.call.message?.state
        isCall = frame.isCall
        near = try NEARRequest(frame.call, in: context)
    }
}

extension NEARRequest {
    fileprivate init(_ call: WalletCall, in context: NEARContext) throws(NEARRefusal) {
        switch call {
        case .signMessage(let wire):
            try self.init(
                message: wire.payload, of: wire.clientContext, signsIn: false, in: context)
        case .signInAndSignMessage(let wire, adding: nil):
            try self.init(message: wire.payload, of: wire.clientContext, signsIn: true, in: context)
        case .signInAndSignMessage:
            throw NEARRefusal(
                .unsupportedMethod,
                "one request cannot have both a key and a message; send signMessage, then "
                    + "signIn with "
                    + "addFunctionCallKey")
        case .signIn(let clientContext, let key):
            try self.init(signIn: clientContext, adding: key, in: context)
        case .signOut(let network): try self.init(signOut: network, in: context)
        case .getAccounts(let network): try self.init(accountsOn: network, in: context)
        case .signTransaction(let clientContext, .members(let draft)):
            try self.init(transactions: [draft], of: clientContext, for: .handOver, in: context)
        case .signTransaction(let clientContext, .whole(let transaction)):
            try self.init(signing: transaction, of: clientContext, in: context)
        case .sendTransactions(let clientContext, let drafts, let isList):
            try self.init(
                transactions: drafts, of: clientContext, for: .send(isList: isList), in: context)
        case .signDelegates(let clientContext, let drafts):
            try self.init(delegates: drafts, of: clientContext, in: context)
        }
    }
}

extension WalletCall {
    /// The message of the request, if it has one.
    fileprivate var message: NEP413Wire? {
        switch self {
        case .signMessage(let wire), .signInAndSignMessage(let wire, _): wire
        case .signIn, .signOut, .getAccounts, .signTransaction, .sendTransactions, .signDelegates:
            nil
        }
    }
}
