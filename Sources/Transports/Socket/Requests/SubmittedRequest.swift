// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningDigests
internal import Synchronization

/// A request that a client submitted; it exists until its answer is removed.
package final class SubmittedRequest: Sendable {
    /// The result of the request.
    package enum End: Sendable {
        /// The signer answered.
        case answered(Answer, at: Timestamp)
        /// The request was not accepted because of a limit.
        case refused(Connections.Refusal)
    }

    private struct State {
        /// The result; nil while it is pending.
        package var end: End?
        var waiting: [ObjectIdentifier: Gate] = [:]
        /// True if a client received the id of the pending request, so that it may come back.
        var isHandedOut = false
        /// True if the client left before the request ended.
        var isLeft = false
    }

    /// The id of the request, which its question and its entries in the record have too, in hex.
    ///
    /// Half of it is random, so that other clients cannot guess it.
    package let id: String
    let idBytes: [UInt8]
    private static let ids = IntentIDs()
    let wire: AdapterID?
    /// True if the request is cancelled when its client stops waiting, as for a command.
    ///
    /// A command that was killed does not come back for the answer.
    private let endsWithClient: Bool
    /// The client's name for the request, with the digest of its body.
    let key: Key?
    let frameBytes: Int
    /// The client under which it is counted.
    let countedClient: CountedClient
    /// The name of the access token of the request; only the same token may read it.
    var token: String? { connection.peer.credential?.tokenName }
    private let submitted = Timestamp.now
    private let connection: Connection
    private let state = Mutex(State())

    /// The value of the header `Idempotency-Key`, and the digest of its body.
    package struct Key: Hashable, Sendable {
        let name: String
        let digest: [UInt8]

        /// Names a request with this body.
        package init(name: String, of body: [UInt8]) {
            self.name = name
            digest = Digest.sha256(body.span)
        }
    }

    init(_ submission: Submission, by key: Key?, on connection: Connection) {
        let number = UInt64.random(in: .min ... .max)
        let bytes = Self.ids.next(
            at: .now, (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
        idBytes = bytes
        id = Hex.encode(bytes.span)
        self.key = key
        self.connection = connection
        wire = submission.wire
        endsWithClient = submission.channel == .commandLine
        frameBytes = submission.frame.count
        countedClient = connection.peer.countedClient
    }

    /// The result; nil while it is pending.
    package var end: End? { state.withLock { $0.end } }

    /// True if the request was carried out.
    var isDone: Bool {
        if case .answered(let answer, _) = end { return answer.counted == .done }
        return false
    }

    func finish(_ end: End) {
        let waiting = state.withLock { state in
            state.end = end
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for gate in waiting { gate.open() }
        connection.close()
    }

    /// Withdraws the request; its question stays while an identical request that joined it waits.
    package func withdraw() { connection.close() }

    /// Waits until the request has ended, `seconds` have passed, or the task is cancelled.
    ///
    /// Returns at once if too many connections wait for this request already.
    package func wait(seconds: Int64) async {
        let gate = Gate()
        let isOpen = state.withLock { state in
            guard state.end == nil, seconds > 0, state.waiting.count < SocketLimits.waitersMax
            else { return false }
            state.waiting[ObjectIdentifier(gate)] = gate
            return true
        }
        guard isOpen else { return }
        await gate.wait(seconds: seconds)
        state.withLock { _ = $0.waiting.removeValue(forKey: ObjectIdentifier(gate)) }
    }

    /// True if the client left before the request ended and no other client waited for it.
    var isLeft: Bool { state.withLock { $0.isLeft } }

    /// Cancels the request after its client left, unless a client waits for it or may come back.
    func leave() {
        let isAbandoned = state.withLock { state in
            guard state.end == nil, state.waiting.isEmpty, !state.isHandedOut else { return false }
            state.isLeft = true
            return true
        }
        if isAbandoned { withdraw() }
    }

    /// Returns the state in the form for clients.
    func json() -> (JSON, isPending: Bool) {
        let end = state.withLock { state in
            if state.end == nil, !endsWithClient { state.isHandedOut = true }
            return state.end
        }
        var members: [JSONObject.Member] = [.init(name: "id", value: .string(id))]
        if let wire { members.append(.init(name: "wire", value: .string(wire.name))) }
        members.append(.init(name: "submitted", value: .string(submitted.utcText)))
        if end == nil, endsWithClient {
            // If the command was killed, it does not ask for the answer again within this time.
            Task { [weak self] in
                try? await Task.sleep(for: .seconds(SocketLimits.returnSeconds))
                self?.leave()
            }
        }
        guard case .answered(let answer, let time)? = end else {
            members.append(.init(name: "state", value: "pending"))
            return (.object(JSONObject(members)), true)
        }
        members.append(.init(name: "ended", value: .string(time.utcText)))
        if answer.isRepeated, let first = answer.requestID {
            members.append(.init(name: "joined", value: .string(Hex.encode(first.span))))
        }
        return (.object(JSONObject(members + answer.members)), false)
    }
}
