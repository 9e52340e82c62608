// SPDX-License-Identifier: Apache-2.0

internal import NIP46
internal import Nostr
internal import SigningCodecs
internal import SigningCore
internal import SigningService
internal import SigningStorage

/// Receives envelopes and sends answers, for one run of a transport.
final class RelayService<AskedSigner: Signer>: RelayListener {
    private let transport: RelayTransport
    private let connections: Connections
    private let signer: AskedSigner
    private let calls = CallsInFlight()

    private static var wire: AdapterID { AdapterID("nip46") }
    /// The maximum time that an answer waits for a relay, in seconds.
    private static var answerSeconds: Int64 { EnvelopeReader.ageSecondsMax }

    init(of transport: RelayTransport, asking connections: Connections, _ signer: AskedSigner) {
        self.transport = transport
        self.connections = connections
        self.signer = signer
    }

    private var now: Timestamp { transport.environment.now() }

    func take(_ event: JSONObject, from relay: RelayAddress) -> EnvelopeReader.Outcome {
        switch transport.envelopes.open(
            event, from: relay, among: transport.connections, at: now)
        {
        case .failure(let refused): return refused.outcome
        case .success(let envelope):
            let isServed = envelope.isByClient && envelope.open.connection.state == .connected
            // Checked here and not in the task: of many secrets at once, only one may be checked at
            // a time.
            let refusal = isServed ? nil : claim(envelope)
            if let refusal,
                !transport.envelopes.mayReply(refusal, of: envelope.open, by: relay, at: now)
            {
                return .opened
            }
            if refusal == nil, !calls.enter(envelope) { return .joined }
            Task(executorPreference: transport.threads) {
                if isServed {
                    await self.serve(envelope)
                } else if let refusal {
                    self.send(
                        envelope.call.reply(refusal), to: envelope.author, by: envelope.open,
                        envelope.scheme, isKept: false)
                } else {
                    await self.handleConnect(envelope)
                }
            }
            return .opened
        }
    }

    func take(ok id: String, isAccepted: Bool, _ text: String, from relay: RelayAddress) {
        // A relay rejects an event that it already has.
        if isAccepted || text.hasPrefix("duplicate:") {
            return transport.outbox.take(id, by: relay)
        }
        // Otherwise it is sent again: most refusals are temporary, such as "rate-limited:".
        guard transport.outbox.holds(id) else { return }
        transport.links(of: [relay]).first?.note(refusal: text)
    }

    func isOpen(_ relay: RelayAddress) {
        guard let link = transport.links(of: [relay]).first else { return }
        for message in transport.outbox.waiting(for: relay) { link.send(message) }
    }

    func logins(
        _ keys: [String], to relay: RelayAddress, challenge: String
    ) -> [RelayLogin] {
        let connections = transport.connections
        return keys.compactMap { signer in
            let login = RelayEnvelope.login(to: relay.text, challenge: challenge, at: now)
            guard let key = connections[signer]?.key,
                let (id, event) = Self.signed(login, by: key)
            else { return nil }
            return RelayLogin(key: signer, id: id, event: event)
        }
    }

    /// Answers a call of a connected client.
    private func serve(_ envelope: OpenedEnvelope) async {
        let signerKey = envelope.open.connection.signer
        let answer = await ask(
            envelope.bytes, of: envelope.call, envelope.eventID, envelope.author, envelope.open)
        calls.leave(envelope)
        guard let reply = answer else { return }
        if envelope.call.method == NostrSessionMethod.switchRelays.rawValue,
            Self.isResult(reply), let open = connectionToReport(envelope.open)
        {
            let relays = JSON.array(open.connection.relays.map { .string($0.text) }).write()
            let moved = envelope.call.reply(
                result: .string(String(decoding: relays, as: UTF8.self)))
            return send(moved, to: envelope.author, by: open, envelope.scheme)
        }
        send(reply, to: envelope.author, by: envelope.open, envelope.scheme)
        let isLogout = envelope.call.method == NostrSessionMethod.logout.rawValue
        if isLogout, Self.isResult(reply) {
            // If the vault cannot be changed now, the connection ends when it is opened next.
            try? transport.registry.end(signerKey)
            transport.leave(signerKey)
        } else if reply == envelope.call.reply(.notConnected),
            (try? transport.registry.endIfDisconnected(signerKey)) == true
        {
            transport.leave(signerKey)
        }
    }

    /// Returns the connection if its client should learn about new relays; only once, as some fail
    /// on it.
    private func connectionToReport(_ open: OpenConnection) -> OpenConnection? {
        guard open.connection.move?.isNotified == false,
            let notified = try? transport.registry.noteMoveNotified(open.connection.signer)
        else { return nil }
        transport.note(notified)
        return notified
    }

    /// Checks if an unknown client may connect with its secret; returns the reason if not.
    private func claim(_ envelope: OpenedEnvelope) -> NIP46Refusal? {
        guard envelope.call.method == NostrSessionMethod.connect.rawValue else {
            return .notConnected
        }
        if let refusal = envelope.call.refusal { return refusal }
        let secret = envelope.call.params.count > 1 ? envelope.call.params[1] : ""
        do throws(NIP46Refusal) {
            try transport.registry.claim(
                envelope.open.connection.signer, by: envelope.author, showing: secret)
            return nil
        } catch {
            return error
        }
    }

