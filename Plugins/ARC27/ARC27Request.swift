// SPDX-License-Identifier: Apache-2.0

import Algorand
public import SigningCore

/// A decoded ARC-27 request.
public final class ARC27Request: SignRequest {
    /// One operation for every signed transaction or shown account.
    public let operations: [RequestedOperation]
    /// The network of enable, disable and post_transactions; signed transactions have their own
    /// facts.
    public let facts: [Fact]
    /// The effect of posting transactions signed elsewhere; operations hold all other effects.
    public let effects: [Effect]
    /// The dangers of the whole request: hidden text, and an unknown network.
    public let dangers: [Danger]
    /// The connection changes of enable and disable.
    let connectionChanges: [ConnectionChange]
    /// The connections of the client to the accounts that sign.
    let requiredConnections: [[UInt8]]
    /// The outflows of accounts held here if only others signed.
    public let outflows: [Outflow]
    /// The note that the client was connected once.
    let notes: [Note]
    /// The client as the transport names it; the wire names no client.
    public let client: Client?

    /// Items with the same effect that may have been posted and whose outcome is unknown.
    let unsettled: [UnsentItem]
    let answer: ARC27Answer
    let body: Body
    let configuration: ARC27Configuration
    /// The settings of the client when the request was read.
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

    /// The method with its content.
    enum Body {
        case discover
        case enable(AlgorandNetwork, sessionID: String?)
        case disable(AlgorandNetwork, removed: [String])
        case message(MessageToSign)
        case sign([SigningItem], ARC27ClientSettings.Dialect)
        case post(Posting)
        /// A request that no key here can sign, or not for this client.
        case unserved(AlgorandRefusal)
    }

    /// The ids of the signed transactions and the hashes of the signed messages.
    public var identifiers: [String] { operations.compactMap(\.signedID) }

    /// The changes and requirements of the request.
    ///
    /// They hold the sessions that begin, end or are required, and the reason that it cannot be
    /// signed. They also check that the settings of the client are still the same.
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

    /// The protocol id, `algorand`.
    public var protocolID: ProtocolID { .algorand }
    /// The method between `arc0027:` and `:request`.
    public var method: String { answer.method }
    /// Always `full`: content that is not fully understood is refused.
    public var decoding: Decoding { .full }
    /// Nil: signing a transaction again gives the same bytes, and a network takes them once.
    public var replayToken: ReplayToken? { nil }
}
