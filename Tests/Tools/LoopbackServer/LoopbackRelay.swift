// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A Nostr relay on a free local port, for one test.
///
/// It stores nothing, accepts published events, and sends the messages of the test.
package final class LoopbackRelay: Sendable {
    private final class State: Sendable {
        /// The keys that each connection subscribes to, by the name of the subscription.
        let asked = Mutex<[Int32: [String: Set<String>]]>([:])
        /// The published events in order, by the key that they are for.
        let published = Mutex<[String: [String]]>([:])
        /// The number of connections that were opened.
        let openedCount = Mutex(0)
        /// The behaviour of the relay, with its state.
        let manners: RelayManners
        /// True if the relay closes each connection at once.
        let hangsUp = Mutex(false)

        init(_ manners: RelayManners) { self.manners = manners }
    }

    private let listener: Int32
    private let state: State
    package let url: String

    /// Creates a relay with the behaviour of some relays in use.
    package init(_ habit: RelayManners.Habit = .plain) throws {
        let (listener, port) = try LoopbackSocket.bound()
        guard listen(listener, 16) == 0 else { throw LoopbackServer.Failure() }
        self.listener = listener
        url = "ws://127.0.0.1:\(port)"
        let state = State(RelayManners(habit))
        self.state = state
        // The threads must not retain the relay, or it would never be released.
        Thread {
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
                guard connection >= 0 else { break }
                Thread { Self.serve(connection, state) }.start()
            }
            close(listener)
        }.start()
    }

    // Ends the blocking accept of the thread.
    deinit {
        _ = shutdown(listener, Int32(SHUT_RDWR))
        // Runs within the lock, as afterwards another connection may have the same descriptor.
        state.asked.withLock { asked in
            for connection in asked.keys { _ = shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    /// The events that were published for a key, as JSON.
    package func published(for key: String) -> [String] {
        state.published.withLock { $0[key] ?? [] }
    }

    /// Sends an event to each connection that subscribes to a key; false if there is no such
    /// connection.
    @discardableResult
    package func bring(_ event: String, to key: String) -> Bool {
        let places = state.asked.withLock { asked in
            asked.flatMap { connection, names in
                names.filter { $0.value.contains(key) }.map { (connection, $0.key) }
            }
        }.filter { state.manners.shows(eventsTo: $0.0) }
        for (connection, name) in places {
            Self.send("[\"EVENT\",\"\(name)\",\(event)]", to: connection)
        }
        return !places.isEmpty
    }

    /// True if the relay closes each connection at once.
    package var hangsUp: Bool {
        get { state.hangsUp.withLock { $0 } }
        set { state.hangsUp.withLock { $0 = newValue } }
    }

    /// The number of logins it received.
    package var loginsCount: Int { state.manners.loginsCount }
    /// The number of events it refused.
    package var refusedCount: Int { state.manners.refusedCount }

    /// The number of connections that were opened.
    package var openedCount: Int { state.openedCount.withLock { $0 } }

    /// Closes all subscriptions with a reason; the connections stay open.
    package func endSubscriptions(_ reason: String) {
        let ended = state.asked.withLock { asked in
            let ended = asked.flatMap { place, names in names.keys.map { (place, $0) } }
            for place in asked.keys { asked[place] = [:] }
            return ended
        }
        for (place, name) in ended {
            Self.send("[\"CLOSED\",\"\(name)\",\"\(reason)\"]", to: place)
        }
    }

    /// Sends a message to all connections.
    package func say(_ text: String) {
        for place in state.asked.withLock({ Array($0.keys) }) { Self.send(text, to: place) }
    }

    /// True if a connection subscribes to a key.
    package func isAsked(for key: String) -> Bool {
        state.asked.withLock { $0.values.contains { $0.values.contains { $0.contains(key) } } }
    }

    private static func serve(_ connection: Int32, _ state: State) {
        defer {
            state.manners.forget(connection)
            state.asked.withLock { _ = $0.removeValue(forKey: connection) }
            close(connection)
        }
        guard LoopbackWebSocket.open(connection) != nil else { return }
        state.openedCount.withLock { $0 += 1 }
        if state.hangsUp.withLock({ $0 }) { return }
        state.asked.withLock { $0[connection] = [:] }
        send(state.manners.greeting(), to: connection)
        while let message = WebSocketFrames.message(from: connection) {
            take(message, of: connection, state)
        }
    }

    private static func take(_ message: [UInt8], of connection: Int32, _ state: State) {
        guard let list = try? JSONSerialization.jsonObject(with: Data(message)) as? [Any],
            let word = list.first as? String, list.count > 1
        else { return }
        switch word {
        case "REQ":
            let name = list[1] as? String ?? ""
            let filter = list.last as? [String: Any]
            let keys = Set(filter?["#p"] as? [String] ?? [])
            let answers = state.manners.answers(toSubscription: name, of: connection)
            if !answers.contains(where: { $0.text.hasPrefix("[\"CLOSED\"") }) {
                state.asked.withLock { $0[connection]?[name] = keys }
            }
            send(answers, to: connection)
        case "AUTH":
            guard let event = list[1] as? [String: Any], let id = event["id"] as? String,
                let tags = event["tags"] as? [[String]], event["kind"] as? Int == 22_242
            else { return }
            let challenge = tags.first { $0.first == "challenge" }?.last ?? ""
            send(
                state.manners.answers(toLogin: id, challenge, of: connection), to: connection)
        case "CLOSE":
            state.asked.withLock {
                _ = $0[connection]?.removeValue(forKey: list[1] as? String ?? "")
            }
        case "EVENT":
            guard let event = list[1] as? [String: Any], let id = event["id"] as? String,
                let tag = (event["tags"] as? [[String]])?.first(where: { $0.first == "p" }),
                let text = String(bytes: message, encoding: .utf8)
            else { return }
            let json = String(text.dropFirst("[\"EVENT\",".utf8.count).dropLast())
            let answers = state.manners.answers(toEvent: id, of: connection)
            if answers.contains(where: { $0.text.contains(",true,") }) {
                state.published.withLock { $0[tag[1], default: []].append(json) }
            }
            send(answers, to: connection)
        default: break
        }
    }

    private static func send(_ answers: [RelayManners.Answer], to connection: Int32) {
        for answer in answers {
            if answer.pause > 0 { usleep(UInt32(1_000_000 * answer.pause)) }
            send(answer.text, to: connection)
        }
    }

    private static func send(_ text: String, to connection: Int32) {
        LoopbackSocket.write(WebSocketFrames.frame(Array(text.utf8)), to: connection)
    }
}
