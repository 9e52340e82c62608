// SPDX-License-Identifier: Apache-2.0

internal import NIP46
internal import Nostr
internal import SigningCodecs
internal import SigningCore
internal import SigningDigests
internal import SigningService
internal import SigningStorage
internal import Synchronization

/// A call as it came out of its envelope.
struct OpenedEnvelope: Sendable {
    let open: OpenConnection
    /// The key that signed the envelope, in lower-case hex.
    let author: String
    let eventID: [UInt8]
    let call: NIP46Call
    /// The call as it was written.
    let bytes: [UInt8]
    /// How the client encrypts, and is answered.
    let scheme: CipherScheme

    /// Whether it is by the client of the connection.
    var isByClient: Bool { author == open.connection.client }
}

/// Opens envelopes: each event once, whatever relays repeat, and none that is forged, stale, for
/// somebody else, or by a stranger who sends too many.
final class EnvelopeReader: Sendable {
    /// What became of an event.
    enum Outcome: String, CaseIterable {
        case opened, joined, repeated, stale, foreign, forged, unreadable, excess
    }

    /// How far the time of an event may be from now, in seconds.
    static let ageSecondsMax: Int64 = 300
    /// How many ids are remembered before the older half is forgotten, which takes twice as long
    /// as an event is fresh, or this many events.
    private static let seenMax = 50_000

    private struct Seen {
        var new: Set<[UInt8]> = []
        var old: Set<[UInt8]> = []
        var turned: Int64 = 0

        func contains(_ id: [UInt8]) -> Bool { new.contains(id) || old.contains(id) }

        /// Remembers an id; false where it was there already.
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

    /// Ids of genuine events: strangers cannot have those of clients forgotten early.
    private let seen = Mutex((clients: Seen(), strangers: Seen()))
    private let strangers = UnknownClientLimit()
    private let budgets = EventBudgets()

    /// Opens an event that a relay has sent.
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
        // Only what was verified is in there, so no forgery hides what it copies.
        let isKnown = seen.withLock { seen in
            seen.clients.contains(event.id) || seen.strangers.contains(event.id)
        }
        if isKnown { return .failure(Refused(.repeated)) }
        let author = Hex.encode(event.author.span)
        let isByClient = author == open.connection.client
        if let ending = check(event, isByClient, of: open.connection, relay, at: now.seconds) {
            return .failure(Refused(ending))
        }
        let isNew = seen.withLock { seen in
            isByClient
                ? seen.clients.insert(event.id, at: now.seconds)
                : seen.strangers.insert(event.id, at: now.seconds)
        }
        guard isNew else { return .failure(Refused(.repeated)) }
        guard let (bytes, scheme) = Self.decrypt(event, by: open), let call = NIP46Call(bytes.span)
        else { return .failure(Refused(.unreadable)) }
        return .success(
            OpenedEnvelope(
                open: open, author: author, eventID: event.id, call: call, bytes: bytes,
                scheme: scheme))
    }

    /// Checks the signature of an event and charges it to the one who sent it; why it goes no
    /// further, or nil.
    ///
    /// A client pays for nothing that it did not sign.
    private func check(
        _ event: SignedEvent, _ isByClient: Bool, of connection: BunkerConnection,
        _ relay: RelayAddress, at now: Int64
    ) -> Outcome? {
        guard isByClient else {
            guard strangers.admits(connection, by: relay, at: now),
                budgets.charge(stranger: event.author, by: relay, at: now)
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

    /// Whether a stranger is told of a refusal, or gets silence.
    func tells(
        _ refusal: NIP46Refusal, of open: OpenConnection, by relay: RelayAddress, at now: Timestamp
    ) -> Bool {
        strangers.tells(refusal, of: open.connection, by: relay, at: now.seconds)
    }

    /// Why an event is no letter.
    struct Refused: Error {
        let ending: Outcome
        init(_ ending: Outcome) { self.ending = ending }
    }

    private static func isGenuine(_ event: SignedEvent) -> Bool {
        let preimage = event.event.preimage(publicKey: Hex.encode(event.author.span))
        return Digest.sha256(preimage.span) == event.id
            && Signatures.isValidBIP340(
                signature: event.signature.span, message: event.id.span,
                publicKey: event.author.span)
    }

    /// NIP-44, or NIP-04 as some clients still send it.
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

/// How often strangers are heard and told something, for each connection and relay by itself.
///
/// A stranger can do nothing but show a secret, which has 128 bits: guesses are not what is bounded
/// here, but answers to them. A wrong secret keeps nobody out who has the right one.
private final class UnknownClientLimit: Sendable {
    private struct Tally {
        var start: Int64 = 0
        var count = 0
        var told: Int64 = .min / 2
        var wrongCount = 0
        var quietUntil: Int64 = .min / 2
    }

    private static let spanSeconds: Int64 = 10
    private static let toldSeconds: Int64 = 60
    private static let delaySecondsMax: Int64 = 60
    private static let talliesMax = 2_000

    private let tallies = Mutex<[String: Tally]>([:])

    func admits(_ connection: BunkerConnection, by relay: RelayAddress, at now: Int64) -> Bool {
        // Any of them may be the client that the owner gave the secret to.
        if connection.state == .offered { return true }
        return change(connection, relay) { tally in
            if now >= tally.start + Self.spanSeconds {
                tally.start = now
                tally.count = 0
            }
            tally.count += 1
            // Nobody else has anything to say to a connection that has its client.
            return tally.count == 1 && now >= tally.told + Self.toldSeconds
        }
    }

    func tells(
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
            guard now >= tally.told + Self.toldSeconds else { return false }
            tally.told = now
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
