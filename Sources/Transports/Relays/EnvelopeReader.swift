// SPDX-License-Identifier: Apache-2.0

internal import NIP46
internal import Nostr
internal import SigningCodecs
internal import SigningCore
internal import SigningDigests
internal import Synchronization

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
    private let budgets = EventBudgets()

    /// Opens an event that a relay sent.
    func open(
        _ members: JSONObject, from relay: RelayAddress, for bunker: some Bunker, at now: Timestamp
    ) -> Result<OpenedEnvelope, Refused> {
        guard let event = try? SignedEvent(members), event.event.kind == .remoteSigning,
            let tag = event.event.tags.first(where: { $0[0] == "p" }), tag.count > 1,
            let connection = bunker.connection(of: tag[1])
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
        let isByClient = author == connection.client
        if let outcome = check(
            event, isByClient, of: connection, relay, bunker, at: now.seconds)
        {
            return .failure(Refused(outcome))
        }
        let isNew = seen.withLock { seen in
            isByClient
                ? seen.clients.insert(event.id, at: now.seconds)
                : seen.unknownClients.insert(event.id, at: now.seconds)
        }
        guard isNew else { return .failure(Refused(.repeated)) }
        guard let (bytes, scheme) = Self.decrypt(event, by: connection.key),
            let call = NIP46Call(bytes.span)
        else { return .failure(Refused(.unreadable)) }
        return .success(
            OpenedEnvelope(over: connection, by: author, event.id, call, bytes, scheme))
    }

    /// Verifies the signature of an event and charges its sender; returns the reason to drop it, or
    /// nil.
    ///
    /// A client is not charged for events that it did not sign.
    private func check(
        _ event: SignedEvent, _ isByClient: Bool, of connection: ServedConnection,
        _ relay: RelayAddress, _ bunker: some Bunker, at now: Int64
    ) -> Outcome? {
        guard isByClient else {
            guard bunker.admitsUnknownClient(of: connection, from: relay),
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
        _ event: SignedEvent, by key: any EnvelopeKey
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
            case .plaintext(let bytes)? = try? key.perform(
                .decrypt(scheme, peer: event.author, payload: payload))
        else { return nil }
        return (bytes, scheme)
    }
}
