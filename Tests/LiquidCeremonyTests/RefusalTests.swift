// SPDX-License-Identifier: Apache-2.0

import Algorand
import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningVault
import TestHome
import Testing

@testable import LiquidCeremony

@Suite("Requests that a server of Liquid Auth must not make")
struct RefusalTests {
    let ceremony: Ceremony

    init() throws { ceremony = try Ceremony() }

    private func code(
        _ options: JSON, _ kind: LiquidCeremonyWire.Ceremony = .register,
        credential: String? = nil, origin: String = Ceremony.origin, address: String? = nil
    ) async throws -> String? {
        let frame = try ceremony.frame(
            options, kind, credential: credential, origin: origin, address: address)
        return try await ceremony.answer(frame)["error"]?["code"]?.text
    }

    @Test("a passkey of another host, or of all hosts of a suffix")
    func hosts() async throws {
        for id in ["evil.example", "org", "example.org.evil", "app.dapp.example.org", ""] {
            let options = Ceremony.registration(rp: ["id": .string(id)])
            #expect(try await code(options) == "options", "\(id)")
        }
        let options = Ceremony.registration(rp: ["id": 7])
        #expect(try await code(options) == "options")
        // A parent domain of the origin is a valid rp id (WebAuthn, 5.1.3).
        let parent = Ceremony.registration(rp: ["id": "example.org"])
        #expect(try await code(parent) == nil)
        #expect(try ceremony.home.vault.passkeys().first?.host == "example.org")
    }

    @Test("keys of other kinds alone")
    func algorithms() async throws {
        let rsa: [JSONObject.Member] = [
            .init(name: "pubKeyCredParams", value: [["type": "public-key", "alg": -257]])
        ]
        #expect(try await code(Ceremony.registration(more: rsa)) == "options")
    }

    @Test("no challenge, or one that is not base64url")
    func challenges() async throws {
        #expect(try await code(["rp": ["id": "dapp.example.org"]]) == "options")
        #expect(try await code(Ceremony.registration(challenge: "AAEC+w==")) == "options")
    }

