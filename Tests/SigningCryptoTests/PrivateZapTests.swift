// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@testable import SigningCrypto

@Suite("Private zaps")
struct PrivateZapTests {
    struct File: Decodable {
        let senderSecret: Hex
        let recipientSecret: Hex
        let recipientPubkey: Hex
        let published: Published
        let profileZap: Made
        let eventZap: Made
    }

    struct Published: Decodable {
        let zapRequest: Request
        let derivedSecret: Hex
    }

    struct Made: Decodable {
        let derivedSecret: Hex
        let derivationInput: String
        let innerJson: String
        let zapRequest: Request
    }

    struct Request: Decodable {
        let pubkey: Hex
        let createdAt: Int64
        let tags: [[String]]
    }

    private static func payload(_ request: Request) throws -> [UInt8] {
        let tag = try #require(request.tags.first { $0[0] == "anon" })
        let parts = tag[1].split(separator: "_").map(String.init)
        return try Bech32.decode(parts[1]).bytes + Bech32.decode(parts[0]).bytes
    }

    @Test("The one-time key is found again, and both sides read the inside")
    func vectors() throws {
        let file = try Vectors.snakeJSON("nostr/nip57.private-zap.json", as: File.self)
        let sender = try Secp256k1Key(secret: SecretBytes(file.senderSecret.bytes))
        let receiver = try Secp256k1Key(secret: SecretBytes(file.recipientSecret.bytes))
        for made in [file.profileZap, file.eventZap] {
            let context = Array(made.derivationInput.utf8.dropFirst(64))
            let oneTime = try PrivateZap.oneTimeKey(of: sender, context: context.span)
            #expect(oneTime.secretScalar().copy() == made.derivedSecret.bytes)
            #expect(oneTime.publicKey == made.zapRequest.pubkey.bytes)
            let payload = try Self.payload(made.zapRequest)
            for shared in [
                try oneTime.sharedX(with: file.recipientPubkey.bytes.span).copy(),
                try receiver.sharedX(with: made.zapRequest.pubkey.bytes.span).copy(),
            ] {
                let inner = try NIP04.decrypt(payload.span, sharedX: SecretBytes(shared))
                #expect(String(decoding: inner, as: UTF8.self) == made.innerJson)
            }
        }
    }

    @Test("The published one is found by the receiver's key and the time")
    func published() throws {
        let file = try Vectors.snakeJSON("nostr/nip57.private-zap.json", as: File.self)
        let sender = try Secp256k1Key(secret: SecretBytes(file.senderSecret.bytes))
        let request = file.published.zapRequest
        let receiver = SigningCodecs.Hex.encode(file.recipientPubkey.bytes.span)
        let context = Array("\(receiver)\(request.createdAt)".utf8)
        let oneTime = try PrivateZap.oneTimeKey(of: sender, context: context.span)
        #expect(oneTime.secretScalar().copy() == file.published.derivedSecret.bytes)
        #expect(oneTime.publicKey == request.pubkey.bytes)
        let other = try PrivateZap.oneTimeKey(of: sender, context: Array((context + [0x30])).span)
        #expect(other.publicKey != request.pubkey.bytes)
    }
}
