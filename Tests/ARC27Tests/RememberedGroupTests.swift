// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import ARC27
@testable import Algorand

@Suite("A remembered yes about a group or a message") struct RememberedGroupTests {
    private func own(_ amount: UInt64 = 500) throws -> Draft {
        let key = try SampleKeys.publicKey(seed: SampleKeys.a)
        return Draft(type: "axfer").with("snd", .binary(key)).with("xaid", .unsigned(7))
            .with("aamt", .unsigned(amount)).with("arcv", .binary(Draft.key(9)))
    }

    private func theirs(_ amount: UInt64 = 900) throws -> Draft {
        let key = try SampleKeys.publicKey(seed: SampleKeys.a)
        return Draft().with("snd", .binary(Draft.key(9))).with("amt", .unsigned(amount))
            .with("rcv", .binary(key))
    }

    /// The drafts as one group; the request does not ask to sign the drafts of other accounts.
    private func swap(_ drafts: [Draft]) throws -> String {
        let key = try SampleKeys.publicKey(seed: SampleKeys.a)
        let members = drafts.count == 1 ? drafts.map(\.bytes) : Draft.grouped(drafts)
        return Wire.signing(
            zip(drafts, members).map { draft, bytes in
                let text = JSON.string(Base64.encode(bytes.span))
                let isOwn = draft.members.contains(.init(name: "snd", value: .binary(key)))
                return isOwn ? ["txn": text] : ["txn": text, "signers": []]
            })
    }

    @Test("a leg of a swap is covered with the same other legs, and never alone")
    func swaps() async throws {
        let hub = TestHub(try TestProvider())
        #expect(await hub.ending(try swap([own(), theirs()]), saysYes: true) == "done")
        let same = try [
            swap([own(), theirs()]), swap([own(400), theirs()]),
            swap([own(), theirs().with("fee", .unsigned(2_000))]),
            swap([
                own().with("fv", .unsigned(20)).with("lv", .unsigned(900)),
                theirs().with("fv", .unsigned(30)).with("lv", .unsigned(900)),
            ]),
        ]
        for frame in same { #expect(await hub.ending(frame, saysYes: false) == "done") }
        let others = try [
            swap([own()]), swap([theirs(), own()]), swap([own(), theirs(899)]),
            swap([own(), theirs().with("rcv", .binary(Draft.key(9)))]),
            swap([own(), theirs(), theirs(1)]),
            swap([own(), theirs().with("note", .binary([1]))]),
            swap([own(), theirs().with("snd", .binary(Draft.key(10)))]),
        ]
        for (place, frame) in others.enumerated() {
            #expect(await hub.ending(frame, saysYes: false) == "approval_unavailable", "\(place)")
        }
    }

    private func message(_ text: String) -> String {
        Wire.request(
            "sign_message",
            ["providerId": .string(TestProvider.providerID), "message": .string(text)])
    }

    @Test("another text is asked about again")
    func texts() async throws {
        let hub = TestHub(try TestProvider())
        #expect(await hub.ending(message("log in 1"), saysYes: true) == "done")
        #expect(await hub.ending(message("log in 1"), saysYes: false) == "done")
        for text in ["log in 2", "log in 1 ", "I owe you all", ""] {
            #expect(await hub.ending(message(text), saysYes: false) == "approval_unavailable")
        }
    }

    /// Data for a login, with some of their members changed; nil leaves one out.
    private func login(
        _ changes: KeyValuePairs<String, JSON?> = [:], _ rest: [UInt8] = [0x05, 0, 0, 0, 1],
        domain: String = "dapp.example.org"
    ) throws -> String {
        let time = Timestamp(seconds: TestHub.now)
        var members: [String: JSON] = [
            "domain": .string(domain), "nonce": "1", "statement": "Sign in", "type": "ed25519",
            "uri": "https://dapp.example.org", "issued-at": .string(time.utcText),
            "resources": ["read"], "request-id": "1",
        ]
        for (name, value) in changes { members[name] = value }
        let data = try #require(
            JSON.object(JSONObject(members.map { .init(name: $0.key, value: $0.value) }))
                .canonical())
        let name = Array(domain.utf8)
        let bound = Digest.sha256(name.span) + rest
        return Wire.request(
            "sign_message",
            [
                "providerId": .string(TestProvider.providerID), "domain": .string(domain),
                "data": .string(Base64.encode(data.span)),
                "authenticatorData": .string(Base64.encode(bound.span)),
                "signer": .string(try SampleKeys.address(seed: SampleKeys.a)),
                "metadata": ["scope": 1, "encoding": "base64"],
            ])
    }

