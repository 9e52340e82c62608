// SPDX-License-Identifier: Apache-2.0

/// The one way from a frame to its answer.
///
/// Steps are numbered as in `Docs/Architecture.md`. Steps 1 and 2 are the transport's: it
/// reads one frame and names the adapter.
public struct SigningHub: Sendable {
    /// How long a person has to answer, in seconds.
    public static let approvalSecondsDefault: Int64 = 120

    private(set) var policy: any Policy
    let keyStore: any KeyStore
    let ledger: any Ledger
    let approval: any Approval
    /// Those who are asked where a rule wants more than one.
    let people: any SeveralPeople
    package let environment: any HubEnvironment
    let approvalSeconds: Int64
    /// Whether a caller is still who it was proved to be when it asked.
    let stillProves: @Sendable (Peer) -> Bool
    /// The accounts of these that a client may name; nil where it may name every one.
    let nameable: @Sendable (Client?, Peer, [Account]) -> [Account]?
    let pending = PendingRequests()
    let fresh = FreshGrants()
    let lanes = Lanes()
    let intentIDs = IntentIDs()

    /// Puts a hub together.
    ///
    /// `nameable` has to be given where clients ask that must not find out which accounts are held.
    public init(
        policy: any Policy, keyStore: any KeyStore, ledger: any Ledger, approval: any Approval,
        environment: any HubEnvironment, approvalSeconds: Int64 = Self.approvalSecondsDefault,
        people: any SeveralPeople = NoSeveralPeople(),
        stillProves: @escaping @Sendable (Peer) -> Bool = { _ in true },
        nameable: @escaping @Sendable (Client?, Peer, [Account]) -> [Account]? = { _, _, _ in nil }
    ) {
        self.policy = policy
        self.keyStore = keyStore
        self.ledger = ledger
        self.approval = approval
        self.environment = environment
        self.approvalSeconds = approvalSeconds
        self.people = people
        self.stillProves = stillProves
        self.nameable = nameable
    }

    /// The same hub, with all that waits in it, under another policy.
    public func judging(by policy: any Policy) -> SigningHub {
        var copy = self
        copy.policy = policy
        return copy
    }

    /// Answers one frame: exactly one reply, whatever happens.
    public func answer(_ frame: Frame, with adapter: some ProtocolAdapter) async -> Answer {
        await answer(frame, with: adapter, nil) { () throws(AdapterError) in
            try decode(frame, with: adapter)
        }
    }

    func answer<Adapter: ProtocolAdapter>(
        _ frame: Frame, with adapter: Adapter, _ courier: (any Courier)?,
        _ decode: () throws(AdapterError) -> Decoded<Adapter.Request>
    ) async -> Answer {
        do throws(AdapterError) {
            return await joining(try decode(), with: adapter, courier)  // 3
        } catch {
            return await refused(error, frame, by: adapter)
        }
    }

    /// Answers a request once, also where it is sent again while it waits.
    private func joining<Adapter: ProtocolAdapter>(
        _ decoded: Decoded<Adapter.Request>, with adapter: Adapter, _ courier: (any Courier)?
    ) async -> Answer {
        defer { decoded.aging?.end() }
        guard let key = decoded.pendingKey else {
            return await sent(answer(to: decoded, with: adapter), by: courier, decoded.aging)
        }
        switch await pending.enter(key, digest: decoded.digest) {
        case .joined(let answer): return answer
        case .left: return .unheard
        case .first:
            // Whoever joined gets what became of it; it is sent once.
            var answer = await sent(
                answerInPlace(key, decoded, with: adapter), by: courier, decoded.aging)
            answer.requestID = decoded.id
            pending.finish(key, answer)
            return answer
        case .refused:
            return await refusal(.denied(.pendingConflict), of: decoded, with: adapter)
        }
    }

    func answer<Adapter: ProtocolAdapter>(
        to decoded: Decoded<Adapter.Request>, with adapter: Adapter, isJudgedAgain: Bool = false
    ) async -> Answer {
        // What several people said yes to and was not used is taken back.
        var unused: [UInt8]?
        do throws(Stop) {
            try understand(decoded.judged, as: adapter.schema.protocolID)  // 4
            let judgement = try judge(decoded.judged)  // 5
            let recollection = try recall(decoded, judgement)
            let offers = try offers(to: decoded)
            let consent = try await consent(to: decoded, judgement, recollection, offers)  // 6
            // Once what a person said is on record, or nothing came of it.
            defer { close(consent, to: decoded, judgement) }
            unused = consent.approval?.digest
            let hasWaited = try await unlock(for: decoded, judgement, consent)
            // Nothing below waits for a person: step 7 checks again what was judged, in the
            // transaction that puts it on record.
            let agreed = try await renewed(decoded, judgement, consent, hasWaited)
            if let stop = unserved(agreed.decoded) { throw stop }
            // What differs from what was agreed to is a request of its own, asked about once.
            guard agreed.holds || isJudgedAgain else {
                return await again(agreed.decoded, with: adapter, takingBack: unused)
            }
            guard agreed.holds else { throw .denied(.changedMeanwhile) }
            let reserving = environment.uptime()
            let intentID: [UInt8]
            do throws(LedgerError) {
                intentID = try await reserve(agreed.decoded, agreed.judgement, consent)  // 7
            } catch {
                // Another took the last of a limit: what the rules say then is asked once more.
                guard case .limitExceeded = error, !isJudgedAgain else { throw Stop(error) }
                return await again(decoded, with: adapter, takingBack: unused)
            }
            unused = nil
            try await checkStillServed(agreed.decoded, by: intentID, since: reserving)
            return try await carryOut(agreed, consent, offers, intentID, with: adapter)
        } catch {
            if let unused { await people.withdraw(unused) }
            if case .chosen(let account) = error, let other = decoded.other(account) {
                return await answer(to: other, with: adapter)
            }
            return await refusal(error, of: decoded, with: adapter)
        }
    }

