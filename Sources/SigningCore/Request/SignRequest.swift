// SPDX-License-Identifier: Apache-2.0

/// One use of one key within a request.
public struct RequestedOperation: Hashable, Sendable {
    /// The key's public half.
    public let account: Account
    /// What it is to do.
    public let operation: KeyOperation
    /// Facts of this operation alone; they come before the request's facts of the same name.
    public let facts: [Fact]
    /// Effects of this operation.
    public let effects: [Effect]
    /// Dangers of this operation.
    public let dangers: [Danger]
    /// What leaves the account by this operation, for sure or at most.
    public let outflows: [Outflow]
    /// The names of facts that are missing or not the only ones of their kind, so that nobody
    /// could say what a remembered answer is about.
    public let undetermined: [String]

    /// Makes one operation.
    public init(
        account: Account, operation: KeyOperation, facts: [Fact], effects: [Effect],
        dangers: [Danger], outflows: [Outflow] = [], undetermined: [String] = []
    ) {
        self.account = account
        self.operation = operation
        self.facts = facts
        self.effects = effects
        self.dangers = dangers
        self.outflows = outflows
        self.undetermined = undetermined
    }
}

/// A mark by which a repeated request is known again.
public struct ReplayToken: Hashable, Sendable {
    /// What makes the request unique, such as account and nonce.
    public let bytes: [UInt8]
    /// Whether a second request with this token is refused by the ledger.
    public let isSingleUse: Bool

    /// Makes a token.
    public init(_ bytes: [UInt8], isSingleUse: Bool) {
        self.bytes = bytes
        self.isSingleUse = isSingleUse
    }
}

/// What somebody asks keys to do, decoded in full.
///
/// Several operations are one request: all of them or none, with one approval.
public protocol SignRequest: Sendable {
    /// The protocol rules name.
    var protocolID: ProtocolID { get }
    /// The method as the wire names it, such as `sign_event`.
    var method: String { get }
    /// Who asks, where the wire tells; nil leaves it to the origin's claim.
    var client: Client? { get }
    /// The key operations, in the order of their results; empty where no key is needed.
    var operations: [RequestedOperation] { get }
    /// Facts of the request as a whole.
    var facts: [Fact] { get }
    /// Effects beyond those of the operations.
    var effects: [Effect] { get }
    /// Dangers beyond those of the operations.
    var dangers: [Danger] { get }
    /// What leaves accounts beyond what the operations move.
    var outflows: [Outflow] { get }
    /// How much of it was understood.
    var decoding: Decoding { get }
    /// The mark that makes a repetition visible, if the protocol has one.
    var replayToken: ReplayToken? { get }
    /// What ties it to requests before and after it.
    var terms: RequestTerms { get }
    /// The names by which others know what is signed, such as event ids, transaction ids and
    /// hashes of messages; they go on record with the result.
    var identifiers: [String] { get }
    /// What a person is shown; the one rendering for terminal, page and log.
    ///
    /// The hub adds who asks, the effects and the dangers: every request has those.
    var summary: Summary { get }
}

extension SignRequest {
    /// Nothing.
    public var outflows: [Outflow] { [] }
    /// None.
    public var terms: RequestTerms { RequestTerms() }
    /// No names.
    public var identifiers: [String] { [] }
}
