// SPDX-License-Identifier: Apache-2.0

import NIP46
import SigningCodecs
import SigningCore
import Testing

@testable import Relays

@Suite("Messages from and to relays")
struct MessageTests {
    private func read(_ text: String) -> String? {
        guard let message = RelayMessage(Array(text.utf8)) else { return nil }
        return switch message {
        case .event(let name, let event): "event \(name) \(event.members.count)"
        case .ok(let id, let isAccepted, let text): "ok \(id) \(isAccepted) \(text)"
        case .endOfStored(let name): "eose \(name ?? "of all")"
        case .closed(let name, let text): "closed \(name) \(text)"
        case .challenge(let text): "auth \(text)"
        case .notice(let text): "notice \(text)"
        }
    }

    @Test(
        "messages of NIP-01 and NIP-42 are read, and nothing else",
        arguments: [
            (#"["EVENT","a",{"x":1}]"#, "event a 1"), (#"["OK","i",true,""]"#, "ok i true "),
            (#"["OK","i",false,"auth-required: x"]"#, "ok i false auth-required: x"),
            (#"["OK","i",true]"#, "ok i true "), (#"["EOSE","a"]"#, "eose a"),
            (#"["CLOSED","a","x"]"#, "closed a x"), (#"["AUTH","c"]"#, "auth c"),
            (#"["EOSE"]"#, "eose of all"), (#"["NOTICE","hello"]"#, "notice hello"),
            (#"["NOTICE"]"#, nil), (#"["EVENT",{"x":1}]"#, nil),
            (#"["OK","i","true"]"#, nil),
            ("{}", nil), ("[]", nil), ("", nil), (#"["EVENT","a",{"x":1,"x":2}]"#, nil),
            (#"["AUTH",""# + String(repeating: "c", count: 257) + #""]"#, nil),
            (String(repeating: "[", count: 1_000), nil),
            (#"["EVENT","a",{"x":""# + String(repeating: "x", count: 3 << 20) + #""}]"#, nil),
            ("[\"EVENT\",\"a\",{\"x\":\"\u{fffe}\"}]", "event a 1"),
            ("[\"EVENT\",\"a\",[\(String(repeating: "1,", count: 20_000))1]]", nil),
        ] as [(String, String?)])
    func reading(text: String, expected: String?) { #expect(read(text) == expected) }

    @Test("bytes that are not UTF-8 are not a message, and not a call")
    func invalidText() {
        let start = Array(#"["EVENT","a",{"x":""#.utf8)
        let end = Array(#""}]"#.utf8)
        for bytes: [UInt8] in [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
        ] {
            #expect(RelayMessage(start + bytes + end) == nil)
            let call =
                Array(#"{"id":""#.utf8) + bytes + Array(#"","method":"ping","params":[]}"#.utf8)
            #expect(NIP46Call(call.span) == nil)
        }
    }

    @Test("messages to relays are JSON of NIP-01")
    func writing() throws {
        let request = RelayMessage.subscribe("a", to: ["k"], since: 5)
        #expect(
            String(decoding: request, as: UTF8.self)
                == ##"["REQ","a",{"kinds":[24133],"#p":["k"],"since":5}]"##)
        #expect(String(decoding: RelayMessage.unsubscribe("a"), as: UTF8.self) == #"["CLOSE","a"]"#)
    }
}