    /// Answers it once more from step 4 on, out of its turn.
    private func again<Adapter: ProtocolAdapter>(
        _ decoded: Decoded<Adapter.Request>, with adapter: Adapter, takingBack unused: [UInt8]?
    ) async -> Answer {
        if let unused { await people.withdraw(unused) }
        decoded.aging?.pass()
        return await answer(to: decoded, with: adapter, isJudgedAgain: true)
    }

    /// Steps 8 and 9.
    private func carryOut<Adapter: ProtocolAdapter>(
        _ agreed: Agreed<Adapter.Request>, _ consent: Consent, _ offers: [WishOffer],
        _ intentID: [UInt8], with adapter: Adapter
    ) async throws(Stop) -> Answer {
        let decoded = agreed.decoded
        let permit = SigningPermit(
            for: decoded.judged.operations, on: consent.standing,
            judgedBy: agreed.judgement.policyHash)
        let results = try await use(permit, for: intentID)  // 8
        let kept = seal(consent.wished)
        let granted = granted(offers, to: decoded, keeping: kept)
        let reply = encode(results, to: decoded, granted: granted, by: adapter)
        decoded.aging?.carries(reply.broadcast?.items.map(\.id) ?? [])
        try await settle(intentID, results, reply, of: decoded, remembering: kept)  // 9
        return Answer(
            reply: reply, ending: .outcome(.done(results)), remembered: kept.map(\.grant),
            changes: decoded.terms.connectionChanges,
            complete: { encode($0, to: decoded, by: adapter) })
    }

    func refusal<Adapter: ProtocolAdapter>(
        _ stop: Stop, of decoded: Decoded<Adapter.Request>, with adapter: Adapter
    ) async -> Answer {
        let (outcome, kept) = await refuse(decoded, stop)
        if !kept.isEmpty, let client = decoded.judged.client { fresh.note(client.subject) }
        var reply = adapter.encode(outcome, to: decoded.request)
        if case .refused(let error) = stop { reply = error.reply }
        return Answer(reply: reply, ending: .outcome(outcome), remembered: kept)
    }
}

/// What came of a frame.
public struct Answer: Sendable {
    /// How it ended.
    public enum Result: Sendable {
        /// The adapter refused to decode it.
        case refused(AdapterError)
        /// It was decoded, and this is what became of it.
        case outcome(Outcome)
    }

    /// What goes back over the wire.
    public let reply: Reply
    /// How it ended.
    public let ending: Result
    /// The answers of a person that were put on record for later.
    public let remembered: [Grant]
    /// What it changed about connections.
    package let changes: [ConnectionChange]
    /// Writes the message from what became of a broadcast, item by item.
    public let complete: @Sendable ([Broadcast.Delivery]) -> Reply
    /// What became of a broadcast, item by item; empty where nothing was broadcast.
    public private(set) var deliveries: [Broadcast.Delivery] = []
    /// Whether it is the answer to the same request, which was waiting already: what is to be
    /// done once was done for that one.
    public var isRepeated = false
    /// The id of the request that was waiting already, 16 bytes; nil where nothing joined one.
    package var requestID: [UInt8]?

    init(
        reply: Reply, ending: Result, remembered: [Grant], changes: [ConnectionChange] = [],
        complete: @escaping @Sendable ([Broadcast.Delivery]) -> Reply = { _ in
            .silence("nothing was broadcast")
        }
    ) {
        self.reply = reply
        self.ending = ending
        self.remembered = remembered
        self.changes = changes
        self.complete = complete
    }

    /// The same once a transport has broadcast what it holds.
    func completed(by deliveries: [Broadcast.Delivery]) -> Answer {
        var copy = Answer(
            reply: complete(deliveries), ending: ending, remembered: remembered, changes: changes)
        copy.deliveries = deliveries
        copy.isRepeated = isRepeated
        copy.requestID = requestID
        return copy
    }

    /// The same in other words, where a transport answers several requests as one.
    func replying(_ message: [UInt8]) -> Answer {
        var copy = Answer(
            reply: .message(message), ending: ending, remembered: remembered, changes: changes,
            complete: complete)
        copy.deliveries = deliveries
        copy.isRepeated = isRepeated
        return copy
    }

    /// What came of a frame that was handed to another process.
    package static func told(
        _ reply: Reply, _ ending: Result, remembered: [Grant], deliveries: [Broadcast.Delivery]
    ) -> Answer {
        var answer = Answer(reply: reply, ending: ending, remembered: remembered)
        answer.deliveries = deliveries
        return answer
    }

    /// What stands for a frame that a transport refuses in the words of its adapter.
    package static func refused(_ error: AdapterError) -> Answer {
        Answer(reply: error.reply, ending: .refused(error), remembered: [])
    }

    var repeated: Answer {
        var copy = self
        copy.isRepeated = true
        return copy
    }
}

/// Why the flow ended before an answer with results.
enum Stop: Error {
    case denied(Reason, remembering: Remembering? = nil)
    case failed(Reason)
    /// What ages could not be filled in; the refusal in the wire's own format.
    case refused(AdapterError)
    /// A person wants to decide about another account first.
    case chosen(KeyID)
}