    /// Connects the client that presented the secret.
    private func handleConnect(_ envelope: OpenedEnvelope) async {
        let call = envelope.call.addingPermissions(envelope.open.connection.perms)
        let answer = await ask(
            call == envelope.call ? envelope.bytes : call.bytes, of: call, envelope.eventID,
            envelope.author, envelope.open)
        let isWelcome = answer.map(Self.isResult) ?? false
        let kept = isWelcome ? connect(envelope.open, to: envelope.author, call) : nil
        if kept == nil { transport.registry.release(envelope.open.connection.signer) }
        calls.leave(envelope)
        guard let answer else { return }
        let reply = isWelcome && kept == nil ? call.reply(.internalError) : answer
        send(reply, to: envelope.author, by: kept ?? envelope.open, envelope.scheme)
    }

    /// Answers the URI of a client, as if the client had sent a `connect` with its content.
    func invite(_ open: OpenConnection) async {
        let connection = open.connection
        guard let client = connection.client, let secret = open.invitation else { return }
        let id = Hex.encode(transport.environment.randomBytes(8).span)
        let call = NIP46Call(
            id: id, method: NostrSessionMethod.connect.rawValue,
            params: [
                connection.signer, secret, connection.perms, connection.metadata?.json ?? "",
            ])
        guard let reply = await ask(call.bytes, of: call, nil, client, open) else { return }
        guard Self.isResult(reply) else {
            // A denial is final, and the client has not sent a request that needs an answer.
            if reply == call.reply(.userRejected) { transport.registry.refuse(connection.signer) }
            return
        }
        guard let open = connect(open, to: client, call) else { return }
        // Some clients recognize their signer by the secret, others only accept "ack".
        send(call.reply(result: .string(secret)), to: client, by: open, .nip44)
        try? await Task.sleep(for: .milliseconds(300))
        send(reply, to: client, by: open, .nip44)
    }

    private func connect(
        _ open: OpenConnection, to client: String, _ call: NIP46Call
    ) -> OpenConnection? {
        let metadata = call.params.count > 3 ? ClientMetadata(json: call.params[3]) : nil
        let kept = try? transport.registry.connect(open.connection.signer, to: client, metadata)
        if let kept { transport.note(kept) }
        return kept
    }

    /// Returns the answer of the signer; nil for no reply.
    private func ask(
        _ frame: [UInt8], of call: NIP46Call, _ eventID: [UInt8]?, _ client: String,
        _ open: OpenConnection
    ) async -> [UInt8]? {
        let connection = open.connection
        var key = ProvedKey(
            publicKey: client, account: connection.account, connection: connection.signer,
            name: connection.name)
        key.hasSigned = connection.state != .invited
        let peer = Peer(
            channel: transport.channel, provedKey: key, claim: connection.metadata?.name)
        do throws(Connections.Refusal) {
            let peerConnection = try transport.peerConnection(
                of: connection.signer, peer, among: connections)
            let answer = try await peerConnection.answer(
                frame, beside: eventID, over: Self.wire, by: signer)
            guard case .message(let reply) = answer.reply else { return nil }
            return reply
        } catch {
            switch error {
            case .tooManyConnections, .tooManyOfPeer, .tooManyFrames, .tooManyRefused:
                return call.reply(.rateLimited)
            case .closed, .draining: return nil
            }
        }
    }

    private static func isResult(_ reply: [UInt8]) -> Bool {
        (try? JSON.parse(reply.span))?["result"] != nil
    }

    /// Encrypts an answer and sends it to all relays of the connection.
    ///
    /// It is kept until a relay accepts it. Answers to unknown clients are not kept, so they cannot
    /// displace those to clients.
    private func send(
        _ reply: [UInt8], to client: String, by open: OpenConnection, _ scheme: CipherScheme,
        isKept: Bool = true
    ) {
        let now = now
        guard let peer = try? Hex.decode(client),
            case .ciphertext(let sealed)? = try? open.key.perform(
                .encrypt(scheme, peer: peer, plaintext: reply))
        else { return }
        let content =
            scheme == .nip04 ? NIP04Text.text(of: sealed) : Base64.encode(sealed.span)
        let envelope = RelayEnvelope.envelope(content, to: client, at: now)
        guard let (id, event) = Self.signed(envelope, by: open.key) else { return }
        let message = RelayMessage.publish(event)
        let relays = open.connection.meetings(at: now)
        if isKept {
            transport.outbox.put(
                message, as: id, of: open.connection.signer, for: relays,
                until: now.adding(seconds: Self.answerSeconds))
        }
        for link in transport.links(of: relays) { link.send(message) }
    }

    /// Returns the id and the JSON of a signed event.
    private static func signed(
        _ event: NostrEvent, by key: TransportKey
    ) -> (String, String)? {
        let preimage = event.preimage(publicKey: Hex.encode(key.publicKey.span))
        let input = SigningInput(domain: RelayEnvelope.domain.id, preimage: preimage)
        guard case .signature(let signature, let id)? = try? key.perform(.sign(input)) else {
            return nil
        }
        return (
            Hex.encode(id.span),
            event.json(id: id, publicKey: key.publicKey, signature: signature)
        )
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
