// SPDX-License-Identifier: Apache-2.0

internal import NIP46
internal import Nostr
internal import SigningCodecs
internal import SigningCore
internal import SigningDigests
internal import SigningService
internal import SigningStorage
internal import Synchronization

/// A decrypted call with its envelope.
struct OpenedEnvelope: Sendable {
    let open: OpenConnection
    /// The public key that signed the envelope, in lower-case hex.
    let author: String
    let eventID: [UInt8]
    let call: NIP46Call
    /// The call as the client wrote it.
    let bytes: [UInt8]
    /// The encryption scheme of the client, which its answer uses too.
    let scheme: CipherScheme

    /// True if the client of the connection signed it.
    var isByClient: Bool { author == open.connection.client }
}

/// Opens envelopes, each event only once.
///
/// Forged, stale and misdirected events are dropped, and those of unknown clients that send too
/// many.
final class EnvelopeReader: Sendable {
    /// The outcome for an event.
    enum Outcome: String, CaseIterable {
        case opened, joined, repeated, stale, foreign, forged, unreadable, excess
    }

    /// The maximum difference of an event's time from now, in seconds.
    static let ageSecondsMax: Int64 = 300
    /// The maximum number of ids in the newer half of the memory.
    ///
    /// The older half is forgotten when the newer one is full, or after twice the maximum age of an
    /// event.
    private static let seenMax = 50_000

    private struct Seen {
        var new: Set<[UInt8]> = []
        var old: Set<[UInt8]> = []
        var turned: Int64 = 0

        func contains(_ id: [UInt8]) -> Bool { new.contains(id) || old.contains(id) }

        /// Adds an id; false if it is present.
        mutating func insert(_ id: [UInt8], at now: Int64) -> Bool {
            guard !contains(id) else { return false }
            if new.count >= EnvelopeReader.seenMax
                || now - turned > 2 * EnvelopeReader.ageSecondsMax
            {
                old = new
                new = []
                turned = now
            }
            return new.insert(id).inserted
        }
    }

    /// The ids of genuine events; separate sets prevent unknown clients from displacing those of
    /// clients.
    private let seen = Mutex((clients: Seen(), unknownClients: Seen()))
    private let unknownClients = UnknownClientLimit()
    private let budgets = EventBudgets()

    /// Opens an event that a relay sent.
    func open(
        _ members: JSONObject, from relay: RelayAddress,
        among connections: [String: OpenConnection],
        at now: Timestamp
    ) -> Result<OpenedEnvelope, Refused> {
        guard let event = try? SignedEvent(members), event.event.kind == .remoteSigning,
            let tag = event.event.tags.first(where: { $0[0] == "p" }), tag.count > 1,
            let open = connections[tag[1]]
        else { return .failure(Refused(.foreign)) }
        let skew = event.event.createdAt - now.seconds
        let end = event.event.onlyValue(of: "expiration").flatMap { Int64($0) }
        guard abs(skew) <= Self.ageSecondsMax, end ?? .max > now.seconds else {
            return .failure(Refused(.stale))
        }
        // Only verified events are in the sets, so a forgery cannot hide the event that it copies.
        let isKnown = seen.withLock { seen in
            seen.clients.contains(event.id) || seen.unknownClients.contains(event.id)
        }
        if isKnown { return .failure(Refused(.repeated)) }
        let author = Hex.encode(event.author.span)
        let isByClient = author == open.connection.client
        if let outcome = check(event, isByClient, of: open.connection, relay, at: now.seconds) {
            return .failure(Refused(outcome))
        }
        let isNew = seen.withLock { seen in
            isByClient
                ? seen.clients.insert(event.id, at: now.seconds)
                : seen.unknownClients.insert(event.id, at: now.seconds)
        }
        guard isNew else { return .failure(Refused(.repeated)) }
        guard let (bytes, scheme) = Self.decrypt(event, by: open), let call = NIP46Call(bytes.span)
        else { return .failure(Refused(.unreadable)) }
        return .success(
            OpenedEnvelope(
                open: open, author: author, eventID: event.id, call: call, bytes: bytes,
                scheme: scheme))
    }

