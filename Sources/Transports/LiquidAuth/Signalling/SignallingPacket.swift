// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs

/// A message of a Socket.IO 4 server, as far as a signalling client needs it.
///
/// It is an Engine.IO 4 packet that contains a Socket.IO packet for the default namespace.
enum SignallingPacket: Hashable {
    /// The connection is open; the interval and the time limit of the server's pings, in
    /// milliseconds.
    case opened(pingMilliseconds: Int64, patienceMilliseconds: Int64)
    case closing
    /// A ping of the server; its text is sent back.
    case ping(String)
    case connected
    case disconnected
    case refused(String)
    /// An event with its first argument; with an `ack`, the server expects a confirmation.
    case event(String, JSON, ack: String?)
    /// A message that this client does not use.
    case other
}

extension SignallingPacket {
    private static let limits = JSONLimits(bytesMax: 256 << 10, depthMax: 8)
    private static let ackDigitsMax = 10
    private static let pingBytesMax = 64

    /// Parses a message; nil if it is invalid.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.limits.bytesMax, let kind = bytes.first else { return nil }
        let rest = bytes[1...]
        switch kind {
        case UInt8(ascii: "0"):
            guard let terms = Self.json(rest), let ping = terms["pingInterval"]?.integerValue,
                let patience = terms["pingTimeout"]?.integerValue, ping > 0, patience > 0
            else { return nil }
            self = .opened(pingMilliseconds: ping, patienceMilliseconds: patience)
        case UInt8(ascii: "1"): self = .closing
        case UInt8(ascii: "2"):
            guard rest.count <= Self.pingBytesMax,
                let text = String(validating: rest, as: UTF8.self)
            else { return nil }
            self = .ping(text)
        case UInt8(ascii: "3"), UInt8(ascii: "5"), UInt8(ascii: "6"): self = .other
        case UInt8(ascii: "4"): self.init(inner: rest)
        default: return nil
        }
    }

    private init?(inner bytes: ArraySlice<UInt8>) {
        guard let kind = bytes.first else { return nil }
        let rest = bytes.dropFirst()
        // A packet of another namespace is not used here.
        if rest.first == UInt8(ascii: "/") {
            self = .other
            return
        }
        switch kind {
        case UInt8(ascii: "0"): self = .connected
        case UInt8(ascii: "1"): self = .disconnected
        case UInt8(ascii: "2"):
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard digits.count <= Self.ackDigitsMax,
                let list = Self.json(rest.dropFirst(digits.count))?.list,
                let name = list.first?.text
            else { return nil }
            let ack = digits.isEmpty ? nil : String(decoding: digits, as: UTF8.self)
            self = .event(name, list.count > 1 ? list[1] : .null, ack: ack)
        case UInt8(ascii: "3"), UInt8(ascii: "5"), UInt8(ascii: "6"): self = .other
        case UInt8(ascii: "4"): self = .refused(Self.json(rest)?["message"]?.text ?? "")
        default: return nil
        }
    }

    private static func json(_ bytes: ArraySlice<UInt8>) -> JSON? {
        try? JSON.parse(Array(bytes).span, limits: limits)
    }
}

extension SignallingPacket {
    /// The path for WebSocket connections, without the HTTP long-polling transport.
    static let path = "/socket.io/?EIO=4&transport=websocket"
    static let connect = Array("40".utf8)
    static let disconnect = Array("41".utf8)

    static func pong(_ text: String) -> [UInt8] { Array("3\(text)".utf8) }
    static func taken(_ ack: String) -> [UInt8] { Array("43\(ack)[]".utf8) }

    static func event(_ name: String, _ argument: JSON) -> [UInt8] {
        Array("42".utf8) + ([.string(name), argument] as JSON).write()
    }
}

extension Signal {
    /// Reads an event; nil if it is unknown or invalid.
    init?(event name: String, _ argument: JSON) {
        switch name {
        case "offer-description", "answer-description":
            // Some apps send the description object of the browser.
            guard let text = argument.text ?? argument["sdp"]?.text,
                (1...Self.descriptionBytesMax).contains(text.utf8.count)
            else { return nil }
            self = name == "offer-description" ? .offer(text) : .answer(text)
        case "offer-candidate", "answer-candidate":
            guard let text = argument["candidate"]?.text,
                text.utf8.count <= Self.candidateBytesMax
            else { return nil }
            let line = argument["sdpMLineIndex"]?.integerValue.flatMap { Int(exactly: $0) }
            let candidate = ICECandidate(
                candidate: text, sdpMid: argument["sdpMid"]?.text,
                sdpMLineIndex: line.flatMap { $0 >= 0 ? $0 : nil })
            self =
                name == "offer-candidate" ? .offerCandidate(candidate) : .answerCandidate(candidate)
        default: return nil
        }
    }

    /// The signal as an event message.
    var message: [UInt8] {
        switch self {
        case .offer(let text): SignallingPacket.event("offer-description", .string(text))
        case .answer(let text): SignallingPacket.event("answer-description", .string(text))
        case .offerCandidate(let candidate):
            SignallingPacket.event("offer-candidate", candidate.json)
        case .answerCandidate(let candidate):
            SignallingPacket.event("answer-candidate", candidate.json)
        }
    }
}

extension ICECandidate {
    fileprivate var json: JSON {
        [
            "candidate": .string(candidate), "sdpMid": sdpMid.map { .string($0) } ?? .null,
            "sdpMLineIndex": sdpMLineIndex.map { .integer(Int64($0)) } ?? .null,
        ]
    }
}
