// SPDX-License-Identifier: Apache-2.0

import NostrSamples
import SigningCodecs
import Testing

@testable import Nostr

/// The only accepted form of NIP-19 is an npub.
@Suite("Public keys as text, and those of nip19.vectors.json")
struct PublicKeyTextTests {
    private static let file = "nip19.vectors.json"

    @Test("npub is read and written, every other form is refused, a secret key among them")
    func valid() throws {
        for row in try Vectors.rows(Self.file, "valid") {
            let text = try row.required("bech32")
            guard try row.required("type") == "npub" else {
                #expect(PublicKeyText.key(text) == nil)
                continue
            }
            let key = try Hex.decode(row.required("hex"))
            #expect(PublicKeyText.key(text) == key)
            #expect(PublicKeyText.npub(key) == text)
        }
    }

    @Test("npub in upper case is the same key")
    func upperCase() throws {
        let text = try Vectors.json(Self.file).required("all_upper_case_is_valid_bech32")
        #expect(PublicKeyText.key(text) == PublicKeyText.key(text.lowercased()))
        #expect(PublicKeyText.key(text) != nil)
    }

    @Test("an invalid event is refused; whether a point is valid is not checked here")
    func invalid() throws {
        for row in try Vectors.rows(Self.file, "invalid") {
            let key = PublicKeyText.key(try row.required("bech32"))
            let isOffCurve = try row.required("name") == "npub not on curve (x=5 has no point)"
            #expect(key?.count == (isOffCurve ? 32 : nil))
        }
    }

    @Test("the forms with entries are refused, with any content")
    func otherForms() throws {
        let key = try Hex.decode(NostrKeys.aliceHex)
        let entries = [0, 32] + key
        for form in ["nprofile", "nevent", "naddr", "nrelay", "note", "nsec", "lnurl"] {
            #expect(PublicKeyText.key(Bech32.encode(hrp: form, entries.span)) == nil)
            #expect(PublicKeyText.key(Bech32.encode(hrp: form, key.span)) == nil)
        }
    }
}
