// SPDX-License-Identifier: Apache-2.0

import Algorand
public import SigningCore

/// A decoded ARC-27 request.
public final class ARC27Request: SignRequest {
    /// One for every transaction signed or account shown.
    public let operations: [RequestedOperation]
    /// The network of enable, disable and what is only posted; transactions that are signed
    /// have their own facts.
    public let facts: [Fact]
    /// That of posting what others signed; every other effect is one of an operation.
    public let effects: [Effect]
    /// Hidden text anywhere in the request; an unknown network of enable or post_transactions.
    public let dangers: [Danger]
    /// What enable and disable change.
    let connectionChanges: [ConnectionChange]
    /// Those by which the client is connected to the accounts that sign.
    let requiredConnections: [[UInt8]]
    /// What leaves accounts here where only others signed.
    public let outflows: [Outflow]
    /// That the client was connected once.
    let notes: [Note]
    /// Who the transport says asks: the wire names no client.
    public let client: Client?

    /// Items that do the same and may have been posted; their outcome is unknown.
    let unsettled: [UnsentItem]
    let answer: ARC27Answer
    let body: Body
    let configuration: ARC27Configuration
    /// How the client was served when the request was read.
    let settings: ARC27ClientSettings

    init(
        operations: [RequestedOperation], facts: [Fact], effects: [Effect], dangers: [Danger],
        connectionChanges: [ConnectionChange], requiredConnections: [[UInt8]], outflows: [Outflow],
        notes: [Note], unsettled: [UnsentItem], client: Client?, answer: ARC27Answer, body: Body,
        configuration: ARC27Configuration, settings: ARC27ClientSettings
    ) {
        self.operations = operations
        self.facts = facts
        self.effects = effects
        self.dangers = dangers + (unsettled.isEmpty ? [] : [.unsettled])
        self.unsettled = unsettled
        self.connectionChanges = connectionChanges
        self.requiredConnections = requiredConnections
        self.outflows = outflows
        self.notes = notes
        self.client = client
        self.answer = answer
        self.body = body
        self.configuration = configuration
        self.settings = settings
    }

    /// The method and what it is about.
    enum Body {
        case discover
        case enable(AlgorandNetwork, sessionID: String?)
        case disable(AlgorandNetwork, removed: [String])
        case message(MessageToSign)
        case sign([SigningItem], ARC27ClientSettings.Dialect)
        case post(Posting)
        /// What nobody here can sign, or not for this client.
        case unserved(AlgorandRefusal)
    }

    /// The ids of the transactions and the hashes of the messages that are signed.
    public var identifiers: [String] { operations.compactMap(\.signedID) }

    /// Sessions that begin, end or are stood on, why nothing can be signed for it, and whether its
    /// client is still served as it was.
    public var terms: RequestTerms {
        var terms = RequestTerms()
        terms.connectionChanges = connectionChanges
        terms.requiredConnections = requiredConnections
        terms.notes = notes
        switch body {
        case .disable: terms.endsConnection = true
        case .unserved(let failure):
            terms.unserved = Reason(.keyUnavailable, failure.message)
        case .discover, .enable, .message, .sign, .post: break
        }
        if let clientsNow = configuration.clientsNow, let client {
            terms.isCurrent = { [settings] in
                clientsNow().map { $0[client.id] ?? ARC27ClientSettings() } == settings
            }
        }
        return terms
    }

    /// Algorand.
    public var protocolID: ProtocolID { .algorand }
    /// The method between `arc0027:` and `:request`.
    public var method: String { answer.method }
    /// What is not understood in full is refused.
    public var decoding: Decoding { .full }
    /// Nil: signing a transaction again gives the same bytes, and a network takes them once.
    public var replayToken: ReplayToken? { nil }
}
