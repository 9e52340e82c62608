// SPDX-License-Identifier: Apache-2.0

import Algorand
import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningTesting
import SigningVault
import TestHome
import Testing

@testable import LiquidCeremony

@Suite("Ceremonies of Liquid Auth")
struct CeremonyTests {
    let ceremony: Ceremony

    init() throws { ceremony = try Ceremony() }

    @Test("a registration makes a passkey and has the account sign the challenge")
    func registers() async throws {
        let reply = try await ceremony.answer(try ceremony.frame(Ceremony.registration()))
        let passkey = try #require(try ceremony.home.vault.passkeys().first)
        #expect(passkey.host == "dapp.example.org" && passkey.address == ceremony.account.address)
        #expect(passkey.name == "dapp.example.org.treasury")
        #expect(passkey.credential == Digest.sha256(passkey.publicKey.span))
        #expect(reply["id"]?.text == Ceremony.text(passkey.credential))
        #expect(reply["rawId"] == reply["id"])
        let liquid = try #require(reply["clientExtensionResults"]?["liquid"])
        // Ed25519 is deterministic, so the signature equals that of the vector.
        let known = Ceremony.vectors["generated"]?["registration"]?["attestation_response_body"]
        let signed = known?["clientExtensionResults"]?["liquid"]?["signature"]
        #expect(liquid["signature"] == signed && signed != nil)
        #expect(liquid["address"]?.text == ceremony.account.address)
        #expect(reply["response"]?["clientDataJSON"] == known?["response"]?["clientDataJSON"])
        let object = try Ceremony.bytes(reply["response"]?["attestationObject"])
        let data = PasskeyData.attestation(
            host: passkey.host, credential: passkey.credential, publicKey: passkey.publicKey)
        #expect(object == PasskeyData.attestationObject(data))
    }

    @Test("a login is signed by the passkey, and holds")
    func logsIn() async throws {
        let passkey = try await ceremony.register()
        let other = Ceremony.text([UInt8](repeating: 9, count: 32))
        let options: JSON = ["challenge": .string(other), "rpId": "dapp.example.org"]
        let reply = try await ceremony.answer(
            try ceremony.frame(options, .login, credential: Ceremony.text(passkey.credential)))
        let data = try Ceremony.bytes(reply["response"]?["authenticatorData"])
        let client = try Ceremony.bytes(reply["response"]?["clientDataJSON"])
        let digest = Digest.sha256((data + Digest.sha256(client.span)).span)
        let signature = try DER.read(try Ceremony.bytes(reply["response"]?["signature"]))
        let isValid = Signatures.isValidP256(
            signature: signature.span, digest: digest.span, publicKey: passkey.publicKey.span)
        #expect(isValid)
        #expect(data == PasskeyData.assertion(host: "dapp.example.org"))
        #expect(reply["clientExtensionResults"]?["liquid"]?["requestId"]?.text == "019097ff")
    }

    @Test("a second registration is kept beside the first, also after a login")
    func replaces() async throws {
        let first = try await ceremony.register()
        let other = Ceremony.text([UInt8](repeating: 8, count: 32))
        let frame = try ceremony.frame(Ceremony.registration(challenge: other))
        #expect(try await ceremony.answer(frame)["error"] == nil)
        let held = try ceremony.home.vault.passkeys()
        #expect(held.first == first && held.count == 2)
        let second = try #require(held.last)
        // A server that excludes either passkey gets an error instead of a third passkey.
        for known in held {
            let list: JSON = [["id": .string(Ceremony.text(known.credential))]]
            let options = Ceremony.registration(
                challenge: Ceremony.text([UInt8](repeating: 7, count: 32)),
                more: [.init(name: "excludeCredentials", value: list)])
            let frame = try ceremony.frame(options)
            #expect(try await ceremony.answer(frame)["error"]?["code"]?.text == "is_registered")
        }
        let options: JSON = [
            "challenge": .string(Ceremony.text([UInt8](repeating: 9, count: 32))),
            "rpId": "dapp.example.org",
        ]
        let login = try ceremony.frame(
            options, .login, credential: Ceremony.text(second.credential))
        #expect(try await ceremony.answer(login)["error"] == nil)
        #expect(try ceremony.home.vault.passkeys() == held)
    }

