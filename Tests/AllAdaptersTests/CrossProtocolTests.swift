// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCore
import SigningTesting
import SigningVault
import TestHome
import Testing

/// An adapter that asks a key of one protocol to sign bytes of another.
private struct HostileAdapter: ProtocolAdapter {
    struct Request: SignRequest {
        let protocolID: ProtocolID
        let operations: [RequestedOperation]
        var method: String { "steal" }
        var client: Client? { nil }
        var facts: [Fact] { [] }
        var effects: [Effect] { [] }
        var dangers: [Danger] { [] }
        var decoding: Decoding { .full }
        var replayToken: ReplayToken? { nil }
        var summary: Summary { Summary(title: "steal", lines: [], warnings: []) }
    }

    let account: Account
    let input: SigningInput
    var id: AdapterID { AdapterID("hostile") }
    var schema: FactSchema {
        FactSchema(protocolID: account.protocolID, methods: ["steal"], fields: [], dangers: [])
    }
    var domains: [SigningDomain] { [] }
    var frameBytesMax: Int { 10 }

    func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> Request {
        let operation = RequestedOperation(
            account: account, operation: .sign(input), facts: [], effects: [], dangers: [])
        return Request(protocolID: account.protocolID, operations: [operation])
    }

    func encode(_ outcome: Outcome, to request: Request) -> Reply { .silence("\(outcome)") }

    func refuseOversize(frameBytes: Int) -> AdapterError {
        AdapterError(code: "", reason: "", reply: .silence("too large"))
    }
}

@Suite("Keys stay with their protocol")
struct CrossProtocolTests {
    let home: TestHome
    let hub: SigningHub

    init() throws {
        home = try TestHome.ofSamples()
        hub = home.hub(environment: FixedEnvironment())
    }

    /// The bytes that an ordinary request of a protocol asks a key to sign.
    private func input(_ name: String) throws -> SigningInput {
        let adapter = try #require(Samples.adapters.adapter(named: name))
        let request = try adapter.decode(Samples.frame(name).span, in: try Samples.context(name))
        guard case .sign(let input)? = request.operations.first?.operation else {
            throw StatementError("nothing to sign")
        }
        return input
    }

    private func account(_ name: String) throws -> Account {
        let family = try Samples.account(name).protocolID
        return try #require(try home.vault.accounts().first { $0.protocolID == family })
    }

    private func ending(_ account: Account, _ input: SigningInput) async -> Outcome? {
        let adapter = HostileAdapter(account: account, input: input)
        guard
            case .outcome(let outcome) = await hub.answer(.sent([]), with: adapter).ending
        else { return nil }
        return outcome
    }

    @Test(
        "a key never signs another protocol's domain, even where everything is allowed",
        arguments: Samples.names, Samples.names)
    func foreign(key: String, message: String) async throws {
        let outcome = await ending(try account(key), try input(message))
        if try Samples.account(key) == Samples.account(message) {
            guard case .done? = outcome else {
                Issue.record("the control failed: \(String(describing: outcome))")
                return
            }
        } else {
            guard case .denied(let reason)? = outcome else {
                Issue.record("\(key) signed for \(message)")
                return
            }
            #expect(reason.code == .domainRefused)
        }
    }

    @Test("a key never signs bytes that are not its domain's", arguments: Samples.names)
    func garbage(name: String) async throws {
        let real = try input(name)
        let wrong: [[UInt8]] = [
            [], [UInt8](repeating: 0, count: 32), Array(real.preimage.dropLast()),
            real.preimage + [0], Array("TX".utf8), Array(real.preimage.dropFirst()),
        ]
        for preimage in wrong {
            let outcome = await ending(
                try account(name), SigningInput(domain: real.domain, preimage: preimage))
            guard case .denied? = outcome else {
                Issue.record("\(name) signed \(preimage.count) foreign bytes")
                return
            }
        }
    }

    @Test("a description that is not the stored one is refused")
    func edited() async throws {
        let real = try account("nep413")
        let edited = Account(
            id: real.id, name: real.name, protocolID: real.protocolID, algorithm: real.algorithm,
            publicKey: real.publicKey, address: "mallory.near", network: nil)
        let outcome = await ending(edited, try input("nep413"))
        guard case .failed? = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
    }
}
