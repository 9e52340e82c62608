// SPDX-License-Identifier: Apache-2.0

import NIP155Rig
import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NIP155

/// A request may contain only one form of NIP-19, an npub, in `current_user` and `pubkey`.
@Suite("The texts of nip19.vectors.json")
struct NIP19VectorTests {
    private static let file = "nip19.vectors.json"
    /// A well-formed text, which can only be refused because no account has this key.
    private static let offCurve = "npub not on curve (x=5 has no point)"

    private func currentUser(_ text: String) -> String {
        requestURL("get_public_key", ["current_user": text, "id": "1"])
    }

    /// Refuses the text as an account and as a contact, without repeating it.
    private func expectRefusal(_ text: String) throws {
        let contact = requestURL("nip44_encrypt", ["plaintext": "a", "pubkey": text, "id": "1"])
        for url in [currentUser(text), contact] {
            let refusal = try Rig().refusal(url)
            #expect(refusal.code == "invalid_request", "\(text)")
            let reply = try Rig().message(refusal.reply)
            #expect(!refusal.reason.contains(text) && !reply.contains(text))
        }
    }

    @Test("all rows are there")
    func counts() throws {
        #expect(try Vectors.rows(Self.file, "valid").count == 9)
        #expect(try Vectors.rows(Self.file, "invalid").count == 12)
    }

    @Test("npub is read, every other form is refused, a secret key among them")
    func valid() throws {
        for row in try Vectors.rows(Self.file, "valid") {
            let text = try row.required("bech32")
            guard try row.required("type") == "npub" else {
                try expectRefusal(text)
                continue
            }
            // The text is valid, but it is not an account of this signer.
            #expect(try Rig().refusal(currentUser(text)).code == "permission_denied")
        }
    }

    @Test("npub in upper case is the same key")
    func upperCase() throws {
        let alice = PublicKeyText.npub(try Hex.decode(NostrKeys.aliceHex))
        let request = try Rig().decode(currentUser(alice.uppercased()))
        #expect(request.use.account.address == NostrKeys.aliceHex)
    }

    @Test("an invalid event is refused, and an invalid point has no account")
    func invalid() throws {
        for row in try Vectors.rows(Self.file, "invalid") {
            let text = try row.required("bech32")
            switch try row.required("name") {
            case "empty":
                // An empty parameter counts as absent, so the first account is used.
                #expect(
                    try Rig().decode(currentUser(text)).use.account.address == NostrKeys.aliceHex)
            case Self.offCurve:
                #expect(try Rig().refusal(currentUser(text)).code == "permission_denied")
            default:
                try expectRefusal(text)
            }
        }
    }

    @Test("a profile with an unknown entry is refused like any profile")
    func unknownEntry() throws {
        let row = try #require(try Vectors.json(Self.file)["unknown_tlv_must_be_ignored"])
        try expectRefusal(try row.required("bech32"))
    }

    @Test("the forms with entries are refused, with any content")
    func otherForms() throws {
        let key = try Hex.decode(NostrKeys.aliceHex)
        let entries = [0, 32] + key
        for form in ["nprofile", "nevent", "naddr", "nrelay", "note", "nsec", "lnurl"] {
            try expectRefusal(Bech32.encode(hrp: form, entries.span))
            try expectRefusal(Bech32.encode(hrp: form, key.span))
        }
    }
}
