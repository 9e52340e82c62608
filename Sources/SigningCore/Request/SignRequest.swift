// SPDX-License-Identifier: Apache-2.0

/// One use of a key in a request.
public struct RequestedOperation: Hashable, Sendable {
    /// The key's public half.
    public let account: Account
    /// The operation.
    public let operation: KeyOperation
    /// The facts of this operation; they take precedence over the request's facts of the same name.
    public let facts: [Fact]
    /// The effects of this operation.
    public let effects: [Effect]
    /// The dangers of this operation.
    public let dangers: [Danger]
    /// Upper bounds of the amounts that leave the account by this operation.
    public let outflows: [Outflow]
    /// The names of facts that are missing or ambiguous, which prevents a remembered answer.
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

/// A token by which a repeated request is recognised.
public struct ReplayToken: Hashable, Sendable {
    /// The bytes that make the request unique, such as account and nonce.
    public let bytes: [UInt8]
    /// True if the ledger refuses a second request with this token.
    public let isSingleUse: Bool

    /// Makes a token.
    public init(_ bytes: [UInt8], isSingleUse: Bool) {
        self.bytes = bytes
        self.isSingleUse = isSingleUse
    }
}

/// A decoded request to use keys.
///
/// Several operations are one request: all or none are carried out, with one approval.
public protocol SignRequest: Sendable {
    /// The protocol that rules name.
    var protocolID: ProtocolID { get }
    /// The method as the wire names it, such as `sign_event`.
    var method: String { get }
    /// The client, if the wire names one; if nil, the peer's identity or claim is used.
    var client: Client? { get }
    /// The key operations, in the order of their results; empty if no key is needed.
    var operations: [RequestedOperation] { get }
    /// The facts of the request as a whole.
    var facts: [Fact] { get }
    /// The effects beyond those of the operations.
    var effects: [Effect] { get }
    /// The dangers beyond those of the operations.
    var dangers: [Danger] { get }
    /// The amounts that leave accounts beyond those of the operations.
    var outflows: [Outflow] { get }
    /// The degree to which it was decoded.
    var decoding: Decoding { get }
    /// The token that reveals a repetition, if the protocol has one.
    var replayToken: ReplayToken? { get }
    /// The relations to earlier and later requests.
    var terms: RequestTerms { get }
    /// The public identifiers of the signed data, such as event ids, transaction ids and message
    /// hashes.
    ///
    /// They go on record with the result.
    var identifiers: [String] { get }
    /// The summary for a person, identical in terminal, page and log.
    ///
    /// The hub adds the client, the effects and the dangers, which every request has.
    var summary: Summary { get }
}

extension SignRequest {
    /// Empty.
    public var outflows: [Outflow] { [] }
    /// Empty.
    public var terms: RequestTerms { RequestTerms() }
    /// Empty.
    public var identifiers: [String] { [] }
}