    /// Verifies the signature of an event and charges its sender; returns the reason to drop it, or
    /// nil.
    ///
    /// A client is not charged for events that it did not sign.
    private func check(
        _ event: SignedEvent, _ isByClient: Bool, of connection: BunkerConnection,
        _ relay: RelayAddress, at now: Int64
    ) -> Outcome? {
        guard isByClient else {
            guard unknownClients.admits(connection, by: relay, at: now),
                budgets.charge(unknownClient: event.author, by: relay, at: now)
            else { return .excess }
            return Self.isGenuine(event) ? nil : .forged
        }
        guard budgets.mayCheck(for: relay, at: now) else { return .excess }
        guard Self.isGenuine(event) else {
            budgets.charge(forgeryBy: relay, at: now)
            return .forged
        }
        return budgets.charge(client: connection.signer, at: now) ? nil : .excess
    }

    /// Returns true if an unknown client gets a reply with this refusal.
    func mayReply(
        _ refusal: NIP46Refusal, of open: OpenConnection, by relay: RelayAddress, at now: Timestamp
    ) -> Bool {
        unknownClients.mayReply(refusal, of: open.connection, by: relay, at: now.seconds)
    }

    /// The reason that an event is not a valid envelope.
    struct Refused: Error {
        let outcome: Outcome
        init(_ outcome: Outcome) { self.outcome = outcome }
    }

    private static func isGenuine(_ event: SignedEvent) -> Bool {
        let preimage = event.event.preimage(publicKey: Hex.encode(event.author.span))
        return Digest.sha256(preimage.span) == event.id
            && Signatures.isValidBIP340(
                signature: event.signature.span, message: event.id.span,
                publicKey: event.author.span)
    }

    /// Decrypts NIP-44, or NIP-04, which some clients still use.
    private static func decrypt(
        _ event: SignedEvent, by open: OpenConnection
    ) -> ([UInt8], CipherScheme)? {
        let text = event.event.content
        let bytesMax = NIP46Call.bytesMax
        let isOld = text.contains("?iv=")
        let payload =
            isOld
            ? NIP04Text.payload(
                of: text, bytesMax: NIP04Text.charactersMax(plaintextBytes: bytesMax))
            : try? NIP44Text.payload(of: text, plaintextBytesMax: bytesMax)
        let scheme: CipherScheme = isOld ? .nip04 : .nip44
        guard let payload,
            case .plaintext(let bytes)? = try? open.key.perform(
                .decrypt(scheme, peer: event.author, payload: payload))
        else { return nil }
        return (bytes, scheme)
    }
}

/// Limits the events of unknown clients and the replies to them, for each connection and relay.
///
/// An unknown client can only present a secret. A secret has 128 bits, so the limit is not against
/// guesses; it bounds the number of replies. After a wrong secret, a client with the right one can
/// still connect.
private final class UnknownClientLimit: Sendable {
    private struct Tally {
        var start: Int64 = 0
        var count = 0
        var lastReply: Int64 = .min / 2
        var wrongCount = 0
        var quietUntil: Int64 = .min / 2
    }

    private static let spanSeconds: Int64 = 10
    private static let replyPauseSeconds: Int64 = 60
    private static let delaySecondsMax: Int64 = 60
    private static let talliesMax = 2_000

    private let tallies = Mutex<[String: Tally]>([:])

    func admits(_ connection: BunkerConnection, by relay: RelayAddress, at now: Int64) -> Bool {
        // Each unknown client may be the one that the owner gave the secret to.
        if connection.state == .offered { return true }
        return change(connection, relay) { tally in
            if now >= tally.start + Self.spanSeconds {
                tally.start = now
                tally.count = 0
            }
            tally.count += 1
            // A connection that has a client needs no events of other keys.
            return tally.count == 1 && now >= tally.lastReply + Self.replyPauseSeconds
        }
    }

    func mayReply(
        _ refusal: NIP46Refusal, of connection: BunkerConnection, by relay: RelayAddress,
        at now: Int64
    ) -> Bool {
        change(connection, relay) { tally in
            if refusal == .invalidSecret {
                guard now >= tally.quietUntil else { return false }
                let delay = min(Self.delaySecondsMax, 1 << Int64(min(tally.wrongCount, 6)))
                tally.quietUntil = now + delay
                tally.wrongCount += 1
                return true
            }
            guard now >= tally.lastReply + Self.replyPauseSeconds else { return false }
            tally.lastReply = now
            return true
        }
    }

    private func change(
        _ connection: BunkerConnection, _ relay: RelayAddress, _ body: (inout Tally) -> Bool
    ) -> Bool {
        tallies.withLock { tallies in
            if tallies.count >= Self.talliesMax { tallies = [:] }
            return body(&tallies["\(connection.signer) \(relay.text)", default: Tally()])
        }
    }
}
