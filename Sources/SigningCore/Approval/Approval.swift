// SPDX-License-Identifier: Apache-2.0

/// The values that an approval is bound to; it counts for no other request.
public struct ApprovalBinding: Hashable, Sendable {
    /// 16 random bytes, new for every question.
    public let nonce: [UInt8]
    /// SHA-256 of the frame, 32 bytes.
    public let requestDigest: [UInt8]
    /// The hash of the policy that asked for a person.
    public let policyHash: [UInt8]
    /// The keys that the request would use.
    public let keys: [KeyID]
    /// The last moment at which an answer counts.
    public let expires: Timestamp

    /// Makes a binding; called by hubs and by stores that keep questions.
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
    /// The main effect of a yes; it chooses the verb of the question.
    public enum Act: String, Hashable, Sendable {
        /// A key signs.
        case sign
        /// A key encrypts, and signs nothing.
        case encrypt
        /// A key decrypts, and signs nothing.
        case decrypt
        /// A transaction that is already signed goes to a network.
        case send
        /// A client learns an account, or receives a connection to one.
        case connect
        /// A client loses its connections and its permissions.
        case disconnect
        /// A client receives information; no key is used.
        case inform = "tell"
    }

    /// The binding that an answer has to repeat.
    public let binding: ApprovalBinding
    /// The main effect of a yes.
    public let act: Act
    /// The summary to show.
    public let summary: Summary
    /// The client that asks, proved or claimed.
    public let client: Client?
    /// The peer as the transport describes it; nil if the question omits it.
    public let peer: Peer?
    /// The accounts that would be used.
    public let accounts: [Account]
    /// The accounts that a person may choose instead.
    public let otherAccounts: [Account]
    /// The effects of the request.
    public let effects: [Effect]
    /// The dangers that a rule would have to name.
    public let dangers: [Danger]
    /// The reasons that a person is asked.
    public let reasons: [Reason]
    /// The amounts that leave accounts, one for each asset; a remembered yes limits their total.
    public let totals: [Outflow]
    /// The scopes of a remembered yes, one for each operation; empty if a yes cannot be remembered.
    public let scopes: [Grant.Scope]
    /// The values that later requests may not exceed, one list for each scope.
    public let bounds: [[Fact]]
    /// The scopes of a remembered no, one for each operation; empty if a no cannot be remembered.
    public let refusalScopes: [Grant.Scope]
    /// The reason that a yes counts only once; nil if only empty `scopes` can prevent a grant.
    public let onlyOnce: String?
    /// True if a yes can be remembered.
    public var canRememberYes: Bool { !scopes.isEmpty && onlyOnce == nil }
    /// True if a no can be remembered.
    public var canRememberNo: Bool { !refusalScopes.isEmpty }
    /// True if the peer has a login, so that an answer can be remembered for it.
    public let hasLogin: Bool
    /// The permissions that the client wishes to be granted with a yes.
    public let wishes: [WishOffer]
    /// The id of the request on record, 16 bytes; nil if the question is not about a request.
    public let requestID: [UInt8]?
    /// True if rules allow the request when the time ends without an answer.
    public let isAllowedUnanswered: Bool

    /// Makes a question; called by hubs and by `SigningTesting`.
    package init(
        binding: ApprovalBinding, act: Act, summary: Summary, client: Client?,
        peer: Peer? = nil, accounts: [Account], effects: [Effect] = [], dangers: [Danger] = [],
        reasons: [Reason] = [], totals: [Outflow] = [], scopes: [Grant.Scope] = [],
        bounds: [[Fact]] = [], refusalScopes: [Grant.Scope] = [], onlyOnce: String? = nil,
        hasLogin: Bool = false, wishes: [WishOffer] = [], otherAccounts: [Account] = [],
        requestID: [UInt8]? = nil, isAllowedUnanswered: Bool = false
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
        self.isAllowedUnanswered = isAllowedUnanswered
    }
}

/// The answer of a person.
public enum ApprovalAnswer: Hashable, Sendable {
    /// Yes to exactly this request, and optionally to similar later ones or to wishes of the
    /// client.
    ///
    /// `isByProgram` is recorded: a program of the owner gave the answer.
    case approved(
        ApprovalBinding, remembering: Remembering? = nil, granting: GrantedWishes? = nil,
        isByProgram: Bool = false)
    /// No, and optionally no to similar later requests.
    case denied(remembering: Remembering? = nil)
    /// Not an answer yet: the person wants to be asked about another account of the question.
    case another(KeyID)
}

/// The reasons that a question has no answer.
public enum ApprovalError: Error, Hashable, Sendable {
    /// A person cannot be asked here.
    case unavailable
    /// The question was not answered in time.
    case timedOut
    /// Too many questions already wait for the people who would be asked.
    case tooMany
    /// The question was withdrawn before it was answered.
    case withdrawn
}

/// A way to ask a person for approval.
///
/// `decide` must return soon after its task is cancelled: the hub cancels it when time is up.
public protocol Approval: Sendable {
    /// True if a person can be asked.
    var canAsk: Bool { get }

    /// True while a person could see a question that waits, and answer it.
    ///
    /// Only such time counts for the delay of a rule.
    var canBeAnswered: Bool { get }

    /// Asks, and waits for the answer.
    ///
    /// If the task is cancelled, an answer that was accepted before is returned.
    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer
}

extension Approval {
    /// True: an approval that does not say otherwise can ask.
    public var canAsk: Bool { true }

    /// True while a person can be asked.
    public var canBeAnswered: Bool { canAsk }
}

/// An approval without a person to ask: every question is `unavailable`.
public struct NoApproval: Approval {
    /// Makes the approval.
    public init() {}

    /// False.
    public var canAsk: Bool { false }

    /// Throws `unavailable`.
    public func decide(_: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        throw .unavailable
    }
}
