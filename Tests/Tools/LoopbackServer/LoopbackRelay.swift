// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A relay of Nostr on a free port of this machine, for one test: it keeps nothing, takes what is
/// published, and hands on what a test has to say.
package final class LoopbackRelay: Sendable {
    private final class State: Sendable {
        /// Which keys each connection asks for, by the name of the subscription.
        let asked = Mutex<[Int32: [String: Set<String>]]>([:])
        /// The events that were published, as they came, by the key they are for.
        let published = Mutex<[String: [String]]>([:])
        /// How many connections were opened.
        let openedCount = Mutex(0)
    }

    private let listener: Int32
    private let state: State
    package let url: String

    package init() throws {
        let (listener, port) = try LoopbackSocket.bound()
        guard listen(listener, 16) == 0 else { throw LoopbackServer.Failure() }
        self.listener = listener
        url = "ws://127.0.0.1:\(port)"
        let state = State()
        self.state = state
        // The threads must not keep the relay alive, or it would never end.
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

    // It ends the accept of the thread.
    deinit {
        _ = shutdown(listener, Int32(SHUT_RDWR))
        // Within the lock: afterwards a number may be somebody else's.
        state.asked.withLock { asked in
            for connection in asked.keys { _ = shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    /// The events that were published for a key, as JSON.
    package func published(for key: String) -> [String] {
        state.published.withLock { $0[key] ?? [] }
    }

    /// Hands an event to whoever asked for what a key is sent; false where nobody did.
    @discardableResult
    package func bring(_ event: String, to key: String) -> Bool {
        let places = state.asked.withLock { asked in
            asked.flatMap { connection, names in
                names.filter { $0.value.contains(key) }.map { (connection, $0.key) }
            }
        }
        for (connection, name) in places {
            Self.send("[\"EVENT\",\"\(name)\",\(event)]", to: connection)
        }
        return !places.isEmpty
    }

    /// How often somebody connected.
    package var openedCount: Int { state.openedCount.withLock { $0 } }

    /// Ends all subscriptions, and says why; the connections stay.
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

    /// Says something to everybody who is connected.
    package func say(_ text: String) {
        for place in state.asked.withLock({ Array($0.keys) }) { Self.send(text, to: place) }
    }

    /// Whether anybody asks for what a key is sent.
    package func isAsked(for key: String) -> Bool {
        state.asked.withLock { $0.values.contains { $0.values.contains { $0.contains(key) } } }
    }

    private static func serve(_ connection: Int32, _ state: State) {
        defer {
            state.asked.withLock { _ = $0.removeValue(forKey: connection) }
            close(connection)
        }
        guard LoopbackWebSocket.open(connection) != nil else { return }
        state.openedCount.withLock { $0 += 1 }
        state.asked.withLock { $0[connection] = [:] }
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
            state.asked.withLock { $0[connection]?[name] = keys }
            send("[\"EOSE\",\"\(name)\"]", to: connection)
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
            state.published.withLock { $0[tag[1], default: []].append(json) }
            send("[\"OK\",\"\(id)\",true,\"\"]", to: connection)
        default: break
        }
    }

    private static func send(_ text: String, to connection: Int32) {
        LoopbackSocket.write(WebSocketFrames.frame(Array(text.utf8)), to: connection)
    }
}

/// RFC 6455, as far as a server of tests needs it.
enum WebSocketFrames {
    /// One message in one frame.
    static func frame(_ payload: [UInt8], opcode: UInt8 = 1) -> [UInt8] {
        let head: [UInt8] = [0x80 | opcode]
        switch payload.count {
        case ..<126: return head + [UInt8(payload.count)] + payload
        case ..<65_536:
            return head + [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
        default:
            let count = (0..<8).reversed().map { UInt8(payload.count >> ($0 * 8) & 0xFF) }
            return head + [127] + count + payload
        }
    }

    /// The next message of a client; nil at the end.
    static func message(from connection: Int32) -> [UInt8]? {
        var message: [UInt8] = []
        while true {
            guard let head = read(2, from: connection) else { return nil }
            var count = Int(head[1] & 0x7F)
            if count > 125 {
                guard let more = read(count == 126 ? 2 : 8, from: connection) else { return nil }
                count = more.reduce(0) { $0 << 8 | Int($1) }
            }
            guard let mask = read(4, from: connection),
                let masked = read(count, from: connection)
            else { return nil }
            let payload = masked.indices.map { masked[$0] ^ mask[$0 % 4] }
            switch head[0] & 0x0F {
            case 0, 1, 2:
                message += payload
                if head[0] & 0x80 != 0 { return message }
            case 9: LoopbackSocket.write(frame(payload, opcode: 10), to: connection)
            case 8: return nil
            default: break
            }
        }
    }

    private static func read(_ count: Int, from connection: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe recv(connection, bytes.baseAddress?.advanced(by: done), count - done, 0)
            }
            guard got > 0 else { return nil }
            done += got
        }
        return bytes
    }

    /// What a server says to the key of a client.
    static func acceptance(of key: String) -> String {
        let text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        return Data(sha1(Array(text.utf8))).base64EncodedString()
    }

    /// FIPS 180-4; nothing but this handshake needs it.
    private static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        var padded = bytes + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        let bits = 8 * bytes.count
        padded += (0..<8).reversed().map { UInt8(bits >> (8 * $0) & 0xFF) }
        var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        func turned(_ word: UInt32, _ count: UInt32) -> UInt32 {
            word << count | word >> (32 - count)
        }
        for start in stride(from: 0, to: padded.count, by: 64) {
            var words = stride(from: start, to: start + 64, by: 4).map { place in
                padded[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
            for place in 16..<80 {
                words.append(
                    turned(
                        words[place - 3] ^ words[place - 8] ^ words[place - 14] ^ words[place - 16],
                        1))
            }
            var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
            for place in 0..<80 {
                let (mixed, constant): (UInt32, UInt32) =
                    switch place {
                    case ..<20: (b & c | ~b & d, 0x5A82_7999)
                    case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                    case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                    default: (b ^ c ^ d, 0xCA62_C1D6)
                    }
                let next = turned(a, 5) &+ mixed &+ e &+ constant &+ words[place]
                (e, d, c, b, a) = (d, c, turned(b, 30), a, next)
            }
            for (place, word) in [a, b, c, d, e].enumerated() { hash[place] &+= word }
        }
        return hash.flatMap { word in (0..<4).reversed().map { UInt8(word >> ($0 * 8) & 0xFF) } }
    }
}
