// SPDX-License-Identifier: Apache-2.0

package import NIP46
internal import SigningCodecs
package import SigningCore
internal import SigningCrypto
internal import SigningStorage

/// A connection of a Nostr client over relays, as the vault keeps it beside its signer key.
package struct BunkerConnection: Hashable, Sendable {
    /// How far it has come.
    package enum State: String, Hashable, Sendable {
        /// The owner has a `bunker://` URI that nobody has used yet.
        case offered
        /// A client has shown a `nostrconnect://` URI and was not answered yet.
        case invited
        /// A client is connected.
        case connected
    }

    /// The signer's key for this connection alone, in lower-case hex.
    package let signer: String
    /// What the owner calls it.
    package let name: String
    /// The account that the client uses.
    package let account: KeyID
    /// Where client and signer meet.
    package var relays: [RelayAddress]
    /// The move to these relays; nil where it was always met there.
    package var move: BunkerMove?
    /// What is offered to be granted with the connection, as a list of `perms`.
    package let perms: String
    package let created: Timestamp
    package var state: State
    /// SHA-256 of the secret of the `bunker://` URI; nil where there was none.
    package let secretDigest: [UInt8]?
    /// The client's key, in lower-case hex; nil while it is offered.
    package var client: String?
    /// What the client says of itself.
    package var metadata: ClientMetadata?

    /// How long a URI is good for, in seconds.
    package static let offerSeconds: Int64 = 86_400

    /// The name by which the vault knows the keys of this transport.
    package static let transport = "relays"

    package init(
        signer: String, name: String, account: KeyID, relays: [RelayAddress], perms: String,
        created: Timestamp, state: State, secretDigest: [UInt8]?, client: String? = nil,
        metadata: ClientMetadata? = nil
    ) {
        self.signer = signer
        self.name = name
        self.account = account
        self.relays = relays
        self.perms = perms
        self.created = created
        self.state = state
        self.secretDigest = secretDigest
        self.client = client
        self.metadata = metadata
    }

    /// Whether nobody may use it any more, although nobody has.
    package func hasExpired(at now: Timestamp) -> Bool {
        state != .connected && now >= created.adding(seconds: Self.offerSeconds)
    }

    /// Where it is met now: for a day after a move at the relays before it as well.
    package func meetings(at now: Timestamp) -> [RelayAddress] {
        guard let move, now < move.time.adding(seconds: BunkerMove.bothSeconds) else {
            return relays
        }
        return relays + move.from.filter { !relays.contains($0) }
    }

    /// The same, met elsewhere from now on, which its client is still to be told.
    package func moved(to relays: [RelayAddress], at now: Timestamp) -> BunkerConnection {
        guard relays != self.relays else { return self }
        var copy = self
        copy.relays = relays
        copy.move = BunkerMove(from: Array(meetings(at: now).prefix(RelayAddress.countMax)), now)
        return copy
    }

    /// The same once the client was told where it moved.
    package var toldOfMove: BunkerConnection {
        var copy = self
        copy.move?.isTold = true
        return copy
    }

    /// Who asks over it.
    package var provedKey: ProvedKey? {
        client.map {
            ProvedKey(publicKey: $0, account: account, connection: signer, name: name)
        }
    }

    /// The same once a client is connected.
    package func connected(to client: String, _ metadata: ClientMetadata?) -> BunkerConnection {
        var copy = self
        copy.state = .connected
        copy.client = client
        copy.metadata = metadata ?? self.metadata
        return copy
    }
}

extension BunkerConnection {
    /// Reads what the vault keeps; nil for what this version did not write.
    init?(_ record: TransportRecord) {
        guard let json = try? JSON.parse(record.body.span), let name = json["name"]?.text,
            let account = json["account"]?.text, let created = json["created"]?.integerValue,
            let state = json["state"]?.text.flatMap(State.init),
            let texts = json["relays"]?.list?.compactMap(\.text),
            let relays = try? RelayAddress.list(texts)
        else { return nil }
        self.init(
            signer: Hex.encode(record.publicKey.span), name: name, account: KeyID(account),
            relays: relays, perms: json["perms"]?.text ?? "",
            created: Timestamp(seconds: created), state: state,
            secretDigest: json["secret_sha256"]?.text.flatMap { try? Hex.decode($0) },
            client: json["client"]?.text,
            metadata: ClientMetadata(
                name: json["client_name"]?.text, url: json["client_url"]?.text,
                image: json["client_image"]?.text))
        guard (client == nil) == (state == .offered) else { return nil }
        guard let move = json["move"] else { return }
        guard let read = BunkerMove(move) else { return nil }
        self.move = read
    }

    /// As the vault keeps it.
    package var body: [UInt8] {
        let optional: [(String, String?)] = [
            ("secret_sha256", secretDigest.map { Hex.encode($0.span) }), ("client", client),
            ("client_name", metadata?.name), ("client_url", metadata?.url),
            ("client_image", metadata?.image),
        ]
        let members: [JSONObject.Member] = [
            .init(name: "name", value: .string(name)),
            .init(name: "account", value: .string(account.text)),
            .init(name: "relays", value: .array(relays.map { .string($0.text) })),
            .init(name: "perms", value: .string(perms)),
            .init(name: "created", value: .integer(created.seconds)),
            .init(name: "state", value: .string(state.rawValue)),
        ]
        var more = optional.compactMap { name, text in
            text.map { JSONObject.Member(name: name, value: .string($0)) }
        }
        if let move { more.append(.init(name: "move", value: move.json)) }
        return JSON.object(JSONObject(members + more)).write()
    }
}
