// SPDX-License-Identifier: Apache-2.0

/// Turns a frame into its answer, in the same steps for every request.
///
/// Steps are numbered as in `Docs/Architecture.md`. The transport does steps 1 and 2: it reads one
/// frame and names the adapter.
public struct SigningHub: Sendable {
    /// The time that a person has to answer, in seconds.
    public static let approvalSecondsDefault: Int64 = 120

    private(set) var policy: any Policy
    /// The owner's names for accounts of other people; nil if there are none.
    private(set) var names: (any AccountNames)?
    let keyStore: any KeyStore
    let ledger: any Ledger
    let approval: any Approval
    /// The people to ask if a rule demands several.
    let people: any SeveralPeople
    package let environment: any HubEnvironment
    let approvalSeconds: Int64
    /// Returns false if the proof of a peer's identity was revoked or has expired.
    let stillProves: @Sendable (Peer) -> Bool
    /// Returns those of the given accounts that a client may name; nil if it may name all accounts.
    let nameable: @Sendable (Client?, Peer, [Account]) -> [Account]?
    let pending = PendingRequests()
    let notifier = GrantNotifier()
    let delays = DelayedRequests()
    let lanes = Lanes()
    let intentIDs = IntentIDs()

    /// Makes a hub.
    ///
    /// Pass `nameable` if clients must not find out which accounts the key store holds.
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

    /// Returns a copy of the hub with another policy and other names; both share the waiting
    /// requests.
    public func judging(
        by policy: any Policy, naming names: (any AccountNames)? = nil
    ) -> SigningHub {
        var copy = self
        copy.policy = policy
        copy.names = names
        return copy
    }

    /// Answers one frame with exactly one reply.
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

