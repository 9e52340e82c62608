// SPDX-License-Identifier: Apache-2.0

/// What an approval is bound to: it counts for nothing else.
public struct ApprovalBinding: Hashable, Sendable {
    /// 16 random bytes, new for every question.
    public let nonce: [UInt8]
    /// SHA-256 of the frame, 32 bytes.
    public let requestDigest: [UInt8]
    /// The policy that asked for a person.
    public let policyHash: [UInt8]
    /// The keys that would be used.
    public let keys: [KeyID]
    /// The last moment an answer counts.
    public let expires: Timestamp

    /// Makes a binding; hubs do, and stores that keep questions for later.
    public init(
        nonce: [UInt8], requestDigest: [UInt8], policyHash: [UInt8], keys: [KeyID],
        expires: Timestamp
    ) {
        self.nonce = nonce
        self.requestDigest = requestDigest
        self.policyHash = policyHash
        self.keys = keys
        self.expires = expires
    }
}

/// One question to a person.
public struct ApprovalQuestion: Sendable {
    /// What a yes does first of all, in the word that the question is asked by.
    public enum Act: String, Hashable, Sendable {
        /// A key signs.
        case sign
        /// A key encrypts, and signs nothing.
        case encrypt
        /// A key decrypts, and signs nothing.
        case decrypt
        /// Something that is signed already goes to a network.
        case send
        /// A client learns an account, or gets a connection to one.
        case connect
        /// A client loses its connections, and what it was allowed.
        case disconnect
        /// A client is told something, and no key is used.
        case tell
    }

    /// What an answer has to name.
    public let binding: ApprovalBinding
    /// What a yes does.
    public let act: Act
    /// What to show.
    public let summary: Summary
    /// Who asks, proved or claimed.
    public let client: Client?
    /// Who the transport says came; nil where the question says nothing of it.
    public let peer: Peer?
    /// The accounts that would be used.
    public let accounts: [Account]
    /// The accounts that a person may choose instead.
    public let otherAccounts: [Account]
    /// What would happen.
    public let effects: [Effect]
    /// What a rule would have to name.
    public let dangers: [Danger]
    /// Why a person is asked.
    public let reasons: [Reason]
    /// What leaves accounts, one for each asset: what a remembered yes has a total of.
    public let totals: [Outflow]
    /// What a remembered yes would be about, one for each operation; empty where none can be.
    public let scopes: [Grant.Scope]
    /// The values that later requests may not exceed, one list for each scope.
    public let bounds: [[Fact]]
    /// What a remembered no would be about, one for each operation; empty where none can be.
    public let refusalScopes: [Grant.Scope]
    /// Why a yes counts once; nil where one can be remembered, if there are scopes.
    public let onlyOnce: String?
    /// Whether a yes can be remembered.
    public var canRememberYes: Bool { !scopes.isEmpty && onlyOnce == nil }
    /// Whether a no can be remembered.
    public var canRememberNo: Bool { !refusalScopes.isEmpty }
    /// Whether an answer can be remembered for this login.
    public let hasLogin: Bool
    /// What the client would like to be granted with a yes.
    public let wishes: [WishOffer]
    /// The id of the request on record, 16 bytes; nil where the question is about none.
    public let requestID: [UInt8]?

    /// Makes a question; hubs do, and `SigningTesting` for those who write approvals.
    package init(
        binding: ApprovalBinding, act: Act, summary: Summary, client: Client?,
        peer: Peer? = nil, accounts: [Account], effects: [Effect] = [], dangers: [Danger] = [],
        reasons: [Reason] = [], totals: [Outflow] = [], scopes: [Grant.Scope] = [],
        bounds: [[Fact]] = [], refusalScopes: [Grant.Scope] = [], onlyOnce: String? = nil,
        hasLogin: Bool = false, wishes: [WishOffer] = [], otherAccounts: [Account] = [],
        requestID: [UInt8]? = nil
    ) {
        self.binding = binding
        self.act = act
        self.summary = summary
        self.client = client
        self.peer = peer
        self.accounts = accounts
        self.otherAccounts = otherAccounts
        self.effects = effects
        self.dangers = dangers
        self.reasons = reasons
        self.totals = totals
        self.scopes = scopes
        self.bounds = bounds
        self.refusalScopes = refusalScopes
        self.onlyOnce = onlyOnce
        self.hasLogin = hasLogin
        self.wishes = wishes
        self.requestID = requestID
    }
}

/// What the person said.
public enum ApprovalAnswer: Hashable, Sendable {
    /// Yes, to exactly this, and perhaps to the like of it later, or to what the client wishes;
    /// on record it is told whether a program of the owner said it.
    case approved(
        ApprovalBinding, remembering: Remembering? = nil, granting: GrantedWishes? = nil,
        isByProgram: Bool = false)
    /// No, and perhaps no to the like of it later.
    case denied(remembering: Remembering? = nil)
    /// Neither yet: the question is to be about another of its accounts.
    case another(KeyID)
}

/// Why nobody could be asked.
public enum ApprovalError: Error, Hashable, Sendable {
    /// There is no one to ask here.
    case unavailable
    /// Nobody answered in time.
    case timedOut
    /// Too much waits for those who would be asked.
    case tooMany
    /// The question was taken back before it was answered.
    case withdrawn
}

/// Someone who may say yes.
///
/// `decide` must return soon after its task is cancelled: the hub cancels it when time is up.
public protocol Approval: Sendable {
    /// Whether there is anybody to ask at all.
    var canAsk: Bool { get }

    /// Asks, and waits for the answer.
    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer
}

extension Approval {
    /// There is, as far as can be told beforehand.
    public var canAsk: Bool { true }
}

/// The approver of a place where nobody is: every question is `unavailable`.
public struct NoApproval: Approval {
    /// Makes it.
    public init() {}

    /// False.
    public var canAsk: Bool { false }

    /// Throws `unavailable`.
    public func decide(_: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        throw .unavailable
    }
}
