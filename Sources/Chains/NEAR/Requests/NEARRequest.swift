// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// What is asked of keys of NEAR, whatever wire it came by.
package struct NEARRequest: Sendable {
    /// What rules name it by, such as `sign_message`.
    package let method: String
    /// A signature for each message, transaction and delegate action.
    package let operations: [RequestedOperation]
    /// What rules may ask about all of it.
    package let facts: [Fact]
    /// Effects beyond those of the operations.
    package let effects: [Effect]
    /// Dangers beyond those of the operations.
    package let dangers: [Danger]
    /// The account and the nonce of a message.
    package let replayToken: ReplayToken?
    /// Partial where something that is signed cannot be read.
    package let decoding: Decoding
    /// What signing in or out changes, the nonces of the access key that are used up, what is kept
    /// of what was looked up, and whether it only tells a connected client its accounts again.
    package let terms: RequestTerms
    /// What does the same and may have been sent before; its outcome is not known, or to come.
    package let unsettled: [UnsentItem]
    package let body: Body
    /// What the client says it connects for.
    var purpose: ConnectionPurpose?

    /// What is asked, for the answer and for people.
    package enum Body: Sendable {
        case message(MessageSigning, signsIn: Bool)
        case signIn(Account, network: String)
        case signOut(network: String?, sessionCount: Int)
        case accounts([Account])
        case transactions([NEARTransaction], network: String, Purpose)
        case delegates([DelegateAction], network: String)
    }

    /// What transactions are signed for.
    package enum Purpose: Hashable, Sendable {
        /// The client gets them.
        case handOver
        /// They are broadcast; `isList` tells how that is answered.
        case send(isList: Bool)
        /// The one that adds a key for the client is broadcast, and the client is signed in.
        case signIn(Account)
    }

    /// The words of the policy for each kind of request.
    package enum Method {
        package static let signMessage = "sign_message"
        package static let signIn = "sign_in"
        package static let signOut = "sign_out"
        package static let getAccounts = "get_accounts"
        package static let signTransaction = "sign_transaction"
        package static let signDelegate = "sign_delegate_action"
        /// What is asked for ahead, over whatever wire.
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
        // One that is on its way is no reason to ask again: two calls at once are two calls.
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
