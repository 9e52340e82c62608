// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCore
import SigningTesting
import Testing

@Suite("Requirements on every adapter")
struct ConformanceTests {
    private func adapter(_ name: String) throws -> any ProtocolAdapter {
        try #require(Samples.adapters.adapter(named: name))
    }

    @Test(
        "decodes equally twice, answers every reason, refuses too large frames",
        arguments: Samples.names)
    func basics(name: String) async throws {
        let results: [KeyResult] = [
            .signature([UInt8](repeating: 1, count: 64), message: [UInt8](repeating: 2, count: 32))
        ]
        let adapter = try adapter(name)
        let context = try Samples.context(name)
        let frame = Samples.frame(name)
        #expect(AdapterConformance.decodesTheSameTwice(adapter, frames: [frame], in: context) == [])
        #expect(
            AdapterConformance.answersEveryReason(
                adapter, to: frame, results: results, in: context) == [])
        #expect(await AdapterConformance.refusesOversize(adapter) == [])
    }

    /// A URL has no end, so NIP-155 opts out.
    @Test("refuses every proper prefix", arguments: ["nip07", "nep413", "arc27"])
    func prefixes(name: String) throws {
        let found = AdapterConformance.refusesPrefixes(
            try adapter(name), of: Samples.frame(name), in: try Samples.context(name))
        #expect(found == [])
    }

    @Test(
        "asks only for bytes of its own domains, which no other domain claims",
        arguments: Samples.names)
    func domains(name: String) throws {
        let found = AdapterConformance.asksOnlyForItsDomains(
            try adapter(name), frames: [Samples.frame(name)], in: try Samples.context(name),
            among: Samples.adapters.domains)
        #expect(found == [])
    }

    @Test("every fact and danger it raises is one its schema declares", arguments: Samples.names)
    func schema(name: String) throws {
        let adapter = try adapter(name)
        let request = try adapter.decode(Samples.frame(name).span, in: try Samples.context(name))
        let facts = request.facts + request.operations.flatMap(\.facts)
        #expect(!facts.isEmpty)
        let hasOutflow = request.operations.contains { !$0.outflows.isEmpty }
        for name in facts.map(\.name) + (hasOutflow ? ["outflow"] : []) {
            let field = try #require(adapter.schema.field(named: name), "\(name)")
            #expect(field.methods?.contains(request.method) != false, "\(name)")
        }
        #expect(adapter.schema.methods.contains(request.method))
    }

    @Test(
        "a connection ends by the methods that the schema names, without a key",
        arguments: [
            ("nep413", #"{"method":"signOut","params":{}}"#),
            (
                "arc27",
                #"{"id":"e5162ef6-4258-460c-b464-4540956e0e16","reference":"#
                    + #""arc0027:disable:request","params":{"providerId":"#
                    + #""85533948-4d0b-4727-904e-dd35305d49aa"}}"#
            ),
        ] + Samples.names.map { ($0, String(decoding: Samples.frame($0), as: UTF8.self)) })
    func endings(name: String, frame: String) throws {
        let adapter = try adapter(name)
        let request = try adapter.decode(
            Array(frame.utf8).span,
            in: try Samples.context(name, client: Client(id: "a", name: nil, proof: .claimed)))
        let isEnding = adapter.schema.endings.contains(request.method)
        #expect(request.terms.endsConnection == isEnding)
        let isKeyless = adapter.schema.keyless.contains(request.method)
        #expect(!isKeyless || request.operations.isEmpty)
        #expect(!isEnding || isKeyless)
        #expect(isEnding == ["sign_out", "disable"].contains(request.method))
    }

    @Test("no two adapters share a name; wires of one chain share domains and vocabulary")
    func apart() {
        let adapters = Samples.adapters.adapters
        #expect(Set(adapters.map(\.id)).count == adapters.count)
        let schemas = Samples.adapters.schemas
        #expect(Set(schemas.map(\.protocolID)).count == schemas.count)
        #expect(schemas.count == AllChains.list.count)
        for (place, adapter) in adapters.enumerated() {
            for other in adapters[..<place]
            where other.schema.protocolID != adapter.schema.protocolID {
                let shared = Set(other.domains.map(\.id)).intersection(adapter.domains.map(\.id))
                #expect(shared.isEmpty)
            }
        }
    }

    @Test(
        "a frame's wire is chosen by a mark that only one wire has",
        arguments: [
            (#"NostrSigner://x"#, "nip155"), ("countersign-nostr://x", "nip155"),
            (#"{"reference":"arc0027:discover:request"}"#, "arc27"),
            (#"{"message":"","recipient":""}"#, "nep413"),
            (#"{"method":"signIn","params":{}}"#, "nep413"), (#"{"method":""}"#, "ambiguous"),
            ("http://x", "unknown scheme http"),
            (#"{"nip07":"getPublicKey"}"#, "nip07"),
            (#"{"nip07":"x","method":"signIn","params":{}}"#, "ambiguous"),
            (#"{"message":""}"#, "ambiguous"), ("", "ambiguous"), ("[]", "ambiguous"),
            (#"{"a":1,"a":2}"#, "malformed"), ("1x:y", "ambiguous"),
            (#"{"reference":"","message":"","recipient":""}"#, "ambiguous"),
        ])
    func choosing(text: String, expected: String) {
        let bytes = Array(text.utf8)
        var found = ""
        do throws(ChoosingError) {
            found = try Samples.adapters.choose(named: nil, for: bytes.span).id.name
        } catch {
            found =
                switch error {
                case .unknownScheme(let scheme): "unknown scheme \(scheme)"
                case .ambiguous: "ambiguous"
                case .malformed: "malformed"
                case .unknownAdapter(let name): "unknown adapter \(name)"
                }
        }
        #expect(found == expected)
    }
}
