// SPDX-License-Identifier: Apache-2.0

import SigningCore
import Testing

@Suite("Signing domains")
struct DomainTests {
    func domain(
        _ name: String, _ protocolName: String = "toy", prehash: SigningDomain.Prehash = .none,
        prefix: String
    ) -> SigningDomain {
        SigningDomain(
            id: SigningDomain.ID(name), protocolID: ProtocolID(protocolName), algorithm: .ed25519,
            prehash: prehash, prefix: Array(prefix.utf8), isValid: { _, _ in true })
    }

    func message(
        _ text: String, _ id: String, _ domains: [SigningDomain], by account: Account = .toy("a")
    ) throws(DomainError) -> [UInt8] {
        let input = SigningInput(domain: SigningDomain.ID(id), preimage: Array(text.utf8))
        return try DomainRegistry(domains).message(for: input, by: account)
    }

    /// A hash with a result of the test's choice, which the core cannot know.
    func hash(_ name: String, to digest: String) -> SigningDomain.Prehash {
        SigningDomain.Prehash(name) { $0.first == UInt8(ascii: "!") ? nil : Array(digest.utf8) }
    }

    @Test("the preimage itself or its hash is signed")
    func prehash() throws {
        let plain = domain("p", prefix: "A")
        let hashed = domain("h", prehash: hash("toy", to: "digest"), prefix: "B")
        #expect(try message("A1", "p", [plain, hashed]) == Array("A1".utf8))
        #expect(try message("B1", "h", [plain, hashed]) == Array("digest".utf8))
    }

    @Test("a preimage that the domain's hash does not take is refused")
    func unhashable() {
        let hashed = domain("h", prehash: hash("toy", to: "digest"), prefix: "")
        #expect(throws: DomainError.wrongBytes(hashed.id)) { try message("!", "h", [hashed]) }
    }

    @Test("the same hash under two names does not hide that two domains sign the same bytes")
    func renamedHash() {
        let own = domain("own", prehash: hash("one", to: "digest"), prefix: "A")
        let same = domain("same", "other", prehash: hash("two", to: "digest"), prefix: "AB")
        #expect(throws: DomainError.ambiguous(own.id, other: same.id)) {
            try message("ABC", "own", [own, same])
        }
        let apart = domain("apart", "other", prehash: hash("two", to: "another"), prefix: "AB")
        #expect(throws: Never.self) { try message("ABC", "own", [own, apart]) }
    }

    @Test("a domain that several wires bring is registered once")
    func twice() throws {
        let plain = domain("p", prefix: "A")
        let other = domain("q", prefix: "B")
        #expect(try message("A1", "p", [plain, other, plain]) == Array("A1".utf8))
    }

    @Test("an unregistered domain, a foreign key and foreign bytes are refused")
    func refusals() {
        let plain = domain("p", prefix: "A")
        #expect(throws: DomainError.notRegistered(SigningDomain.ID("x"))) {
            try message("A1", "x", [plain])
        }
        #expect(throws: DomainError.wrongKey(plain.id)) {
            try message("A1", "p", [plain], by: .toy("a", protocolID: "near"))
        }
        #expect(throws: DomainError.wrongBytes(plain.id)) { try message("B1", "p", [plain]) }
    }

    @Test("bytes that another domain could claim are refused, for any protocol")
    func ambiguity() {
        let short = domain("short", prefix: "A")
        let long = domain("long", "other", prefix: "AB")
        #expect(throws: DomainError.ambiguous(short.id, other: long.id)) {
            try message("ABC", "short", [short, long])
        }
        #expect(throws: Never.self) { try message("AC", "short", [short, long]) }
    }

    @Test("a domain that takes any bytes blocks its own protocol alone")
    func bare() throws {
        func bare(_ protocolName: String) -> SigningDomain {
            SigningDomain(
                id: SigningDomain.ID("bare"), protocolID: ProtocolID(protocolName),
                algorithm: .ed25519, prehash: .none, prefix: [], isBare: true,
                isValid: { _, _ in true })
        }
        let plain = domain("p", prefix: "A")
        #expect(try message("A1", "p", [plain, bare("other")]) == Array("A1".utf8))
        #expect(throws: DomainError.ambiguous(plain.id, other: SigningDomain.ID("bare"))) {
            try message("A1", "p", [plain, bare("toy")])
        }
    }

    @Test("a digest that is another domain's plain preimage is refused")
    func digestAmbiguity() {
        let plain = domain("plain", "other", prefix: "TX")
        let hashed = domain("hashed", prehash: hash("toy", to: "TXrest"), prefix: "H")
        #expect(throws: DomainError.ambiguous(hashed.id, other: plain.id)) {
            try message("H1", "hashed", [hashed, plain])
        }
        let other = domain("hashed", prehash: hash("toy", to: "XTrest"), prefix: "H")
        #expect(throws: Never.self) { try message("H1", "hashed", [other, plain]) }
    }
}
