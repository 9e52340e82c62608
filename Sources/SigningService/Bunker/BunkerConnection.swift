// SPDX-License-Identifier: Apache-2.0

package import NIP46
internal import SigningCodecs
package import SigningCore
internal import SigningCrypto
internal import SigningVault

/// A relay connection of a Nostr client, as the vault stores it beside its signer key.
package struct BunkerConnection: Hashable, Sendable {
    /// The state of the connection.
    package enum State: String, Hashable, Sendable {
        /// The owner has a `bunker://` URI that no client has used yet.
        case offered
        /// A client has shown a `nostrconnect://` URI and has not been answered yet.
        case invited
        /// A client is connected.
        case connected
    }

    /// The signer's key for this connection only, in lower-case hex.
    package let signer: String
    /// The owner's name for the connection.
    package let name: String
    /// The account that the client uses.
    package let account: KeyID
    /// The relays where client and signer meet.
    package var relays: [RelayAddress]
    /// The last move to other relays; nil if there was none.
    package var move: BunkerMove?
    /// The permissions offered with the connection, as a `perms` list.
    package let perms: String
    package let created: Timestamp
    package var state: State
    /// SHA-256 of the secret of the `bunker://` URI; nil if absent.
    package let secretDigest: [UInt8]?
    /// The client's key, in lower-case hex; nil while the connection is only offered.
    package var client: String?
    /// The client's description of itself.
    package var metadata: ClientMetadata?

    /// The lifetime of a URI, in seconds.
    package static let offerSeconds: Int64 = 86_400

    /// The name of this transport's keys in the vault.
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

    /// Returns whether the connection expired before a client used it.
    package func hasExpired(at now: Timestamp) -> Bool {
        state != .connected && now >= created.adding(seconds: Self.offerSeconds)
    }

    /// The relays to listen on; for a day after a move these include the earlier ones.
    package var meetings: MeetingRelays {
        MeetingRelays(
            relays, earlier: move?.from ?? [],
            until: move?.time.adding(seconds: BunkerMove.bothSeconds))
    }

    /// Returns the relays to listen on now.
    package func meetings(at now: Timestamp) -> [RelayAddress] { meetings.at(now) }

    /// Returns the connection on other relays; its client still has to be notified.
    package func moved(to relays: [RelayAddress], at now: Timestamp) -> BunkerConnection {
        guard relays != self.relays else { return self }
        var copy = self
        copy.relays = relays
        copy.move = BunkerMove(from: Array(meetings(at: now).prefix(RelayAddress.countMax)), now)
        return copy
    }

    /// The connection once its client was notified of the move.
    package var notifiedOfMove: BunkerConnection {
        var copy = self
        copy.move?.isNotified = true
        return copy
    }

    /// The proved key of its client.
    package var provedKey: ProvedKey? {
        client.map {
            ProvedKey(publicKey: $0, account: account, connection: signer, name: name)
        }
    }

    /// Returns the connection with a client.
    package func connected(to client: String, _ metadata: ClientMetadata?) -> BunkerConnection {
        var copy = self
        copy.state = .connected
        copy.client = client
        copy.metadata = metadata ?? self.metadata
        return copy
    }
}

extension BunkerConnection {
    /// Reads the form in the vault; nil for data that this version did not write.
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

    /// The form in the vault.
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
