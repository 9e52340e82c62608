// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// A request for NEAR keys, independent of its wire.
package struct NEARRequest: Sendable {
    /// The method name in rules, such as `sign_message`.
    package let method: String
    /// One operation for each message, transaction and delegate action to be signed.
    package let operations: [RequestedOperation]
    /// The facts about the whole request.
    package let facts: [Fact]
    /// Effects beyond those of the operations.
    package let effects: [Effect]
    /// Dangers beyond those of the operations.
    package let dangers: [Danger]
    /// The account and the nonce of a message.
    package let replayToken: ReplayToken?
    /// Partial if some signed content cannot be read.
    package let decoding: Decoding
    /// The state changes of the request.
    ///
    /// These are changes of connections, used nonces and notes about lookups. They also say whether
    /// the request only lists the accounts of a connected client.
    package let terms: RequestTerms
    /// Transactions with the same effect that may have been sent before and whose outcome is
    /// unknown.
    package let unsettled: [UnsentItem]
    package let body: Body
    /// The purpose of the connection, as the client states it.
    var purpose: ConnectionPurpose?

    /// The content of the request, for the answer and for people.
    package enum Body: Sendable {
        case message(MessageSigning, signsIn: Bool)
        case signIn(Account, network: String)
        case signOut(network: String?, sessionCount: Int)
        case accounts([Account])
        case transactions([NEARTransaction], network: String, Purpose)
        case delegates([DelegateAction], network: String)
    }

    /// The purpose of signing transactions.
    package enum Purpose: Hashable, Sendable {
        /// The client gets the signed transactions.
        case handOver
        /// They are broadcast; `isList` decides the form of the answer.
        case send(isList: Bool)
        /// The transaction that adds a key for the client is broadcast, and the client is signed
        /// in.
        case signIn(Account)
    }

    /// The method names in policies for each kind of request.
    package enum Method {
        package static let signMessage = "sign_message"
        package static let signIn = "sign_in"
        package static let signOut = "sign_out"
        package static let getAccounts = "get_accounts"
        package static let signTransaction = "sign_transaction"
        package static let signDelegate = "sign_delegate_action"
        /// The method name for a request to connect, on every wire.
        static let connect = "connect"
        package static let all = [
            signMessage, signIn, signOut, getAccounts, signTransaction, signDelegate, connect,
        ]
    }

    init(
        _ method: String, _ body: Body, operations: [RequestedOperation] = [],
        facts: [Fact] = [], effects: [Effect] = [], dangers: [Danger] = [],
        replayToken: ReplayToken? = nil, decoding: Decoding = .full,
        connectionChanges: [ConnectionChange] = [],
        serials: [SerialUse] = [], notes: [Note] = [], unsettled: [UnsentItem] = []
    ) {
        self.method = method
        self.body = body
        self.operations = operations
        self.facts = facts
        self.effects = effects
        // A transaction that is being sent is no reason to ask again: two concurrent calls are
        // intended.
        let isUnsettled = unsettled.contains { !$0.isOnItsWay }
        self.dangers = dangers + (isUnsettled ? [.unsettled] : [])
        self.unsettled = unsettled
        self.replayToken = replayToken
        self.decoding = decoding
        var terms = RequestTerms()
        terms.connectionChanges = connectionChanges
        terms.serials = serials
        terms.notes = notes
        switch body {
        case .accounts: terms.repeatsConnection = true
        case .signOut: terms.endsConnection = true
        case .message, .signIn, .transactions, .delegates: break
        }
        self.terms = terms
    }
}

/// The context that a request is created in.
package struct NEARContext {
    /// The state of the hub.
    package let hub: DecodingContext
    /// The lookup, if there was one.
    package let lookup: NEARLookup?

    package init(hub: DecodingContext, lookup: NEARLookup?) {
        self.hub = hub
        self.lookup = lookup
    }
}
