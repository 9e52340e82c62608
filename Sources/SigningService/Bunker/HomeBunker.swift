// SPDX-License-Identifier: Apache-2.0

package import NIP46
internal import Nostr
internal import SigningCodecs
package import SigningCore
internal import SigningFiles

/// Decides about the clients over relays of one home.
///
/// All requests of clients go to the signer. Its verdict says what happens to the connection.
package final class HomeBunker: Bunker {
    private let registry: BunkerRegistry
    private let watch: HomeWatch
    private let environment: any HubEnvironment
    private let unknownClients = UnknownClientLimit()

    /// Serves the connections of a registry, which may change when the home changes.
    package init(
        of registry: BunkerRegistry, following watch: HomeWatch,
        environment: any HubEnvironment = SystemEnvironment()
    ) {
        self.registry = registry
        self.watch = watch
        self.environment = environment
    }

    /// Reads the connections again; a locked vault changes nothing.
    package func refresh() throws(TransportError) -> [ServedConnection] {
        do { return try registry.refresh().values.map(\.served) } catch {
            let error = ServiceError(error)
            throw TransportError(
                "the connections over relays cannot be read: \(error.message)",
                hint: error.hint ?? "see \"countersign doctor\"")
        }
    }

    /// The proxy for relays as last read; nil if there is none.
    package var proxy: RelayProxy? { registry.proxy }

    /// The number of the latest change of the home.
    package var revision: Int { watch.revision }

    /// Waits for a change of the home.
    package func wait(after revision: Int, until: ContinuousClock.Instant?) async {
        await watch.wait(after: revision, until: until)
    }

    /// Returns the connection as last read.
    package func connection(of signer: String) -> ServedConnection? {
        registry.known[signer]?.served
    }

    /// The number of connections that get no answer until the vault is unlocked.
    ///
    /// The hub started with a locked vault, which holds the keys that decrypt their envelopes.
    package var unansweredCount: Int { registry.waitingCount }

    /// Ends a connection after its last reply.
    ///
    /// If the vault cannot be changed now, the connection ends when it is opened next.
    package func end(_ connection: ServedConnection) { try? registry.end(connection.signer) }
}

// MARK: - Admission

extension HomeBunker {
    /// Returns true if an event that the client of the connection did not sign may be opened.
    package func admitsUnknownClient(
        of connection: ServedConnection, from relay: RelayAddress
    ) -> Bool {
        guard let known = registry.known[connection.signer] else { return false }
        return unknownClients.admits(known.connection, by: relay, at: environment.now().seconds)
    }

    /// Admits calls of connected clients, and a `connect` with the right secret.
    package func admit(
        _ envelope: OpenedEnvelope, from relay: RelayAddress
    ) -> BunkerAdmission {
        guard let known = registry.known[envelope.connection.signer] else { return .ignored }
        if envelope.isByClient, known.connection.state == .connected { return .served }
        guard let refusal = claim(envelope) else { return .connecting }
        let mayReply = unknownClients.mayReply(
            refusal, of: known.connection, by: relay, at: environment.now().seconds)
        return mayReply ? .refused(envelope.call.reply(refusal)) : .ignored
    }

    /// Reserves the secret for an unknown client; returns the reason if the client may not connect.
    private func claim(_ envelope: OpenedEnvelope) -> NIP46Refusal? {
        guard envelope.call.method == NostrSessionMethod.connect.rawValue else {
            return .notConnected
        }
        if let refusal = envelope.call.refusal { return refusal }
        let secret = envelope.call.params.count > 1 ? envelope.call.params[1] : ""
        do throws(NIP46Refusal) {
            try registry.claim(
                envelope.connection.signer, by: envelope.author, showing: secret)
            return nil
        } catch {
            return error
        }
    }
}

// MARK: - Answers

extension HomeBunker {
    /// The signer's verdict about a call, and its reply.
    private struct Verdict {
        let reply: [UInt8]
        /// Nil if the signer was not asked, because too many calls wait.
        let ending: Answer.Result?

        /// True if the call was carried out.
        var isDone: Bool { if case .outcome(.done) = ending { true } else { false } }
        /// True if a person said no.
        var isRejected: Bool {
            guard case .outcome(.denied(let reason)) = ending else { return false }
            return reason.code == .personDenied
        }
        /// True if the client has no connection on record.
        var isNotConnected: Bool {
            guard case .refused(let error) = ending else { return false }
            return error.code == NIP46Refusal.notConnected.text
        }
    }

