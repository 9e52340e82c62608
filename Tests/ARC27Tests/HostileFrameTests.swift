// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import SigningCodecs
import SigningCore
import Testing

@testable import ARC27
@testable import Algorand

@Suite("Malicious frames") struct HostileFrameTests {
    private static let limit = 262_144

    private func isIgnored(_ frame: [UInt8]) -> Bool {
        do {
            _ = try ARC27Envelope(frame.span)
            return false
        } catch {
            return true
        }
    }

    private func isIgnored(_ value: CBOR) -> Bool {
        isIgnored([UInt8](Base64.encode(value.encode().span).utf8))
    }

    private func envelope(_ rest: [CBORMember]) -> CBOR {
        .map(
            [
                CBORMember(name: "id", value: .text("x")),
                CBORMember(name: "reference", value: .text("arc0027:discover:request")),
            ] + rest)
    }

    private func params(_ value: CBOR) -> CBOR {
        envelope([CBORMember(name: "params", value: value)])
    }

    @Test("a frame has up to 256 KiB of text, JSON or Base64")
    func size() throws {
        func frame(_ count: Int) -> CBOR {
            params(.text(String(repeating: "x", count: count)))
        }
        // Four digits of Base64 encode three bytes.
        let room = Self.limit / 4 * 3
        let head = frame(70_000).encode().count - 70_000
        let right = Base64.encode(frame(room - head).encode().span)
        #expect(right.utf8.count == Self.limit)
        #expect(!isIgnored([UInt8](right.utf8)))
        let wrong = Base64.encode(frame(room - head + 1).encode().span, padding: false)
        #expect(wrong.utf8.count == Self.limit + 2)
        #expect(isIgnored([UInt8](wrong.utf8)))
        let json = #"{"id":"x","reference":"arc0027:discover:request"}"#
        let space = Self.limit - json.utf8.count
        #expect(!isIgnored([UInt8]((json + String(repeating: " ", count: space)).utf8)))
        #expect(isIgnored([UInt8]((json + String(repeating: " ", count: space + 1)).utf8)))
    }

    @Test("the envelope counts towards the depth")
    func depth() {
        func nested(_ count: Int) -> CBOR {
            (1..<count).reduce(CBOR.array([])) { inner, _ in .array([inner]) }
        }
        #expect(!isIgnored(params(nested(31))))
        #expect(isIgnored(params(nested(32))))
    }

    @Test("duplicate members, one of them absent, and names that are not text")
    func members() {
        #expect(!isIgnored(envelope([])))
        #expect(isIgnored(envelope([CBORMember(name: "id", value: .text("y"))])))
        #expect(isIgnored(envelope([CBORMember(name: "id", value: .undefined)])))
        let inner = CBOR.map([
            CBORMember(name: "a", value: .null), CBORMember(name: "a", value: .null),
        ])
        #expect(isIgnored(params(inner)))
        let bytes = envelope([]).encode()
        let named = [bytes[0] + 1] + bytes.dropFirst() + [0x01, 0x01]
        #expect(isIgnored([UInt8](Base64.encode(named.span).utf8)))
        let trailing = bytes + [0xf7]
        #expect(isIgnored([UInt8](Base64.encode(trailing.span).utf8)))
        let tagged = [0xd9, 0xd9, 0xf7] + bytes
        #expect(!isIgnored([UInt8](Base64.encode(tagged.span).utf8)))
    }

    @Test("undefined members are absent, null ones are not")
    func undefined() throws {
        func read(_ value: CBOR) throws -> ARC27Envelope {
            let frame = [UInt8](Base64.encode(value.encode().span).utf8)
            return try ARC27Envelope(frame.span)
        }
        #expect(try read(params(.undefined)).params == nil)
        #expect(try read(params(.null)).params == .some(.null))
        let list = CBOR.map([CBORMember(name: "x", value: .undefined)])
        #expect(try read(params(list)).params == [:])
        let odd = try read(params(.array([.undefined])))
        #expect(odd.params == nil && odd.problem?.hasPrefix("params has CBOR") == true)
    }

    @Test("a client's integers may be floats")
    func floats() throws {
        let value = params(.map([CBORMember(name: "n", value: .float(4_294_967_296))]))
        let frame = [UInt8](Base64.encode(value.encode().span).utf8)
        #expect(try ARC27Envelope(frame.span).params == ["n": 4_294_967_296])
    }

    @Test("our frames are definite, shortest, and in the order of the envelope")
    func emission() throws {
        for name in ["discover", "sign-one", "sign-rejected", "sign-wrong-network"] {
            let conversation = try #require(Conversation.all.first { $0.name == name })
            for form in [FrameForm.definite, .cborX, .indefinite] {
                guard
                    case .message(let bytes) = try TestProvider().answer(
                        conversation.frame(form))
                else {
                    Issue.record("silence")
                    continue
                }
                let text = String(decoding: bytes, as: UTF8.self)
                let cbor = try Base64.decode(text, alphabet: .url, padding: .forbidden)
                let value = try CBOR.decode(cbor.span)
                #expect(value.encode() == cbor)
                let names = try value.json().object?.names ?? []
                #expect(names.prefix(3) == ["id", "reference", "requestId"])
                #expect(["result", "error"].contains(names.last))
            }
        }
    }
}
