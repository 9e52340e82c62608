// SPDX-License-Identifier: Apache-2.0

import ARC27
import Algorand
import AllAdapters
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing
import VectorFiles

/// Published bytes that keys of the same curves sign elsewhere.
private enum ForeignBytes {
    static let transactions = rows("near/transactions.json", "vectors")
    static let delegates = rows("near/delegate_actions.json", "vectors")
    static let nestedDelegates = rows("near/delegate_actions.json", "malformed")
    static let algorand = load("algorand/bytes_signing.json")

    static func load(_ path: String) -> JSON {
        VectorFile.read("Vectors/\(path)")
    }

    private static func rows(_ path: String, _ member: String) -> [JSON] {
        load(path)[member]?.list ?? []
    }
}

/// Bytes of another format are refused by every domain, even with a key for each.
@Suite("Bytes of other formats have no domain")
struct DomainSeparationTests {
    /// The domains whose key would sign the bytes.
    private func claimants(_ bytes: [UInt8], servingRaw: Bool = false) throws -> [String] {
        let raw = ["app": ARC27ClientSettings(messages: .raw)]
        let adapters =
            servingRaw ? AdapterSet(providerID: "", algorandClients: raw) : Samples.adapters
        let domains = adapters.domains
        let accounts = try Samples.names.map(Samples.account) + [Self.passkey]
        // Wires of one chain register equal domains, so each is tested once.
        let each = domains.enumerated().filter { place, domain in
            !domains[..<place].contains { $0.id == domain.id }
        }
        return try each.map(\.element).compactMap { domain in
            let account = try #require(
                accounts.first {
                    $0.protocolID == domain.protocolID && $0.algorithm == domain.algorithm
                })
            do throws(DomainError) {
                _ = try DomainRegistry(domains).message(
                    for: SigningInput(domain: domain.id, preimage: bytes), by: account)
                return domain.id.text
            } catch {
                return error == .wrongBytes(domain.id) ? nil : "\(error)"
            }
        }
    }

    private static let passkey = Account(
        id: KeyID("passkey"), name: "passkey", protocolID: .algorand, algorithm: .p256,
        publicKey: [UInt8](repeating: 0, count: 64), address: "", network: nil)

    /// The preimage that an ordinary request asks a key to sign.
    private func preimage(_ name: String) throws -> [UInt8] {
        let adapter = try #require(Samples.adapters.adapter(named: name))
        let request = try adapter.decode(Samples.frame(name).span, in: try Samples.context(name))
        guard case .sign(let input)? = request.operations.first?.operation else {
            throw StatementError("nothing to sign")
        }
        return input.preimage
    }

    /// Every member of a row that is written in hexadecimal digits.
    private func binaries(_ row: JSON) throws -> [[UInt8]] {
        let members = row.object?.members.filter { $0.name.lowercased().hasSuffix("hex") } ?? []
        return try members.map { try Hex.decode(try #require($0.value.text)) }
    }

    @Test(
        "the control: an ordinary preimage is its own domain's alone",
        arguments: [
            ("nip155", "nostr/event"), ("nip07", "nostr/event"), ("nep413", "near/nep413"),
            ("arc27", "algorand/transaction"),
        ])
    func control(name: String, domain: String) throws {
        #expect(try claimants(preimage(name)) == [domain])
    }

    @Test("all rows are there, of every version")
    func counts() {
        #expect(ForeignBytes.transactions.count == 34)
        #expect(Set(ForeignBytes.transactions.map { $0["version"] }) == [0, 1])
        #expect(ForeignBytes.delegates.count == 7 && ForeignBytes.nestedDelegates.count == 2)
        #expect(Set(ForeignBytes.delegates.map { $0["version"] }) == [1, 2])
    }

    @Test(
        "transactions of NEAR have no domain here, and their hashes are challenges at most",
        arguments: ForeignBytes.transactions + ForeignBytes.delegates
            + ForeignBytes.nestedDelegates)
    func near(_ row: JSON) throws {
        let all = try binaries(row)
        #expect(!all.isEmpty)
        for bytes in all {
            for form in [bytes, Digest.sha256(bytes.span), Array("TX".utf8) + bytes] {
                let own = form.count == 32 ? ["algorand/liquid-challenge"] : []
                #expect(try claimants(form) == own, "\(row["id"]?.text ?? "")")
            }
        }
    }

    @Test("a text that must never be signed without a prefix is not signed at all")
    func refusedRaw() throws {
        let rows = try #require(ForeignBytes.algorand["must_refuse_raw"]?.list)
        #expect(rows.count == 6)
        for row in rows {
            let text = try #require(row["text"]?.text)
            if let base64 = row["utf8_b64"]?.text {
                #expect(try Base64.decode(base64) == Array(text.utf8))
            }
            // After the prefix MX comes an Algorand message, so that domain accepts it.
            let own = text.hasPrefix("MX") ? ["algorand/message"] : []
            #expect(try claimants(Array(text.utf8)) == own, "\(text)")
            #expect(try claimants(Array(text.utf8), servingRaw: true) == own, "\(text)")
        }
    }

    @Test("a text of another client is signed raw only where such a client is allowed")
    func raw() throws {
        let text = Array("hello".utf8)
        #expect(try claimants(text) == [])
        #expect(try claimants(text, servingRaw: true) == ["algorand/raw-message"])
    }

    @Test(
        "behind a reserved prefix nothing is ours, but behind TX a transaction is, behind MX a text"
    )
    func reserved() throws {
        let prefixes = try #require(ForeignBytes.algorand["reserved_prefixes"]?.list)
        #expect(prefixes.count == 49)
        let transaction = Array(try preimage("arc27").dropFirst("TX".utf8.count))
        for json in prefixes {
            let text = try #require(json.text)
            let prefix = Array(text.utf8)
            let message = text == "MX" ? ["algorand/message"] : []
            #expect(try claimants(prefix) == message, "\(text)")
            let own = text == "TX" ? ["algorand/transaction"] : []
            #expect(try claimants(prefix + transaction) == own, "\(text)")
            #expect(try claimants(prefix + preimage("nep413")) == [], "\(text)")
            #expect(try claimants(prefix + preimage("nip155")) == message, "\(text)")
        }
    }
}
