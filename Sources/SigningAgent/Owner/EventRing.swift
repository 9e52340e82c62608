// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningCrypto
internal import Socket
internal import Synchronization

/// Recent events for programs that follow them: server-sent events, each with an id from which an
/// interrupted stream can continue.
package final class EventRing: Sendable {
    /// The client that an event concerns.
    struct Subject: Sendable {
        let client: String
        let proof: Client.Proof
    }

    private struct Follower {
        let stream: EventStream
        let reader: Reader
        /// True while the follower may still receive events.
        let isAllowed: @Sendable () -> Bool

        func sees(_ subject: Subject?) -> Bool {
            subject.map { reader.sees($0.client, $0.proof) } ?? (reader == .owner)
        }
    }

    private struct State {
        var lastNumber = 0
        /// The last events, oldest first.
        var events: [(number: Int, subject: Subject?, bytes: [UInt8])] = []
        var followers: [Follower] = []
        var isBeating = false
    }

    /// The number of events that are kept for followers that reconnect.
    static let eventsMax = 256
    /// The most followers at one time: this many for the owner, and this many for clients.
    static let followersMax = 8
    /// The most followers for one client.
    static let followersOfClientMax = 2

    /// Marks the ids of this run; ids of another run are unknown.
    private let run = Hex.encode(Randomness.bytes(4).span)
    private let beat: Duration
    private let state = Mutex(State())

    /// Creates an empty ring; followers receive a heartbeat at this interval.
    package init(beat: Duration = .seconds(15)) { self.beat = beat }

    /// The number of followers.
    var followerCount: Int { state.withLock { $0.followers.count } }

    /// Sends an event to all followers for the owner, and to those for the client that it concerns.
    func publish(_ name: String, _ json: JSON, about subject: Subject? = nil) {
        send({ $0.sees(subject) }) { state in
            state.lastNumber += 1
            let number = state.lastNumber
            let bytes = Self.text(name, json, id: "\(run)-\(number)")
            state.events.append((number, subject, bytes))
            if state.events.count > Self.eventsMax { state.events.removeFirst() }
            return bytes
        }
    }

    /// Follows the events after `lastID` as long as `isAllowed` returns true; nil if there are too
    /// many followers.
    ///
    /// The event `gap` comes first if events in between are lost.
    func follow(
        after lastID: String?, as reader: Reader = .owner,
        while isAllowed: @escaping @Sendable () -> Bool
    ) -> EventStream? {
        let stream = EventStream()
        let follower = Follower(stream: stream, reader: reader, isAllowed: isAllowed)
        let (isTaken, isFirst) = state.withLock { state in
            state.followers.removeAll { $0.stream.isOver }
            guard Self.hasRoom(for: reader, among: state.followers) else { return (false, false) }
            stream.put(Array(": follows\n\n".utf8))
            let last = lastID.map { number(of: $0) } ?? state.lastNumber
            let oldest = state.events.first?.number ?? state.lastNumber + 1
            if let last, (oldest - 1...state.lastNumber).contains(last) {
                for event in state.events where event.number > last && follower.sees(event.subject)
                {
                    stream.put(event.bytes)
                }
            } else {
                stream.put(Self.text("gap", [:], id: "\(run)-\(state.lastNumber)"))
            }
            state.followers.append(follower)
            defer { state.isBeating = true }
            return (true, !state.isBeating)
        }
        if isFirst { Task { [weak self] in await self?.keepBeating() } }
        return isTaken ? stream : nil
    }

    private static func hasRoom(for reader: Reader, among followers: [Follower]) -> Bool {
        let alike = followers.filter { ($0.reader == .owner) == (reader == .owner) }
        let own = alike.count { $0.reader == reader }
        return alike.count < followersMax && (reader == .owner || own < followersOfClientMax)
    }

    /// The number in an id of this run; nil for any other text.
    private func number(of id: String) -> Int? {
        guard id.hasPrefix(run + "-") else { return nil }
        return Int(id.dropFirst(run.utf8.count + 1))
    }

    private func send(
        _ isMeant: (Follower) -> Bool = { _ in true }, _ body: (inout State) -> [UInt8]
    ) {
        state.withLock { state in
            let bytes = body(&state)
            state.followers.removeAll { follower in
                guard follower.isAllowed() else {
                    follower.stream.end()
                    return true
                }
                if isMeant(follower) { follower.stream.put(bytes) }
                return follower.stream.isOver
            }
        }
    }

    /// Sends a comment regularly, which detects closed connections; it also ends the streams of
    /// followers that are no longer allowed.
    private func keepBeating() async {
        while true {
            try? await Task.sleep(for: beat)
            send { _ in Array(": \n\n".utf8) }
            let isOver = state.withLock { state in
                if state.followers.isEmpty { state.isBeating = false }
                return state.followers.isEmpty
            }
            if isOver { return }
        }
    }

    private static func text(_ name: String, _ json: JSON, id: String) -> [UInt8] {
        Array("id: \(id)\nevent: \(name)\ndata: ".utf8) + json.write() + Array("\n\n".utf8)
    }
}
