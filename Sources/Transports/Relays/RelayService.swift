// SPDX-License-Identifier: Apache-2.0

internal import NIP46
internal import Nostr
internal import SigningCodecs
internal import SigningCore
internal import Synchronization

/// Receives envelopes and sends answers, for one run of a transport.
final class RelayService<AskedSigner: Signer>: RelayListener {
    private let transport: RelayTransport
    private let connections: Connections
    private let signer: AskedSigner
    private let calls = CallsInFlight()
    /// The number of envelopes whose answer was not handed to the links yet.
    private let unansweredCount = Mutex(0)

    private static var wire: AdapterID { AdapterID("nip46") }
    /// The maximum time that an answer waits for a relay, in seconds.
    private static var answerSeconds: Int64 { EnvelopeReader.ageSecondsMax }
    /// The pause between two messages to a client that did not ask.
    private static var messagePause: Duration { .milliseconds(300) }
    /// The maximum time until the signer's last answers are handed to the links.
    private static var drainMax: Duration { .seconds(2) }

    init(of transport: RelayTransport, asking connections: Connections, _ signer: AskedSigner) {
        self.transport = transport
        self.connections = connections
        self.signer = signer
    }

    private var now: Timestamp { transport.environment.now() }

    func take(_ event: JSONObject, from relay: RelayAddress) -> EnvelopeReader.Outcome {
        let bunker = transport.bunker
        switch transport.envelopes.open(event, from: relay, for: bunker, at: now) {
        case .failure(let refused): return refused.outcome
        case .success(let envelope):
            // Here and not in the task: of many secrets at once, only one may be checked at a time.
            let admission = bunker.admit(envelope, from: relay)
            switch admission {
            case .ignored: return .opened
            case .served, .connecting: if !calls.enter(envelope) { return .joined }
            case .refused: break
            }
            unansweredCount.withLock { $0 += 1 }
            Task(executorPreference: transport.threads) {
                defer { self.unansweredCount.withLock { $0 -= 1 } }
                switch admission {
                case .served: await self.send(bunker.serve(envelope, by: self.ask), to: envelope)
                case .connecting:
                    await self.send(bunker.connect(envelope, by: self.ask), to: envelope)
                case .refused(let reply):
                    self.send(
                        reply, to: envelope.author, over: envelope.connection, envelope.scheme,
                        isKept: false)
                case .ignored: break
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
        keys.compactMap { signer in
            let login = RelayEnvelope.login(to: relay.text, challenge: challenge, at: now)
            guard let key = transport.bunker.connection(of: signer)?.key,
                let (id, event) = Self.signed(login, by: key)
            else { return nil }
            return RelayLogin(key: signer, id: id, event: event)
        }
    }

    /// Answers the URI of a client.
    func invite(_ connection: ServedConnection) async {
        guard let client = connection.client,
            let reply = await transport.bunker.invite(connection, by: ask)
        else { return }
        for (number, message) in reply.messages.enumerated() {
            if number > 0 { try? await Task.sleep(for: Self.messagePause) }
            send(message, to: client, over: reply.connection, .nip44)
        }
    }

    /// Waits until each answer of the signer was handed to the links, at most for `drainMax`.
    func drain() async {
        let end = ContinuousClock.now + Self.drainMax
        while unansweredCount.withLock({ $0 > 0 }), ContinuousClock.now < end {
            // The task of the transport is cancelled by now, so a sleep in it would return at once.
            await Task { try? await Task.sleep(for: .milliseconds(20)) }.value
        }
    }

    /// Asks the signer, within the limits of the transport.
    @Sendable
    private func ask(_ frame: Frame) async throws(Connections.Refusal) -> Answer {
        try await transport.peerConnection(of: frame.peer, among: connections).answer(
            frame.bytes, beside: frame.enclosure, over: Self.wire, by: signer)
    }

    /// Sends the bunker's reply to a call, and ends the connection if it is the last one.
    private func send(_ reply: BunkerReply?, to envelope: OpenedEnvelope) {
        calls.leave(envelope)
        guard let reply else { return }
        for message in reply.messages {
            send(message, to: envelope.author, over: reply.connection, envelope.scheme)
        }
        guard reply.isLast else { return }
        transport.bunker.end(reply.connection)
        transport.leave(reply.connection.signer)
    }

    /// Encrypts an answer and sends it to all relays of the connection.
    ///
    /// It is kept until a relay accepts it. Answers to unknown clients are not kept, so they cannot
    /// displace those to clients.
    private func send(
        _ reply: [UInt8], to client: String, over connection: ServedConnection,
        _ scheme: CipherScheme, isKept: Bool = true
    ) {
        let now = now
        guard let peer = try? Hex.decode(client),
            case .ciphertext(let sealed)? = try? connection.key.perform(
                .encrypt(scheme, peer: peer, plaintext: reply))
        else { return }
        let content =
            scheme == .nip04 ? NIP04Text.text(of: sealed) : Base64.encode(sealed.span)
        let envelope = RelayEnvelope.envelope(content, to: client, at: now)
        guard let (id, event) = Self.signed(envelope, by: connection.key) else { return }
        let message = RelayMessage.publish(event)
        let relays = connection.meetings.at(now)
        if isKept {
            transport.outbox.put(
                message, as: id, of: connection.signer, for: relays,
                until: now.adding(seconds: Self.answerSeconds))
        }
        for link in transport.links(of: relays) { link.send(message) }
    }

    /// Returns the id and the JSON of a signed event.
    private static func signed(
        _ event: NostrEvent, by key: any EnvelopeKey
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
