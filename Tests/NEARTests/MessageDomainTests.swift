// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import NEAR

@Suite("The domain near/nep413")
struct MessageDomainTests {
    private let key = [UInt8](repeating: 7, count: 32)

    private func claims(_ preimage: [UInt8]) throws -> Bool {
        let domain = try #require(SigningDomain.near.first)
        return preimage.starts(with: domain.prefix) && domain.isValid(preimage, key)
    }

    @Test("it is declared as the specification has it")
    func declaration() throws {
        #expect(SigningDomain.near.count == 3)
        let domain = try #require(SigningDomain.near.first)
        #expect(domain.id == SigningDomain.ID("near/nep413"))
        #expect(domain.algorithm == .ed25519 && domain.prehash == .sha256)
        #expect(domain.prefix == [0x9d, 0x01, 0x00, 0x80])
        #expect(UInt32(1 << 31) + 413 == NEP413Payload.tag)
    }

    @Test("it accepts the signed bytes and nothing shorter or longer")
    func edges() throws {
        #expect(MessageCall.vectors.count == 21)
        for (id, call) in MessageCall.vectors {
            let whole = call.payload.preimage
            #expect(try claims(whole), "\(id)")
            for count in 0..<min(whole.count, 600) {
                #expect(try !claims(Array(whole.prefix(count))))
            }
            #expect(try !claims(Array(whole.dropLast())))
            #expect(try !claims(whole + [0]) && !claims(whole + [1]))
        }
    }

    @Test("it refuses bytes that are not a canonical payload")
    func notCanonical() throws {
        let nonce = [UInt8](repeating: 1, count: 32)
        func bytes(_ message: [UInt8], _ recipient: [UInt8], _ tail: [UInt8]) -> [UInt8] {
            var writer = BorshWriter()
            writer.u32(NEP413Payload.tag)
            writer.byteString(message)
            writer.append(nonce)
            writer.byteString(recipient)
            writer.append(tail)
            return writer.bytes
        }
        let text = Array("hi".utf8)
        #expect(try claims(bytes(text, text, [0])))
        #expect(try !claims(bytes(text, text, [2])))
        #expect(try !claims(bytes([0xFF], text, [0])))
        #expect(try !claims(bytes(text, [0xC0, 0x80], [0])))
        #expect(try !claims(bytes(text, text, [1, 1, 0, 0, 0, 0xFF])))
        #expect(try claims(bytes([UInt8](repeating: 65, count: 32_768), text, [0])))
        #expect(try !claims(bytes([UInt8](repeating: 65, count: 32_769), text, [0])))
        #expect(try !claims(bytes(text, [UInt8](repeating: 65, count: 257), [0])))
        #expect(try !claims(NEP413Payload.prefix + [0xFF, 0xFF, 0xFF, 0xFF]))
    }

    @Test("it refuses bytes that other protocols and other NEAR domains sign")
    func foreign() throws {
        let payload = Array(try MessageCall.vector("nep-example").payload.preimage.dropFirst(4))
        let tags: [[UInt8]] = [
            [], [0x6e, 0x01, 0x00, 0x40], [0x63, 0x02, 0x00, 0x40, 0x00],
            [0x9d, 0x01, 0x00, 0x40], [0x80, 0x00, 0x01, 0x9d], [0x01],
            Array("TX".utf8), Array("TG".utf8), Array("MX".utf8), Array("ProgData".utf8),
            Array("[0,\"".utf8), Array("countersign template note v1\0".utf8),
        ]
        for tag in tags { #expect(try !claims(tag + payload)) }
    }

    @Test("the registry signs the hash, only for the right key")
    func registry() throws {
        let registry = DomainRegistry(SigningDomain.near)
        let account = JudgedTransaction.account(nil)
        let request = try MessageCall().request(holding: [account])
        guard case .sign(let input) = request.operations[0].operation else {
            Issue.record("not a signing operation")
            return
        }
        let message = try registry.message(for: input, by: account)
        #expect(message == Digest.sha256(input.preimage.span))
        let nostr = Account(
            id: KeyID("n"), name: "n", protocolID: ProtocolID("nostr"), algorithm: .ed25519,
            publicKey: key, address: "n", network: nil)
        #expect(throws: DomainError.wrongKey(SigningDomain.ID.nearMessage)) {
            try registry.message(for: input, by: nostr)
        }
    }
}