    @Test("a challenge is answered once, wherever it comes from")
    func answersOnce() async throws {
        _ = try await ceremony.register()
        let frame = try ceremony.frame(
            Ceremony.registration(rp: ["id": "other.example"]), origin: "https://other.example")
        #expect(try await ceremony.answer(frame)["error"]?["code"]?.text == "replayed")
        #expect(try ceremony.home.vault.passkeys().count == 1)
    }

    @Test("where it is not allowed no passkey is made", arguments: [true, false])
    func denied(byPolicy: Bool) async throws {
        let frame = try ceremony.frame(Ceremony.registration())
        let reply = try await ceremony.answer(frame, byPolicy ? .deny : .ask)
        let code = reply["error"]?["code"]?.text
        #expect(code == (byPolicy ? "denied" : "unanswered"))
        #expect(try ceremony.home.vault.passkeys().isEmpty)
    }

    @Test("requests that the vectors refuse are not signed, those they accept are")
    func challenges() async throws {
        let rows = try #require(Ceremony.vectors["challenge_policy"]?.list)
        #expect(rows.count > 3)
        for row in rows {
            let challenge = try #require(row["challenge_b64url"]?.text)
            let frame = try ceremony.frame(Ceremony.registration(challenge: challenge))
            let reply = try await ceremony.answer(frame)
            let code = reply["error"]?["code"]?.text
            #expect(code == (row["accept"]?.flag == true ? nil : "challenge"), "\(challenge)")
        }
    }

    @Test("neither 31 nor 33 bytes are signed")
    func lengths() async throws {
        for count in [31, 33] {
            let challenge = Ceremony.text([UInt8](repeating: 7, count: count))
            let frame = try ceremony.frame(Ceremony.registration(challenge: challenge))
            #expect(try await ceremony.answer(frame)["error"]?["code"]?.text == "challenge")
        }
    }

    @Test("every reserved prefix is refused")
    func prefixes() {
        for prefix in ReservedPrefixes.ofAccounts {
            let bytes = Array(prefix.utf8) + [UInt8](repeating: 0, count: 32 - prefix.utf8.count)
            #expect(!LiquidChallenge.isSignable(bytes))
        }
        #expect(LiquidChallenge.isSignable([UInt8](0..<32)))
    }

    @Test("the rules of all adapters are kept")
    func conformance() async throws {
        let context = DecodingContext(
            accounts: [ceremony.account], peer: Peer(channel: "test"), now: Timestamp(seconds: 0),
            freshID: [], wasSeen: { _ in nil })
        let results: [KeyResult] = [
            .signature([UInt8](repeating: 1, count: 64), message: []),
            .passkey([UInt8](repeating: 2, count: 64)),
        ]
        let findings = await AdapterConformance.findings(
            Ceremony.adapter, frames: [try ceremony.frame(Ceremony.registration())],
            results: results, in: context)
        #expect(findings == [])
    }
}

/// A signature in ASN.1 as r and s.
enum DER {
    static func read(_ bytes: [UInt8]) throws -> [UInt8] {
        #expect(bytes.first == 0x30 && Int(bytes[1]) == bytes.count - 2)
        var rest = bytes.dropFirst(2)
        var whole: [UInt8] = []
        for _ in 0..<2 {
            #expect(rest.first == 0x02)
            let count = Int(try #require(rest.dropFirst().first))
            let number = rest.dropFirst(2).prefix(count).drop { $0 == 0 }
            whole += [UInt8](repeating: 0, count: 32 - number.count) + number
            rest = rest.dropFirst(2 + count)
        }
        #expect(rest.isEmpty)
        return whole
    }
}