    /// Answers a call of a connected client.
    ///
    /// The reply to `switch_relays` lists the new relays once after a move. A logout ends the
    /// connection, and so does a call after another process ended it on record.
    package func serve(_ envelope: OpenedEnvelope, by ask: Ask) async -> BunkerReply? {
        let signer = envelope.connection.signer
        guard let connection = registry.known[signer]?.connection,
            let verdict = await verdict(
                on: envelope.call, as: envelope.bytes, beside: envelope.eventID,
                from: envelope.author, over: connection, ask)
        else { return nil }
        switch NostrSessionMethod(rawValue: envelope.call.method) {
        case .switchRelays? where verdict.isDone:
            guard let open = connectionToReport(signer) else { break }
            let relays = JSON.array(open.connection.relays.map { .string($0.text) }).write()
            let moved = envelope.call.reply(
                result: .string(String(decoding: relays, as: UTF8.self)))
            return BunkerReply([moved], over: open.served)
        case .logout? where verdict.isDone:
            return BunkerReply([verdict.reply], over: envelope.connection, isLast: true)
        default: break
        }
        let hasEnded = verdict.isNotConnected && (try? registry.isDisconnected(signer)) == true
        return BunkerReply([verdict.reply], over: envelope.connection, isLast: hasEnded)
    }

    /// Returns the connection if its client should learn about new relays; only once, as some fail
    /// on it.
    private func connectionToReport(_ signer: String) -> OpenConnection? {
        guard registry.known[signer]?.connection.move?.isNotified == false else { return nil }
        return try? registry.noteMoveNotified(signer)
    }

    /// Connects the client that showed the secret, if the signer agrees.
    package func connect(_ envelope: OpenedEnvelope, by ask: Ask) async -> BunkerReply? {
        let signer = envelope.connection.signer
        guard let connection = registry.known[signer]?.connection else { return nil }
        let call = envelope.call.addingPermissions(connection.perms)
        let verdict = await verdict(
            on: call, as: call == envelope.call ? envelope.bytes : call.bytes,
            beside: envelope.eventID, from: envelope.author, over: connection, ask)
        let kept = verdict?.isDone == true ? store(call, of: envelope.author, over: signer) : nil
        if kept == nil { registry.release(signer) }
        guard let verdict else { return nil }
        let reply =
            verdict.isDone && kept == nil ? call.reply(.internalError) : verdict.reply
        return BunkerReply([reply], over: kept?.served ?? envelope.connection)
    }

    /// Answers the URI of a client, as if the client had sent a `connect` with its content.
    package func invite(_ invited: ServedConnection, by ask: Ask) async -> BunkerReply? {
        guard let known = registry.known[invited.signer], let client = known.connection.client,
            let secret = known.invitation
        else { return nil }
        let connection = known.connection
        let call = NIP46Call(
            id: Hex.encode(environment.randomBytes(8).span),
            method: NostrSessionMethod.connect.rawValue,
            params: [
                connection.signer, secret, connection.perms, connection.metadata?.json ?? "",
            ])
        guard
            let verdict = await verdict(
                on: call, as: call.bytes, beside: nil, from: client, over: connection, ask)
        else { return nil }
        guard verdict.isDone else {
            // A denial is final, and the client has not sent a request that needs an answer.
            if verdict.isRejected { registry.refuse(connection.signer) }
            return nil
        }
        guard let kept = store(call, of: client, over: connection.signer) else { return nil }
        // Some clients recognize their signer by the secret, others only accept "ack".
        return BunkerReply(
            [call.reply(result: .string(secret)), verdict.reply], over: kept.served)
    }

    private func store(
        _ call: NIP46Call, of client: String, over signer: String
    ) -> OpenConnection? {
        let metadata = call.params.count > 3 ? ClientMetadata(json: call.params[3]) : nil
        return try? registry.connect(signer, to: client, metadata)
    }

    /// Returns the signer's verdict; nil for no reply.
    private func verdict(
        on call: NIP46Call, as bytes: [UInt8], beside eventID: [UInt8]?, from client: String,
        over connection: BunkerConnection, _ ask: Ask
    ) async -> Verdict? {
        var key = ProvedKey(
            publicKey: client, account: connection.account, connection: connection.signer,
            name: connection.name)
        key.hasSigned = connection.state != .invited
        let peer = Peer(
            channel: .relay, provedKey: key, claim: connection.metadata?.name)
        do throws(Connections.Refusal) {
            let answer = try await ask(Frame(bytes: bytes, enclosure: eventID, peer: peer))
            guard case .message(let reply) = answer.reply else { return nil }
            return Verdict(reply: reply, ending: answer.ending)
        } catch {
            switch error {
            case .tooManyConnections, .tooManyOfPeer, .tooManyFrames, .tooManyRefused:
                return Verdict(reply: call.reply(.rateLimited), ending: nil)
            case .closed, .draining: return nil
            }
        }
    }
}

extension NIP46Call {
    /// Returns the call with the permissions that the owner offers, if the client asks for none.
    fileprivate func addingPermissions(_ perms: String) -> NIP46Call {
        guard !perms.isEmpty, params.count < 3 || params[2].isEmpty else { return self }
        var requested = params
        while requested.count < 3 { requested.append("") }
        requested[2] = perms
        return NIP46Call(id: id, method: method, params: requested)
    }
}
