// SPDX-License-Identifier: Apache-2.0

/// One key operation of a request.
public struct RequestedOperation: Hashable, Sendable {
    /// The account whose key performs the operation.
    public let account: Account
    /// The operation.
    public let operation: KeyOperation
    /// The facts of this operation; they replace facts of the request with the same name.
    public let facts: [Fact]
    /// The effects of this operation.
    public let effects: [Effect]
    /// The dangers of this operation.
    public let dangers: [Danger]
    /// Upper bounds of the amounts that leave the account by this operation.
    public let outflows: [Outflow]
    /// The names of facts that are missing or ambiguous; with any, no answer is remembered.
    public let undetermined: [String]
    /// True if another key signs the same bytes in an earlier operation, so that the outflows of
    /// both leave once; rules and limits still count each signature.
    public let isCosigning: Bool

    /// Makes one operation.
    public init(
        account: Account, operation: KeyOperation, facts: [Fact], effects: [Effect],
        dangers: [Danger], outflows: [Outflow] = [], undetermined: [String] = [],
        isCosigning: Bool = false
    ) {
        self.isCosigning = isCosigning
        self.account = account
        self.operation = operation
        self.facts = facts
        self.effects = effects
        self.dangers = dangers
        self.outflows = outflows
        self.undetermined = undetermined
    }
}

/// A token by which the ledger recognises a request that was answered before.
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
/// All its operations are approved together, and all or none are carried out.
public protocol SignRequest: Sendable {
    /// The protocol that rules name.
    var protocolID: ProtocolID { get }
    /// The method as the wire names it, such as `sign_event`.
    var method: String { get }
    /// The client that the wire names; if nil, the peer's identity or claim is used.
    var client: Client? { get }
    /// The key operations, in the order of their results; empty if no key is needed.
    var operations: [RequestedOperation] { get }
    /// The facts of the request as a whole.
    var facts: [Fact] { get }
    /// The effects that do not belong to a single operation.
    var effects: [Effect] { get }
    /// The dangers that do not belong to a single operation.
    var dangers: [Danger] { get }
    /// The amounts that leave accounts and do not belong to a single operation.
    var outflows: [Outflow] { get }
    /// The degree to which the adapter decoded the request.
    var decoding: Decoding { get }
    /// The token by which a replayed request is recognised; nil if the protocol has none.
    var replayToken: ReplayToken? { get }
    /// The relations to earlier and later requests.
    var terms: RequestTerms { get }
    /// The public identifiers of the signed data, such as event ids, transaction ids and message
    /// hashes.
    ///
    /// They are recorded with the result.
    var identifiers: [String] { get }
    /// The summary for a person, identical in terminal, page and log.
    ///
    /// The hub adds lines for the client, the effects and the dangers.
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
