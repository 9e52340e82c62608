// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// A call on a NEAR wallet: a message, a session, transactions or delegate actions.
public struct NEP413Request: SignRequest {
    /// What rules name it by, such as `sign_message`.
    public let method: String
    /// A signature for each message, transaction and delegate action.
    public let operations: [RequestedOperation]
    /// What rules may ask about all of it.
    public let facts: [Fact]
    /// Effects beyond those of the operations.
    public let effects: [Effect]
    /// Dangers beyond those of the operations.
    public let dangers: [Danger]
    /// The account and the nonce of a message.
    public let replayToken: ReplayToken?
    /// Partial where something that is signed cannot be read.
    public let decoding: Decoding
    /// What signing in or out changes.
    public let sessionChanges: [SessionChange]
    /// The nonces of the access key that are used up.
    public let serials: [SerialUse]
    /// What is kept of what was looked up.
    public let notes: [Note]

    /// Whether it only tells a connected client its accounts again.
    public var repeatsSession: Bool { if case .accounts = body { true } else { false } }

    let body: Body
    let sha256: SHA256
    let state: String?
    /// Whether it came as a call and is answered as one; else a bare message.
    let isCall: Bool

    /// `near`.
    public var protocolID: ProtocolID { NEP413Adapter.protocolID }
    /// Who the transport says asks: the wire names the recipient of a signature only.
    public internal(set) var client: Client?

    /// What is asked, for the answer and for people.
    enum Body: Sendable {
        case message(MessageSigning, signsIn: Bool)
        case signIn(Account, network: String)
        case signOut(network: String?, sessionCount: Int)
        case accounts([Account])
        case transactions([NEARTransaction], network: String, Purpose)
        case delegates([DelegateAction], network: String)
    }

    /// What transactions are signed for.
    enum Purpose: Hashable {
        /// The client gets them.
        case handOver
        /// They are broadcast; `isList` tells how that is answered.
        case send(isList: Bool)
        /// The one that adds a key for the client is broadcast, and the client is signed in.
        case signIn(Account)
    }

    /// The words of the policy for each kind of request.
    enum Method {
        static let signMessage = "sign_message"
        static let signIn = "sign_in"
        static let signOut = "sign_out"
        static let getAccounts = "get_accounts"
        static let signTransaction = "sign_transaction"
        static let signDelegate = "sign_delegate_action"
        static let all = [
            signMessage, signIn, signOut, getAccounts, signTransaction, signDelegate,
        ]
    }

    init(
        _ method: String, _ body: Body, operations: [RequestedOperation] = [],
        facts: [Fact] = [], effects: [Effect] = [], dangers: [Danger] = [],
        replayToken: ReplayToken? = nil, decoding: Decoding = .full,
        sessionChanges: [SessionChange] = [], sha256: @escaping SHA256,
        serials: [SerialUse] = [], notes: [Note] = [], state: String? = nil, isCall: Bool = true
    ) {
        self.method = method
        self.body = body
        self.operations = operations
        self.facts = facts
        self.effects = effects
        self.dangers = dangers
        self.replayToken = replayToken
        self.decoding = decoding
        self.sessionChanges = sessionChanges
        self.sha256 = sha256
        self.serials = serials
        self.notes = notes
        self.state = state
        self.isCall = isCall
    }

    /// Reads a call, or a bare message.
    init(_ frame: NEP413Frame, in context: WireContext) throws(NEARRefusal) {
        switch frame {
        case .message(let wire):
            try self.init(message: wire, signsIn: false, isCall: false, in: context)
        case .call(.signMessage(let wire)):
            try self.init(message: wire, signsIn: false, isCall: true, in: context)
        case .call(.signInAndSignMessage(let wire)):
            try self.init(message: wire, signsIn: true, isCall: true, in: context)
        case .call(.signIn(let caller, let key)):
            try self.init(signIn: caller, adding: key, in: context)
        case .call(.signOut(let network)): try self.init(signOut: network, in: context)
        case .call(.getAccounts(let network)): try self.init(accountsOn: network, in: context)
        case .call(.signTransaction(let caller, .members(let wire))):
            try self.init(transactions: [wire], of: caller, for: .handOver, in: context)
        case .call(.signTransaction(let caller, .whole(let transaction))):
            try self.init(signing: transaction, of: caller, in: context)
        case .call(.sendTransactions(let caller, let wires, let isList)):
            try self.init(
                transactions: wires, of: caller, for: .send(isList: isList), in: context)
        case .call(.signDelegates(let caller, let wires)):
            try self.init(delegates: wires, of: caller, in: context)
        }
    }
}

/// A frame with every member checked, before an account is chosen.
enum NEP413Frame {
    /// NEP-413's members alone, which is short for `signMessage`.
    case message(NEP413Wire)
    case call(WalletCall)

    init(_ members: NEP413Members, bytes: Int) throws(NEARRefusal) {
        guard members.value("method") == nil else {
            self = .call(try WalletCall(members))
            return
        }
        guard bytes <= NEP413Limits.messageFrameBytesMax else {
            throw .tooLarge("the request", bytesMax: NEP413Limits.messageFrameBytesMax)
        }
        self = .message(try NEP413Wire(members))
    }

    /// What has to be looked up; nil where nothing has.
    var lookups: (caller: WalletCaller, nonceCount: Int, uses: [NEARKeyUse])? {
        switch self {
        case .message(let wire): (wire.caller, 0, [.message])
        case .call(let call): call.lookups
        }
    }
}
