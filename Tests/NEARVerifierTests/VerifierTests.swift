// SPDX-License-Identifier: Apache-2.0

import FakeNEAR
import NEARVerifier
import SigningCodecs
import SigningCore
import Testing
import VectorFiles

@Suite("Messages that others signed")
struct VerifierTests {
    private let chain: FakeChain
    private let home: WalletHome

    init() throws {
        chain = try FakeChain()
        home = try WalletHome()
    }

    private func signed(
        _ more: [JSONObject.Member] = [], nonce: [UInt8] = [UInt8](repeating: 1, count: 32)
    ) async throws -> [UInt8] {
        let words: [JSONObject.Member] =
            [
                .init(name: "message", value: "hi"), .init(name: "recipient", value: "app.near"),
                .init(name: "nonce", value: .string(Base64.encode(nonce.span))),
            ] + more
        let answer = json(
            await home.courier(nil).answer(frame("signMessage", .object(JSONObject(words)))))
        let result = try #require(answer["result"]?.object)
        return JSON.object(JSONObject(result.members + words)).write()
    }

    private func dropping(_ name: String, _ bytes: [UInt8]) throws -> [UInt8] {
        let object = try #require(try JSON.parse(bytes.span).object)
        return JSON.object(JSONObject(object.members.filter { $0.name != name })).write()
    }

    private func failure(
        _ bytes: [UInt8], _ demands: MessageVerifier.Demands = .init(), on chain: FakeChain? = nil
    ) async -> MessageVerifier.VerificationError? {
        do {
            _ = try await home.verifier(chain).verify(bytes, demands)
            return nil
        } catch {
            return error
        }
    }

    @Test("the signed callbackUrl is returned, also where the client never named one")
    func variants() async throws {
        let page = "https://app.example/login"
        let cases: [([JSONObject.Member], String, String)] = [
            ([.init(name: "callbackUrl", value: .string(page))], "callbackUrl of the page", page),
            ([.init(name: "callbackUrl", value: "")], "callbackUrl empty", page),
            ([], "as given", page),
        ]
        for (index, (members, variant, page)) in cases.enumerated() {
            let nonce = [UInt8](repeating: UInt8(index + 10), count: 32)
            let bytes = try dropping("callbackUrl", await signed(members, nonce: nonce))
            var demands = MessageVerifier.Demands()
            demands.page = page
            demands.isAnyCallback = true
            #expect(try await home.verifier().verify(bytes, demands).variant == variant)
        }
        let added = try await signed(nonce: [UInt8](repeating: 20, count: 32))
        let text = String(decoding: added, as: UTF8.self)
            .replacing("{", with: "{\"callbackUrl\":\"https://x.example\",", maxReplacements: 1)
        #expect(await failure(Array(text.utf8)) == .wrongSignature)
        var demands = MessageVerifier.Demands()
        demands.isAnyCallback = true
        #expect(
            try await home.verifier().verify(Array(text.utf8), demands).variant
                == "callbackUrl left out")
    }

    @Test("invalid signatures are refused", arguments: Negatives.all)
    func negatives(vector: JSON) async throws {
        var members: [JSONObject.Member] = [
            .init(name: "nonce", value: .string(try Self.base64(hex: vector["nonceHex"]?.text))),
            .init(name: "signature", value: vector["signatureBase64"] ?? .null),
        ]
        for name in ["accountId", "message", "recipient", "callbackUrl", "publicKey"] {
            members.append(.init(name: name, value: vector[name] ?? .null))
        }
        let bytes = JSON.object(JSONObject(members)).write()
        #expect(await failure(bytes) == .wrongSignature, "\(vector["id"]?.text ?? "")")
    }

    private static func base64(hex: String?) throws -> String {
        let bytes = try Hex.decode(try #require(hex))
        return Base64.encode(bytes.span)
    }

    @Test("another recipient, an old nonce, a changed word, a repetition: each is refused")
    func refusals() async throws {
        let bytes = try await signed()
        var demands = MessageVerifier.Demands()
        demands.recipient = "other.near"
        #expect(await failure(bytes, demands) == .wrongRecipient)
        let changed = String(decoding: bytes, as: UTF8.self).replacing("\"hi\"", with: "\"ho\"")
        #expect(await failure(Array(changed.utf8)) == .wrongSignature)
        #expect(await failure(Array("{}".utf8)) != nil)
        demands = MessageVerifier.Demands()
        demands.ageSecondsMax = 300
        #expect(await failure(bytes, demands) == .notFresh)
        #expect(await failure(bytes) == nil)
        #expect(await failure(bytes) == .replayed)
        // The account name is not part of the signed bytes, so a replay with another name is
        // refused.
        let renamed = String(decoding: bytes, as: UTF8.self).replacing("alice", with: "mallory")
        #expect(await failure(Array(renamed.utf8)) == .replayed)
        #expect(await failure(try dropping("accountId", bytes)) == .replayed)
        // Nonces are kept per recipient, and a verifier without demands accepts the message.
        demands = MessageVerifier.Demands()
        demands.isOnce = false
        #expect(await failure(bytes, demands) == nil)
    }

    @Test("a nonce that carries its time is fresh for as long as is said")
    func age() async throws {
        func nonce(_ seconds: Int64) -> [UInt8] {
            let time = UInt64(SystemClockReading.seconds() + seconds) * 1_000
            return (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
                + [UInt8](repeating: UInt8(truncatingIfNeeded: seconds), count: 24)
        }
        var demands = MessageVerifier.Demands()
        demands.ageSecondsMax = 300
        #expect(await failure(try await signed(nonce: nonce(-10)), demands) == nil)
        #expect(await failure(try await signed(nonce: nonce(-1_000)), demands) == .notFresh)
        #expect(await failure(try await signed(nonce: nonce(1_000)), demands) == .notFresh)
    }

    @Test("the key has to be the account's on the chain, with full access")
    func onChain() async throws {
        let bytes = try await signed()
        chain.setPermission([
            "FunctionCall": ["allowance": nil, "receiver_id": "a", "method_names": []]
        ])
        #expect(
            await failure(bytes, on: chain)
                == .keyNotOnChain("the key has no full access to the account"))
        chain.fail("view_access_key", .error(["cause": ["name": "UNKNOWN_ACCESS_KEY"]]))
        #expect(
            await failure(bytes, on: chain) == .keyNotOnChain("the account has no such key"))
        chain.setChain("localnet")
        guard case .unavailable? = await failure(bytes, on: chain) else {
            Issue.record("another network is believed")
            return
        }
        chain.setChain("testnet")
        chain.fail("view_access_key", .status(500))
        guard case .unavailable? = await failure(bytes, on: chain) else {
            Issue.record("believed, or refused for good")
            return
        }
        // A failed verification does not mark the nonce as used.
        chain.fail("view_access_key", nil)
        chain.setPermission("FullAccess")
        #expect(await failure(bytes, on: chain) == nil)
    }
}

/// The messages of Tests/Vectors/near/nep413_negative.json, read at run time.
private enum Negatives {
    static let all =
        VectorFile.read("Vectors/near/nep413_negative.json")["vectors"]?.list ?? []
}
