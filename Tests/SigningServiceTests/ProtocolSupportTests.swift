// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import Nostr
import SigningCore
import SigningCrypto
import SigningService
import Template
import TestHome
import Testing

/// The chain of the template's keys.
private struct NoteChain: Chain {
    let protocolID = ProtocolID("template")
    let algorithm = KeyAlgorithm.ed25519

    func address(publicKey _: [UInt8], given _: String?) -> String { "alice" }
}

/// A chain with an algorithm that does not exist.
private struct StrangeChain: Chain {
    let protocolID = ProtocolID("strange")
    let algorithm = KeyAlgorithm("rot13")

    func address(publicKey _: [UInt8], given _: String?) -> String { "bob" }
}

/// An adapter that gives the template's bytes another meaning.
private struct Impostor: ProtocolAdapter {
    private let template = TemplateAdapter()
    let id = AdapterID("impostor")
    let frameBytesMax = 1
    var schema: FactSchema { template.schema }
    var domains: [SigningDomain] {
        [
            SigningDomain(
                id: TemplateAdapter.domainID, protocolID: ProtocolID("template"),
                algorithm: .ed25519, prehash: .sha256, prefix: [], isValid: { _, _ in true })
        ]
    }

    func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> TemplateRequest { try template.decode(frame, in: context) }
    func encode(_ outcome: Outcome, to request: TemplateRequest) -> Reply {
        template.encode(outcome, to: request)
    }
    func refuseOversize(frameBytes: Int) -> AdapterError {
        template.refuseOversize(frameBytes: frameBytes)
    }
}

@Suite("Protocols of the caller's")
final class ProtocolSupportTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path }
    private let passphrase = SecretBytes(copying: "correct horse".utf8.span)
    private let notes = ProtocolSupport(chains: [NoteChain()], wires: [TemplateAdapter()])
    private let rules = """
        version = 1
        default = "ask"
        [[rule]]
        id = "short-notes"
        effect = "allow"
        protocol = "template"
        "text.bytes" = { max = 5 }
        """

    @Test("a home of one protocol answers it, and nothing that is built in")
    func alone() async throws {
        try OpenHome.create(at: path, speaking: notes, passphrase: passphrase)
        let home = try OpenHome(at: path, speaking: notes)
        #expect(home.adapters.names == ["template"])
        let key = try home.makeKey(NoteChain(), name: "notes", passphrase: passphrase)
        #expect(key.address == "alice" && key.protocolID == ProtocolID("template"))
        #expect(throws: ServiceError.self) {
            try home.makeKey(.nostr, name: "x", passphrase: passphrase)
        }
        try home.attest(policy: rules, passphrase: passphrase)
        let signer = try LocalSigner(of: home)
        try signer.unlock(passphrase: passphrase)
        for (text, code) in [("hello", nil), ("hello!", ReasonCode.approvalUnavailable)] {
            let frame = Frame(
                bytes: Array("{\"text\":\"\(text)\"}".utf8), peer: .inProcess())
            let answer = await signer.answer(frame, over: AdapterID("template"))
            switch answer.ending {
            case .outcome(.done): #expect(code == nil)
            case .outcome(.denied(let reason)): #expect(reason.code == code)
            default: Issue.record("\(answer.ending)")
            }
        }
        try signer.finish()
    }

    @Test("besides those that are built in it is one more")
    func besides() throws {
        try OpenHome.create(at: path, speaking: .builtIn, passphrase: passphrase)
        let home = try OpenHome(at: path, speaking: .builtIn + notes)
        #expect(
            home.adapters.names == [
                "nip155", "nip55", "nip46", "nip07", "nep413", "arc27", "liquid",
                "connect-nostr", "connect-near", "connect-algorand", "template",
            ])
        try home.makeKey(.nostr, name: "a", passphrase: passphrase)
        try home.makeKey(NoteChain(), name: "b", passphrase: passphrase)
        try home.attest(policy: rules, passphrase: passphrase)
        // Without the protocol the policy does not load, so no request is judged.
        #expect(throws: ServiceError.self) {
            try OpenHome(at: path, speaking: .builtIn).attestedPolicy()
        }
    }

    private let hint = "give one of them another id"

    @Test("a chain whose algorithm nothing brings is refused")
    func missing() throws {
        let strange = ProtocolSupport(chains: [StrangeChain()], wires: [TemplateAdapter()])
        let error = ServiceError(
            "keys of strange have the algorithm \"rot13\", which is missing",
            hint: "give ProtocolSupport the algorithm too")
        #expect(throws: error) { try strange.checkAll() }
    }

    @Test("two of one name, or two meanings of the same bytes, are refused")
    func apart() throws {
        try OpenHome.create(at: path, speaking: .builtIn, passphrase: passphrase)
        let impostor = ProtocolSupport(wires: [Impostor()])
        let twice = [
            notes + ProtocolSupport(wires: [TemplateAdapter()]),
            notes + ProtocolSupport(chains: [NoteChain()], wires: []),
            .builtIn + ProtocolSupport(chains: [NostrChain()], wires: []), notes + impostor,
        ]
        for protocols in twice {
            #expect(throws: ServiceError.self) { try OpenHome(at: path, speaking: protocols) }
        }
        #expect(throws: Never.self) { try OpenHome(at: path, speaking: impostor) }
        let other = ProtocolSupport(
            wires: [TemplateAdapter()], algorithms: SigningAlgorithm.builtIn.suffix(1))
        #expect(throws: ServiceError("two signature algorithms are called p256", hint: hint)) {
            try other.checkAll()
        }
        // Opening a home does not check the built-in protocols again.
        #expect(throws: Never.self) { try ProtocolSupport.builtIn.checkAll() }
    }
}
