// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import Testing

@testable import Algorand

@Suite("Authenticator data of ARC-60") struct AuthenticatorDataTests {
    private static let hash = [UInt8](repeating: 7, count: 32)
    /// A COSE key of Ed25519: {1: 1, 3: -8, -1: 6, -2: h'0102'}.
    private static let key: [UInt8] = [
        0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x42, 1, 2,
    ]
    private static let model = [UInt8](repeating: 0xaa, count: 16)

    @Test("the hash of the domain alone says nothing else")
    func bare() throws {
        let data = try AuthenticatorData(Self.hash)
        #expect(data.facts.isEmpty && data.lines.isEmpty && data.domainHash == Self.hash)
    }

    @Test("flags, counter, credential and extensions are facts and lines")
    func whole() throws {
        let bytes =
            Self.hash + [0xdd, 0, 0, 1, 2] + Self.model + [0, 2, 9, 8] + Self.key
            + [0xa1, 0x61, 0x78, 0xf5]
        let data = try AuthenticatorData(bytes)
        let names = [
            "user_present", "user_verified", "backup_eligible", "backed_up", "attested_data",
            "extensions",
        ]
        #expect(
            data.facts == [
                Fact("auth.flags", .list(names.map { .text($0) })),
                Fact("auth.counter", .integer(258)),
                Fact("auth.authenticator", .bytes(Self.model)),
                Fact("auth.credential", .bytes([9, 8])), Fact("auth.key", .bytes(Self.key)),
                Fact("auth.extensions", .bytes([0xa1, 0x61, 0x78, 0xf5])),
            ])
        for line: Summary.Line in [
            .init("counter", "258"), .init("credential", "hex 0908"),
            .init("extensions", "hex a16178f5"),
        ] {
            #expect(data.lines.contains(line))
        }
        #expect(data.lines[0].text.hasPrefix("user present, user verified, "))
    }

    @Test(
        "bytes that no field accounts for are refused",
        arguments: [
            // No specification defines these lengths and extensions.
            [0], [0x01, 0, 0, 0], [0x01, 0, 0, 0, 0, 0], [0x01, 0, 0, 0, 0] + model,
            // Flags without a meaning.
            [0x02, 0, 0, 0, 0], [0x20, 0, 0, 0, 0],
            // Each flag announces data that is missing.
            [0x40, 0, 0, 0, 0], [0x80, 0, 0, 0, 0], [0x40, 0, 0, 0, 0] + model + [0, 9, 1],
            [0x40, 0, 0, 0, 0] + model + [0, 1, 9],
            // Not a map, a map of indefinite length, and a map with bytes after it.
            [0x80, 0, 0, 0, 0, 0x01], [0x80, 0, 0, 0, 0, 0xbf, 0xff],
            [0x80, 0, 0, 0, 0, 0xa0, 0xa0], [0x80, 0, 0, 0, 0, 0xbb, 0xff, 0, 0, 0, 0, 0, 0, 0],
        ] as [[UInt8]])
    func refuses(_ rest: [UInt8]) {
        let error = #expect(throws: AlgorandRefusal.self) {
            try AuthenticatorData(Self.hash + rest)
        }
        #expect(error?.kind == .missingAuthenticatorData)
        let preimage = SigningDomain.joined(Array("{}".utf8), Self.hash + rest)
        #expect(!ARC60Login.isSignable(preimage))
    }

    @Test("no more and no fewer bytes than a hash and the limit")
    func counts() {
        for count in [0, 31, 385] {
            #expect(throws: AlgorandRefusal.self) {
                try AuthenticatorData([UInt8](repeating: 0, count: count))
            }
        }
    }
}