    /// Answers a request, or returns the answer to the same request if that one still waits.
    private func joining<Adapter: ProtocolAdapter>(
        _ decoded: Decoded<Adapter.Request>, with adapter: Adapter, _ courier: (any Courier)?
    ) async -> Answer {
        defer { decoded.aging?.end() }
        guard let key = decoded.pendingKey else {
            return await sent(answer(to: decoded, with: adapter), by: courier, decoded.aging)
        }
        switch await pending.enter(key, digest: decoded.digest) {
        case .joined(let answer): return answer
        case .left: return .withdrawn
        case .first:
            // The items are sent once, before the other senders of the request get the answer.
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
        // The question to several approvers that was not used; it is withdrawn after a failure.
        var unused: [UInt8]?
        do throws(Stop) {
            try understand(decoded.judged, as: adapter.schema.protocolID)  // 4
            let judgement = try judge(decoded.judged)  // 5
            let rememberedAnswer = try recall(decoded, judgement)
            let offers = try offers(to: decoded)
            let consent = try await consent(to: decoded, judgement, rememberedAnswer, offers)  // 6
            // Runs after the person's answer was recorded, or after a failure.
            defer { close(consent, to: decoded, judgement) }
            unused = consent.approval?.digest
            let hasWaited = try await unlock(for: decoded, judgement, consent)
            // From here on the hub waits for no person. Step 7 checks policy, limits and grants
            // again in the transaction that records the intent.
            let agreed = try await renewed(decoded, judgement, consent, hasWaited)
            if let stop = unserved(agreed.decoded) { throw stop }
            // If the renewed request differs from the agreed one, it is decided again, once.
            guard agreed.holds || isJudgedAgain else {
                return await again(agreed.decoded, with: adapter, takingBack: unused)
            }
            guard agreed.holds else { throw .denied(.changedMeanwhile) }
            let reserving = environment.uptime()
            let intentID: [UInt8]
            do throws(LedgerError) {
                intentID = try await reserve(agreed.decoded, agreed.judgement, consent)  // 7
            } catch {
                // Another request used up the limit since step 5, so the rules are applied again.
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

    /// Gives up the request's turn in its lane and answers it again from step 4 on.
    private func again<Adapter: ProtocolAdapter>(
        _ decoded: Decoded<Adapter.Request>, with adapter: Adapter, takingBack unused: [UInt8]?
    ) async -> Answer {
        if let unused { await people.withdraw(unused) }
        decoded.aging?.pass()
        return await answer(to: decoded, with: adapter, isJudgedAgain: true)
    }

    /// Takes steps 8 and 9.
    private func carryOut<Adapter: ProtocolAdapter>(
        _ agreed: Agreed<Adapter.Request>, _ consent: Consent, _ offers: [WishOffer],
        _ intentID: [UInt8], with adapter: Adapter
    ) async throws(Stop) -> Answer {
        let decoded = agreed.decoded
        let permit = SigningPermit(
            for: decoded.judged.operations, on: consent.usedGrants,
            judgedBy: agreed.judgement.policyHash)
        let results = try await use(permit, for: intentID)  // 8
        let kept = seal(consent.wished)
        let granted = granted(offers, to: decoded, keeping: kept)
        let reply = encode(results, to: decoded, granted: granted, by: adapter)
        decoded.aging?.carries(reply.broadcast?.items.map(\.id) ?? [])
        let replaced = replaced(by: kept.map(\.grant))
        try await settle(intentID, results, reply, of: agreed, remembering: kept)  // 9
        return Answer(
            reply: reply, ending: .outcome(.done(results)), remembered: kept.map(\.grant),
            replaced: replaced,
            changes: decoded.terms.connectionChanges,
            complete: { encode($0, to: decoded, by: adapter) })
    }

    func refusal<Adapter: ProtocolAdapter>(
        _ stop: Stop, of decoded: Decoded<Adapter.Request>, with adapter: Adapter
    ) async -> Answer {
        let (outcome, kept) = await refuse(decoded, stop)
        if !kept.isEmpty, let client = decoded.judged.client { notifier.note(client.subject) }
        var reply = adapter.encode(outcome, to: decoded.request)
        if case .refused(let error) = stop { reply = error.reply }
        return Answer(reply: reply, ending: .outcome(outcome), remembered: kept)
    }
}

/// The answer to a frame.
public struct Answer: Sendable {
    /// The result of the steps.
    public enum Result: Sendable {
        /// The adapter or the transport refused the frame.
        case refused(AdapterError)
        /// The frame was decoded, and the request had this outcome.
        case outcome(Outcome)
    }

    /// The reply over the wire.
    public let reply: Reply
    /// The result.
    public let ending: Result
    /// The answers that were recorded as remembered ones.
    public let remembered: [Grant]
    /// The older grants that these replace.
    package let replaced: [Grant]
    /// The changes of connections that the request made.
    package let changes: [ConnectionChange]
    /// Returns the reply from the results of a broadcast, one for each item.
    public let complete: @Sendable ([Broadcast.Delivery]) -> Reply
    /// The results of a broadcast, one for each item; empty without a broadcast.
    public private(set) var deliveries: [Broadcast.Delivery] = []
    /// True if this is the answer to the same request, which was already waiting.
    ///
    /// Effects such as counting a refusal must happen only for the first answer.
    public var isRepeated = false
    /// The id of a request to which the client gave a name, 16 bytes; repetitions have the same.
    package var requestID: [UInt8]?

    init(
        reply: Reply, ending: Result, remembered: [Grant], replaced: [Grant] = [],
        changes: [ConnectionChange] = [],
        complete: @escaping @Sendable ([Broadcast.Delivery]) -> Reply = { _ in
            .silence("nothing was broadcast")
        }
    ) {
        self.reply = reply
        self.ending = ending
        self.remembered = remembered
        self.replaced = replaced
        self.changes = changes
        self.complete = complete
    }

    /// Returns the answer with the reply for these results of sending.
    func completed(by deliveries: [Broadcast.Delivery]) -> Answer {
        var copy = Answer(
            reply: complete(deliveries), ending: ending, remembered: remembered,
            replaced: replaced, changes: changes)
        copy.deliveries = deliveries
        copy.isRepeated = isRepeated
        copy.requestID = requestID
        return copy
    }

    /// Returns the answer with another message, for several requests that are answered as one.
    func replying(_ message: [UInt8]) -> Answer {
        var copy = Answer(
            reply: .message(message), ending: ending, remembered: remembered,
            replaced: replaced, changes: changes, complete: complete)
        copy.deliveries = deliveries
        copy.isRepeated = isRepeated
        return copy
    }

    /// Makes the answer to a frame that another process handled.
    package static func handledElsewhere(
        _ reply: Reply, _ ending: Result, deliveries: [Broadcast.Delivery]
    ) -> Answer {
        var answer = Answer(reply: reply, ending: ending, remembered: [])
        answer.deliveries = deliveries
        return answer
    }

    /// Makes the answer to a frame that a transport refuses, with an error of the frame's adapter.
    package static func refused(_ error: AdapterError) -> Answer {
        Answer(reply: error.reply, ending: .refused(error), remembered: [])
    }

    var repeated: Answer {
        var copy = self
        copy.isRepeated = true
        return copy
    }
}

/// An end of the steps without results.
enum Stop: Error {
    case denied(Reason, remembering: Remembering? = nil)
    case failed(Reason)
    /// A value that ages could not be renewed; the refusal is in the wire's own format.
    case refused(AdapterError)
    /// A person chose another account for the request.
    case chosen(KeyID)
}