    @Test("a login is covered with another nonce and counter, and fresh times")
    func logins() async throws {
        let hub = TestHub(try TestProvider())
        #expect(await hub.ending(try login(), saysYes: true) == "done")
        let soon = Timestamp(seconds: TestHub.now + 60).utcText
        let tomorrow = Timestamp(seconds: TestHub.now + 86_400).utcText
        let same = try [
            login(), login(["nonce": "2"]), login(["request-id": "2"]),
            login([:], [0x05, 0, 0, 0, 2]), login(["issued-at": .string(soon)]),
            login(["expiration-time": .string(tomorrow), "not-before": .string(soon)]),
        ]
        for frame in same { #expect(await hub.ending(frame, saysYes: false) == "done") }
        let later = Timestamp(seconds: TestHub.now + 86_401).utcText
        let others = try [
            login(["statement": "Pay"]), login(["uri": "https://other.example"]),
            login(["resources": ["read", "write"]]), login(["chain_id": "283"]),
            login(["account_address": "x"]), login(["x": 1]), login(["statement": nil]),
            login(["issued-at": nil]), login(["issued-at": .string(later)]),
            login(["issued-at": "now"]), login(["expiration-time": .string(later)]),
            login(["expiration-time": "never"]), login(["not-before": .string(later)]),
            login([:], [0x01, 0, 0, 0, 1]), login([:], []),
            login([:], [0x85, 0, 0, 0, 1, 0xa1, 0x61, 0x78, 0xf5]),
        ]
        for (place, frame) in others.enumerated() {
            #expect(await hub.ending(frame, saysYes: false) == "approval_unavailable", "\(place)")
        }
        let elsewhere = try login(domain: "bank.example.org")
        #expect(await hub.ending(elsewhere, saysYes: false) == "4610")
    }

    @Test("times that are not fresh are part of what a yes covers")
    func stale() async throws {
        let hub = TestHub(try TestProvider())
        let old = try login(["issued-at": "2020-01-01T00:00:00Z"])
        #expect(await hub.ending(old, saysYes: true) == "done")
        #expect(await hub.ending(old, saysYes: false) == "done")
        let other = try login(["issued-at": "2020-01-01T00:00:01Z"])
        #expect(await hub.ending(other, saysYes: false) == "approval_unavailable")
    }

    @Test(
        "times are read as RFC 3339 writes them",
        arguments: [
            ("2026-11-22T06:00:00Z", 1_795_327_200), ("2026-11-22T06:00:00.25Z", 1_795_327_200),
            ("2026-11-22t08:30:00+02:30", 1_795_327_200),
            ("2026-11-21T23:00:00-07:00", 1_795_327_200),
            ("2026-02-30T00:00:00Z", nil), ("2026-11-22", nil), ("2026-11-22T06:00:00", nil),
            ("2026-11-22T06:00:00.Z", nil), ("2026-11-22T06:00:00Zx", nil), ("", nil),
            ("2026-11-22T24:00:00Z", nil), ("2026-13-22T06:00:00Z", nil),
        ] as [(String, Int64?)])
    func times(_ row: (String, Int64?)) {
        #expect(LoginTimes.time(row.0)?.seconds == row.1)
    }
}
