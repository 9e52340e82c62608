// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

/// A request of a client to be connected to keys, and to use them later without a question.
public final class ConnectRequest: SignRequest {
    /// The protocol of the keys.
    public let protocolID: ProtocolID
    /// The method name, `connect`.
    public var method: String { Self.method }
    /// The client that the access token proves.
    public let client: Client?
    /// One operation for each public key that is revealed.
    public let operations: [RequestedOperation]
    /// Always `full`: content that is not understood is refused.
    public let decoding = Decoding.full
    /// Empty; a connection has no facts.
    public var facts: [Fact] { [] }
    /// Empty; the operations hold the effects.
    public var effects: [Effect] { [] }
    /// Empty; a connection has no dangers.
    public var dangers: [Danger] { [] }
    /// Nil: a connected client may ask again for more or fewer scopes.
    public var replayToken: ReplayToken? { nil }

    /// The name of the method in rules.
    public static let method = "connect"
    /// The network name of these connections, which are to a key and not to a chain.
    public static let network = "connect"

    private let wire: ConnectWire
    private let wishes: [Wish]
    private let connections: [ClientConnection]
    private let expires: Timestamp

    init(
        _ wire: ConnectWire, of protocolID: ProtocolID, in context: DecodingContext,
        _ read: ConnectAdapter.Reading
    ) throws(ConnectRefusal) {
        guard let client = context.client, client.proof.isOfToken else { throw .unproved }
        self.wire = wire
        self.protocolID = protocolID
        self.client = client
        let expires = context.now.adding(seconds: wire.seconds)
        self.expires = expires
        let held = context.nameable(client) ?? context.accounts
        var accounts: [Account] = []
        var wishes: [Wish] = []
        for (place, name) in wire.keys.enumerated() {
            // A watched account has no key here, so the client could not use it.
            guard
                let account = held.first(where: {
                    $0.name == name && !$0.isWatchOnly
                })
            else { throw .unknownKey }
            accounts.append(account)
            for scope in wire.scopes {
                wishes.append(
                    try read(scope).wish(for: account, at: place, seconds: wire.seconds))
            }
        }
        self.wishes = wishes
        operations = accounts.map {
            RequestedOperation(
                account: $0, operation: .publicKey, facts: [], effects: [.revealsKey], dangers: [])
        }
        connections = accounts.map {
            ClientConnection(
                id: context.freshID, protocolID: protocolID, client: client,
                network: Self.network, key: $0.id, address: $0.address, started: context.now,
                expires: expires)
        }
    }

    /// The wishes, and the connections that begin.
    public var terms: RequestTerms {
        var terms = RequestTerms()
        terms.pace = Pace()
        terms.wishes = wishes
        terms.connectionChanges = connections.map { .opens($0) }
        return terms
    }

    /// The summary for a person before the decision.
    public var summary: Summary {
        let accounts = operations.map {
            Summary.Line("account", "\($0.account.name) \($0.account.address)").essential()
        }
        let scopes = wishes.map { Summary.Line("would like later", $0.title).essential() }
        return Summary(
            title: "Connect a client to your \(accounts.count == 1 ? "account" : "accounts")",
            lines: accounts + [Summary.Line("until", expires.utcText).essential()] + scopes,
            warnings: [])
    }

    func answer(granted: Set<Int>) -> JSON {
        let rows = wishes.indices.map { place in
            wire.scopes[place % wire.scopes.count].json(of: wire.keys[wishes[place].place])
        }
        let reported = zip(connections, operations).map { connection, operation -> JSON in
            [
                "id": .string(Hex.encode(connection.id.span)),
                "key": .string(operation.account.name), "account": .string(connection.address),
            ]
        }
        return [
            "connections": .array(reported), "expires": .string(expires.utcText),
            "granted": .array(rows.indices.filter(granted.contains).map { rows[$0] }),
            "asked": .array(rows.indices.filter { !granted.contains($0) }.map { rows[$0] }),
        ]
    }
}

extension Wish {
    /// Returns the wish for one key and a limited time.
    fileprivate func wish(for account: Account, at place: Int, seconds: Int64) -> Wish {
        Wish(
            method: method, facts: facts, effects: effects, dangers: dangers,
            title: "\(title), with \(account.name), for \(Self.words(seconds)) at most",
            isGrantable: isGrantable, place: place, secondsMax: seconds)
    }

    /// Returns a time in the largest unit that divides it.
    private static func words(_ seconds: Int64) -> String {
        let units: [(Int64, String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
        let (length, name) = units.first { seconds % $0.0 == 0 } ?? (1, "second")
        let count = seconds / length
        return "\(count) \(name)\(count == 1 ? "" : "s")"
    }
}

extension Client.Proof {
    /// True if the owner authorized the client with an access token.
    fileprivate var isOfToken: Bool {
        switch self {
        case .token, .browser: true
        case .callback, .key, .claimed, .page, .server: false
        }
    }
}
