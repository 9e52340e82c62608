// SPDX-License-Identifier: Apache-2.0

import NostrSamples
import SigningCodecs
import Testing

@testable import Nostr

/// The part that the chain decodes itself: Base64 around a payload, and its version.
@Suite("The payloads of nip44.vectors.json and nip44.extended.json as text")
struct NIP44TextTests {
    private static let extended = "nip44.extended.json"

    /// The reason for which a payload is refused before a key is used; nil if it is accepted.
    private func refusal(_ payload: String) -> String? {
        do throws(NostrRefusal) {
            _ = try NIP44Text.payload(
                of: payload, plaintextBytesMax: NostrLimits().textBytesMax)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("of the invalid payloads those that show it are refused, the others go to the key")
    func invalid() throws {
        let rows = try #require(
            try Vectors.json("nip44.vectors.json")["v2"]?["invalid"]?["decrypt"]?.list)
        #expect(rows.count == 12)
        // The MAC and the padding can only be checked with the key.
        let hidden = ["invalid MAC", "invalid padding"]
        for row in rows {
            let note = try row.required("note")
            let reason = refusal(try row.required("payload"))
            #expect((reason == nil) == hidden.contains(note), "\(note)")
            if note.hasPrefix("unknown encryption version") {
                #expect(reason == "encryptedText is of a version other than NIP-44 version 2")
            }
            if note == "invalid base64" {
                #expect(reason?.hasPrefix("encryptedText is not Base64") == true)
            }
        }
    }

    @Test("so it is with the extended ones")
    func invalidExtended() throws {
        let expected = [
            "version 1": "encryptedText is of a version other",
            "# prefix": "encryptedText is of a version other",
            "base64 without padding characters": "encryptedText is not Base64",
        ]
        let rows = try Vectors.rows(Self.extended, "invalid_decrypt")
        #expect(rows.count == 8)
        for row in rows {
            let name = try row.required("name")
            let reason = refusal(try row.required("payload"))
            guard let start = expected[name] else {
                #expect(reason == nil, "\(name)")
                continue
            }
            #expect(reason?.hasPrefix(start) == true, "\(name): \(reason ?? "accepted")")
        }
    }
}
