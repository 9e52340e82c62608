// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Algorand

@Suite("Texts to sign") struct MessageToSignTests {
    private static let refused = Vectors.list("bytes_signing.json", "must_refuse_raw")

    private func message(
        _ text: String, _ mode: AlgorandMessageMode = .raw
    ) throws -> MessageToSign {
        let account = try #require(try SampleKeys.accounts([SampleKeys.a]).first)
        return try MessageToSign(text: text, by: account, mode)
    }

    /// The reason that a text is not signed.
    private func refusal(_ text: String) throws -> String {
        let refusal = try #require(throws: AlgorandRefusal.self) { try message(text) }
        #expect(refusal.kind == .invalidInput)
        return refusal.message
    }

    @Test("a text with a reserved prefix is signed behind MX only", arguments: refused)
    func refuses(_ row: JSON) throws {
        let text = try #require(row["text"]?.text)
        #expect(try refusal(text).contains("reserved prefix"))
        _ = try message(text, .mx)
    }

    @Test("all reserved prefixes are known: those of accounts refuse, those of nodes warn")
    func prefixes() throws {
        let all = Vectors.list("bytes_signing.json", "reserved_prefixes").compactMap(\.text)
        #expect(all.count == 49)
        #expect(Set(all) == Set(ReservedPrefixes.ofAccounts + ReservedPrefixes.ofNodes))
        for prefix in ReservedPrefixes.ofAccounts {
            #expect(try refusal(prefix).contains("reserved prefix"))
            #expect(try refusal(prefix + "x").contains("reserved prefix"))
        }
        for prefix in ReservedPrefixes.ofNodes {
            let warnings = try message(prefix + "x").summary.warnings
            #expect(warnings.contains { $0.contains("begins with \(prefix)") })
        }
    }

    @Test("a raw text cannot be taken for the hashes of ARC-60, nor signed as another kind")
    func separation() throws {
        let text = String(repeating: "x", count: 64)
        #expect(try refusal(text).contains("ARC-60"))
        _ = try message(text + "x")
        let raw = SigningDomain.algorandRawMessage
        for bytes in [Array(text.utf8), Array("Program\u{1} \u{1}\u{1}\"".utf8), [0xff]] {
            #expect(!raw.isValid(bytes, []))
        }
        let message = SigningDomain.algorandMessage
        #expect(!message.isValid([0x4d, 0x58, 0xff], []) && message.isValid([0x4d, 0x58], []))
    }
}
