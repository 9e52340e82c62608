// SPDX-License-Identifier: Apache-2.0

import NostrSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Nostr

@Suite("The signing domain of Nostr events")
struct EventDomainTests {
    private var key: [UInt8] { get throws { try Hex.decode(NostrKeys.aliceHex) } }

    private func preimage(_ rest: String, key: String = NostrKeys.aliceHex) -> [UInt8] {
        Array("[0,\"\(key)\",\(rest)]".utf8)
    }

    @Test("Every preimage of the vectors is claimed, its prefixes and extensions are not")
    func vectors() throws {
        for row in try Vectors.rows("nip01.events.json", "sign_and_verify") {
            let bytes = Array(try row.required("serialized").utf8)
            let key = try Hex.decode(try #require(row["event"]).required("pubkey"))
            #expect(NostrEvent.isPreimage(bytes, publicKey: key))
            for count in bytes.indices {
                #expect(!NostrEvent.isPreimage(Array(bytes[..<count]), publicKey: key))
            }
            for extra in [0x0A, 0x20, 0x5D] as [UInt8] {
                #expect(!NostrEvent.isPreimage(bytes + [extra], publicKey: key))
                #expect(!NostrEvent.isPreimage([extra] + bytes, publicKey: key))
            }
        }
    }

    @Test(
        "Anything but the one serialization is refused",
        arguments: [
            "1,1,[], \"a\"", "1,1,[],\"\\u0061\"", "1,1,[],\"\\/\"", "1,1,[],\"a\",0",
            "1,1,[]", "1.0,1,[],\"a\"", "1,1e0,[],\"a\"", "01,1,[],\"a\"", "-1,1,[],\"a\"",
            "9007199254740992,1,[],\"a\"", "1,65536,[],\"a\"", "1,-1,[],\"a\"",
            "1,1,[[]],\"a\"", "1,1,[[1]],\"a\"", "1,1,[\"a\"],\"a\"", "1,1,[],null",
            "1,1,{},\"a\"", "1,1,[],\"\\u000A\"", "1,1,[],\"\u{1}\"", "\"1\",1,[],\"a\"",
            "1,1,[],\"\\ud800\"",
        ])
    func malformed(rest: String) throws {
        #expect(!NostrEvent.isPreimage(preimage(rest), publicKey: try key))
    }

    @Test("Another author, an upper-case one and another version are refused")
    func author() throws {
        let rest = "1,1,[],\"a\""
        #expect(NostrEvent.isPreimage(preimage(rest), publicKey: try key))
        #expect(!NostrEvent.isPreimage(preimage(rest, key: NostrKeys.bobHex), publicKey: try key))
        #expect(
            !NostrEvent.isPreimage(
                preimage(rest, key: NostrKeys.aliceHex.uppercased()), publicKey: try key))
        let versionOne = Array("[1,\"\(NostrKeys.aliceHex)\",\(rest)]".utf8)
        #expect(!NostrEvent.isPreimage(versionOne, publicKey: try key))
    }

    @Test(
        "Preimages of other protocols are refused",
        arguments: [
            Array("TX".utf8) + [0x8A, 0xA3], Array("MX".utf8), [0x9D, 0x01, 0x00, 0x80],
            Array("nep413:".utf8), [], [UInt8](repeating: 0, count: 32), Array("[0,\"".utf8),
        ])
    func foreign(bytes: [UInt8]) throws {
        #expect(!NostrEvent.isPreimage(bytes, publicKey: try key))
    }
}
