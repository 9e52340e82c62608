// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing
import VectorFiles

@testable import LiquidAuth

@Suite("Packets of Socket.IO")
struct SignallingPacketTests {
    private static let vectors = VectorFile.read("Vectors/algorand/socketio_frames.json")

    private func packet(_ text: String) -> SignallingPacket? {
        SignallingPacket(Array(text.utf8))
    }

    @Test("packets of a real server are read, and a wallet's packets are written the same")
    func transcript() throws {
        let lines = try #require(Self.vectors["transcript"]?.list)
        #expect(lines.count == 9)
        let server = lines.filter { $0["from"] == "server" }.compactMap { $0["packet"]?.text }
        #expect(
            server.map(packet) == [
                .opened(pingMilliseconds: 25_000, patienceMilliseconds: 20_000), .connected, .other,
                .event("offer-description", "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\n", ack: nil),
            ])
        let client = lines.filter { $0["from"] == "client" }.compactMap { $0["packet"]?.text }
        let candidate = ICECandidate(
            candidate: "candidate:1 1 UDP 2122252543 192.168.1.2 54321 typ host", sdpMid: "0",
            sdpMLineIndex: 0)
        let written = [
            SignallingPacket.connect,
            Signal.offer("v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\n").message,
            Signal.offerCandidate(candidate).message, SignallingPacket.disconnect,
        ]
        #expect(
            written.map { String(decoding: $0, as: UTF8.self) }
                == client.filter { !$0.contains("link") })
    }

    @Test("the short forms are those of the server's library")
    func short() throws {
        let names = try #require(Self.vectors["packets"]?.object)
        let expected: [String: SignallingPacket?] = [
            "ping from server": .ping(""), "pong from client": .other, "socket connect": .connected,
            "socket connected": .connected, "connect refused": .refused("..."),
            "disconnect": .disconnected, "close": .closing, "noop": .other,
        ]
        for (name, packet) in expected {
            let text = try #require(names[name]?.text)
            #expect(self.packet(text) == packet, "\(name)")
        }
        #expect(packet("2probe") == .ping("probe"))
        #expect(packet(#"4217["a",1,2]"#) == .event("a", 1, ack: "17"))
        #expect(packet(#"42["a"]"#) == .event("a", .null, ack: nil))
        #expect(packet("44") == .refused(""))
        // The client uses no other namespaces and no binary data.
        for text in ["42/admin,[\"a\"]", "40/admin,", "451-[\"a\",{}]", "5", "6"] {
            #expect(packet(text) == .other, "\(text)")
        }
    }

    @Test(
        "packets that no such server sends are refused",
        arguments: [
            "", "7", "x", "4", "49", "42", "42[]", "42[1]", "42{}", "42[\"a\"", "42[\"a\"] ,",
            "42x[\"a\"]", "4212345678901[\"a\"]", "0", "0{}", "0[]",
            "0{\"pingInterval\":0,\"pingTimeout\":1}",
            "0{\"pingInterval\":\"1\",\"pingTimeout\":1}",
            "2" + String(repeating: "p", count: 65), "42[\"a\",\u{FFFD}]", "\u{1F600}",
        ])
    func nonsense(text: String) { #expect(packet(text) == nil) }

    @Test("long and deep ones are not read")
    func bounds() {
        #expect(packet("42[\"a\",\"" + String(repeating: "x", count: 256 << 10) + "\"]") == nil)
        let deep = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
        #expect(packet("42[\"a\",\(deep)]") == nil)
        #expect(SignallingPacket([0x32, 0xFF]) == nil)
    }

    @Test("events are signals where they are as they should be")
    func signals() throws {
        let payloads = try #require(Self.vectors["payloads"]?.list)
        for payload in payloads {
            let name = try #require(payload["event"]?.text)
            let argument = try #require(payload["args"]?.list?.first)
            let signal = Signal(event: name, argument)
            #expect((signal != nil) == (name != "link" && name != "presence"), "\(name)")
            #expect(signal?.isOffering ?? true == !name.hasPrefix("answer"), "\(name)")
        }
        #expect(
            Signal(event: "answer-description", ["type": "answer", "sdp": "v=0"]) == .answer("v=0"))
        let end = ICECandidate(candidate: "", sdpMid: nil, sdpMLineIndex: nil)
        #expect(
            Signal(event: "answer-candidate", ["candidate": "", "sdpMLineIndex": -1])
                == .answerCandidate(end))
        let long = String(repeating: "x", count: Signal.descriptionBytesMax + 1)
        for (name, argument): (String, JSON) in [
            ("answer-description", ""), ("answer-description", .null), ("answer-description", [:]),
            ("answer-description", .string(long)), ("answer-candidate", "candidate:1"),
            ("answer-candidate", ["candidate": 1]),
            ("answer-candidate", ["candidate": .string(long)]), ("answer", "v=0"),
        ] {
            #expect(Signal(event: name, argument) == nil, "\(name)")
        }
        #expect(Signal.offer(long).isTooLong && !Signal.offer(String(long.dropLast())).isTooLong)
    }
}
