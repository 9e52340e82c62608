// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import Synchronization

/// The requests that wait for an answer, and for some time those that were answered.
///
/// A request whose id was returned to its client continues after the client has disconnected. So
/// each request has its own `Connection` for the limits.
package final class RequestRegistry: Sendable {
    /// The reasons that a request is not accepted.
    package enum Refusal: Error {
        /// There are too many requests.
        case busy(String)
        /// The client was refused too often.
        case refusedTooOften
        /// The request's `Idempotency-Key` was used before with another body.
        case keyReused
    }

    private struct State {
        var byID: [String: SubmittedRequest] = [:]
        var byKey: [String: SubmittedRequest] = [:]
        /// The answered requests.
        var ended = KeptAnswers()
        var pending = HeldBytes()
    }

    private let signer: any Signer
    private let asking: Connections
    private let tally: Tally
    private let threads: (any TaskExecutor)?
    private let state = Mutex(State())

    /// Creates a registry that passes requests to `signer`, counts them in `tally`, and answers
    /// them on `threads`.
    package init(
        _ signer: any Signer, _ limits: TransportLimits, _ tally: Tally,
        on threads: (any TaskExecutor)?
    ) {
        self.signer = signer
        self.threads = threads
        self.tally = tally
        // Each request has one frame, so the limits of frames apply.
        asking = Connections(
            TransportLimits(
                connectionsMax: .max, framesMax: limits.framesMax,
                framesPerPeerMax: limits.framesPerPeerMax,
                drainSecondsMax: limits.drainSecondsMax), on: threads)
    }

    /// Accepts no more requests.
    package func stop() { asking.stop() }

    /// Waits for requests that are being answered, up to the time limit, then cancels the rest.
    package func drain() async {
        await asking.drain()
        let rest = state.withLock { Array($0.byID.values) }.filter { $0.end == nil }
        for asked in rest { asked.withdraw() }
        // The transport's task is already cancelled and would not wait.
        await Task {
            await withTaskGroup(of: Void.self) { group in
                for asked in rest {
                    group.addTask { await asked.wait(seconds: SocketLimits.closingSeconds) }
                }
            }
        }.value
    }

    /// Returns the request with this id; nil if the id is unknown or the request was removed.
    package func find(_ id: String) -> SubmittedRequest? {
        state.withLock { state in
            Self.forgetOld(&state)
            return state.byID[id]
        }
    }

    /// Passes a request to the signer, or returns the earlier request with the same key.
    package func submit(
        _ submission: Submission, from peer: Peer, by key: SubmittedRequest.Key?
    ) async throws(Refusal) -> (asked: SubmittedRequest, isNew: Bool) {
        let connection: Connection
        do throws(Connections.Refusal) {
            connection = try asking.open(peer)
        } catch {
            throw .busy(error.text)
        }
        let new = SubmittedRequest(submission, by: key, on: connection)
        if let known = try enter(new) {
            guard known.isLeft else { return (known, false) }
            // The client left and returned: a request that was not carried out may be submitted
            // again.
            await known.wait(seconds: SocketLimits.closingSeconds)
            if known.end == nil { throw .busy("the same request is being withdrawn") }
            if known.isDone { return (known, false) }
            if let known = try enter(new) { return (known, false) }
        }
        await run(new, submission, on: connection)
        switch new.end {
        case .refused(.tooManyRefused)?: throw .refusedTooOften
        case .refused(let refusal)?: throw .busy(refusal.text)
        case .answered?, nil: return (new, true)
        }
    }

    /// Registers a request; returns the earlier one with the same key, nil if it is new.
    private func enter(_ new: SubmittedRequest) throws(Refusal) -> SubmittedRequest? {
        try state.withLock { state -> Result<SubmittedRequest?, Refusal> in
            Self.forgetOld(&state)
            if let key = new.key, let known = state.byKey[key.name] {
                return known.key == key ? .success(known) : .failure(.keyReused)
            }
            state.pending.add(new.frameBytes, of: new.countedClient)
            guard !state.pending.isTooMuch(of: new.countedClient, onceAllowed: new.frameBytes)
            else {
                state.pending.add(-new.frameBytes, of: new.countedClient)
                return .failure(.busy("too many requests wait for an answer"))
            }
            state.byID[new.id] = new
            if let key = new.key { state.byKey[key.name] = new }
            return .success(nil)
        }.get()
    }

    /// Passes a request to the signer; returns as soon as the signer has it, or it was refused.
    private func run(
        _ asked: SubmittedRequest, _ submission: Submission, on connection: Connection
    ) async {
        let taken = Gate()
        let announcing = AnnouncingSigner(signer) { taken.open() }
        Task.immediate(executorPreference: threads) {
            tally.note { $0.inFlight += 1 }
            defer { tally.note { $0.inFlight -= 1 } }
            do throws(Connections.Refusal) {
                let answer = try await connection.answer(
                    submission.frame, over: submission.wire, as: asked.idBytes, by: announcing)
                tally.count(asked.wire, answer.counted)
                keep(asked, answer)
                asked.finish(.answered(answer, at: .now))
            } catch {
                if error == .tooManyRefused { tally.refuse("rate") }
                drop(asked)
                asked.finish(.refused(error))
            }
            taken.open()
        }
        await taken.wait()
    }

    private func keep(_ asked: SubmittedRequest, _ answer: Answer) {
        let bytes = answer.message?.count ?? 0
        state.withLock { state in
            if asked.isLeft, answer.counted != .done { Self.forgetKey(of: asked, &state) }
            state.pending.add(-asked.frameBytes, of: asked.countedClient)
            state.ended.add(asked, bytes: bytes)
            Self.forgetOld(&state)
        }
    }

    private func drop(_ asked: SubmittedRequest) {
        state.withLock { state in
            state.pending.add(-asked.frameBytes, of: asked.countedClient)
            Self.forget(asked, &state)
        }
    }

    private static func forgetOld(_ state: inout State) {
        let now = ContinuousClock.now
        while let old = state.ended.removeNext(at: now) { forget(old, &state) }
    }

    private static func forget(_ asked: SubmittedRequest, _ state: inout State) {
        state.byID[asked.id] = nil
        forgetKey(of: asked, &state)
    }

    private static func forgetKey(of asked: SubmittedRequest, _ state: inout State) {
        if let key = asked.key, state.byKey[key.name] === asked { state.byKey[key.name] = nil }
    }
}

/// Calls `announce` when a frame has passed the limits and reaches the signer.
private struct AnnouncingSigner: Signer {
    private let signer: any Signer
    private let announce: @Sendable () -> Void

    init(_ signer: any Signer, _ announce: @escaping @Sendable () -> Void) {
        self.signer = signer
        self.announce = announce
    }

    func answer(_ frame: Frame, over wire: AdapterID?) async -> Answer {
        announce()
        return await signer.answer(frame, over: wire)
    }
}

extension Connections.Refusal {
    /// The refusal in words.
    package var text: String {
        switch self {
        case .tooManyConnections: "there are too many connections"
        case .tooManyOfPeer: "this client has too many requests in flight"
        case .tooManyFrames: "there are too many requests in flight"
        case .tooManyRefused: "this client was refused too often"
        case .closed: "the request was withdrawn"
        case .draining: "the agent is stopping"
        }
    }
}