    @Test("logins with a foreign passkey, or for other origins")
    func logins() async throws {
        let passkey = try await ceremony.register()
        let own = Ceremony.text(passkey.credential)
        let options: JSON = [
            "challenge": .string(Ceremony.text([UInt8](repeating: 5, count: 32))),
            "rpId": "dapp.example.org",
        ]
        let other = Ceremony.text([UInt8](repeating: 1, count: 32))
        #expect(try await code(options, .login, credential: other) == "unknown_passkey")
        let place = "https://other.example"
        let elsewhere: JSON = ["challenge": .string(other), "rpId": "other.example"]
        #expect(
            try await code(elsewhere, .login, credential: own, origin: place) == "unknown_passkey")
        #expect(try await code(options, .login, credential: own, origin: place) == "options")
        let listed: JSON = [
            "challenge": .string(other), "rpId": "dapp.example.org",
            "allowCredentials": [["id": .string(other), "type": "public-key"]],
        ]
        #expect(try await code(listed, .login, credential: own) == "options")
        let short: JSON = ["challenge": "AAAAAAAAAAA", "rpId": "dapp.example.org"]
        #expect(try await code(short, .login, credential: own) == "challenge")
        let known: [JSONObject.Member] = [
            .init(name: "excludeCredentials", value: [["id": .string(own)]])
        ]
        let again = Ceremony.registration(
            challenge: Ceremony.text([UInt8](repeating: 6, count: 32)), more: known)
        #expect(try await code(again) == "is_registered")
    }

    @Test("accounts without their own key, or not held here")
    func accounts() async throws {
        let stranger = try SampleKeys.address(seed: SampleKeys.b)
        #expect(try await code(Ceremony.registration(), address: stranger) == "unknown_account")
        let context = DecodingContext(
            accounts: [
                Account(
                    id: KeyID("m"), name: "shared", protocolID: .algorand, algorithm: .multisig,
                    publicKey: [UInt8](repeating: 0, count: 32), address: stranger, network: nil)
            ], peer: Peer(channel: "test"), now: Timestamp(seconds: 0), freshID: [],
            wasSeen: { _ in nil })
        let frame = try ceremony.frame(Ceremony.registration(), address: stranger)
        #expect(throws: AdapterError.self) { try Ceremony.adapter.decode(frame.span, in: context) }
        do throws(AdapterError) {
            _ = try Ceremony.adapter.decode(frame.span, in: context)
        } catch {
            #expect(error.code == "no_key" && error.reason.contains("multisignature"))
        }
    }

    @Test("invalid frames")
    func frames() async throws {
        let whole = String(
            decoding: try ceremony.frame(Ceremony.registration()), as: UTF8.self)
        let broken = [
            "", "[]", "{}", whole + "x",
            whole.replacing("\"register\"", with: "\"other\""),
            whole.replacing("\"device\"", with: "\"more\""),
            whole.replacing("https://dapp.example.org\"", with: "https://dapp.example.org/\""),
            whole.replacing("https://dapp.example.org\"", with: "http://dapp.example.org\""),
            whole.replacing("https://dapp.example.org\"", with: "ftp://dapp.example.org\""),
            whole.replacing("\"019097ff\"", with: "\"\""),
            whole.replacing("\"019097ff\"", with: "7"),
            whole.replacing("\"options\":{", with: "\"credential\":\"AA\",\"options\":{"),
        ]
        for text in broken {
            let reply = try await ceremony.answer(Array(text.utf8))
            #expect(reply["error"]?["code"]?.text == "malformed", "\(text)")
        }
        let long = [UInt8](repeating: 0x20, count: Ceremony.adapter.frameBytesMax + 1)
        #expect(try await ceremony.answer(long)["error"]?["code"]?.text == "too_large")
    }

    @Test("a person sees the server, the account and the meaning")
    func summary() throws {
        let context = DecodingContext(
            accounts: [ceremony.account], peer: Peer(channel: "test"), now: Timestamp(seconds: 0),
            freshID: [], wasSeen: { _ in nil })
        let more: [JSONObject.Member] = [
            .init(name: "user", value: ["displayName": "Eve\u{202e}"])
        ]
        let frame = try ceremony.frame(Ceremony.registration(more: more))
        let request = try Ceremony.adapter.decode(frame.span, in: context)
        let text = request.summary.text
        #expect(text.contains("https://dapp.example.org") && text.contains(request.account.address))
        #expect(text.contains("a dishonest server could use the signature elsewhere"))
        #expect(request.dangers == [.controlCharacters])
        #expect(request.operations.allSatisfy { $0.dangers == [.liquidChallenge] })
        #expect(request.operations[1].effects.contains(.grantsAuthority))
        #expect(request.facts.contains(Fact("host", .text("dapp.example.org"))))
        #expect(request.facts.contains(Fact("rp_id", .text("dapp.example.org"))))
        #expect(request.client?.id == Ceremony.origin)
        let above = try ceremony.frame(Ceremony.registration(rp: ["id": "example.org"]))
        let wide = try Ceremony.adapter.decode(above.span, in: context)
        #expect(wide.dangers == [.parentRP])
        #expect(wide.facts.contains(Fact("rp_id", .text("example.org"))))
        #expect(wide.summary.text.contains("every server below it"))
    }

    @Test("a known server is recognised by its origin, not by a claim")
    func provedServer() throws {
        let server = ProvedServer(origin: Ceremony.origin, party: "example.org")
        let context = DecodingContext(
            accounts: [ceremony.account],
            peer: Peer(channel: "liquid", claim: "other", provedServer: server),
            now: Timestamp(seconds: 0), freshID: [], wasSeen: { _ in nil })
        let frame = try ceremony.frame(Ceremony.registration())
        let client = try Ceremony.adapter.decode(frame.span, in: context).client
        #expect(client?.proof == .server && client?.id == Ceremony.origin)
        #expect(client?.party == "example.org")
        #expect(Client.Proof(rawValue: "server") == .server)
    }
}
